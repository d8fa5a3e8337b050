// SPDX-License-Identifier: MIT
// See call_answer.hpp.
#include "host/mcp/call_answer.hpp"

#include "host/mcp/server.hpp"
#include "sdk/kit/json.hpp"

#include <fmt/format.h>

#include <utility>

namespace json = packhost::kit::json;

namespace packhost::mcp {

CallAnswer::CallAnswer(Context &context, rpc::ReplyOnce reply)
    : server_(context.server), revision_(context.revision), reply_(std::move(reply)),
      progress_token_(context.progress_token.text()) {}

void CallAnswer::close_one_end() {
  if (open_ends_.fetch_sub(1, std::memory_order_acq_rel) == 1) server_.inflight().remove(place_);
}

void CallAnswer::on_progress(double done, double total, std::string_view message) {
  std::string params;
  json::Writer writer(params);
  writer.begin_object().raw("progressToken", progress_token_);
  writer.key("progress").number(done);
  if (total >= 0) writer.key("total").number(total);
  if (!message.empty() && revision_.tool_annotations) writer.string("message", message);
  writer.end_object();
  // Asked under the writer's lock: nothing goes out after the response, or after a cancellation,
  // and no lower value after a higher one.
  server_.notify(rpc::encode_notification("notifications/progress", params),
                 [this, done, keep = call_.lock()] {
                   if (is_settled_.load(std::memory_order_acquire) || done <= written_progress_)
                     return false;
                   written_progress_ = done;
                   return true;
                 });
}

void CallAnswer::on_late_progress() {
  server_.report_later(call_);
}

std::size_t CallAnswer::on_done(pack::CallOutcome &outcome, bool may_wait) {
  std::string text = encode(outcome);
  const std::size_t bytes = text.size();
  if (may_wait) {
    // Reports that still wait would come after this. Behind a queued answer none can come, and
    // those before it in the queue may still go out.
    is_settled_.store(true, std::memory_order_release);
    reply_.response(std::move(text));
    close_one_end();
  } else { // it stays in flight until a thread of the host has written it
    reply_.response(std::move(text), false, [this, keep = call_.lock()] { close_one_end(); });
  }
  return bytes;
}

void CallAnswer::on_leaving() {
  server_.inflight().make_room(place_);
}

void CallAnswer::on_dropped() {
  is_settled_.store(true, std::memory_order_release);
  reply_.drop();
  close_one_end();
}

void CallAnswer::on_ended() {
  close_one_end();
}

void CallAnswer::give_up() {
  if (const std::shared_ptr<pack::PackCall> call = call_.lock()) call->give_up();
}

void CallAnswer::end(pack::EndedBy cause) {
  const std::shared_ptr<pack::PackCall> call = call_.lock();
  if (call != nullptr && call->cancel(cause)) server_.tell_later(call);
}

// ---- failures
// ------------------------------------------------------------------------------------

namespace {

struct StatusWords {
  packhost_status status;
  std::string_view code; // lower case, as in error_codes of a manifest
  std::string_view text; // where the pack says nothing
  bool is_retryable;
};

constexpr StatusWords kStatusWords[] = {
    {PACKHOST_E_INVALID_ARGS, "invalid_args", "the arguments do not fit", false},
    {PACKHOST_E_NOT_FOUND, "not_found", "not found", false},
    {PACKHOST_E_DENIED, "denied", "not allowed", false},
    {PACKHOST_E_CONFLICT, "conflict", "the state has changed; look again and retry", false},
    {PACKHOST_E_CANCELLED, "cancelled", "the call was cancelled", true},
    {PACKHOST_E_DEADLINE, "deadline", "timed out", true},
    {PACKHOST_E_LIMIT, "limit", "the result is over its limit; ask for less", false},
    {PACKHOST_E_IO, "io", "reading or writing failed", false},
    {PACKHOST_E_UNAVAILABLE, "unavailable", "not available now; try again", true},
    {PACKHOST_E_UNSUPPORTED, "unsupported", "not supported", false},
    {PACKHOST_E_CONFIG, "config", "", false},
    {PACKHOST_E_NOMEM, "nomem", "", false},
    {PACKHOST_E_MISUSE, "misuse", "", false},
    {PACKHOST_E_INTERNAL, "internal", "", false},
};

const StatusWords &words_of(packhost_status status) {
  for (const StatusWords &row : kStatusWords)
    if (row.status == status) return row;
  return kStatusWords[std::size(kStatusWords) - 1];
}

std::string seconds_text(std::uint64_t ms) {
  return ms % 1'000 == 0 ? fmt::format("{} s", ms / 1'000) : fmt::format("{} ms", ms);
}

/// The template's strings with their slots filled; a string that is only ${retryable} becomes a
/// boolean.
void fill_value(std::string &out, json::Value value,
                const std::vector<std::pair<std::string_view, std::string>> &slots,
                bool is_retryable) {
  switch (value.kind()) {
  case json::Kind::object: {
    const json::Object members(value);
    out += '{';
    bool needs_comma = false;
    for (const json::Member &member : members.members()) {
      if (needs_comma) out += ',';
      needs_comma = true;
      json::append_string(out, member.key);
      out += ':';
      fill_value(out, member.value, slots, is_retryable);
    }
    out += '}';
    return;
  }
  case json::Kind::array: {
    out += '[';
    bool needs_comma = false;
    for (const json::Value element : json::elements(value)) {
      if (needs_comma) out += ',';
      needs_comma = true;
      fill_value(out, element, slots, is_retryable);
    }
    out += ']';
    return;
  }
  case json::Kind::string: {
    const std::string text = value.string();
    if (text == "${retryable}") {
      out += is_retryable ? "true" : "false";
      return;
    }
    std::string filled;
    for (std::size_t at = 0; at < text.size();) {
      bool is_slot = false;
      for (const auto &[name, replacement] : slots) {
        if (text.compare(at, name.size(), name) != 0) continue;
        filled += replacement;
        at += name.size();
        is_slot = true;
        break;
      }
      if (!is_slot) filled += text[at++];
    }
    json::append_string(out, filled);
    return;
  }
  case json::Kind::null:
  case json::Kind::boolean:
  case json::Kind::number:
    out += value.text();
  }
}

} // namespace

