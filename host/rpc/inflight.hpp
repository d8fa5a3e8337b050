// SPDX-License-Identifier: MIT
// The requests that run: by id for cancellation, by deadline for the clock, and their number and
// bytes for the limits. Two requests with one id are two entries.
#pragma once

#include "host/rpc/message.hpp"
#include "host/support/annotated_mutex.hpp"
#include "sdk/kit/deadline.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace packhost::rpc {

/// A running request as this table sees it.
class Work {
public:
  virtual ~Work() = default;
  /// The client cancelled it. Any thread; does not block.
  virtual void cancel() = 0;
  /// Its deadline has passed. Does not block.
  virtual void expire() = 0;
  /// The grace after the deadline has passed: the client is answered now. May wait for the client.
  virtual void give_up() = 0;
  /// The session ends. Does not block.
  virtual void stop() = 0;
};

/// The table of running requests. Any thread.
class Inflight {
public:
  struct Bounds {
    std::size_t max_requests = 128;
    std::size_t max_bytes = std::size_t{256} * 1024 * 1024;
    std::uint64_t grace_ms = 2'000;
  };

  explicit Inflight(Bounds bounds) : bounds_(bounds) {}

  enum class Refusal : std::uint8_t { requests, bytes };

  /// Takes a place for a request of `bytes` bytes. Nothing if there is one; else what is full.
  [[nodiscard]] std::optional<Refusal> reserve(std::size_t bytes);

  /// Registers the request that a place was taken for. RETURNS: its number for remove(), and
  /// whether its deadline is now the earliest (the clock has to look again).
  struct Added {
    std::uint64_t number = 0;
    bool is_earliest = false;
  };

  [[nodiscard]] Added add(const Id &id, std::shared_ptr<Work> work, kit::Deadline deadline,
                          std::size_t bytes);

  /// Makes room for another request before this one is removed: its answer is about to be written,
  /// and who reads it may send the next request before remove(). 0 is ignored.
  void make_room(std::uint64_t number);

  /// Gives the place back. Once for each add(); 0 is ignored.
  void remove(std::uint64_t number);

  /// Every running request with this id (type and value).
  [[nodiscard]] std::vector<std::shared_ptr<Work>> find(const Id &id) const;
  [[nodiscard]] std::vector<std::shared_ptr<Work>> all() const;

  /// When check_deadlines() has something to do. Never: nothing runs.
  [[nodiscard]] kit::Deadline next_deadline() const;
  /// Expires and gives up what is due.
  void check_deadlines();

  /// Places taken and not given back, those that made room included.
  [[nodiscard]] std::size_t count() const;

  [[nodiscard]] const Bounds &bounds() const { return bounds_; }

private:
  struct Entry {
    Id id;
    std::shared_ptr<Work> work;
    kit::Deadline due; // the deadline, then the end of the grace, then never
    std::size_t bytes = 0;
    bool is_expired = false; // a free slot has no work
    bool has_made_room = false;
  };

  const Bounds bounds_;
  mutable support::Mutex mutex_;
  std::vector<Entry> entries_ PACKHOST_GUARDED_BY(mutex_); // a number is a slot, counted from 1
  std::vector<std::uint64_t> free_ PACKHOST_GUARDED_BY(mutex_);
  std::size_t reserved_ PACKHOST_GUARDED_BY(mutex_) = 0; // entries and places not registered yet
  std::size_t leaving_ PACKHOST_GUARDED_BY(mutex_) = 0;  // entries that made room: not in reserved_
  std::size_t bytes_ PACKHOST_GUARDED_BY(mutex_) = 0;
  kit::Deadline earliest_ PACKHOST_GUARDED_BY(mutex_);
};

} // namespace packhost::rpc
