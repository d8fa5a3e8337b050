// SPDX-License-Identifier: MIT
// See turns.hpp.
#include "host/support/turns.hpp"

#include "host/support/log.hpp"
#include "host/support/thread.hpp"

#include <cassert>
#include <cerrno>
#include <utility>

#include <sys/timerfd.h>
#include <unistd.h>

namespace packhost::support {

namespace {

// A tick of 200 us raised the 95th percentile of serial calls from 28 to 70 us; 1 ms does not.
constexpr long kTickNs = 1'000'000;

void set_timer(int fd, long after_ns) {
  itimerspec when{};
  when.it_value.tv_nsec = after_ns;
  ::timerfd_settime(fd, 0, &when, nullptr);
}

} // namespace

// ---- ReadTurn
// ------------------------------------------------------------------------------------

ReadTurn::ReadTurn(ReadTurn &&other) noexcept
    : turns_(std::exchange(other.turns_, nullptr)), state_(other.state_), number_(other.number_) {}

ReadTurn::~ReadTurn() = default;

OffTurn ReadTurn::pass_on(Pace *pace) {
  if (state_ != State::held) return OffTurn();
  if (pace != nullptr && pace->is_slow()) return give_away();
  state_ = State::lent;
  turns_->lent_pace_.store(pace, std::memory_order_relaxed);
  number_ = turns_->word_.load(std::memory_order_relaxed) + 1;
  // "Lent" is published before anybody asks whether the timer is armed, and the watcher looks again
  // after it says that it is not: both sequentially consistent, or a slow call is watched by
  // nobody.
  turns_->word_.store(number_, std::memory_order_seq_cst);
  turns_->ensure_watched(number_);
  return OffTurn();
}

OffTurn ReadTurn::give_away() {
  if (state_ == State::held) {
    state_ = State::given;
    turns_->give();
  } else if (state_ == State::lent && take_back()) {
    return give_away();
  }
  return OffTurn();
}

bool ReadTurn::take_back() {
  if (state_ == State::held) return true;
  if (state_ == State::given) return false;
  std::uint64_t expected = number_;
  if (turns_->word_.compare_exchange_strong(expected, number_ + 1, std::memory_order_seq_cst)) {
    state_ = State::held;
    return true;
  }
  state_ = State::given;
  return false;
}

// ---- Turns
// ---------------------------------------------------------------------------------------

Turns::Turns(ReadLoop loop, Hook on_watcher_takes, std::size_t max_threads)
    : loop_(std::move(loop)), on_watcher_takes_(std::move(on_watcher_takes)),
      max_threads_(max_threads), timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) {}

Turns::~Turns() {
  end();
  Lock lock(mutex_);
  while (threads_ > 0) ended_.wait(lock);
}

void Turns::run() {
  {
    Lock lock(mutex_);
    is_turn_free_ = true;
    ++threads_;
    ++starting_;
  }
  thread_main();
}

void Turns::post(std::function<void(OffTurn)> job) {
  Lock lock(mutex_);
  jobs_.push_back(std::move(job));
  wake_or_start();
}

void Turns::end() {
  Lock lock(mutex_);
  is_ending_.store(true, std::memory_order_seq_cst);
  wake_.notify_all();
  if (timer_.is_open()) set_timer(timer_.get(), 1); // the watcher wakes and sees the end
}

std::size_t Turns::count_threads() const {
  Lock lock(mutex_);
  return threads_;
}

void Turns::give() {
  Lock lock(mutex_);
  is_turn_free_ = true;
  wake_or_start();
}

void Turns::wake_or_start() {
  // A thread that was woken still counts as idle until it runs, and one just started not yet as
  // busy: what counts is whether there are as many of both as there is work.
  const std::size_t work = jobs_.size() + (is_turn_free_ ? 1U : 0U) + (wants_watcher_ ? 1U : 0U);
  if (work > idle_ + starting_) start_one();
  wake_.notify_one();
}

void Turns::start_one() {
  if (threads_ >= max_threads_) return; // one that is busy now will look before it waits
  ++threads_;
  ++starting_;
  if (!start_detached_thread([this] { thread_main(); })) {
    --threads_;
    --starting_;
    log(LogLevel::error, "thread.unavailable");
  }
}

void Turns::thread_main() {
  Lock lock(mutex_);
  --starting_;
  while (true) {
    const bool is_ending = is_ending_.load(std::memory_order_relaxed);
    if (is_turn_free_ && !is_ending) {
      is_turn_free_ = false;
      lock.unlock();
      read_on();
      lock.lock();
    } else if (!jobs_.empty()) {
      std::function<void(OffTurn)> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job(OffTurn());
      job = nullptr;
      lock.lock();
    } else if (is_ending) {
      break;
    } else if (wants_watcher_) {
      wants_watcher_ = false;
      lock.unlock();
      const bool took_turn = watch();
      if (took_turn) read_on();
      lock.lock();
    } else {
      ++idle_;
      wake_.wait(lock);
      --idle_;
    }
  }
  --threads_;
  ended_.notify_all();
}

void Turns::read_on() {
  ReadTurn turn(*this);
  loop_(turn);
}

void Turns::ensure_watched(std::uint64_t number) {
  if (!has_watcher_.load(std::memory_order_relaxed) &&
      !has_watcher_.exchange(true, std::memory_order_seq_cst)) {
    Lock lock(mutex_);
    wants_watcher_ = true;
    wake_or_start();
  }
  if (!is_armed_.load(std::memory_order_seq_cst) &&
      !is_armed_.exchange(true, std::memory_order_seq_cst))
    arm(number);
}

void Turns::arm(std::uint64_t number) {
  armed_number_.store(number, std::memory_order_relaxed);
  set_timer(timer_.get(), kTickNs);
}

/// RETURNS: true if this thread has taken the turn; false at the end.
bool Turns::watch() {
  while (true) {
    std::uint64_t ticks = 0;
    if (::read(timer_.get(), &ticks, sizeof ticks) < 0 && errno != EINTR) return false;
    if (is_ending_.load(std::memory_order_seq_cst)) {
      has_watcher_.store(false, std::memory_order_seq_cst);
      return false;
    }
    const std::uint64_t watched = armed_number_.load(std::memory_order_relaxed);
    std::uint64_t now = word_.load(std::memory_order_seq_cst);
    if (now % 2 == 1 && now == watched) {
      // The pace is read before the turn is taken: afterwards the runner may be gone.
      Pace *pace = lent_pace_.load(std::memory_order_relaxed);
      is_armed_.store(false, std::memory_order_seq_cst);
      if (word_.compare_exchange_strong(now, now + 1, std::memory_order_seq_cst)) {
        if (pace != nullptr) pace->mark_slow();
        has_watcher_.store(false, std::memory_order_seq_cst);
        on_watcher_takes_();
        return true;
      }
      now = word_.load(std::memory_order_seq_cst);
    } else if (now % 2 == 1) {
      arm(now); // calls go by: look at this one again in a tick
      continue;
    } else {
      is_armed_.store(false, std::memory_order_seq_cst);
      now = word_.load(std::memory_order_seq_cst);
    }
    if (now % 2 == 1 && !is_armed_.exchange(true, std::memory_order_seq_cst)) arm(now);
  }
}

} // namespace packhost::support
