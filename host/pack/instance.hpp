// SPDX-License-Identifier: MIT
// One open pack: opening, the turn of its calls (serial, parallel, exclusive), its own texts and
// lists, shutdown. A pack outlives its calls, a call never its pack; the object is never unloaded.
#pragma once

#include "host/pack/call.hpp"
#include "host/pack/host_data.hpp"
#include "host/pack/launch.hpp"
#include "host/pack/services.hpp"
#include "host/support/annotated_mutex.hpp"
#include "host/support/turns.hpp"
#include "sdk/kit/result.hpp"

#include <packhost/packhost.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::pack {

/// What an instance reports while it lives. Any thread; must not call back into the pack.
class InstanceObserver {
public:
  virtual ~InstanceObserver() = default;
  virtual void on_opened(Instance &instance) = 0; // or refused: see refusal()
  virtual void on_changed(Instance &instance, std::uint32_t changed_bits) = 0;
  virtual void on_resource_changed(Instance &instance, std::string_view uri) = 0;
  /// A declared event of the pack; `data` is an encoded object {"event": ..., fields}.
  virtual void on_log(Instance &instance, std::int32_t level, std::string_view data) = 0;
};

/// Texts that only an opened pack knows (packhost.about/1). Empty: the manifest's stand.
struct About {
  std::string title;
  std::string instructions;
  bool has_title = false;
  bool has_instructions = false;
};

/// One pack of the launch line, from before its code is loaded until after its shutdown. Any
/// thread, as far as nothing else is said.
class Instance {
public:
  enum class State : std::uint8_t { opening, open, refused, closed };

  /// `observer` and `turns` (null: calls run where they are made) outlive the instance.
  Instance(PackLaunch launch, InstanceObserver *observer);
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;
  ~Instance();

  /// Where queued calls go when a thread of the pack made room. Before the first call.
  void use_turns(support::Turns *turns) { turns_ = turns; }

  [[nodiscard]] std::string_view alias() const { return launch_.alias; }

  [[nodiscard]] const PackLaunch &launch() const { return launch_; }

  [[nodiscard]] const contract::Manifest &manifest() const { return *launch_.manifest; }

  [[nodiscard]] std::string_view result_size_key() const;

  /// Loads and opens the pack on this thread, asks for its texts and lists. A fault is a whole
  /// refusal without "packhost: " in front. Pack code runs here for the first time.
  [[nodiscard]] kit::Status open();

  /// The same on a thread of its own, once; the observer hears of the end.
  void open_later();

  [[nodiscard]] State state() const;
  [[nodiscard]] std::string refusal() const;

  /// When open() has to be done; never while it has not begun, and once it has ended.
  [[nodiscard]] kit::Deadline open_deadline() const;

  [[nodiscard]] bool is_open_late() const { return open_deadline().has_passed(); }

  void refuse_late_open();

  /// True once what the lists show of this pack is final for now: it is open with its texts and
  /// lists read, refused, or offers neither about nor catalog.
  [[nodiscard]] bool is_described() const;
  /// Waits for that, until `deadline`. RETURNS: is_described().
  [[nodiscard]] bool wait_described(kit::Deadline deadline);

  /// True for ever once calls may enter, or the pack is refused.
  [[nodiscard]] bool is_decided() const { return is_decided_.load(std::memory_order_acquire); }

  /// Waits until calls may enter, or the pack is refused, at most until `deadline`.
  void wait_ready(kit::Deadline deadline);

  /// True once opening has ended, well or not, and the observer has heard of it.
  [[nodiscard]] bool is_settled() const { return is_settled_.load(std::memory_order_acquire); }

  /// True the first time: that the pack is late is worth one log line.
  [[nodiscard]] bool note_late() { return !was_late_.exchange(true, std::memory_order_relaxed); }

  [[nodiscard]] About about() const;

  /// Asks the pack's catalog for one list (a PACKHOST_CHANGED_* bit): a JSON array, unchecked, to
  /// be had from list(). Pack code runs. Code::unsupported if it offers none.
  [[nodiscard]] kit::Status read_list(std::uint32_t which, support::OffTurn off_turn);

  /// What the catalog gave last for a PACKHOST_CHANGED_* bit: a JSON array that the contract takes;
  /// empty: the manifest's list stands.
  [[nodiscard]] std::string list(std::uint32_t which) const;

  /// Gives the call its turn, now or when there is room. Runs queued ones when it ends.
  void run(std::shared_ptr<PackCall> call);

