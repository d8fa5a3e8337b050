// SPDX-License-Identifier: MIT
// Whole lines out, and nothing else: the only owner of the protocol's output descriptor. Lines of
// short calls are gathered while more input waits; a slow client makes host threads wait, never
// threads of a pack, and a stop ends that wait.
#pragma once

#include "host/support/annotated_mutex.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace packhost::io {

class LineWriter {
public:
  /// Decides under the writer's lock whether a line still goes out (a request may have been
  /// cancelled). Cheap, takes no lock of its own. Empty: always.
  using Commit = std::function<bool()>;
  enum class Flush : std::uint8_t {
    now,  // written before the function returns
    later // may stay gathered; the caller flushes soon
  };

  /// `stop_fd` turns readable when nobody should wait for the client any more; -1: never.
  LineWriter(kit::UniqueFd out, int stop_fd);

  /// Writes `text` and one LF. May block while the client does not read. For threads of the host.
  /// RETURNS: false if commit said no or the client is gone.
  bool write_line(std::string text, Flush flush, const Commit &commit = {});

  /// Queues a line without waiting for anybody; flush_queued() has to follow on a host thread.
  /// For threads of packs. `commit` is asked when the line is written. `after` (may be empty) runs
  /// then, written or not.
  void queue_line(std::string text, Commit commit, std::function<void()> after);

  /// Writes what was queued, and what was gathered.
  void flush_queued();

  /// Writes what was gathered. True if there was nothing left or all went out.
  bool flush();

  /// Whether gathered lines have to go out now: 64 KiB of them, or the oldest is 200 us old.
  [[nodiscard]] bool is_flush_due();

  [[nodiscard]] bool has_gathered();

  /// Since when the client has not taken a byte that waits for it (kit::Deadline::now_ns()); 0
  /// while nothing waits. Any thread.
  [[nodiscard]] std::int64_t waits_since_ns() const {
    return waits_since_ns_.load(std::memory_order_relaxed);
  }

  /// Whether flush() has something to do or to tell, without its lock: for the thread that gathers;
  /// others may see what was true a moment ago.
  [[nodiscard]] bool wants_flush() const { return wants_flush_.load(std::memory_order_relaxed); }

  /// The client closed its end (or the stop came while it did not read): nothing is written any
  /// more.
  [[nodiscard]] bool is_broken();

  /// The errno of a write that failed although somebody may be listening (a full disk); 0: none.
  [[nodiscard]] int write_error() const { return write_error_.load(std::memory_order_relaxed); }

private:
  bool write_all(std::string_view bytes) PACKHOST_REQUIRES(mutex_);
  bool wait_writable();
  bool poll_writable();
  bool flush_locked() PACKHOST_REQUIRES(mutex_);

  struct Queued {
    std::string text;
    Commit commit;
    std::function<void()> after;
  };

  // constant after construction
  kit::UniqueFd out_;
  int stop_fd_;
  bool is_socket_ = false;
  bool is_nonblocking_ = false;

  std::atomic<std::int64_t> waits_since_ns_{0};
  std::atomic<int> write_error_{0};
  std::atomic<bool> wants_flush_{false}; // gathered_ is not empty, or is_broken_

  support::Mutex mutex_;
  std::string gathered_ PACKHOST_GUARDED_BY(mutex_);
  std::int64_t oldest_ns_ PACKHOST_GUARDED_BY(mutex_) = 0;
  bool is_broken_ PACKHOST_GUARDED_BY(mutex_) = false;

  support::Mutex queue_mutex_;
  std::deque<Queued> queue_ PACKHOST_GUARDED_BY(queue_mutex_);
};

} // namespace packhost::io
