// SPDX-License-Identifier: MIT
// One line -> one message.
#include "host/rpc/message.hpp"

#include <doctest/doctest.h>

#include <string>

using packhost::rpc::parse_line;
using packhost::rpc::Parsed;

namespace {

/// What a line is taken for, as one text: "request 1 ping", "notification x", "refused -32600 1"
/// ...
std::string read(std::string line) {
  const Parsed parsed = parse_line(line);
  switch (parsed.kind) {
  case Parsed::Kind::message:
    return (parsed.message.id.exists() ? "request " + parsed.message.id.token + " "
                                       : std::string("notification ")) +
           parsed.message.method;
  case Parsed::Kind::batch:
    return "batch of " + std::to_string(parsed.elements.size());
  case Parsed::Kind::refused:
    return "refused " + std::to_string(parsed.refusal.code) +
           (parsed.refusal.id.exists() ? " " + parsed.refusal.id.token : "");
  case Parsed::Kind::ignored:
    return "ignored";
  }
  return {};
}

} // namespace

TEST_SUITE("rpc/message") {
  TEST_CASE("[P-17] ids come back as they were spelled") {
    for (const std::string id : {R"("a")", R"("")", R"("1")", R"("\u00e9")", "0", "-1",
                                 "9007199254740991", "12345678901234567890"})
      CHECK(read(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"ping"})") ==
            "request " + id + " ping");
  }

  TEST_CASE("[P-18] [P-19] an id of another type is refused and not echoed") {
    for (const std::string id : {"null", "1.5", "1e2", "true", "{}", "[]"})
      CHECK(read(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"ping"})") == "refused -32600");
  }

  TEST_CASE("[P-7] [P-9] what is not JSON in UTF-8 is a parse error without id") {
    CHECK(read("hello") == "refused -32700");
    CHECK(read(R"({"jsonrpc":"2.0","id":1,"method":"ping",})") == "refused -32700");
    CHECK(read(R"({"jsonrpc":"2.0","id":1,"method":NaN})") == "refused -32700");
    CHECK(read("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xC3\x28\"}") == "refused -32700");
  }

  TEST_CASE("[P-11] nesting beyond the limit is refused at constant stack") {
    CHECK(read(std::string(10'000, '[')) == "refused -32700");
    CHECK(read(std::string(1'000'000, '[')) == "refused -32700");
    std::string objects;
    for (int i = 0; i < 200'000; ++i) objects += R"({"a":)";
    CHECK(read(objects) == "refused -32700");
  }

  TEST_CASE("[P-12] JSON that is no object is an invalid request") {
    for (const std::string line : {"1", R"("x")", "true", "null"})
      CHECK(read(line) == "refused -32600");
  }

  TEST_CASE("[P-15] [P-16] the version and the method have to be there, and the id is echoed") {
    CHECK(read(R"({"id":1,"method":"ping"})") == "refused -32600 1");
    CHECK(read(R"({"jsonrpc":"1.0","id":1,"method":"ping"})") == "refused -32600 1");
    CHECK(read(R"({"jsonrpc":2.0,"id":1,"method":"ping"})") == "refused -32600 1");
    CHECK(read(R"({"jsonrpc":"2.0","id":1})") == "refused -32600 1");
    CHECK(read(R"({"jsonrpc":"2.0","id":"x","method":7})") == "refused -32600 \"x\"");
  }

  TEST_CASE("[P-21] a notification is never answered, however broken") {
    CHECK(read(R"({"jsonrpc":"2.0","method":"what"})") == "notification what");
    CHECK(read(R"({"method":"what"})") == "ignored");
    CHECK(read(R"({"jsonrpc":"2.0","method":"what","params":[1]})") == "ignored");
  }

  TEST_CASE("[P-23] responses are not answered") {
    CHECK(read(R"({"jsonrpc":"2.0","id":1,"result":{}})") == "ignored");
    CHECK(read(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})") == "ignored");
    CHECK(read(R"({"result":1})") == "ignored");
  }

  TEST_CASE("[P-24] params that are no object are refused") {
    CHECK(read(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})") == "refused -32602 1");
    CHECK(read(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":7})") == "refused -32602 1");
  }

  TEST_CASE("[P-26] lone surrogate escapes are replaced, pairs and escaped backslashes are not") {
    std::string line = R"({"jsonrpc":"2.0","id":"\ud800","method":"a\\ud800\ud83d\ude00"})";
    const Parsed parsed = parse_line(line);
    REQUIRE(parsed.kind == Parsed::Kind::message);
    CHECK(parsed.message.id.token == R"("\ufffd")");
    CHECK(parsed.message.method == "a\\ud800\xF0\x9F\x98\x80");
  }

  TEST_CASE("[P-28] odd numbers and members twice do no harm") {
    CHECK(read(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":1e400}})") ==
          "refused -32602 3");
    CHECK(read(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":-0}})") ==
          "request 3 ping");
    CHECK(read(R"({"jsonrpc":"2.0","id":3,"id":4,"method":"x","method":"ping"})") ==
          "request 4 ping");
    CHECK(read(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":)" +
               std::string(5'000, '7') + "}}") == "refused -32602 3");
  }

  TEST_CASE("arrays are batches, whoever may send them") {
    CHECK(read("[]") == "batch of 0");
    CHECK(read("[1,2]") == "batch of 2");
  }

  TEST_CASE("the id at the start of a line that is too long is found where it is plain") {
    using packhost::rpc::find_id_in_start;
    CHECK(find_id_in_start(R"({"jsonrpc":"2.0","id":7,"method":"x","params":{"a")").token == "7");
    CHECK(find_id_in_start(R"({"params":{"id":1},"id":"q","x)").token == R"("q")");
    CHECK(find_id_in_start(R"({"params":{"id":1)").token.empty());
    CHECK(find_id_in_start(R"({"id":12)").token.empty());
    CHECK(find_id_in_start(R"({"id":null,)").token.empty());
  }

  TEST_CASE("answers are spelled as the protocol asks") {
    using packhost::rpc::Id;
    CHECK(packhost::rpc::encode_result(Id{"1"}, "{}") == R"({"jsonrpc":"2.0","id":1,"result":{}})");
    CHECK(packhost::rpc::encode_error(Id{}, -32700, "Parse error") ==
          R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}})");
    CHECK(
        packhost::rpc::encode_error(Id{"\"a\""}, -32602, "x\n", R"({"uri":"y"})") ==
        R"({"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"x\n","data":{"uri":"y"}}})");
    CHECK(packhost::rpc::encode_notification("m", {}) == R"({"jsonrpc":"2.0","method":"m"})");
  }
}
