// SPDX-License-Identifier: MIT
// prompts/get and completion/complete.
#include "host/mcp/call_answer.hpp"
#include "host/mcp/encode.hpp"
#include "host/mcp/method_calls.hpp"
#include "host/mcp/server.hpp"
#include "host/rpc/error_codes.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

constexpr std::size_t kMaxCompletions = 100; // clients refuse more

class PromptAnswer final : public CallAnswer {
public:
  PromptAnswer(Context &context, rpc::ReplyOnce reply, const pack::Instance &instance,
               std::string name, std::string description, std::uint64_t timeout_ms)
      : CallAnswer(context, std::move(reply)), instance_(instance), name_(std::move(name)),
        description_(std::move(description)), timeout_ms_(timeout_ms) {}

protected:
  std::string encode(pack::CallOutcome &outcome) override {
    if (outcome.status != PACKHOST_OK)
      return rpc::encode_error(id(), rpc::kInternalError,
                               call_error_text(outcome, instance_, timeout_ms_, name_));
    ResultText result(id(), revision(), server().server_info(), 4'096);
    if (!description_.empty()) json::append_string(result.member("description"), description_);
    std::string &out = result.member("messages");
    out += '[';
    bool needs_comma = false;
    for (const pack::Part &part : outcome.parts) {
      if (needs_comma) out += ',';
      needs_comma = true;
      const bool is_assistant =
          !part.annotations.empty() &&
          json::Object(json::Value(part.annotations)).find("role").equals("assistant");
      out += is_assistant ? R"({"role":"assistant","content":)" : R"({"role":"user","content":)";
      encode_block(out, part, revision(), instance_.alias());
      out += '}';
    }
    out += ']';
    if (outcome.meta.size() > 2)
      result.meta(std::string_view(outcome.meta).substr(1, outcome.meta.size() - 2));
    std::string text = result.finish();
    const std::size_t most = server().limits().max_out_line_bytes;
    if (text.size() < most) return text;
    return rpc::encode_error(
        id(), rpc::kInternalError,
        fmt::format("the prompt is {} bytes long as a line; the limit is {}", text.size(), most));
  }

private:
  const pack::Instance &instance_;
  std::string name_;
  std::string description_;
  std::uint64_t timeout_ms_;
};

class CompletionAnswer final : public CallAnswer {
public:
  CompletionAnswer(Context &context, rpc::ReplyOnce reply, const pack::Instance &instance,
                   std::string name, std::uint64_t timeout_ms)
      : CallAnswer(context, std::move(reply)), instance_(instance), name_(std::move(name)),
        timeout_ms_(timeout_ms) {}

protected:
  std::string encode(pack::CallOutcome &outcome) override {
    if (outcome.status != PACKHOST_OK)
      return rpc::encode_error(id(), rpc::kInternalError,
                               call_error_text(outcome, instance_, timeout_ms_, name_));
    const std::string_view answer = outcome.parts.size() == 1 &&
                                            outcome.parts.front().type == PACKHOST_PART_JSON &&
                                            json::check(outcome.parts.front().data.view())
                                        ? outcome.parts.front().data.view()
                                        : std::string_view();
    const bool is_object = !answer.empty() && json::Value(answer).is(json::Kind::object);
    const json::Object members(is_object ? json::Value(answer) : json::Value());
    const json::Value values = members.find("values");
    if (!values.is(json::Kind::array))
      return rpc::encode_error(
          id(), rpc::kInternalError,
          fmt::format("internal error in pack {} (id {})", instance_.alias(), outcome.call_id));
    ResultText result(id(), revision(), server().server_info(), 4'096);
    result.member("completion") += encode_values(members, values);
    return result.finish();
  }

private:
  static std::string encode_values(const json::Object &members, json::Value values) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("values").begin_array();
    std::size_t count = 0;
    bool is_cut = false;
    for (const json::Value value : json::elements(values)) {
      if (!value.is(json::Kind::string)) continue;
      if (++count > kMaxCompletions) {
        is_cut = true;
        break;
      }
      writer.raw(value.text());
    }
    writer.end_array();
    if (const std::optional<std::int64_t> total = members.find("total").integer();
        total && *total >= 0)
      writer.integer("total", *total);
    const std::optional<bool> has_more = members.find("more").boolean();
    if (is_cut || has_more) writer.boolean("hasMore", is_cut || *has_more);
    writer.end_object();
    return text;
  }

