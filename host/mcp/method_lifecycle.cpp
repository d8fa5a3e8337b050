// SPDX-License-Identifier: MIT
// initialize, ping, server/discover: who the server is and what it declares.
#include "host/mcp/encode.hpp"
#include "host/mcp/methods.hpp"
#include "host/mcp/server.hpp"
#include "host/rpc/error_codes.hpp"
#include "sdk/kit/json.hpp"

#include <string>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

std::string encode_capabilities(const Capabilities &has, const Revision &revision) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object();
  if (has.tools) writer.raw("tools", R"({"listChanged":true})");
  if (has.resources)
    writer.raw("resources", has.resource_subscriptions ? R"({"subscribe":true,"listChanged":true})"
                                                       : R"({"listChanged":true})");
  if (has.prompts) writer.raw("prompts", R"({"listChanged":true})");
  if (has.completions && revision.tool_annotations) writer.raw("completions", "{}");
  if (has.logging && !revision.per_request) writer.raw("logging", "{}");
  writer.end_object();
  return text;
}

void add_instructions(ResultText &result, const Server &server) {
  if (const std::string text = server.instructions(); !text.empty())
    json::append_string(result.member("instructions"), text);
}

} // namespace

void initialize(Context &context, const Params &params, support::ReadTurn &turn,
                rpc::ReplyOnce reply) {
  const json::Value version = params.find("protocolVersion");
  if (!version.is(json::Kind::string))
    return reply.error(rpc::kInvalidParams, "Invalid params: protocolVersion must be a string");
  if (!params.find("capabilities").is(json::Kind::object))
    return reply.error(rpc::kInvalidParams, "Invalid params: capabilities must be an object");
  const json::Value info = params.find("clientInfo");
  const json::Object info_members(info.is(json::Kind::object) ? info : json::Value());
  if (!info_members.find("name").is(json::Kind::string) ||
      !info_members.find("version").is(json::Kind::string))
    return reply.error(rpc::kInvalidParams,
                       "Invalid params: clientInfo must have string members name and version");

  const Revision *asked = find_handshake_revision(version.string());
  const Revision &revision = asked != nullptr ? *asked : latest_handshake_revision();
  Server &server = context.server;
  server.session().begin(revision); // lines that follow in the same write belong to it
  server.wait_described(turn);
  ResultText result(reply.id(), revision, server.server_info(), 2'048);
  json::append_string(result.member("protocolVersion"), revision.date);
  result.member("capabilities") += encode_capabilities(server.capabilities(), revision);
  result.member("serverInfo") += encode_server_info(revision, server.server_title());
  add_instructions(result, server);
  reply.response(result.finish());
}

void ping(Context & /*context*/, const Params & /*params*/, support::ReadTurn & /*turn*/,
          rpc::ReplyOnce reply) {
  reply.result("{}");
}

void server_discover(Context &context, const Params & /*params*/, support::ReadTurn &turn,
                     rpc::ReplyOnce reply) {
  Server &server = context.server;
  server.wait_described(turn);
  const std::string info = encode_server_info(context.revision, server.server_title());
  ResultText result(reply.id(), context.revision, info, 2'048);
  result.member("supportedVersions") += supported_versions();
  result.member("capabilities") += encode_capabilities(server.capabilities(), context.revision);
  add_instructions(result, server);
  result.cache(0, "public");
  reply.response(result.finish());
}

} // namespace packhost::mcp
