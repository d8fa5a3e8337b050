// SPDX-License-Identifier: MIT
// See inflight.hpp.
#include "host/rpc/inflight.hpp"

#include <chrono>
#include <utility>

namespace packhost::rpc {

std::optional<Inflight::Refusal> Inflight::reserve(std::size_t bytes) {
  support::Lock lock(mutex_);
  if (reserved_ >= bounds_.max_requests) return Refusal::requests;
  if (bytes > bounds_.max_bytes - bytes_) return Refusal::bytes;
  ++reserved_;
  bytes_ += bytes;
  return std::nullopt;
}

Inflight::Added Inflight::add(const Id &id, std::shared_ptr<Work> work, kit::Deadline deadline,
                              std::size_t bytes) {
  support::Lock lock(mutex_);
  if (free_.empty()) {
    entries_.emplace_back();
    free_.push_back(entries_.size());
  }
  const std::uint64_t number = free_.back();
  free_.pop_back();
  entries_[number - 1] = Entry{id, std::move(work), deadline, bytes, false, false};
  const bool is_earliest = deadline < earliest_;
  if (is_earliest) earliest_ = deadline;
  return Added{number, is_earliest};
}

void Inflight::make_room(std::uint64_t number) {
  support::Lock lock(mutex_);
  if (number == 0 || number > entries_.size()) return;
  Entry &entry = entries_[number - 1];
  if (entry.work == nullptr || std::exchange(entry.has_made_room, true)) return;
  bytes_ -= entry.bytes;
  --reserved_;
  ++leaving_;
}

void Inflight::remove(std::uint64_t number) {
  std::shared_ptr<Work> last; // dies outside the lock
  support::Lock lock(mutex_);
  if (number == 0 || number > entries_.size() || entries_[number - 1].work == nullptr) return;
  Entry &entry = entries_[number - 1];
  last = std::move(entry.work);
  if (entry.has_made_room) {
    --leaving_;
  } else {
    bytes_ -= entry.bytes;
    --reserved_;
  }
  free_.push_back(number);
  // earliest_ stays: an early look at the clock costs less than finding the new one each time.
}

std::vector<std::shared_ptr<Work>> Inflight::find(const Id &id) const {
  std::vector<std::shared_ptr<Work>> found;
  support::Lock lock(mutex_);
  for (const Entry &entry : entries_)
    if (entry.work != nullptr && entry.id.token == id.token) found.push_back(entry.work);
  return found;
}

std::vector<std::shared_ptr<Work>> Inflight::all() const {
  std::vector<std::shared_ptr<Work>> every;
  support::Lock lock(mutex_);
  for (const Entry &entry : entries_)
    if (entry.work != nullptr) every.push_back(entry.work);
  return every;
}

kit::Deadline Inflight::next_deadline() const {
  support::Lock lock(mutex_);
  return earliest_;
}

void Inflight::check_deadlines() {
  std::vector<std::shared_ptr<Work>> expired;
  std::vector<std::shared_ptr<Work>> given_up;
  {
    support::Lock lock(mutex_);
    if (!earliest_.has_passed()) return;
    earliest_ = kit::Deadline();
    for (Entry &entry : entries_) {
      if (entry.work == nullptr) continue;
      if (entry.due.has_passed()) {
        (entry.is_expired ? given_up : expired).push_back(entry.work);
        entry.due = entry.is_expired
                        ? kit::Deadline()
                        : kit::Deadline::after(std::chrono::milliseconds(bounds_.grace_ms));
        entry.is_expired = true;
      }
      if (entry.due < earliest_) earliest_ = entry.due;
    }
  }
  for (const std::shared_ptr<Work> &work : expired) work->expire();
  for (const std::shared_ptr<Work> &work : given_up) work->give_up();
}

std::size_t Inflight::count() const {
  support::Lock lock(mutex_);
  return reserved_ + leaving_;
}

} // namespace packhost::rpc
