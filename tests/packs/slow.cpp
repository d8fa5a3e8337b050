// SPDX-License-Identifier: MIT
// Vice: takes its time. Waits that end when cancelled, waits that do not, and PENDING calls that
// are completed later by another thread, before call() returned, or not at all by returning OK.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <poll.h>

// clang-format off
#define WAIT_INPUT \
  R"("input": {"type": "object", "additionalProperties": false, "properties": {)" \
  R"("ms": {"type": "integer", "minimum": 0, "maximum": 60000, "default": 50, "description": "How long"}}})"

PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "slow", "version": "1.0.0", "abi": "1.0", "concurrency": {"mode": "parallel", "max": 8},
  "tools": [
    {"name": "sleep", "description": "Wait, and stop waiting when cancelled.", )json" WAIT_INPUT "," READS R"json(},
    {"name": "deaf", "description": "Wait whatever happens.", )json" WAIT_INPUT "," READS R"json(},
    {"name": "deadline", "description": "Wait under a deadline of 200 ms, and stop when it passes.", )json"
      WAIT_INPUT R"json(, "limits": {"timeout_ms": 200}, )json" READS R"json(},
    {"name": "stuck", "description": "Wait under a deadline of 200 ms, whatever happens.", )json"
      WAIT_INPUT R"json(, "limits": {"timeout_ms": 200}, )json" READS R"json(},
    {"name": "later", "description": "Answer from another thread, before returning, or within the call.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "how": {"type": "string", "enum": ["thread", "before", "within"], "default": "thread", "description": "Where"},
       "ms": {"type": "integer", "minimum": 0, "maximum": 60000, "default": 50, "description": "How long"}}},
     )json" READS R"json(},
    {"name": "cancels", "description": "How often cancel() was called.", )json" NO_ARGUMENTS "," READS R"json(}
  ]
})json");

// clang-format on

class Slow : public packhost::Pack {
public:
  explicit Slow(packhost::Open &) {
    tool("sleep", &Slow::sleep);
    tool("deaf", &Slow::deaf);
    tool("deadline", &Slow::sleep);
    tool("stuck", &Slow::deaf);
    tool("later", &Slow::later);
    tool("cancels", &Slow::cancels);
  }

  ~Slow() override {
    for (std::thread &thread : threads_) thread.join();
  }

private:
  static int milliseconds(const packhost::Call &call) {
    return static_cast<int>(packhost::Args(call.args()).integer("ms", 50));
  }

  /// Waits; throws when cancelled first.
  static void wait(packhost::Call &call, int ms) {
    pollfd cancelled{call.cancel_fd(), POLLIN, 0};
    poll(&cancelled, 1, ms);
    call.check();
  }

  void sleep(packhost::Call &call) {
    wait(call, milliseconds(call));
    call.text("slept");
  }

  void deaf(packhost::Call &call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds(call)));
    call.text("heard nothing");
  }

  void later(packhost::Call &call) {
    const std::string how = packhost::Args(call.args()).str("how", "thread");
    const int ms = milliseconds(call);
    const auto finish = [ms](packhost::Call &open) {
      wait(open, ms);
      open.text("done");
    };
    if (how == "within") return finish(call);
    packhost::Call::Later later = call.later();
    if (how == "before") return later.run(finish);
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([later = std::move(later), finish]() mutable { later.run(finish); });
  }

  void cancels(packhost::Call &call) {
    const std::lock_guard lock(mutex_);
    call.text(std::to_string(cancels_));
  }

  void cancel(packhost_call *) override {
    const std::lock_guard lock(mutex_);
    ++cancels_;
  }

  std::mutex mutex_;
  std::vector<std::thread> threads_; // guarded
  int cancels_ = 0;                  // guarded
};

PACKHOST_PACK(Slow)
