// SPDX-License-Identifier: MIT
// How a call of the harness runs: its turn, the pack's call(), cancellation, completion. What the
// pack adds meanwhile is in call_parts.cpp.
#include "sdk/testing/call.hpp"

#include <chrono>

#include <sys/eventfd.h>
#include <unistd.h>

namespace packhost::testing {

namespace {

const char *kind_word(std::uint32_t kind) {
  switch (kind) {
  case PACKHOST_CALL_TOOL:
    return "tool";
  case PACKHOST_CALL_RESOURCE_READ:
    return "resource";
  case PACKHOST_CALL_PROMPT:
    return "prompt";
  case PACKHOST_CALL_COMPLETE:
    return "completion of";
  case PACKHOST_CALL_COMMAND:
    return "command";
  default:
    return "call of an unknown kind";
  }
}

/// The wall of packhost.h from the host's side: an exception that leaves the pack ends the process.
packhost_status enter(const packhost_entry &entry, packhost_pack *pack, packhost_call *call,
                      const packhost_request &request) noexcept {
  return entry.call(pack, call, &request);
}

} // namespace

Running::State::State(Harness::Impl &harness, std::uint32_t kind, std::string_view name,
                      std::string_view args, const CallSetup &setup)
    : harness_(harness), name_(name), args_(args), setup_(setup),
      label_(std::string(kind_word(kind)) + " " + std::string(name)) {
  if (kind == PACKHOST_CALL_TOOL) tool_ = harness.find_tool(name);
  request_.struct_size = static_cast<std::uint32_t>(sizeof(request_));
  request_.kind = kind;
  request_.name = {name_.data(), name_.size()};
  request_.args = {args_.data(), args_.size()};
  request_.max_result_bytes = setup.max_result_bytes != 0 ? setup.max_result_bytes
                              : tool_ != nullptr          ? tool_->limits.max_result_bytes
                                                          : contract::ToolLimits().max_result_bytes;
  request_.flags = setup.flags;
  request_.call_id = ++harness.last_call_id;
  request_.deadline_ns = UINT64_MAX;
  is_cancelled_ = setup.cancelled_at_start;
  if (setup.deadline_ms != INT64_MAX) {
    const std::lock_guard lock(harness.mutex);
    deadline_ns_ = harness.now_ns + setup.deadline_ms * 1'000'000;
    request_.deadline_ns = static_cast<std::uint64_t>(deadline_ns_);
    is_cancelled_ = is_cancelled_ || setup.deadline_ms <= 0;
  }
}

Running::State::~State() {
  if (thread_.joinable()) thread_.join(); // finished: see Harness::Impl::close()
}

void Running::State::start() {
  thread_ = std::thread([this] { run(); });
}

void Running::State::run() {
  if (const std::optional<packhost_status> refused = refuse_input()) {
    const std::lock_guard lock(mutex_);
    status_ = *refused;
  } else if (take_turn()) {
    enter_pack();
    give_turn_back();
  } else {
    const std::lock_guard lock(mutex_);
    status_ = PACKHOST_E_CANCELLED;
  }
  const std::lock_guard lock(mutex_);
  result_.status = status_;
  phase_ = Phase::ended;
  changed_.notify_all();
}

/// As a host: what breaks the input schema does not reach the pack.
std::optional<packhost_status> Running::State::refuse_input() {
  const auto schema = harness_.input_schemas.find(name_);
  const bool is_checked = setup_.check_input && tool_ != nullptr && !tool_->pack_checks_input;
  if (!is_checked || schema == harness_.input_schemas.end()) return std::nullopt;
  const kit::Result<void, contract::Violation> fits = schema->second.check(args_);
  if (fits) return std::nullopt;
  const std::lock_guard lock(mutex_);
  result_.error = fits.error().pointer + ": " + fits.error().rule;
  return PACKHOST_E_INVALID_ARGS;
}

/// Waits until the manifest's "concurrency" lets this call in. RETURNS: false when it was cancelled
/// first.
bool Running::State::take_turn() {
  const contract::Concurrency &allowed = harness_.manifest->concurrency;
  const unsigned max = allowed.parallel ? allowed.max : 1;
  const bool is_exclusive = tool_ != nullptr && tool_->exclusive;
  std::unique_lock lock(harness_.mutex);
  const auto has_room = [&] {
    return harness_.inside < max && !harness_.exclusive_inside &&
           !(is_exclusive && harness_.inside > 0);
  };
  harness_.room.wait(lock, [&] { return has_room() || is_cancelled_; });
  if (!has_room()) return false;
  ++harness_.inside;
  harness_.exclusive_inside = is_exclusive;
  return true;
}

void Running::State::give_turn_back() {
  const std::lock_guard lock(harness_.mutex);
  --harness_.inside;
  harness_.exclusive_inside = false;
  harness_.room.notify_all();
}

void Running::State::enter_pack() {
  const OutputWindow window(harness_.violations, label_);
  {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::inside;
  }
  const packhost_status returned = enter(*harness_.entry, harness_.pack, handle(), request_);
  std::unique_lock lock(mutex_);
  if (returned == PACKHOST_PENDING) {
    wait_for_completion(lock);
  } else {
    if (phase_ == Phase::completed) {
      violation("completed a call that it did not leave PENDING");
    }
    status_ = returned;
    phase_ = Phase::completed;
  }
  lock.unlock();
  finish();
}

void Running::State::wait_for_completion(std::unique_lock<std::mutex> &lock) {
  if (phase_ != Phase::completed) phase_ = Phase::pending;
  if (is_cancelled_ && !was_told_ && phase_ == Phase::pending) {
    was_told_ = true;
    lock.unlock();
    tell_cancelled();
    lock.lock();
  }
  changed_.wait(lock, [this] { return phase_ == Phase::completed || is_given_up_; });
  if (phase_ == Phase::completed) return;
  violation("never completed a call that it left PENDING");
  phase_ = Phase::completed;
}

// ---- cancellation
// ----------------------------------------------------------------------------------

void Running::State::cancel() {
  bool tell = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_cancelled_ || phase_ == Phase::ended) return;
    is_cancelled_ = true;
    if (descriptor_ >= 0) eventfd_write(descriptor_, 1);
    tell = phase_ == Phase::pending && !was_told_;
    was_told_ = was_told_ || tell;
  }
  if (tell) tell_cancelled();
  const std::lock_guard lock(harness_.mutex);
  harness_.room.notify_all();
}

