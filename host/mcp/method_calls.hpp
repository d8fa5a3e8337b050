// SPDX-License-Identifier: MIT
// What the methods that call packs have in common.
#pragma once

#include "host/mcp/methods.hpp"
#include "host/pack/call.hpp"
#include "host/pack/registry.hpp"

#include <string>
#include <string_view>

namespace packhost::mcp {

/// Puts `args`, which stands in the line of the request, into the call: the line moves along where
/// it may, so that large arguments exist once.
void take_args(Context &context, std::string_view args, pack::CallRequest &request);

/// A request of a kind that has no limits of its own in the manifest: 60 s, the most bytes.
[[nodiscard]] pack::CallRequest make_request(const Context &context, std::uint32_t kind,
                                             std::string name);

/// Takes a place in flight, or answers -32603 naming the limit and says false.
[[nodiscard]] bool reserve_or_refuse(Context &context, rpc::ReplyOnce &reply);

/// The message of a JSON-RPC error for a call that failed: the pack's words where it has some.
[[nodiscard]] std::string call_error_text(const pack::CallOutcome &outcome,
                                          const pack::Instance &instance, std::uint64_t timeout_ms,
                                          std::string_view name);

/// Who serves a URI: a listed resource or a template; null: nobody.
[[nodiscard]] pack::Instance *find_resource_owner(const pack::Registry &registry,
                                                  std::string_view uri);

} // namespace packhost::mcp