std::string failure_text(const pack::CallOutcome &outcome, const pack::Instance &instance,
                         std::uint64_t timeout_ms, std::string_view tool) {
  if (outcome.ended_by == pack::EndedBy::deadline)
    return fmt::format("'{}' timed out after {}", tool, seconds_text(timeout_ms));
  if (outcome.ended_by == pack::EndedBy::shutdown)
    return fmt::format("'{}' was cancelled: the server is shutting down", tool);
  switch (outcome.status) {
  case PACKHOST_E_NOMEM:
  case PACKHOST_E_INTERNAL:
  case PACKHOST_E_MISUSE:
  case PACKHOST_E_CONFIG:
    // What the host found out itself names the thing; what a pack says of a bug stays in the log.
    return fmt::format("internal error in pack {} (id {}){}", instance.alias(), outcome.call_id,
                       outcome.ended_by == pack::EndedBy::host && !outcome.message.empty()
                           ? ": " + outcome.message
                           : "");
  default:
    if (!outcome.message.empty()) return outcome.message;
    return fmt::format("'{}' failed: {}", tool, words_of(outcome.status).text);
  }
}

std::string fill_error_shape(const contract::Manifest &manifest, const pack::CallOutcome &outcome,
                             std::string_view message) {
  if (manifest.error_shape.empty()) return {};
  const packhost_status status =
      outcome.ended_by == pack::EndedBy::deadline ? PACKHOST_E_DEADLINE : outcome.status;
  const StatusWords &words = words_of(status);
  std::string code(words.code);
  for (const auto &[name, own] : manifest.error_codes)
    if (name == words.code) code = own;
  const bool is_host_limit = status == PACKHOST_E_LIMIT &&
                             outcome.ended_by == pack::EndedBy::host && !outcome.entered_pack;
  const bool is_retryable = words.is_retryable || is_host_limit;
  std::string out;
  fill_value(out, json::Value(manifest.error_shape),
             {{"${code}", code},
              {"${message}", std::string(message)},
              {"${retryable}", is_retryable ? "true" : "false"},
              {"${effects}", outcome.entered_pack ? "unknown" : "none"}},
             is_retryable);
  return out;
}

} // namespace packhost::mcp
