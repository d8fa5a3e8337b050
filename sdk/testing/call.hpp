// SPDX-License-Identifier: MIT
// One call of the harness: its limits, its parts, its end. A packhost_call handle is a pointer to
// one of these; they live as long as the harness, so that late touches are noticed, not undefined.
#pragma once

#include "sdk/testing/harness.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace packhost::testing {

struct Running::State {
  State(Harness::Impl &harness, std::uint32_t kind, std::string_view name, std::string_view args,
        const CallSetup &setup);
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();

  /// Starts the call on a thread of its own.
  void start();
  void cancel();
  /// Cancels if its deadline is not after `now_ns`.
  void cancel_if_passed(std::int64_t now_ns);
  [[nodiscard]] bool finished();
  /// Waits for the end. Gives the call up after the harness's patience: its status stays PENDING.
  Result wait();

  [[nodiscard]] packhost_call *handle() { return reinterpret_cast<packhost_call *>(this); }

  [[nodiscard]] static State &of(const packhost_call *call) {
    return *reinterpret_cast<State *>(const_cast<packhost_call *>(call));
  }

  // What a pack may do with the handle.
  [[nodiscard]] bool is_cancelled();
  [[nodiscard]] int descriptor();
  void report_progress(double done, double total, packhost_str message);
  packhost_status add(const packhost_part &part);
  packhost_status append(const void *bytes, std::size_t len);
  void reset();
  void set_error(packhost_str message, packhost_str details);
  void set_items(std::uint64_t items);
  void set_data(void *data);
  [[nodiscard]] void *data();
  void complete(packhost_status status);

private:
  struct Handed { // a buffer of the pack, kept until the call ends
    std::size_t part = 0;
    packhost_buf buffer{};
    std::string at_add;
  };

  enum class Phase : std::uint8_t { before, inside, pending, completed, ended };

  void run();
  [[nodiscard]] bool take_turn();
  void give_turn_back();
  [[nodiscard]] std::optional<packhost_status> refuse_input();
  void enter_pack();
  void wait_for_completion(std::unique_lock<std::mutex> &lock);
  void tell_cancelled();
  void finish();
  void check_status();
  void check_parts();
  void check_output();
  void release_all();
  [[nodiscard]] bool may_touch(const char *what); // REQUIRES: mutex_ held
  [[nodiscard]] packhost_status judge(const packhost_part &part, std::string_view data);
  [[nodiscard]] packhost_status judge_meta(std::string_view object);
  void violation(const std::string &what);
  [[nodiscard]] std::string_view text_of(packhost_str text, const char *what);

  Harness::Impl &harness_;
  const std::string name_;
  const std::string args_;
  const CallSetup setup_;
  const std::string label_; // "tool greet"
  const contract::ToolEntry *tool_ = nullptr;
  packhost_request request_{};
  std::int64_t deadline_ns_ = INT64_MAX; // on the harness's clock
  std::thread thread_;
  std::atomic<bool> is_cancelled_{false};

  std::mutex mutex_;
  std::condition_variable changed_; // with mutex_
  Phase phase_ = Phase::before;     // guarded, as what follows
  packhost_status status_ = PACKHOST_PENDING;
  bool was_told_ = false; // the pack's cancel() was called
  bool is_given_up_ = false;
  int descriptor_ = -1;
  std::uint64_t result_bytes_ = 0;
  void *data_ = nullptr;
  Result result_;
  std::vector<Handed> handed_;
};

} // namespace packhost::testing
