// SPDX-License-Identifier: MIT
// tools/call. The one place that decides which kind a failure is: not understood -> JSON-RPC error;
// arguments do not fit, or the tool refuses or fails -> a result with isError, for the model to
// read.
#include "host/mcp/call_answer.hpp"
#include "host/mcp/encode.hpp"
#include "host/mcp/method_calls.hpp"
#include "host/mcp/server.hpp"
#include "host/rpc/error_codes.hpp"
#include "host/support/log.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

pack::CallOutcome refused(packhost_status status, std::string message) {
  pack::CallOutcome outcome;
  outcome.status = status;
  outcome.ended_by = pack::EndedBy::host;
  outcome.message = std::move(message);
  return outcome;
}

class ToolAnswer final : public CallAnswer {
public:
  ToolAnswer(Context &context, rpc::ReplyOnce reply, std::shared_ptr<const pack::Registry> registry,
             const pack::ToolRow &row, std::uint64_t timeout_ms)
      : CallAnswer(context, std::move(reply)), registry_(std::move(registry)), row_(row),
        timeout_ms_(timeout_ms) {}

protected:
  std::string encode(pack::CallOutcome &outcome) override {
    const bool has_parts = outcome.status == PACKHOST_OK || outcome.status == PACKHOST_E_TOOL;
    std::string text;
    if (has_parts) {
      pack::CallOutcome fault = check_parts(outcome);
      text = fault.status == PACKHOST_OK ? encode_parts(outcome) : encode_failure(fault);
    } else {
      text = encode_failure(outcome);
    }
    const std::size_t most = server().limits().max_out_line_bytes;
    const std::optional<contract::ResultSize> &size = row_.instance->manifest().result_size;
    if (has_parts && size && text.size() > size->max_bytes) {
      pack::CallOutcome over = refused(PACKHOST_E_LIMIT, size->over);
      over.entered_pack = true;
      return encode_failure(over);
    }
    if (text.size() < most) return text;
    pack::CallOutcome over = refused(
        PACKHOST_E_LIMIT, fmt::format("the result of '{}' is {} bytes long as a line; the limit is "
                                      "{}; ask for less",
                                      row_.shown_name, text.size(), most));
    over.entered_pack = true;
    return encode_failure(over);
  }

private:
  /// What keeps the parts from being sent as they are; status OK: nothing.
  pack::CallOutcome check_parts(const pack::CallOutcome &outcome) {
    pack::CallOutcome fault = refused(PACKHOST_E_INTERNAL, {});
    fault.call_id = outcome.call_id;
    fault.entered_pack = true;
    bool has_json = false;
    for (const pack::Part &part : outcome.parts) {
      if (part.type != PACKHOST_PART_JSON) continue;
      has_json = true;
      const std::string_view text = part.data.view();
      const kit::Result<bool, json::ParseFault> form = json::check_form(text);
      if (!form || !json::Value(text).is(json::Kind::object)) {
        fault.message = "its structured result is no JSON object";
        return fault;
      }
      is_compact_ = *form;
      if (row_.output == nullptr || outcome.status != PACKHOST_OK) continue;
      const contract::Schema *schema = row_.output->compiled();
      if (schema == nullptr) return fault;
      if (const kit::Result<void, contract::Violation> checked = schema->check(text); !checked) {
        fault.message = fmt::format("its structured result breaks its own schema at '{}': {}",
                                    checked.error().pointer, checked.error().rule);
        return fault;
      }
    }
    if (!has_json && row_.output != nullptr && outcome.status == PACKHOST_OK) {
      fault.message = "it declares an output schema and gave no structured result";
      return fault;
    }
    fault.status = PACKHOST_OK;
    return fault;
  }

