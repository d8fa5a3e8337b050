// SPDX-License-Identifier: MIT
// resources/read, and prompts/get and completion/complete in method_prompts.cpp beside it: calls of
// packs whose failures are JSON-RPC errors.
#include "host/mcp/call_answer.hpp"
#include "host/mcp/encode.hpp"
#include "host/mcp/method_calls.hpp"
#include "host/mcp/server.hpp"
#include "host/rpc/error_codes.hpp"
#include "sdk/kit/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

std::string uri_data(std::string_view uri) {
  std::string data = R"({"uri":)";
  json::append_string(data, uri);
  return data + "}";
}

int not_found_code(const Revision &revision) {
  return revision.per_request ? rpc::kInvalidParams : rpc::kResourceNotFound;
}

class ReadAnswer final : public CallAnswer {
public:
  ReadAnswer(Context &context, rpc::ReplyOnce reply, const pack::Instance &instance,
             std::string uri, std::uint64_t timeout_ms)
      : CallAnswer(context, std::move(reply)), instance_(instance), uri_(std::move(uri)),
        timeout_ms_(timeout_ms) {}

protected:
  std::string encode(pack::CallOutcome &outcome) override {
    if (outcome.status == PACKHOST_E_NOT_FOUND)
      return rpc::encode_error(id(), not_found_code(revision()), "Resource not found",
                               uri_data(uri_));
    if (outcome.status != PACKHOST_OK)
      return rpc::encode_error(id(), rpc::kInternalError,
                               call_error_text(outcome, instance_, timeout_ms_, uri_));
    std::string text = encode_contents_of(outcome);
    if (text.empty())
      return rpc::encode_error(
          id(), rpc::kInternalError,
          fmt::format("pack '{}' gave no contents for this resource", instance_.alias()));
    const std::optional<contract::ResultSize> &size = instance_.manifest().result_size;
    if (size && text.size() > size->max_bytes)
      return rpc::encode_error(id(), rpc::kInternalError, size->over_read);
    const std::size_t most = server().limits().max_out_line_bytes;
    if (text.size() < most) return text;
    return rpc::encode_error(
        id(), rpc::kInternalError,
        fmt::format("the resource is {} bytes long as a line; the limit is {}", text.size(), most));
  }

private:
  std::string encode_contents_of(const pack::CallOutcome &outcome) {
    std::size_t expected = 256;
    for (const pack::Part &part : outcome.parts)
      expected += 256 + json::escaped_size(part.data.view()) * 4 / 3;
    ResultText result(id(), revision(), server().server_info(), expected);
    std::string &out = result.member("contents");
    out += '[';
    bool needs_comma = false;
    for (const pack::Part &part : outcome.parts) {
      const std::size_t before = out.size();
      if (needs_comma) out += ',';
      if (encode_contents(out, part, uri_))
        needs_comma = true;
      else
        out.resize(before);
    }
    if (!needs_comma) return {};
    out += ']';
    result.cache(0, "private");
    if (outcome.meta.size() > 2)
      result.meta(std::string_view(outcome.meta).substr(1, outcome.meta.size() - 2));
    return result.finish();
  }

  const pack::Instance &instance_;
  std::string uri_;
  std::uint64_t timeout_ms_;
};

} // namespace

void resources_read(Context &context, const Params &params, support::ReadTurn &turn,
                    rpc::ReplyOnce reply) {
  const json::Value uri_value = params.find("uri");
  if (!uri_value.is(json::Kind::string))
    return reply.error(rpc::kInvalidParams, "Invalid params: uri must be a string");
  std::string uri = uri_value.string();
  pack::Instance *instance = find_resource_owner(*context.server.registry(), uri);
  if (instance == nullptr)
    return reply.error(not_found_code(context.revision), "Resource not found", uri_data(uri));
  if (!reserve_or_refuse(context, reply)) return;

  pack::CallRequest request = make_request(context, PACKHOST_CALL_RESOURCE_READ, uri);
  request.args = "{}";
  auto answer = std::make_unique<ReadAnswer>(context, std::move(reply), *instance, std::move(uri),
                                             request.timeout_ms);
  request.wants_progress = answer->wants_progress();
  context.server.start_call(*instance, std::move(request), std::move(answer), context.line_bytes,
                            turn);
}

void resources_subscribe(Context &context, const Params &params, support::ReadTurn & /*turn*/,
                         rpc::ReplyOnce reply) {
  const json::Value uri = params.find("uri");
  if (!uri.is(json::Kind::string))
    return reply.error(rpc::kInvalidParams, "Invalid params: uri must be a string");
  const std::string text = uri.string();
  if (find_resource_owner(*context.server.registry(), text) == nullptr)
    return reply.error(not_found_code(context.revision), "Resource not found", uri_data(text));
  if (!context.server.session().subscribe(text))
    return reply.error(rpc::kInternalError,
                       "1024 resources are subscribed to, which is the limit; unsubscribe one");
  reply.result("{}");
}

void resources_unsubscribe(Context &context, const Params &params, support::ReadTurn & /*turn*/,
                           rpc::ReplyOnce reply) {
  const json::Value uri = params.find("uri");
  if (!uri.is(json::Kind::string))
    return reply.error(rpc::kInvalidParams, "Invalid params: uri must be a string");
  context.server.session().unsubscribe(uri.string());
  reply.result("{}");
}

} // namespace packhost::mcp
