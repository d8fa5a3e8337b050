// SPDX-License-Identifier: MIT
// See call.hpp.
#include "host/pack/call.hpp"

#include "host/pack/instance.hpp"
#include "host/support/log.hpp"
#include "host/support/signals.hpp"
#include "sdk/contract/manifest.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/sha256.hpp"
#include "sdk/kit/utf8.hpp"

#include <cmath>
#include <cstring>
#include <deque>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace json = packhost::kit::json;

/// What a pack holds: a slot that stays allocated when its call is over.
struct packhost_call {
  packhost::support::Mutex mutex;
  std::shared_ptr<packhost::pack::PackCall> call PACKHOST_GUARDED_BY(mutex);
  std::atomic<bool> is_attached{false}; // whether `call` is set, for the thread that entered it
};

namespace packhost::pack {

namespace {

constexpr std::size_t kMaxParts = 256;
constexpr std::size_t kMaxProgressMessage = 200;
constexpr std::size_t kMaxErrorMessage = 2'000;
constexpr std::int64_t kProgressGapNs = 100'000'000; // 10 a second
// A handle is not used again before this many others were given back, so that a pack which
// completes a call twice hits an empty slot and not a stranger's call.
constexpr std::size_t kHandlesKept = 1'024;

constexpr std::uint64_t kNsPerMs = 1'000'000;

// What this thread has entered: such a call is not looked up, which would cost two atomic
// operations on each of its counter and its lock.
thread_local const packhost_call *t_entered_handle = nullptr;
thread_local PackCall *t_entered_call = nullptr;

/// Says, for its life, what the thread has entered.
class Entered {
public:
  Entered(const packhost_call *handle, PackCall *call)
      : outer_handle_(std::exchange(t_entered_handle, handle)),
        outer_call_(std::exchange(t_entered_call, call)) {}

  Entered(const Entered &) = delete;
  Entered &operator=(const Entered &) = delete;

  ~Entered() {
    t_entered_handle = outer_handle_;
    t_entered_call = outer_call_;
  }

private:
  const packhost_call *outer_handle_;
  PackCall *outer_call_;
};

std::atomic<std::uint64_t> g_late_touches{0};
std::atomic<std::uint64_t> g_next_id{1};

class HandlePool {
public:
  packhost_call *take() {
    support::Lock lock(mutex_);
    if (free_.size() > kHandlesKept) {
      packhost_call *handle = free_.front();
      free_.pop_front();
      return handle;
    }
    all_.push_back(std::make_unique<packhost_call>());
    return all_.back().get();
  }