  std::string encode_parts(const pack::CallOutcome &outcome) {
    const pack::Part *structured = nullptr;
    bool has_text = false;
    std::size_t expected = 256 + outcome.meta.size();
    for (const pack::Part &part : outcome.parts) {
      has_text = has_text || part.type == PACKHOST_PART_TEXT;
      const std::size_t bytes = part.data.view().size();
      // Escapes add an eighth to most texts; what they add to others makes the line grow once more.
      expected += 128 + bytes + (part.type == PACKHOST_PART_BLOB ? bytes / 3 : bytes / 8);
      if (part.type == PACKHOST_PART_JSON) {
        structured = &part;
        expected += bytes;
      }
    }
    std::string compact;
    std::string_view json_text;
    if (structured != nullptr) {
      json_text = structured->data.view();
      if (!is_compact_) {
        json::append_compact(compact, json_text);
        json_text = compact;
      }
    }
    ResultText result(id(), revision(), server().server_info(), expected);
    std::string &out = result.member("content");
    out += '[';
    bool needs_comma = false;
    for (const pack::Part &part : outcome.parts) {
      if (part.type == PACKHOST_PART_JSON && has_text) continue;
      if (needs_comma) out += ',';
      needs_comma = true;
      if (part.type == PACKHOST_PART_JSON) {
        out += R"({"type":"text","text":)";
        json::append_string(out, json_text);
        out += '}';
      } else {
        if (part.type == PACKHOST_PART_TEXT) note_invalid_text(part);
        encode_block(out, part, revision(), row_.instance->alias());
      }
    }
    out += ']';
    if (structured != nullptr && revision().structured)
      result.member("structuredContent") += json_text;
    if (outcome.status == PACKHOST_E_TOOL) result.member("isError") += "true";
    if (outcome.meta.size() > 2)
      result.meta(std::string_view(outcome.meta).substr(1, outcome.meta.size() - 2));
    add_size_hint(result, outcome.items);
    return result.finish();
  }

  std::string encode_failure(const pack::CallOutcome &outcome) {
    const contract::Manifest &manifest = row_.instance->manifest();
    const std::string message = failure_text(outcome, *row_.instance, timeout_ms_, row_.shown_name);
    if (outcome.status == PACKHOST_E_INTERNAL || outcome.status == PACKHOST_E_MISUSE)
      support::log(support::LogLevel::warn, "call.failed",
                   {{"pack", std::string(row_.instance->alias())},
                    {"tool", row_.entry.name},
                    {"call", std::to_string(outcome.call_id)},
                    {"reason", outcome.message.empty() ? "internal error" : outcome.message}});
    const std::string shaped = fill_error_shape(manifest, outcome, message);
    ResultText result(id(), revision(), server().server_info(), 512);
    std::string &out = result.member("content");
    out += R"([{"type":"text","text":)";
    json::append_string(out, shaped.empty() ? message : shaped);
    out += "}]";
    if (revision().structured) {
      if (!shaped.empty())
        result.member("structuredContent") += shaped;
      else if (!outcome.details.empty() && row_.output == nullptr &&
               json::Value(outcome.details).is(json::Kind::object))
        result.member("structuredContent") += outcome.details;
    }
    result.member("isError") += "true";
    add_size_hint(result, 0);
    return result.finish();
  }

  void add_size_hint(ResultText &result, std::uint64_t items) const {
    const std::optional<contract::ResultSize> &size = row_.instance->manifest().result_size;
    if (size) result.size_hint(size->key, items, size->max_bytes);
  }

  void note_invalid_text(const pack::Part &part) const {
    if (kit::utf8::is_valid(part.data.view())) return;
    support::log(support::LogLevel::warn, "pack.invalid_text",
                 {{"pack", std::string(row_.instance->alias())}, {"tool", row_.entry.name}});
  }

  std::shared_ptr<const pack::Registry> registry_; // row_ stands in it
  const pack::ToolRow &row_;
  std::uint64_t timeout_ms_;
  bool is_compact_ = false; // the structured part, as check_parts() saw it
};

void answer_now(ToolAnswer &answer, packhost_status status, std::string message) {
  pack::CallOutcome outcome = refused(status, std::move(message));
  answer.on_done(outcome, true);
}

