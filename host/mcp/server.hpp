// SPDX-License-Identifier: MIT
// The server of one stream: the loop of a reading turn (reads a line, finds the row, runs it), and
// the control thread, which keeps the clock, gathers change notices and shuts down.
#pragma once

#include "host/io/line_reader.hpp"
#include "host/io/line_writer.hpp"
#include "host/mcp/methods.hpp"
#include "host/mcp/notices.hpp"
#include "host/mcp/session.hpp"
#include "host/pack/instance.hpp"
#include "host/pack/launch.hpp"
#include "host/pack/registry.hpp"
#include "host/rpc/inflight.hpp"
#include "host/rpc/reply_once.hpp"
#include "host/support/turns.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::mcp {

class CallAnswer;

struct ServerSetup {
  int in_fd = 0;
  kit::UniqueFd out;
  pack::Limits limits;
  pack::ToolSelection selection;
  bool log_bytes = false;
  bool fail_on_load_error = false;
  std::vector<pack::PackLaunch> packs;
  std::vector<pack::RefusedPack> refused; // named in the instructions
  /// Ends the process: with the exit code once the packs are shut down, although a thread may still
  /// wait for input; with 0 once that has taken as long as it may. Null: run() returns instead,
  /// when the input has ended.
  std::function<void(int code)> end_process;
};

/// What is declared, from the manifests alone: constant for the life of the server.
struct Capabilities {
  bool tools = false;
  bool resources = false;
  bool resource_subscriptions = false;
  bool prompts = false;
  bool completions = false;
  bool logging = false;
};

class Server final : public rpc::AnswerSink, public pack::InstanceObserver {
public:
  explicit Server(ServerSetup setup);
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;
  ~Server() override;

  /// Serves until the input ends or a stop is asked for, then shuts the packs down. The calling
  /// thread is the first reader. RETURNS: the exit code, unless `end_process` ends it all.
  [[nodiscard]] int run();

  /// The errno that made the answers impossible to write; 0: none.
  [[nodiscard]] int write_error() const { return writer_.write_error(); }

  // ---- for the methods ----

  [[nodiscard]] Session &session() { return session_; }

  [[nodiscard]] Notices &notices() { return notices_; }

  [[nodiscard]] rpc::Inflight &inflight() { return inflight_; }

  [[nodiscard]] const pack::Limits &limits() const { return limits_; }

  [[nodiscard]] const Capabilities &capabilities() const { return capabilities_; }

  [[nodiscard]] std::shared_ptr<const pack::Registry> registry() const;
  [[nodiscard]] std::string server_title() const;
  [[nodiscard]] std::string instructions() const;

  /// Encoded server info for a revision with one on every result.
  [[nodiscard]] const std::string &server_info() const { return server_info_; }

  /// Waits, at most 1 s, for packs that describe themselves; gives the turn away if it has to.
  void wait_described(support::ReadTurn &turn);

  /// A list is being answered: from now on a difference is worth a notice.
  void note_lists_shown();

  /// Packs are loaded from now on.
  void want_packs();

  /// Runs a call of a pack whose place in flight is taken: registers it, gives up the turn, enters.
  void start_call(pack::Instance &instance, pack::CallRequest request,
                  std::unique_ptr<CallAnswer> answer, std::size_t line_bytes,
                  support::ReadTurn &turn);

  /// Writes a notification. On threads of packs it is queued. `commit` as in LineWriter.
  void notify(std::string text, const io::LineWriter::Commit &commit);

  /// A call has progress that may be passed on only in a moment.
  void report_later(std::weak_ptr<pack::PackCall> call);

  /// The pack has to be told of a cancellation, on a thread that is off turn.
  void tell_later(std::shared_ptr<pack::PackCall> call);

  // ---- AnswerSink, InstanceObserver ----

  void send(std::string text, bool may_wait, std::function<void()> after) override;
  void on_opened(pack::Instance &instance) override;
  void on_changed(pack::Instance &instance, std::uint32_t changed_bits) override;
  void on_resource_changed(pack::Instance &instance, std::string_view uri) override;
  void on_log(pack::Instance &instance, std::int32_t level, std::string_view data) override;

private:
  void read_turn(support::ReadTurn &turn);
  void on_line(std::string &line, support::ReadTurn &turn);
  void on_oversize(const std::string &start);
  void on_message(const rpc::Message &message, std::string &line, bool may_take_line,
                  support::ReadTurn &turn, rpc::AnswerSink &sink);
  void on_request(const rpc::Message &message, std::string &line, bool may_take_line,
                  support::ReadTurn &turn, rpc::ReplyOnce reply);
  void on_notification(const rpc::Message &message);
  [[nodiscard]] bool is_in_session(const rpc::Message &message) const;
  void on_batch(const std::vector<kit::json::Value> &elements, std::string &line,
                support::ReadTurn &turn);
  [[nodiscard]] bool is_declared(Needs needs) const;

  void wake_control();
  void control_main();
  void end_process(int code);
  void end_after(std::int64_t span_ns);
  void control();
  void open_packs(bool only_those_asked_for_lists);
  [[nodiscard]] bool wait_for_event();
  bool is_left_alone();
  void check_open_deadlines();
  void note_activity();
  void tidy_when_idle();
  void send_notices();
  void send_change(std::uint32_t bits);
  void send_resource_change(const std::string &uri);
  void rebuild_registry();
  void shut_down();
  void end_subscriptions();
  void wait_for_opens(std::int64_t until_ns);
  void wait_for_calls(std::int64_t until_ns);
  void log_line(std::string_view direction, std::string_view line) const;

  // constant after construction
  const pack::Limits limits_;
  const pack::ToolSelection selection_;
  const bool log_bytes_;
  const bool fail_on_load_error_;
  const std::vector<pack::RefusedPack> refused_;
  const std::function<void(int)> end_process_;
  std::vector<std::unique_ptr<pack::Instance>> instances_;
  Capabilities capabilities_;
  std::string server_info_;
  kit::UniqueFd wake_;
  kit::UniqueFd parent_;
  kit::Deadline open_due_;      // packs are loaded then, whether or not anybody asked
  kit::Deadline tidy_due_;      // free memory may go back then
  int in_fd_ = -1;              // watched for a client that closed it, see is_left_alone()
  std::int64_t hung_up_ns_ = 0; // when that was seen; 0: not yet
  int out_fd_ = -1;             // watched for a reader that is gone; owned by writer_

  // self-synchronised
  Session session_;
  Notices notices_;
  rpc::Inflight inflight_;
  std::atomic<bool> has_input_ended_{false};
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_ended_{false}; // end_process_ was called
  std::atomic<bool> are_lists_shown_{false};
  std::atomic<bool> has_load_failed_{false};
  std::atomic<bool> are_packs_wanted_{false};
  std::atomic<bool> is_active_{false}; // a call came since the last look

  support::Mutex end_mutex_;
  support::ConditionVariable ended_;
  std::optional<int> exit_code_ PACKHOST_GUARDED_BY(end_mutex_);

  mutable support::Mutex registry_mutex_;
  std::shared_ptr<const pack::Registry> registry_ PACKHOST_GUARDED_BY(registry_mutex_);
  std::uint64_t generation_ PACKHOST_GUARDED_BY(registry_mutex_) = 0;

  io::LineReader reader_; // touched by who holds the turn
  io::LineWriter writer_;
  support::Turns turns_; // last: its threads use all of the above
};

} // namespace packhost::mcp