  void give_back(packhost_call *handle) {
    support::Lock lock(mutex_);
    free_.push_back(handle);
  }

private:
  support::Mutex mutex_;
  std::deque<std::unique_ptr<packhost_call>> all_ PACKHOST_GUARDED_BY(mutex_);
  std::deque<packhost_call *> free_ PACKHOST_GUARDED_BY(mutex_);
};

HandlePool &handles() {
  static auto *pool = new HandlePool; // outlives every thread: the process ends by _exit
  return *pool;
}

bool is_text(packhost_str text) {
  return text.len == 0 || kit::utf8::is_valid(std::string_view(text.ptr, text.len));
}

std::string_view view(packhost_str text) {
  return text.len == 0 ? std::string_view() : std::string_view(text.ptr, text.len);
}

std::string_view status_name(packhost_status status) {
  constexpr std::string_view kNames[] = {
      "ok", "invalid_args", "not_found",   "denied", "conflict", "cancelled", "deadline", "limit",
      "io", "unavailable",  "unsupported", "config", "nomem",    "misuse",    "internal", "tool"};
  return status <= 0 && status >= PACKHOST_E_TOOL ? kNames[-status] : "internal";
}

} // namespace

// ---- PartData
// ------------------------------------------------------------------------------------

PartData::PartData(const packhost_buf &handed_over) {
  if (handed_over.release != nullptr)
    handed_ = handed_over;
  else if (handed_over.len > 0)
    own_.assign(static_cast<const char *>(handed_over.ptr), handed_over.len);
}

PartData::PartData(PartData &&other) noexcept
    : own_(std::move(other.own_)), handed_(std::exchange(other.handed_, packhost_buf{})) {}

PartData &PartData::operator=(PartData &&other) noexcept {
  if (this != &other) {
    release();
    own_ = std::move(other.own_);
    handed_ = std::exchange(other.handed_, packhost_buf{});
  }
  return *this;
}

void PartData::release() {
  const packhost_buf buffer = std::exchange(handed_, packhost_buf{});
  if (buffer.release != nullptr) buffer.release(buffer.release_ctx, buffer.ptr, buffer.len);
}

std::string_view PartData::view() const {
  if (handed_.release != nullptr)
    return handed_.len == 0 ? std::string_view()
                            : std::string_view(static_cast<const char *>(handed_.ptr), handed_.len);
  return own_;
}

void PartData::append(std::string_view bytes) {
  if (handed_.release != nullptr) { // one owner for what grows
    own_.assign(view());
    release();
  }
  own_ += bytes;
}

// ---- PackCall
// ------------------------------------------------------------------------------------

PackCall::PackCall(Instance &instance, CallRequest request, std::unique_ptr<CallListener> listener)
    : instance_(instance), request_(std::move(request)), id_(g_next_id.fetch_add(1)),
      started_ns_(kit::Deadline::now_ns()),
      deadline_(kit::Deadline::at_ns(static_cast<std::uint64_t>(started_ns_) +
                                     request_.timeout_ms * kNsPerMs)),
      listener_(std::move(listener)), handle_(handles().take()) {
  abi_request_.struct_size = sizeof abi_request_;
  abi_request_.kind = request_.kind;
  abi_request_.name = packhost_str{request_.name.data(), request_.name.size()};
  abi_request_.args = packhost_str{request_.args.data(), request_.args.size()};
  abi_request_.deadline_ns = deadline_.ns();
  abi_request_.max_result_bytes = request_.max_result_bytes;
  abi_request_.call_id = id_;
  if (request_.wants_progress) abi_request_.flags |= PACKHOST_REQ_WANTS_PROGRESS;
  if (request_.is_dry_run) abi_request_.flags |= PACKHOST_REQ_DRY_RUN;
}

PackCall::~PackCall() {
  handles().give_back(handle_);
}

void PackCall::run(support::OffTurn /*off_turn*/) {
  instance_.run(shared_from_this());
}

void PackCall::enter(const packhost_entry &entry, packhost_pack *pack) {
  {
    support::Lock lock(handle_->mutex);
    handle_->call = shared_from_this();
    handle_->is_attached.store(true, std::memory_order_relaxed);
  }
  has_entered_.store(true, std::memory_order_release);
  packhost_status status = PACKHOST_E_INTERNAL;
  const std::int64_t before_ns = has_waited_ ? kit::Deadline::now_ns() : started_ns_;
  {
    const support::RunningCode running(instance_.alias(), request_.name);
    const Entered entered(handle_, this);
    status = instance_.call_entry(entry, pack, handle_, abi_request_);
  }
  if (request_.pace != nullptr) request_.pace->note(kit::Deadline::now_ns() - before_ns);
  if (status == PACKHOST_PENDING) {
    bool must_tell = false;
    {
      support::Lock lock(mutex_);
      is_pending_ = true;
      if (is_cancelled() && !is_over_) claim_telling();
      must_tell = must_tell_;
    }
    if (must_tell) tell_pack(support::OffTurn::no_stream()); // it came while call() ran
    return;
  }
  if (status > 0) status = PACKHOST_E_MISUSE;
  if (!finish(status, true)) {
    support::log(support::LogLevel::warn, "pack.misuse",
                 {{"pack", std::string(instance_.alias())},
                  {"tool", request_.name},
                  {"what", "call_complete from a call that did not return PENDING"}});
  }
}

void PackCall::complete(packhost_status status) {
  if (status > 0) status = PACKHOST_E_MISUSE;
  if (!finish(status, Instance::is_host_thread())) {
    g_late_touches.fetch_add(1, std::memory_order_relaxed);
    support::log(support::LogLevel::warn, "pack.misuse",
                 {{"pack", std::string(instance_.alias())},
                  {"tool", request_.name},
                  {"what", "call completed twice"}});
  }
}

void PackCall::end_outside(packhost_status status, std::string message, bool may_wait) {
  CallOutcome outcome;
  {
    support::Lock lock(mutex_);
    if (is_over_) return;
    is_over_ = true;
  }
  const EndedBy cause = cause_.load(std::memory_order_acquire);
  outcome.status = status;
  outcome.ended_by = cause == EndedBy::pack ? EndedBy::host : cause;
  outcome.message = std::move(message);
  answer(outcome, may_wait);
  listener_->on_ended();
}

bool PackCall::finish(packhost_status status, bool may_wait) {
  CallOutcome outcome; // whoever calls this holds the call
  bool is_telling = false;
  {
    support::Lock lock(mutex_);
    if (is_over_) return false;
    is_over_ = true;
    is_telling = is_telling_;
    outcome.parts = std::move(parts_);
    outcome.meta = std::move(meta_);
    outcome.message = std::move(message_);
    outcome.details = std::move(details_);
    outcome.items = items_;
    parts_.clear();
  }
  outcome.status = status;
  outcome.entered_pack = true;
  EndedBy cause = cause_.load(std::memory_order_acquire);
  if (cause == EndedBy::pack && status == PACKHOST_E_CANCELLED && deadline_.has_passed())
    cause = EndedBy::deadline; // the pack looked at the clock before the host did
  const bool got_there_first = status == PACKHOST_OK || status == PACKHOST_E_TOOL;
  outcome.ended_by = got_there_first || cause == EndedBy::pack ? EndedBy::pack : cause;
  if (!is_telling) detach_handle(); // else tell_pack() does when cancel() has returned
  if (may_wait) listener_->on_leaving();
  answer(outcome, may_wait);
  outcome = CallOutcome(); // what was handed over is released before the pack gets its next call
  listener_->on_ended();
  instance_.leave(*this, may_wait);
  return true;
}

void PackCall::answer(CallOutcome &outcome, bool may_wait) {
  std::size_t bytes = 0;
  outcome.call_id = id_;
  if (!is_answered_.exchange(true, std::memory_order_acq_rel)) {
    bytes = listener_->on_done(outcome, may_wait);
  } else if (cause_.load(std::memory_order_acquire) == EndedBy::deadline) {
    g_late_touches.fetch_add(1, std::memory_order_relaxed); // completed after its grace: dropped
  }
  log_done(outcome, bytes);
}

void PackCall::give_up() {
  if (is_answered_.exchange(true, std::memory_order_acq_rel)) return;
  CallOutcome outcome;
  outcome.call_id = id_;
  outcome.status = PACKHOST_E_DEADLINE;
  outcome.ended_by = EndedBy::deadline;
  outcome.entered_pack = has_entered_.load(std::memory_order_acquire);
  const std::size_t bytes = listener_->on_done(outcome, true);
  support::log(support::LogLevel::warn, "call.stuck",
               {{"pack", std::string(instance_.alias())},
                {"tool", request_.name},
                {"call", std::to_string(id_)},
                {"bytes", std::to_string(bytes)}});
}

bool PackCall::cancel(EndedBy cause) {
  EndedBy none = EndedBy::pack;
  cause_.compare_exchange_strong(none, cause, std::memory_order_acq_rel);
  if (cause == EndedBy::client && !is_answered_.exchange(true, std::memory_order_acq_rel))
    listener_->on_dropped();
  support::Lock lock(mutex_);
  if (is_over_) return false;
  claim_telling();
  if (cancel_event_.is_open()) {
    const std::uint64_t one = 1;
    if (::write(cancel_event_.get(), &one, sizeof one) < 0) return is_telling_; // readable already
  }
  return true;
}

void PackCall::claim_telling() {
  if (!is_pending_ || was_told_) return;
  was_told_ = true;
  must_tell_ = true;
  is_telling_ = true; // the handle stays valid until the pack's cancel() has returned
}

void PackCall::tell_pack(support::OffTurn /*off_turn*/) {
  if (!has_entered_.load(std::memory_order_acquire)) {
    instance_.drop_queued(shared_from_this());
    return;
  }
  {
    support::Lock lock(mutex_);
    // Not pending: the pack looks at call_cancelled by itself. Or another thread was faster.
    if (!std::exchange(must_tell_, false)) return;
  }
  instance_.call_cancel(handle_);
  bool is_over = false;
  {
    support::Lock lock(mutex_);
    is_telling_ = false;
    is_over = is_over_;
  }
  if (is_over) detach_handle();
}

void PackCall::detach_handle() {
  std::shared_ptr<PackCall> self;
  support::Lock lock(handle_->mutex);
  handle_->is_attached.store(false, std::memory_order_release);
  self = std::move(handle_->call); // dies after the lock: the last owner may be this one
}

void PackCall::log_done(const CallOutcome &outcome, std::size_t bytes) const {
  if (!support::is_logged(support::LogLevel::info)) return;
  std::string digest;
  if (const kit::Result<std::string> hex =
          kit::sha256_hex(json::canonical(request_.args.empty() ? "{}" : request_.args)))
    digest = hex->substr(0, 12);
  support::log(support::LogLevel::info, "call.done",
               {{"call", std::to_string(id_)},
                {"pack", std::string(instance_.alias())},
                {"tool", request_.name},
                {"status", std::string(status_name(outcome.status))},
                {"items", std::to_string(outcome.items)},
                {"bytes", std::to_string(bytes)},
                {"elapsed_ms", std::to_string((kit::Deadline::now_ns() - started_ns_) / 1'000'000)},
                {"input_digest", digest}});
}

// ---- what the pack calls
// -------------------------------------------------------------------------

bool PackCall::is_cancelled_or_late() const {
  return is_cancelled() || deadline_.has_passed();
}

int PackCall::cancel_descriptor() {
  support::Lock lock(mutex_);
  if (!cancel_event_.is_open())
    cancel_event_.reset(::eventfd(is_cancelled() ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK));
  return cancel_event_.get();
}

void PackCall::progress(double done, double total, std::string_view message) {
  if (!request_.wants_progress || !std::isfinite(done)) return;
  if (!std::isfinite(total)) total = -1;
  message = kit::utf8::is_valid(message) ? kit::utf8::clip(message, kMaxProgressMessage) : "";
  {
    support::Lock lock(mutex_);
    if (is_over_ || (has_progress_ && done <= last_progress_)) return;
    const std::int64_t now = kit::Deadline::now_ns();
    const bool is_too_soon = has_progress_ && now - progress_ns_ < kProgressGapNs;
    has_progress_ = true;
    last_progress_ = done;
    if (is_too_soon) {
      const bool is_first = !late_progress_.has_value();
      late_progress_ = Progress{done, total, std::string(message)};
      if (is_first) listener_->on_late_progress();
      return;
    }
    late_progress_.reset();
    progress_ns_ = now;
  }
  listener_->on_progress(done, total, message);
}

void PackCall::report_late() {
  std::optional<Progress> late;
  {
    support::Lock lock(mutex_);
    if (is_over_ || !late_progress_) return; // the answer says it all
    const std::int64_t now = kit::Deadline::now_ns();
    if (now - progress_ns_ < kProgressGapNs) { // another report went out meanwhile
      listener_->on_late_progress();
      return;
    }
    late.swap(late_progress_);
    progress_ns_ = now;
  }
  listener_->on_progress(late->done, late->total, late->message);
}

packhost_status PackCall::check_part(const packhost_part &part) const {
  if (part.struct_size < sizeof(packhost_part)) return PACKHOST_E_MISUSE;
  if (!is_text(part.mime) || !is_text(part.uri) || !is_text(part.name)) return PACKHOST_E_MISUSE;
  if (part.annotations.len > 0) {
    const std::string_view text = view(part.annotations);
    if (!json::check(text) || !json::Value(text).is(json::Kind::object)) return PACKHOST_E_MISUSE;
  }
  switch (part.type) {
  case PACKHOST_PART_TEXT:
  case PACKHOST_PART_BLOB:
    break;
  case PACKHOST_PART_JSON:
    for (const Part &other : parts_)
      if (other.type == PACKHOST_PART_JSON) return PACKHOST_E_MISUSE;
    break;
  case PACKHOST_PART_LINK:
    if (part.uri.len == 0 || part.name.len == 0) return PACKHOST_E_MISUSE;
    break;
  case PACKHOST_PART_RESOURCE:
    if (part.uri.len == 0) return PACKHOST_E_MISUSE;
    break;
  case PACKHOST_PART_META:
    break;
  default:
    return PACKHOST_E_UNSUPPORTED;
  }
  return parts_.size() < kMaxParts ? PACKHOST_OK : PACKHOST_E_LIMIT;
}

packhost_status PackCall::add_meta(std::string_view text) {
  if (!meta_.empty() || !json::check(text) || !json::Value(text).is(json::Kind::object))
    return PACKHOST_E_MISUSE;
  const json::Object members{json::Value(text)};
  const std::string_view size_key = instance_.result_size_key();
  for (const json::Member &member : members.members())
    if (!contract::is_meta_key(member.key) || (!size_key.empty() && member.key == size_key))
      return PACKHOST_E_MISUSE;
  json::append_compact(meta_, text);
  return PACKHOST_OK;
}

packhost_status PackCall::add(const packhost_part &part) {
  PartData data(part.data); // from here on what was handed over is released, whatever happens
  support::Lock lock(mutex_);
  if (is_over_) return PACKHOST_E_MISUSE;
  const packhost_status checked = check_part(part);
  if (checked != PACKHOST_OK) return checked;
  if (data.view().size() > request_.max_result_bytes - result_bytes_) return PACKHOST_E_LIMIT;
  if (part.type == PACKHOST_PART_META) {
    const packhost_status added = add_meta(data.view());
    if (added == PACKHOST_OK) result_bytes_ += data.view().size();
    return added;
  }
  result_bytes_ += data.view().size();
  parts_.push_back(Part{part.type, part.flags, std::string(view(part.mime)),
                        std::string(view(part.uri)), std::string(view(part.name)),
                        std::string(view(part.annotations)), std::move(data)});
  return PACKHOST_OK;
}

packhost_status PackCall::append(std::string_view bytes) {
  support::Lock lock(mutex_);
  if (is_over_ || parts_.empty() || parts_.back().type == PACKHOST_PART_LINK)
    return PACKHOST_E_MISUSE;
  if (bytes.size() > request_.max_result_bytes - result_bytes_) return PACKHOST_E_LIMIT;
  result_bytes_ += bytes.size();
  parts_.back().data.append(bytes);
  return PACKHOST_OK;
}

void PackCall::reset() {
  std::vector<Part> dropped; // released outside the lock
  support::Lock lock(mutex_);
  dropped.swap(parts_);
  meta_.clear();
  result_bytes_ = 0;
}

void PackCall::set_error(std::string_view message, std::string_view details) {
  support::Lock lock(mutex_);
  if (is_over_) return;
  message_ = kit::utf8::repair(message);
  message_.resize(kit::utf8::clip(message_, kMaxErrorMessage).size());
  details_.clear();
  if (!details.empty() && json::check(details)) json::append_compact(details_, details);
}

void PackCall::set_items(std::uint64_t items) {
  support::Lock lock(mutex_);
  items_ = items;
}

HeldCall find_call(const packhost_call *handle) {
  if (handle == nullptr) return {};
  if (handle == t_entered_handle && handle->is_attached.load(std::memory_order_acquire))
    return HeldCall(*t_entered_call);
  auto *slot = const_cast<packhost_call *>(handle); // only its lock changes
  support::Lock lock(slot->mutex);
  if (slot->call == nullptr) g_late_touches.fetch_add(1, std::memory_order_relaxed);
  return HeldCall(slot->call);
}

std::uint64_t count_late_touches() {
  return g_late_touches.load(std::memory_order_relaxed);
}

} // namespace packhost::pack