  const pack::Instance &instance_;
  std::string name_;
  std::uint64_t timeout_ms_;
};

/// What is wrong with the arguments of a prompt; empty: nothing.
std::string find_prompt_fault(const contract::PromptEntry &prompt, const json::Object &given) {
  for (const json::Member &member : given.members()) {
    const bool is_known = std::any_of(
        prompt.arguments.begin(), prompt.arguments.end(),
        [&](const contract::PromptArgument &argument) { return argument.name == member.key; });
    if (!is_known)
      return fmt::format("Invalid params: prompt '{}' has no argument '{}'", prompt.name,
                         kit::utf8::clip(member.key, 128));
    if (!member.value.is(json::Kind::string))
      return fmt::format("Invalid params: argument '{}' must be a string", member.key);
  }
  for (const contract::PromptArgument &argument : prompt.arguments)
    if (argument.required && !given.find(argument.name).exists())
      return fmt::format("Invalid params: prompt '{}' needs the argument '{}'", prompt.name,
                         argument.name);
  return {};
}

/// What a completion is asked about.
struct CompletionTarget {
  pack::Instance *instance = nullptr;
  std::string name;
  bool is_prompt = false;
  bool is_known_argument = false;
  bool can_complete = false;
};

CompletionTarget find_target(const pack::Registry &registry, const json::Object &ref,
                             std::string_view argument) {
  CompletionTarget target;
  const auto has = [&](const std::vector<std::string> &names) {
    return std::find(names.begin(), names.end(), argument) != names.end();
  };
  if (ref.find("type").equals("ref/prompt") && ref.find("name").is(json::Kind::string)) {
    const pack::PromptRow *row = registry.find_prompt(ref.find("name").string());
    if (row == nullptr) return target;
    target = {row->instance, row->entry.name, true, false, has(row->entry.complete)};
    for (const contract::PromptArgument &known : row->entry.arguments)
      target.is_known_argument = target.is_known_argument || known.name == argument;
  } else if (ref.find("type").equals("ref/resource") && ref.find("uri").is(json::Kind::string)) {
    const pack::TemplateRow *row = registry.find_template(ref.find("uri").string());
    if (row == nullptr) return target;
    target = {row->instance, row->entry.uri, false, has(row->pattern.variables()),
              has(row->entry.complete)};
  }
  return target;
}

} // namespace

void prompts_get(Context &context, const Params &params, support::ReadTurn &turn,
                 rpc::ReplyOnce reply) {
  const json::Value name = params.find("name");
  if (!name.is(json::Kind::string))
    return reply.error(rpc::kInvalidParams, "Invalid params: name must be a string");
  const json::Value arguments = params.find("arguments");
  if (arguments.exists() && !arguments.is(json::Kind::object))
    return reply.error(rpc::kInvalidParams, "Invalid params: arguments must be an object");
  const auto registry = context.server.registry();
  const std::string wanted = name.string();
  const pack::PromptRow *row = registry->find_prompt(wanted);
  if (row == nullptr)
    return reply.error(rpc::kInvalidParams,
                       fmt::format("unknown prompt '{}'", kit::utf8::clip(wanted, 128)));
  if (std::string fault = find_prompt_fault(row->entry, json::Object(arguments)); !fault.empty())
    return reply.error(rpc::kInvalidParams, fault);
  if (!reserve_or_refuse(context, reply)) return;

  pack::CallRequest request = make_request(context, PACKHOST_CALL_PROMPT, row->entry.name);
  auto answer =
      std::make_unique<PromptAnswer>(context, std::move(reply), *row->instance, row->entry.name,
                                     row->entry.description, request.timeout_ms);
  request.wants_progress = answer->wants_progress();
  take_args(context, arguments.exists() ? arguments.text() : std::string_view("{}"), request);
  context.server.start_call(*row->instance, std::move(request), std::move(answer),
                            context.line_bytes, turn);
}

void completion_complete(Context &context, const Params &params, support::ReadTurn &turn,
                         rpc::ReplyOnce reply) {
  const auto as_object = [](json::Value value) {
    return json::Object(value.is(json::Kind::object) ? value : json::Value());
  };
  const json::Object ref = as_object(params.find("ref"));
  const json::Object argument = as_object(params.find("argument"));
  const json::Value argument_name = argument.find("name");
  const json::Value value = argument.find("value");
  if (!ref.find("type").is(json::Kind::string))
    return reply.error(rpc::kInvalidParams, "Invalid params: ref must be a prompt or a resource");
  if (!argument_name.is(json::Kind::string) || !value.is(json::Kind::string))
    return reply.error(rpc::kInvalidParams,
                       "Invalid params: argument must have string members name and value");
  const CompletionTarget target =
      find_target(*context.server.registry(), ref, argument_name.string());
  if (target.instance == nullptr)
    return reply.error(rpc::kInvalidParams,
                       "Invalid params: ref names no known prompt or template");
  if (!target.is_known_argument)
    return reply.error(rpc::kInvalidParams,
                       "Invalid params: argument.name is not an argument there");
  if (!target.can_complete) {
    ResultText result(reply.id(), context.revision, context.server.server_info());
    result.member("completion") += R"({"values":[]})";
    return reply.response(result.finish());
  }
  if (!reserve_or_refuse(context, reply)) return;

  const json::Value others = as_object(params.find("context")).find("arguments");
  pack::CallRequest request = make_request(context, PACKHOST_CALL_COMPLETE, target.name);
  json::Writer writer(request.args_owner);
  writer.begin_object().string("kind", target.is_prompt ? "prompt" : "template");
  writer.raw("argument", argument_name.text()).raw("value", value.text());
  writer.raw("arguments", others.is(json::Kind::object) ? others.text() : "{}").end_object();
  request.args = request.args_owner;
  auto answer = std::make_unique<CompletionAnswer>(context, std::move(reply), *target.instance,
                                                   target.name, request.timeout_ms);
  context.server.start_call(*target.instance, std::move(request), std::move(answer),
                            context.line_bytes, turn);
}

} // namespace packhost::mcp
