// SPDX-License-Identifier: MIT
// See method_calls.hpp.
#include "host/mcp/method_calls.hpp"

#include "host/mcp/call_answer.hpp"
#include "host/mcp/server.hpp"
#include "host/rpc/error_codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace packhost::mcp {

namespace {

constexpr std::uint64_t kDefaultTimeoutMs = 60'000;

} // namespace

void take_args(Context &context, std::string_view args, pack::CallRequest &request) {
  const bool is_in_line =
      args.data() >= context.line.data() && args.data() < context.line.data() + context.line.size();
  if (!is_in_line) {
    request.args = args; // a constant
  } else if (context.may_take_line && context.line.capacity() > sizeof(std::string)) {
    request.args_owner = std::move(context.line); // on the heap: its bytes stay where they are
    request.args = args;
  } else {
    request.args_owner = args;
    request.args = request.args_owner;
  }
}

pack::CallRequest make_request(const Context &context, std::uint32_t kind, std::string name) {
  pack::CallRequest request;
  request.kind = kind;
  request.name = std::move(name);
  request.timeout_ms =
      std::min<std::uint64_t>(kDefaultTimeoutMs, context.server.limits().max_timeout_ms);
  request.max_result_bytes = context.server.limits().max_result_bytes;
  return request;
}

bool reserve_or_refuse(Context &context, rpc::ReplyOnce &reply) {
  rpc::Inflight &inflight = context.server.inflight();
  const auto full = inflight.reserve(context.line_bytes);
  if (!full) return true;
  reply.error(rpc::kInternalError,
              *full == rpc::Inflight::Refusal::requests
                  ? fmt::format("{} calls are in flight, which is the limit; try again",
                                inflight.bounds().max_requests)
                  : fmt::format("the calls in flight hold {} bytes of requests, which is the "
                                "limit; try again",
                                inflight.bounds().max_bytes));
  return false;
}

std::string call_error_text(const pack::CallOutcome &outcome, const pack::Instance &instance,
                            std::uint64_t timeout_ms, std::string_view name) {
  if (outcome.status == PACKHOST_E_TOOL) {
    for (const pack::Part &part : outcome.parts)
      if (part.type == PACKHOST_PART_TEXT) return std::string(part.data.view());
    return fmt::format("pack '{}' failed", instance.alias());
  }
  return failure_text(outcome, instance, timeout_ms, name);
}

pack::Instance *find_resource_owner(const pack::Registry &registry, std::string_view uri) {
  if (const pack::ResourceRow *row = registry.find_resource(uri)) return row->instance;
  if (const pack::TemplateRow *row = registry.find_template_for(uri)) return row->instance;
  return nullptr;
}

} // namespace packhost::mcp
