// SPDX-License-Identifier: MIT
// One call over the ABI: its request, what the pack adds to it, cancellation, and its one end.
// Knows no JSON-RPC: who asked learns of the end through CallListener. Turns and queues are
// instance.*.
#pragma once

#include "host/support/annotated_mutex.hpp"
#include "host/support/turns.hpp"
#include "sdk/kit/deadline.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <packhost/packhost.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::pack {

class Instance;

/// The bytes of a part: copied, or handed over by the pack and released exactly once.
class PartData {
public:
  PartData() = default;
  explicit PartData(const packhost_buf &handed_over); // takes it over, or copies what is borrowed
  PartData(PartData &&other) noexcept;
  PartData &operator=(PartData &&other) noexcept;

  ~PartData() { release(); }

  [[nodiscard]] std::string_view view() const;
  void append(std::string_view bytes);

private:
  void release();

  std::string own_;
  packhost_buf handed_{};
};

struct Part {
  std::uint32_t type = 0; // PACKHOST_PART_*
  std::uint32_t flags = 0;
  std::string mime;
  std::string uri;
  std::string name;
  std::string annotations; // checked JSON object or empty
  PartData data;
};

/// Who made the call end.
enum class EndedBy : std::uint8_t {
  pack,
  client, // cancelled by the client: nobody hears of it
  deadline,
  shutdown,
  host // never entered the pack: it is not available, or there was no room
};

struct CallOutcome {
  packhost_status status = PACKHOST_E_INTERNAL; // never PENDING
  EndedBy ended_by = EndedBy::pack;
  bool entered_pack = false;
  std::vector<Part> parts; // for OK and E_TOOL; without META
  std::string meta;        // the META part: a checked JSON object, or empty
  std::string message;     // for a model or a person; may be empty
  std::string details;     // checked JSON or empty
  std::uint64_t items = 0;
  std::uint64_t call_id = 0; // for messages and the log
};

struct CallRequest {
  std::uint32_t kind = PACKHOST_CALL_TOOL;
  std::string name;       // without prefix
  std::string args_owner; // what `args` points into, unless that outlives the call anyway
  std::string_view args;  // a checked JSON object
  std::uint64_t timeout_ms = 60'000;
  std::uint64_t max_result_bytes = 1'048'576;
  bool wants_progress = false;
  bool is_dry_run = false;
  bool is_exclusive = false;
  support::Pace *pace = nullptr; // of the tool; outlives the call; may be null
};

/// Who asked for a call. Destroyed when the call is over.
class CallListener {
public:
  virtual ~CallListener() = default;

  /// Any thread. Values rise; at most 10 a second. Two threads may get here in the wrong order.
  virtual void on_progress(double done, double total, std::string_view message) = 0;

  /// A report came too soon after the one before: PackCall::report_late() is due at the end of the
  /// gap. Any thread; does not block.
  virtual void on_late_progress() = 0;

  /// The answer, at most once, and not after on_dropped(). `may_wait` is false on a thread of the
  /// pack: then nothing may wait for the client. RETURNS: bytes of the answer as sent, for the log.
  virtual std::size_t on_done(CallOutcome &outcome, bool may_wait) = 0;

  /// The pack has let go of the call, and on_done() follows on a thread that may wait.
  virtual void on_leaving() {}

  /// The client cancelled: no answer is due.
  virtual void on_dropped() = 0;

  /// The pack has let go of the call (after on_done() or on_dropped(), perhaps much later).
  virtual void on_ended() = 0;
};

/// One call from its request to its one end. Shared by who runs it, who waits for it and who may
/// cancel it. Any thread.
class PackCall : public std::enable_shared_from_this<PackCall> {
public:
  PackCall(Instance &instance, CallRequest request, std::unique_ptr<CallListener> listener);
  PackCall(const PackCall &) = delete;
  PackCall &operator=(const PackCall &) = delete;
  ~PackCall();

  /// Enters the pack, or waits in its queue for room. Returns when this thread has nothing more to
  /// do for it; the answer may come later.
  void run(support::OffTurn off_turn);

  /// Flags the call as cancelled. For EndedBy::client the listener hears on_dropped(). Any thread.
  /// RETURNS: true if the pack has to be told as well: tell_pack() on a thread that is off turn.
  [[nodiscard]] bool cancel(EndedBy cause);

  /// Calls the pack's cancel() if the call is PENDING; at most once in the life of the call.
  void tell_pack(support::OffTurn off_turn);

  /// The grace after the deadline is over: answers the client; what the pack does later is dropped.
  void give_up();

  [[nodiscard]] kit::Deadline deadline() const { return deadline_; }

  [[nodiscard]] const CallRequest &request() const { return request_; }

  [[nodiscard]] std::uint64_t id() const { return id_; }

  // ---- for Instance ----

  /// Crosses the ABI. REQUIRES: the instance has given it room.
  void enter(const packhost_entry &entry, packhost_pack *pack);

  /// It has to wait for room: the clock of its pace starts when it enters.
  void note_waits() { has_waited_ = true; }

  /// Ends a call that never entered the pack.
  void end_outside(packhost_status status, std::string message, bool may_wait);

