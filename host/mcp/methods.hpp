// SPDX-License-Identifier: MIT
// THE table of methods: every method this host answers, in one place, a handler per row.
#pragma once

#include "host/mcp/revision.hpp"
#include "host/rpc/message.hpp"
#include "host/rpc/reply_once.hpp"
#include "host/support/turns.hpp"
#include "sdk/kit/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace packhost::mcp {

class Server;

/// What rules one request. Lives on the stack of the thread that read it.
struct Context {
  Server &server;
  const Revision &revision;
  std::string &line; // the line read: what params points into, to be moved into a call
  std::size_t line_bytes = 0;
  bool may_take_line = false;      // false in a batch: the others still need it
  kit::json::Value progress_token; // absent, or a string or integer
};

using Params = kit::json::Object;

/// Only a handler that enters a pack, or waits, gives up the turn.
using Handler = void (*)(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);

/// What has to be declared for a method to exist.
enum class Needs : std::uint8_t {
  nothing,
  tools,
  resources,
  resource_subscriptions,
  prompts,
  completions,
  logging
};

enum class Era : std::uint8_t { handshake, per_request, both };

struct MethodRow {
  std::string_view name;
  Handler handler;
  Era era;
  Needs needs;
};

/// The row of a method in an era; null: unknown there.
[[nodiscard]] const MethodRow *find_method(std::string_view name, const Revision &revision);

// lifecycle
void initialize(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void ping(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void server_discover(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
// lists
void tools_list(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void resources_list(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void resources_templates_list(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void prompts_list(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
// calls of packs
void tools_call(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void resources_read(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void prompts_get(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void completion_complete(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
// utility
void resources_subscribe(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void resources_unsubscribe(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void logging_set_level(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);
void subscriptions_listen(Context &, const Params &, support::ReadTurn &, rpc::ReplyOnce);

// notifications
void notifications_cancelled(Server &server, const Params &params);

} // namespace packhost::mcp
