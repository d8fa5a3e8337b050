// SPDX-License-Identifier: MIT
// Threads that take turns at reading. The stream is played by a counter, pack calls by waits on
// promises, so that each order of events is made, not hoped for.
#include "host/support/turns.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using packhost::support::OffTurn;
using packhost::support::Pace;
using packhost::support::ReadTurn;
using packhost::support::Turns;

namespace {

/// A stream of steps; each runs under the turn and may pass it on.
class Script {
public:
  using Step = std::function<void(ReadTurn &)>;

  explicit Script(std::vector<Step> steps)
      : steps_(std::move(steps)),
        turns_([this](ReadTurn &turn) { read(turn); }, [this] { ++watcher_takes; }, 64) {}

  ~Script() {
    turns_.end();
    reader_.join();
  }

  void run() {
    reader_ = std::thread([this] { turns_.run(); });
    done_.get_future().wait();
  }

  Turns &turns() { return turns_; }

  std::atomic<int> watcher_takes{0};

private:
  void read(ReadTurn &turn) {
    while (true) {
      const std::size_t next = next_; // only the holder of the turn gets here
      if (next == steps_.size()) {
        if (!is_done_.exchange(true)) done_.set_value();
        return;
      }
      ++next_;
      steps_[next](turn);
      if (!turn.take_back()) return;
    }
  }

  std::vector<Step> steps_;
  std::size_t next_ = 0;
  std::atomic<bool> is_done_{false};
  std::promise<void> done_;
  Turns turns_; // its threads use all of the above
  std::thread reader_;
};

} // namespace

TEST_SUITE("support/turns") {
  TEST_CASE("short calls stay on one thread") {
    Pace pace;
    std::vector<std::thread::id> seen;
    std::vector<Script::Step> steps;
    for (int i = 0; i < 100; ++i)
      steps.push_back([&](ReadTurn &turn) {
        seen.push_back(std::this_thread::get_id());
        (void)turn.pass_on(&pace);
      });
    Script script(std::move(steps));
    script.run();
    CHECK(seen.size() == 100);
  }

  TEST_CASE("[I-9] [P-35] a call that does not end loses the turn, and the next step is read") {
    Pace pace;
    std::promise<void> released;
    std::shared_future<void> release = released.get_future().share();
    Script script({[&](ReadTurn &turn) {
                     (void)turn.pass_on(&pace);
                     release.wait(); // ends only when the second step has run
                   },
                   [&](ReadTurn &) { released.set_value(); }});
    script.run();
    CHECK(script.watcher_takes == 1);
    CHECK(pace.is_slow());
  }

  TEST_CASE("a slow tool's turn is given away before the call") {
    Pace pace;
    pace.mark_slow();
    std::promise<void> released;
    std::shared_future<void> release = released.get_future().share();
    Script script({[&](ReadTurn &turn) {
                     (void)turn.pass_on(&pace);
                     CHECK(turn.is_given_away());
                     release.wait();
                   },
                   [&](ReadTurn &) { released.set_value(); }});
    script.run();
    CHECK(script.watcher_takes == 0);
  }

  TEST_CASE("many calls that do not end hold up nobody") {
    constexpr int kCalls = 40;
    Pace pace;
    std::promise<void> released;
    std::shared_future<void> release = released.get_future().share();
    std::vector<Script::Step> steps(kCalls, [&](ReadTurn &turn) {
      (void)turn.pass_on(&pace);
      release.wait();
    });
    steps.push_back([&](ReadTurn &) { released.set_value(); });
    Script script(std::move(steps));
    script.run();
    CHECK(script.turns().count_threads() >= 2);
  }

  TEST_CASE("jobs run while somebody reads, and while all others are busy") {
    std::promise<void> ran;
    std::shared_future<void> has_run = ran.get_future().share();
    Script *script_pointer = nullptr;
    Script script({[&](ReadTurn &) {
      script_pointer->turns().post([&](OffTurn) { ran.set_value(); });
      has_run.wait(); // the reader holds the turn all the while
    }});
    script_pointer = &script;
    script.run();
  }

  TEST_CASE("a pace counts two slow calls up and two short ones down") {
    Pace pace;
    pace.note(60'000);
    CHECK_FALSE(pace.is_slow());
    pace.note(60'000);
    CHECK(pace.is_slow());
    pace.note(1'000);
    CHECK_FALSE(pace.is_slow());
  }
}
