// SPDX-License-Identifier: MIT
// Which revision rules a request.
#include "host/mcp/session.hpp"
#include "host/rpc/message.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mcp = packhost::mcp;
using Kind = mcp::Ruling::Kind;

namespace {

mcp::Ruling rule(const mcp::Session &session, std::string_view method, std::string_view meta) {
  std::string line = R"({"jsonrpc":"2.0","id":1,"method":")";
  line.append(method).append(R"(","params":{)");
  if (!meta.empty()) line.append(R"("_meta":)").append(meta);
  line += "}}";
  const packhost::rpc::Parsed parsed = packhost::rpc::parse_line(line);
  REQUIRE(parsed.kind == packhost::rpc::Parsed::Kind::message);
  const packhost::kit::json::Object params(parsed.message.params);
  return session.rule(parsed.message, packhost::kit::json::Object(params.find("_meta")));
}

constexpr std::string_view kFull = R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
  "io.modelcontextprotocol/clientCapabilities":{}})";
constexpr std::string_view kVersionOnly =
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})";

} // namespace

TEST_SUITE("mcp/session") {
  TEST_CASE("[P-45] without a session and a claim a request is refused, with both remedies") {
    const mcp::Session session;
    const mcp::Ruling ruling = rule(session, "tools/list", {});
    CHECK(ruling.kind == Kind::refused);
    CHECK(ruling.code == -32602);
    CHECK(ruling.message.find("initialize") != std::string::npos);
    CHECK(ruling.message.find("protocolVersion") != std::string::npos);
    CHECK(rule(session, "ping", {}).kind == Kind::ping_only);
  }

  TEST_CASE("[P-79] [P-80] a claim rules its own request, a session all others") {
    mcp::Session session;
    CHECK(rule(session, "tools/list", kFull).kind == Kind::per_request);
    session.begin(*mcp::find_handshake_revision("2025-06-18"));
    CHECK(rule(session, "tools/list", kFull).revision->date == "2026-07-28");
    CHECK(rule(session, "tools/list", {}).revision->date == "2025-06-18");
  }

  TEST_CASE("[P-64] an envelope that is not whole is refused") {
    const mcp::Session session;
    CHECK(rule(session, "tools/list", kVersionOnly).code == -32602);
    CHECK(rule(session, "server/discover", {}).code == -32602);
    CHECK(
        rule(session, "tools/list", R"({"io.modelcontextprotocol/clientCapabilities":{}})").code ==
        -32602);
    CHECK(rule(session, "tools/list", R"({"io.modelcontextprotocol/protocolVersion":7,
      "io.modelcontextprotocol/clientCapabilities":{}})")
              .code == -32602);
    CHECK(rule(session, "tools/list", R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{}})")
              .code == -32602);
  }

  TEST_CASE("[P-66] a revision that no request can claim is named with those that one can") {
    const mcp::Session session;
    const mcp::Ruling ruling =
        rule(session, "anything", R"({"io.modelcontextprotocol/protocolVersion":"2025-11-25",
      "io.modelcontextprotocol/clientCapabilities":{}})");
    CHECK(ruling.code == -32022);
    CHECK(ruling.data == R"({"supported":["2026-07-28"],"requested":"2025-11-25"})");
  }

  TEST_CASE("an initialize whose claim is not whole is a handshake, else it is of the new era") {
    const mcp::Session session;
    CHECK(rule(session, "initialize", kVersionOnly).kind == Kind::handshake);
    CHECK(rule(session, "initialize", kFull).kind == Kind::per_request);
  }

  TEST_CASE("[P-46] a second initialize clears level and subscriptions") {
    mcp::Session session;
    session.begin(mcp::latest_handshake_revision());
    session.set_initialized();
    session.set_log_level(0);
    REQUIRE(session.subscribe("x://a"));
    CHECK(session.wants_log(4));
    CHECK(session.is_subscribed("x://a"));
    CHECK(session.is_subscribed("x://a/below"));
    CHECK_FALSE(session.is_subscribed("x://ab"));
    session.begin(mcp::latest_handshake_revision());
    session.set_initialized();
    CHECK_FALSE(session.wants_log(4));
    CHECK_FALSE(session.is_subscribed("x://a"));
  }
}