void Running::State::tell_cancelled() {
  const packhost_entry *entry = harness_.entry;
  if (!PACKHOST_HAS(entry, cancel) || entry->cancel == nullptr) return;
  const std::lock_guard lock(harness_.control);
  if (harness_.is_open) entry->cancel(harness_.pack, handle());
}

void Running::State::cancel_if_passed(std::int64_t now_ns) {
  if (deadline_ns_ <= now_ns) cancel();
}

// ---- the end
// -------------------------------------------------------------------------------------

void Running::State::complete(packhost_status status) {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::completed || phase_ == Phase::ended) {
    violation("completed a call twice");
    return;
  }
  status_ = status;
  phase_ = Phase::completed;
  changed_.notify_all();
}

bool Running::State::finished() {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::ended;
}

Result Running::State::wait() {
  std::unique_lock lock(mutex_);
  const auto patience = std::chrono::milliseconds(harness_.setup.patience_ms);
  const auto has_ended = [this] { return phase_ == Phase::ended; };
  if (!changed_.wait_for(lock, patience, has_ended)) {
    if (phase_ == Phase::inside) violation("did not return from call()");
    is_given_up_ = true;
    changed_.notify_all();
    if (!changed_.wait_for(lock, patience, has_ended)) return result_;
  }
  lock.unlock();
  if (thread_.joinable()) thread_.join();
  return result_;
}

void Running::State::violation(const std::string &what) {
  harness_.violations.add(label_ + ": " + what);
}

} // namespace packhost::testing
