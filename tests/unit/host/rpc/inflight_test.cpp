// SPDX-License-Identifier: MIT
// The requests that run.
#include "host/rpc/inflight.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>

namespace rpc = packhost::rpc;
using packhost::kit::Deadline;

namespace {

class FakeWork final : public rpc::Work {
public:
  void cancel() override { calls += "cancel "; }

  void expire() override { calls += "expire "; }

  void give_up() override { calls += "give_up "; }

  void stop() override { calls += "stop "; }

  std::string calls;
};

} // namespace

TEST_SUITE("rpc/inflight") {
  TEST_CASE("[P-35] a place is refused above the number, and free again after an end") {
    rpc::Inflight inflight({2, 1'000, 0});
    CHECK_FALSE(inflight.reserve(10));
    CHECK_FALSE(inflight.reserve(10));
    CHECK(inflight.reserve(10) == rpc::Inflight::Refusal::requests);
    const auto added = inflight.add(rpc::Id{"1"}, std::make_shared<FakeWork>(), Deadline(), 10);
    inflight.remove(added.number);
    CHECK_FALSE(inflight.reserve(10));
  }

  TEST_CASE("[P-35] who is being answered makes room for the next request, and counts to its end") {
    rpc::Inflight inflight({2, 100, 0});
    CHECK_FALSE(inflight.reserve(60));
    CHECK_FALSE(inflight.reserve(40));
    const auto added = inflight.add(rpc::Id{"1"}, std::make_shared<FakeWork>(), Deadline(), 60);
    inflight.make_room(added.number);
    inflight.make_room(added.number);
    CHECK(inflight.count() == 2);
    CHECK_FALSE(inflight.reserve(60));
    CHECK(inflight.reserve(1) == rpc::Inflight::Refusal::requests);
    CHECK(inflight.count() == 3);
    inflight.remove(added.number);
    CHECK(inflight.count() == 2);
    CHECK(inflight.reserve(1) == rpc::Inflight::Refusal::requests);
  }

  TEST_CASE("a place is refused above the bytes") {
    rpc::Inflight inflight({8, 100, 0});
    CHECK_FALSE(inflight.reserve(60));
    CHECK(inflight.reserve(41) == rpc::Inflight::Refusal::bytes);
    CHECK_FALSE(inflight.reserve(40));
  }

  TEST_CASE("[P-58] ids match by type and value") {
    rpc::Inflight inflight({8, 100, 0});
    const auto work = std::make_shared<FakeWork>();
    (void)inflight.add(rpc::Id{"77"}, work, Deadline(), 1);
    CHECK(inflight.find(rpc::Id{R"("77")"}).empty());
    CHECK(inflight.find(rpc::Id{"77"}).size() == 1);
  }

  TEST_CASE("[P-20] two requests with one id are two") {
    rpc::Inflight inflight({8, 100, 0});
    (void)inflight.add(rpc::Id{"77"}, std::make_shared<FakeWork>(), Deadline(), 1);
    const auto second = inflight.add(rpc::Id{"77"}, std::make_shared<FakeWork>(), Deadline(), 1);
    CHECK(inflight.find(rpc::Id{"77"}).size() == 2);
    inflight.remove(second.number);
    CHECK(inflight.find(rpc::Id{"77"}).size() == 1);
  }

  TEST_CASE("a deadline expires once, then the grace gives up once") {
    rpc::Inflight inflight({8, 100, 0}); // no grace: due at the next look
    const auto work = std::make_shared<FakeWork>();
    const auto added =
        inflight.add(rpc::Id{"1"}, work, Deadline::after(std::chrono::nanoseconds(0)), 1);
    CHECK(added.is_earliest);
    inflight.check_deadlines();
    CHECK(work->calls == "expire ");
    while (!inflight.next_deadline().has_passed()) {
    }
    inflight.check_deadlines();
    inflight.check_deadlines();
    CHECK(work->calls == "expire give_up ");
    CHECK(inflight.next_deadline().is_never());
  }
}