  /// A call that waits for room was cancelled: it leaves the queue and ends.
  void drop_queued(const std::shared_ptr<PackCall> &call);

  /// How many calls wait or run.
  [[nodiscard]] std::size_t count_calls() const;

  /// At most so many at once in the pack.
  [[nodiscard]] std::size_t room() const { return room_; }

  /// Calls the pack's shutdown(). REQUIRES: no call runs and none comes any more.
  void shutdown();

  /// How the calls of one tool went so far. Lives as long as the instance. Null for a tool that the
  /// manifest does not declare.
  [[nodiscard]] support::Pace *pace_of(std::string_view tool);

  /// What a call of this pack is answered that could not enter it (UNAVAILABLE).
  [[nodiscard]] std::string unavailable_text() const;

  // ---- for PackCall ----

  /// noexcept: an exception that leaves the pack here ends the process (abi.md section 4.6).
  packhost_status call_entry(const packhost_entry &entry, packhost_pack *pack,
                             packhost_call *handle, const packhost_request &request) noexcept;
  void call_cancel(packhost_call *handle) noexcept;
  void leave(const PackCall &call, bool on_host_thread);

  /// True on threads of the host while they are outside and inside packs; false on a pack's own.
  [[nodiscard]] static bool is_host_thread();
  /// Marks the calling thread as one of the host's.
  static void mark_host_thread();

  // ---- for host_table ----

  [[nodiscard]] InstanceObserver *observer() const { return observer_; }

  void set_open_error(std::string_view message);
  /// One more log line of the pack now? At most 200 a second.
  [[nodiscard]] bool may_log();

private:
  [[nodiscard]] kit::Status open_pack();
  void refuse(std::string reason);
  void read_about();
  void read_lists();
  /// RETURNS: false if the pack has ended.
  [[nodiscard]] bool start_listing();
  void end_listing();
  /// Enters with `call`, which has its room, and with those that get theirs when it ends.
  void run_with_room(std::shared_ptr<PackCall> call);
  [[nodiscard]] bool has_room_for(const PackCall &call) const PACKHOST_REQUIRES(mutex_);
  [[nodiscard]] std::shared_ptr<PackCall> take_next() PACKHOST_REQUIRES(mutex_);

  // constant after construction
  PackLaunch launch_;
  InstanceObserver *observer_;
  support::Turns *turns_ = nullptr;
  std::size_t room_;
  std::vector<support::Pace> paces_; // one per tool of the manifest
  PackServices services_;
  HostData host_data_;
  packhost_host host_{};

  // set by open(), constant afterwards
  const packhost_entry *entry_ = nullptr;
  packhost_pack *pack_ = nullptr;
  const packhost_catalog *catalog_ = nullptr;

  std::atomic<bool> was_late_{false};
  std::atomic<bool> is_settled_{false};
  std::atomic<bool> is_decided_{false};
  support::Mutex control_mutex_; // open, cancel and shutdown never overlap
  support::Mutex list_mutex_;    // list never overlaps itself

  mutable support::Mutex mutex_;
  support::ConditionVariable changed_;
  State state_ PACKHOST_GUARDED_BY(mutex_) = State::opening;
  bool has_begun_ PACKHOST_GUARDED_BY(mutex_) = false; // to open
  bool is_ready_ PACKHOST_GUARDED_BY(mutex_) = false;  // calls may enter
  kit::Deadline open_deadline_ PACKHOST_GUARDED_BY(mutex_);
  std::string lists_[3] PACKHOST_GUARDED_BY(mutex_);
  bool is_listing_ PACKHOST_GUARDED_BY(mutex_) = false; // the pack runs in list()
  std::string refusal_ PACKHOST_GUARDED_BY(mutex_);
  std::string open_error_ PACKHOST_GUARDED_BY(mutex_);
  About about_ PACKHOST_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<PackCall>> queue_ PACKHOST_GUARDED_BY(mutex_);
  std::size_t running_ PACKHOST_GUARDED_BY(mutex_) = 0;
  bool is_exclusive_running_ PACKHOST_GUARDED_BY(mutex_) = false;
  std::int64_t log_second_ PACKHOST_GUARDED_BY(mutex_) = 0;
  std::uint32_t log_lines_ PACKHOST_GUARDED_BY(mutex_) = 0;
};

/// The functions packs receive: every member of packhost_host set. host_data is the caller's.
void fill_host_table(packhost_host &table);

} // namespace packhost::pack