  /// True once the call needs no pack any more: cancelled or timed out while it waited for room.
  [[nodiscard]] bool is_cancelled() const {
    return cause_.load(std::memory_order_acquire) != EndedBy::pack;
  }

  // ---- for host_table: what the pack calls ----

  [[nodiscard]] bool is_cancelled_or_late() const;
  [[nodiscard]] int cancel_descriptor();
  void progress(double done, double total, std::string_view message);
  /// Passes the report on that waited for the end of the gap, if there still is one. On a thread of
  /// the host.
  void report_late();
  [[nodiscard]] packhost_status add(const packhost_part &part);
  [[nodiscard]] packhost_status append(std::string_view bytes);
  void reset();
  void set_error(std::string_view message, std::string_view details);
  void set_items(std::uint64_t items);

  void set_data(void *data) { data_.store(data, std::memory_order_release); }

  [[nodiscard]] void *data() const { return data_.load(std::memory_order_acquire); }

  /// The pack's end of a PENDING call.
  void complete(packhost_status status);

private:
  [[nodiscard]] packhost_status check_part(const packhost_part &part) const
      PACKHOST_REQUIRES(mutex_);
  [[nodiscard]] packhost_status add_meta(std::string_view json) PACKHOST_REQUIRES(mutex_);
  /// RETURNS: false if the call had ended already.
  [[nodiscard]] bool finish(packhost_status status, bool may_wait);
  void answer(CallOutcome &outcome, bool may_wait);
  void log_done(const CallOutcome &outcome, std::size_t bytes) const;
  /// Takes it on this thread to call the pack's cancel(), if the call is PENDING: once in its life,
  /// also if the call ends meanwhile.
  void claim_telling() PACKHOST_REQUIRES(mutex_);
  void detach_handle();

  // constant after construction
  Instance &instance_;
  const CallRequest request_;
  const std::uint64_t id_;
  const std::int64_t started_ns_;
  const kit::Deadline deadline_;
  const std::unique_ptr<CallListener> listener_;
  packhost_call *const handle_;
  packhost_request abi_request_{};
  bool has_waited_ = false; // set before the call enters, under the lock of its instance

  // self-synchronised
  std::atomic<EndedBy> cause_{EndedBy::pack}; // anything else: cancelled, by whom
  std::atomic<bool> is_answered_{false};
  std::atomic<void *> data_{nullptr};
  std::atomic<bool> has_entered_{false};

  mutable support::Mutex mutex_;
  std::vector<Part> parts_ PACKHOST_GUARDED_BY(mutex_);
  std::string meta_ PACKHOST_GUARDED_BY(mutex_);
  std::string message_ PACKHOST_GUARDED_BY(mutex_);
  std::string details_ PACKHOST_GUARDED_BY(mutex_);
  std::uint64_t items_ PACKHOST_GUARDED_BY(mutex_) = 0;
  std::size_t result_bytes_ PACKHOST_GUARDED_BY(mutex_) = 0;
  kit::UniqueFd cancel_event_ PACKHOST_GUARDED_BY(mutex_);
  bool is_pending_ PACKHOST_GUARDED_BY(mutex_) = false; // call() returned PENDING
  bool is_over_ PACKHOST_GUARDED_BY(mutex_) = false;    // completed, by whatever
  bool was_told_ PACKHOST_GUARDED_BY(mutex_) = false;   // cancel() of the pack was called
  bool must_tell_ PACKHOST_GUARDED_BY(mutex_) = false;  // ... is to be called by tell_pack()
  bool is_telling_ PACKHOST_GUARDED_BY(mutex_) = false; // ... and has not returned yet

  struct Progress {
    double done = 0;
    double total = -1;
    std::string message;
  };

  std::optional<Progress> late_progress_ PACKHOST_GUARDED_BY(mutex_);
  double last_progress_ PACKHOST_GUARDED_BY(mutex_) = 0; // passed on or waiting
  bool has_progress_ PACKHOST_GUARDED_BY(mutex_) = false;
  std::int64_t progress_ns_ PACKHOST_GUARDED_BY(mutex_) = 0; // of the last one passed on
};

/// A call that stays alive as long as this does; empty: there is none. Made and destroyed on one
/// thread, in the same call of the pack into the host.
class HeldCall {
public:
  HeldCall() = default;

  explicit HeldCall(std::shared_ptr<PackCall> owner)
      : owner_(std::move(owner)), call_(owner_.get()) {}

  /// REQUIRES: this thread is inside PackCall::enter() of it.
  explicit HeldCall(PackCall &entered) : call_(&entered) {}

  explicit operator bool() const { return call_ != nullptr; }

  PackCall *operator->() const { return call_; }

private:
  std::shared_ptr<PackCall> owner_;
  PackCall *call_ = nullptr;
};

/// The call behind a handle, or nothing if that call is over: handles stay allocated and are used
/// again only after thousands of others, so that a pack which touches one too late is noticed.
[[nodiscard]] HeldCall find_call(const packhost_call *handle);

/// How often packs touched a call after its end, completed one twice, or late (after the grace).
[[nodiscard]] std::uint64_t count_late_touches();

} // namespace packhost::pack