/// The sentence for arguments that break the schema; empty: they fit.
std::string find_argument_fault(const pack::ToolRow &row, std::string_view args) {
  if (row.input == nullptr) return {};
  const contract::Schema *schema = row.input->compiled();
  if (schema == nullptr) return "the input schema of the tool does not compile";
  const kit::Result<void, contract::Violation> checked = schema->check(args);
  if (checked) return {};
  const contract::Violation &fault = checked.error();
  return fault.pointer.empty()
             ? fmt::format("invalid arguments for '{}': {}", row.shown_name, fault.rule)
             : fmt::format("invalid arguments for '{}': '{}' {}", row.shown_name, fault.pointer,
                           fault.rule);
}

} // namespace

void tools_call(Context &context, const Params &params, support::ReadTurn &turn,
                rpc::ReplyOnce reply) {
  const json::Value name = params.find("name");
  if (!name.is(json::Kind::string))
    return reply.error(rpc::kInvalidParams, "Invalid params: name must be a string");
  const json::Value arguments = params.find("arguments");
  if (arguments.exists() && !arguments.is(json::Kind::object))
    return reply.error(rpc::kInvalidParams, "Invalid params: arguments must be an object");
  auto registry = context.server.registry();
  const std::string wanted = name.string();
  const pack::ToolRow *row = registry->find_tool(wanted);
  if (row == nullptr)
    return reply.error(rpc::kInvalidParams,
                       fmt::format("unknown tool '{}'", kit::utf8::clip(wanted, 128)));
  if (!row->left_out_by.empty())
    return reply.error(rpc::kInvalidParams,
                       fmt::format("unknown tool '{}' (left out by {})", wanted, row->left_out_by));

  const pack::Limits &limits = context.server.limits();
  const std::string_view args = arguments.exists() ? arguments.text() : std::string_view("{}");
  const std::uint64_t timeout_ms =
      std::min<std::uint64_t>(row->entry.limits.timeout_ms, limits.max_timeout_ms);
  auto answer = std::make_unique<ToolAnswer>(context, std::move(reply), registry, *row, timeout_ms);
  const std::uint64_t most_args =
      std::min<std::uint64_t>(row->entry.limits.max_args_bytes, limits.max_args_bytes);
  if (args.size() > most_args)
    return answer_now(*answer, PACKHOST_E_LIMIT,
                      fmt::format("the arguments of '{}' are {} bytes; the limit is {}; send less",
                                  wanted, args.size(), most_args));
  if (std::string fault = find_argument_fault(*row, args); !fault.empty())
    return answer_now(*answer, PACKHOST_E_INVALID_ARGS, std::move(fault));
  if (const auto full = context.server.inflight().reserve(context.line_bytes)) {
    const rpc::Inflight::Bounds &bounds = context.server.inflight().bounds();
    return answer_now(
        *answer, PACKHOST_E_LIMIT,
        *full == rpc::Inflight::Refusal::requests
            ? fmt::format("{} calls are in flight, which is the limit; wait for one to end and "
                          "try again",
                          bounds.max_requests)
            : fmt::format("the calls in flight hold {} bytes of requests, which is the limit; "
                          "wait for one to end and try again",
                          bounds.max_bytes));
  }

  pack::CallRequest request;
  request.kind = PACKHOST_CALL_TOOL;
  request.name = row->entry.name;
  request.timeout_ms = timeout_ms;
  request.max_result_bytes =
      std::min<std::uint64_t>(row->entry.limits.max_result_bytes, limits.max_result_bytes);
  request.wants_progress = answer->wants_progress();
  request.is_exclusive = row->entry.exclusive;
  request.pace = row->pace;
  take_args(context, args, request);
  context.server.start_call(*row->instance, std::move(request), std::move(answer),
                            context.line_bytes, turn);
}

} // namespace packhost::mcp
