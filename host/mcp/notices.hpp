// SPDX-License-Identifier: MIT
// Change notices on their way from packs to the client: gathered for 100 ms, then sent - untagged
// to a legacy session, tagged to each subscription of the newer era. Also the subscriptions
// themselves, and the calls whose last progress waits for its turn.
#pragma once

#include "host/pack/instance.hpp"
#include "host/rpc/message.hpp"
#include "host/support/annotated_mutex.hpp"
#include "sdk/kit/deadline.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::mcp {

/// One open subscriptions/listen.
struct Subscription {
  rpc::Id id;
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<std::string, std::less<>> uris;
  enum class State : std::uint8_t { acknowledging, open, closed };
  std::atomic<State> state{State::acknowledging};

  /// Under the writer's lock, when the acknowledgement goes out: the first message of all.
  bool acknowledge() {
    State expected = State::acknowledging;
    return state.compare_exchange_strong(expected, State::open, std::memory_order_acq_rel);
  }

  [[nodiscard]] bool is_open() const {
    return state.load(std::memory_order_acquire) == State::open;
  }
};

/// What was reported since the last look.
struct PendingNotices {
  std::map<pack::Instance *, std::uint32_t> changed; // PACKHOST_CHANGED_* bits
  std::set<std::string> uris;
  std::vector<std::weak_ptr<pack::PackCall>> reports;
};

/// Any thread.
class Notices {
public:
  /// RETURNS: true if this starts the 100 ms (somebody has to look at due()).
  [[nodiscard]] bool add_changed(pack::Instance &instance, std::uint32_t bits);
  [[nodiscard]] bool add_resource(std::string_view uri);

  /// A call has progress to report that came too soon. RETURNS: as add_changed().
  [[nodiscard]] bool add_report(std::weak_ptr<pack::PackCall> call);

  /// When take() has something to give.
  [[nodiscard]] kit::Deadline due() const;
  [[nodiscard]] PendingNotices take();

  /// False if there are 64 already.
  [[nodiscard]] bool open(std::shared_ptr<Subscription> subscription);
  [[nodiscard]] bool has_room() const;
  /// Ends the subscriptions with this id. RETURNS: how many there were.
  std::size_t close(const rpc::Id &id);
  [[nodiscard]] std::vector<std::shared_ptr<Subscription>> subscriptions() const;
  [[nodiscard]] bool is_any_subscribed(std::string_view uri) const;

private:
  bool start_wait() PACKHOST_REQUIRES(mutex_);

  mutable support::Mutex mutex_;
  PendingNotices pending_ PACKHOST_GUARDED_BY(mutex_);
  kit::Deadline due_ PACKHOST_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Subscription>> subscriptions_ PACKHOST_GUARDED_BY(mutex_);
};

} // namespace packhost::mcp
