// SPDX-License-Identifier: MIT
// See notices.hpp.
#include "host/mcp/notices.hpp"

#include "host/mcp/session.hpp"

#include <chrono>
#include <utility>

namespace packhost::mcp {

namespace {

constexpr std::chrono::milliseconds kGather{100};
constexpr std::size_t kMaxSubscriptions = 64;
constexpr std::size_t kMaxPendingUris = 4'096; // only subscribed ones get here

} // namespace

bool Notices::start_wait() {
  if (!due_.is_never()) return false;
  due_ = kit::Deadline::after(kGather);
  return true;
}

bool Notices::add_changed(pack::Instance &instance, std::uint32_t bits) {
  support::Lock lock(mutex_);
  pending_.changed[&instance] |= bits;
  return start_wait();
}

bool Notices::add_resource(std::string_view uri) {
  support::Lock lock(mutex_);
  if (pending_.uris.size() < kMaxPendingUris) pending_.uris.emplace(uri);
  return start_wait();
}

bool Notices::add_report(std::weak_ptr<pack::PackCall> call) {
  support::Lock lock(mutex_);
  pending_.reports.push_back(std::move(call)); // once for each call until it is taken
  return start_wait();
}

kit::Deadline Notices::due() const {
  support::Lock lock(mutex_);
  return due_;
}

PendingNotices Notices::take() {
  support::Lock lock(mutex_);
  due_ = kit::Deadline();
  return std::exchange(pending_, PendingNotices());
}

bool Notices::has_room() const {
  support::Lock lock(mutex_);
  return subscriptions_.size() < kMaxSubscriptions;
}

bool Notices::open(std::shared_ptr<Subscription> subscription) {
  support::Lock lock(mutex_);
  if (subscriptions_.size() >= kMaxSubscriptions) return false;
  subscriptions_.push_back(std::move(subscription));
  return true;
}

std::size_t Notices::close(const rpc::Id &id) {
  support::Lock lock(mutex_);
  return std::erase_if(subscriptions_, [&](const std::shared_ptr<Subscription> &one) {
    if (one->id.token != id.token) return false;
    one->state.store(Subscription::State::closed, std::memory_order_release);
    return true;
  });
}

std::vector<std::shared_ptr<Subscription>> Notices::subscriptions() const {
  support::Lock lock(mutex_);
  return subscriptions_;
}

bool Notices::is_any_subscribed(std::string_view uri) const {
  support::Lock lock(mutex_);
  for (const std::shared_ptr<Subscription> &one : subscriptions_)
    if (is_covered(one->uris, uri)) return true;
  return false;
}

} // namespace packhost::mcp
