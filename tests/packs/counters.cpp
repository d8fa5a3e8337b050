// SPDX-License-Identifier: MIT
// No vice: counts how many of its calls are incomplete at once. Built twice: as "serial", and with
// COUNTS_PARALLEL as "parallel", which allows four and has an exclusive tool.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include <poll.h>

#ifdef COUNTS_PARALLEL
#define NAME R"("name": "parallel", "concurrency": {"mode": "parallel", "max": 4})"
#else
#define NAME R"("name": "serial", "concurrency": {"mode": "serial"})"
#endif

// clang-format off
#define HOLD_INPUT \
  R"("input": {"type": "object", "additionalProperties": false, "properties": {)" \
  R"("ms": {"type": "integer", "minimum": 0, "maximum": 10000, "default": 20, "description": "How long"},)" \
  R"("pending": {"type": "boolean", "default": false, "description": "Complete it from another thread"}}})"

PACKHOST_MANIFEST(R"json({
  "manifest": 1, "version": "1.0.0", "abi": "1.0", )json" NAME R"json(,
  "tools": [
    {"name": "hold", "description": "Stay incomplete for a while.", )json" HOLD_INPUT "," READS R"json(},
    {"name": "alone", "description": "The same, without company.", )json"
      HOLD_INPUT R"json(, "exclusive": true, )json" READS R"json(},
    {"name": "peak", "description": "The most calls that were incomplete at once, beside this one.", )json"
      NO_ARGUMENTS R"json(,
     "output": {"type": "object", "required": ["peak", "beside_exclusive"], "properties": {
       "peak": {"type": "integer"}, "beside_exclusive": {"type": "integer"}}}, )json" READS R"json(}
  ]
})json");

// clang-format on

class Counters : public packhost::Pack {
public:
  explicit Counters(packhost::Open &) {
    tool("hold", &Counters::hold);
    tool("alone", &Counters::hold);
    tool("peak", &Counters::peak);
  }

  ~Counters() override {
    for (std::thread &thread : threads_) thread.join();
  }

private:
  void enter(bool is_exclusive) {
    const std::lock_guard lock(mutex_);
    peak_ = std::max(peak_, ++inside_);
    if (is_exclusive) ++exclusive_inside_;
    if (exclusive_inside_ > 0) beside_exclusive_ = std::max(beside_exclusive_, inside_ - 1);
  }

  void leave(bool is_exclusive) {
    const std::lock_guard lock(mutex_);
    --inside_;
    if (is_exclusive) --exclusive_inside_;
  }

  void stay(packhost::Call &call, int ms, bool is_exclusive) {
    pollfd cancelled{call.cancel_fd(), POLLIN, 0};
    poll(&cancelled, 1, ms);
    call.text("held");
    leave(is_exclusive); // before the completion: from then on the next call may come
  }

  void hold(packhost::Call &call) {
    const packhost::Args args(call.args());
    const int ms = static_cast<int>(args.integer("ms", 20));
    const bool is_exclusive = call.name() == "alone";
    enter(is_exclusive);
    if (!args.boolean("pending", false)) return stay(call, ms, is_exclusive);
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([this, later = call.later(), ms, is_exclusive]() mutable {
      later.run([&](packhost::Call &open) { stay(open, ms, is_exclusive); });
    });
  }

  void peak(packhost::Call &call) {
    const std::lock_guard lock(mutex_);
    call.json("{\"peak\": " + std::to_string(peak_) +
              ", \"beside_exclusive\": " + std::to_string(beside_exclusive_) + "}");
  }

  std::mutex mutex_;
  int inside_ = 0; // guarded, as what follows
  int peak_ = 0;
  int exclusive_inside_ = 0;
  int beside_exclusive_ = 0;
  std::vector<std::thread> threads_;
};

PACKHOST_PACK(Counters)
