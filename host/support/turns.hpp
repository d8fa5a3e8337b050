// SPDX-License-Identifier: MIT
// Threads that take turns at reading (leader and followers), so that a serial call changes threads
// nowhere and a slow one holds up nobody. This is the one place that knows about the host's
// threads.
//
// One atomic word: even = somebody reads, odd = the turn is lent to the call that runs. Lending
// wakes nobody; a one-shot timer of 1 ms stands behind it, and the watcher - one idle thread
// blocked on that timer - takes the turn from a call that does not end. A turn can also be given
// away before a call that is known to be slow. What each scheme costs was measured; lending won.
#pragma once

#include "host/support/annotated_mutex.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace packhost::support {

class Turns;

/// Proof that this thread does not hold the turn alone: what enters a pack wants to see one. Made
/// by giving the turn up, by Turns for its jobs, and by no_stream() where nobody reads at all.
class OffTurn {
public:
  /// For code outside the server: the command `call`, unit tests.
  [[nodiscard]] static OffTurn no_stream() { return OffTurn(); }

private:
  friend class ReadTurn;
  friend class Turns;
  OffTurn() = default;
};

/// How a tool's last calls went: two bits, up when a call took over 50 us, down if not; 2 and more
/// means slow, and the turn is then given away before the call instead of lent.
class Pace {
public:
  [[nodiscard]] bool is_slow() const { return count_.load(std::memory_order_relaxed) >= 2; }

  void note(std::int64_t elapsed_ns) {
    const std::uint8_t now = count_.load(std::memory_order_relaxed);
    if (elapsed_ns > kSlowNs) {
      if (now < 3) count_.store(static_cast<std::uint8_t>(now + 1), std::memory_order_relaxed);
    } else if (now > 0) {
      count_.store(static_cast<std::uint8_t>(now - 1), std::memory_order_relaxed);
    }
  }

  /// The watcher had to take the turn: the next call of this tool is not worth a tick.
  void mark_slow() { count_.store(3, std::memory_order_relaxed); }

private:
  static constexpr std::int64_t kSlowNs = 50'000;
  std::atomic<std::uint8_t> count_{0};
};

/// The right to read from the stream. One exists per Turns; move-only; used by one thread at a
/// time.
class ReadTurn {
public:
  ReadTurn(ReadTurn &&other) noexcept;
  ReadTurn &operator=(ReadTurn &&) = delete;
  ~ReadTurn();

  /// Gives the turn up: lent if `pace` is fast, else to the next thread at once. A second time it
  /// does nothing. `pace` (may be null: taken for fast) outlives the turn.
  [[nodiscard]] OffTurn pass_on(Pace *pace);

  /// The same, given away for certain: for work that is known to wait.
  [[nodiscard]] OffTurn give_away();

  /// True if the turn is (again) this thread's; false if another thread reads now.
  [[nodiscard]] bool take_back();

  [[nodiscard]] bool is_given_away() const { return state_ == State::given; }

private:
  friend class Turns;
  enum class State : std::uint8_t { held, lent, given };

  explicit ReadTurn(Turns &turns) : turns_(&turns) {}

  Turns *turns_;
  State state_ = State::held;
  std::uint64_t number_ = 0; // the odd number while lent
};

/// The threads of a server and what they take turns at. Any thread, as far as nothing else is said.
class Turns {
public:
  /// Reads and serves until the turn is lost or the stream has ended. Runs on threads of this
  /// class. REQUIRES: returns only after take_back() said false, or after end().
  using ReadLoop = std::function<void(ReadTurn &)>;
  /// What has to happen when the watcher takes a turn, before it reads (gathered answers go out).
  using Hook = std::function<void()>;

  /// At most `max_threads` threads at once.
  Turns(ReadLoop loop, Hook on_watcher_takes, std::size_t max_threads);
  Turns(const Turns &) = delete;
  Turns &operator=(const Turns &) = delete;
  /// Waits for idle threads and the watcher; threads inside a job or a call are waited for too.
  ~Turns();

  /// Makes the calling thread one of the threads, and the first reader. Once. Returns after end().
  void run();

  /// Runs `job` on a thread that does not read. Any thread.
  void post(std::function<void(OffTurn)> job);

  /// Nobody reads any more: idle threads end, jobs that wait are still run.
  void end();

  /// Threads alive now (for tests and the log).
  [[nodiscard]] std::size_t count_threads() const;

private:
  friend class ReadTurn;

  void thread_main();
  [[nodiscard]] bool watch();
  void read_on();
  void arm(std::uint64_t number);
  void ensure_watched(std::uint64_t number);
  void give();
  void wake_or_start() PACKHOST_REQUIRES(mutex_);
  void start_one() PACKHOST_REQUIRES(mutex_);

  // constant after construction
  ReadLoop loop_;
  Hook on_watcher_takes_;
  std::size_t max_threads_;
  kit::UniqueFd timer_;

  // self-synchronised
  std::atomic<std::uint64_t> word_{0};
  std::atomic<bool> is_armed_{false};
  std::atomic<std::uint64_t> armed_number_{0};
  std::atomic<bool> has_watcher_{false};
  std::atomic<bool> is_ending_{false};
  std::atomic<Pace *> lent_pace_{nullptr};

  mutable Mutex mutex_;
  ConditionVariable wake_;
  ConditionVariable ended_;
  std::deque<std::function<void(OffTurn)>> jobs_ PACKHOST_GUARDED_BY(mutex_);
  bool is_turn_free_ PACKHOST_GUARDED_BY(mutex_) = false;
  bool wants_watcher_ PACKHOST_GUARDED_BY(mutex_) = false;
  std::size_t idle_ PACKHOST_GUARDED_BY(mutex_) = 0;
  std::size_t starting_ PACKHOST_GUARDED_BY(mutex_) = 0;
  std::size_t threads_ PACKHOST_GUARDED_BY(mutex_) = 0;
};

} // namespace packhost::support
