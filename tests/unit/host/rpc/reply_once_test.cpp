// SPDX-License-Identifier: MIT
// One request, one response.
#include "host/rpc/reply_once.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace rpc = packhost::rpc;

namespace {

class Sink final : public rpc::AnswerSink {
public:
  void send(std::string text, bool /*may_wait*/, std::function<void()> after) override {
    texts.push_back(std::move(text));
    if (after) after();
  }

  std::vector<std::string> texts;
};

} // namespace

TEST_SUITE("rpc/reply_once") {
  TEST_CASE("[I-1] a reply that nobody gave is an internal error") {
    Sink sink;
    { const rpc::ReplyOnce reply(sink, rpc::Id{"1"}); }
    REQUIRE(sink.texts.size() == 1);
    CHECK(sink.texts[0].find(R"("id":1,"error":{"code":-32603)") != std::string::npos);
  }

  TEST_CASE("[I-1] a reply that moved on answers once, from its new place") {
    Sink sink;
    {
      rpc::ReplyOnce first(sink, rpc::Id{"1"});
      rpc::ReplyOnce second(std::move(first));
      second.result("{}");
    }
    CHECK(sink.texts == std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"result":{}})"});
  }

  TEST_CASE("[I-1] a dropped reply sends nothing") {
    Sink sink;
    {
      rpc::ReplyOnce reply(sink, rpc::Id{"1"});
      reply.drop();
    }
    CHECK(sink.texts == std::vector<std::string>{""});
  }
}
