// SPDX-License-Identifier: MIT
// Cancellation, log level, subscriptions/listen.
#include "host/mcp/methods.hpp"
#include "host/mcp/server.hpp"
#include "host/rpc/error_codes.hpp"
#include "sdk/kit/json.hpp"

#include <string>
#include <utility>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

/// Reads one optional boolean of the filter. False: it is there and no boolean.
bool read_flag(const json::Object &filter, std::string_view name, bool &flag) {
  const json::Value value = filter.find(name);
  if (!value.exists()) return true;
  const std::optional<bool> read = value.boolean();
  if (!read) return false;
  flag = *read;
  return true;
}

bool read_uris(const json::Object &filter, Subscription &subscription) {
  constexpr std::size_t kMaxUris = 1'024;
  const json::Value value = filter.find("resourceSubscriptions");
  if (!value.exists()) return true;
  if (!value.is(json::Kind::array)) return false;
  for (const json::Value uri : json::elements(value)) {
    if (!uri.is(json::Kind::string) || subscription.uris.size() >= kMaxUris) return false;
    subscription.uris.insert(uri.string());
  }
  return true;
}

/// The acknowledgement: the filter as the server will act on it.
std::string encode_filter(const Subscription &subscription) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  if (subscription.tools) writer.boolean("toolsListChanged", true);
  if (subscription.prompts) writer.boolean("promptsListChanged", true);
  if (subscription.resources) writer.boolean("resourcesListChanged", true);
  if (!subscription.uris.empty()) {
    writer.key("resourceSubscriptions").begin_array();
    for (const std::string &uri : subscription.uris) writer.string(uri);
    writer.end_array();
  }
  writer.end_object();
  return text;
}

} // namespace

void logging_set_level(Context &context, const Params &params, support::ReadTurn & /*turn*/,
                       rpc::ReplyOnce reply) {
  const json::Value level = params.find("level");
  const int number = level.is(json::Kind::string) ? find_log_level(level.string()) : -1;
  if (number < 0)
    return reply.error(rpc::kInvalidParams,
                       "Invalid params: level must be one of debug, info, notice, warning, error, "
                       "critical, alert, emergency");
  context.server.session().set_log_level(number);
  reply.result("{}");
}

void subscriptions_listen(Context &context, const Params &params, support::ReadTurn & /*turn*/,
                          rpc::ReplyOnce reply) {
  const json::Value filter_value = params.find("notifications");
  if (!filter_value.is(json::Kind::object))
    return reply.error(rpc::kInvalidParams, "Invalid params: notifications must be an object");
  const json::Object filter(filter_value);
  auto subscription = std::make_shared<Subscription>();
  subscription->id = reply.id();
  if (!read_flag(filter, "toolsListChanged", subscription->tools) ||
      !read_flag(filter, "promptsListChanged", subscription->prompts) ||
      !read_flag(filter, "resourcesListChanged", subscription->resources) ||
      !read_uris(filter, *subscription))
    return reply.error(rpc::kInvalidParams,
                       "Invalid params: notifications holds booleans, and resourceSubscriptions an "
                       "array of at most 1024 strings");
  Server &server = context.server;
  if (!server.notices().has_room())
    return reply.error(rpc::kInternalError,
                       "64 subscriptions are open, which is the limit; cancel one");
  const Capabilities &has = server.capabilities();
  subscription->tools = subscription->tools && has.tools;
  subscription->prompts = subscription->prompts && has.prompts;
  subscription->resources = subscription->resources && has.resources;
  if (!has.resource_subscriptions) subscription->uris.clear();
  const std::string acknowledgement = rpc::encode_notification(
      "notifications/subscriptions/acknowledged",
      R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" + subscription->id.token +
          R"(},"notifications":)" + encode_filter(*subscription) + "}");
  (void)server.notices().open(subscription); // only this thread opens: there is room
  server.notify(acknowledgement, [subscription] { return subscription->acknowledge(); });
  reply.drop(); // it stays open: no response while it lives
}

void notifications_cancelled(Server &server, const Params &params) {
  const std::optional<rpc::Id> id = rpc::parse_id(params.find("requestId"));
  if (!id) return;
  for (const std::shared_ptr<rpc::Work> &work : server.inflight().find(*id)) work->cancel();
  server.notices().close(*id);
}

} // namespace packhost::mcp
