// SPDX-License-Identifier: MIT
// The control thread of the server: opening packs, the clock of calls and opens, change notices,
// and the order of shutting down (abi.md section 10). Reading is in server.cpp.
#include "host/mcp/server.hpp"
#include "host/support/heap.hpp"
#include "host/support/log.hpp"
#include "host/support/signals.hpp"
#include "host/support/thread.hpp"
#include "sdk/kit/json.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include <poll.h>
#include <unistd.h>

namespace packhost::mcp {

namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::chrono::milliseconds kOpenDelay{30};
// Without a call for so long, memory that is free goes back to the system.
constexpr std::chrono::milliseconds kTidyDelay{100};
// After the end of input what was read and is quick is still answered.
constexpr std::int64_t kQuickNs = kSecondNs;
constexpr std::int64_t kWaitAfterInputNs = 2 * kSecondNs;
constexpr std::int64_t kWaitAfterSignalNs = kSecondNs / 2;
// All of it together; what is not done by then is left behind.
constexpr std::int64_t kWholeAfterInputNs = 5 * kSecondNs - kSecondNs / 4;
// A client that closed the input and does not take what waits for it is not waited for longer.
constexpr std::int64_t kUnreadNs = 5 * kSecondNs - kSecondNs / 4;
constexpr std::chrono::milliseconds kUnreadLook{250};
constexpr std::int64_t kWholeAfterSignalNs = kSecondNs - kSecondNs / 10;

} // namespace

/// The thread that has just resolved the launch line reads the first lines: they wait already, and
/// waking another thread would take longer than answering them.
int Server::run() {
  if (!support::start_detached_thread([this] { control_main(); })) return 70;
  support::block_stop_signals();
  support::run_with_signal_stack([this] { turns_.run(); });
  support::Lock lock(end_mutex_);
  while (!exit_code_) ended_.wait(lock);
  return *exit_code_;
}

void Server::control_main() {
  support::unblock_stop_signals();
  pack::Instance::mark_host_thread();
  open_packs(true);
  open_due_ = kit::Deadline::after(kOpenDelay);
  control();
  if (!support::is_stop_requested()) open_packs(false); // a refusal decides the exit code
  shut_down();
  const int exit_code = has_load_failed_.load() ? 78 : 0;
  end_process(exit_code);
  support::Lock lock(end_mutex_);
  exit_code_ = exit_code;
  ended_.notify_all();
}

/// Whichever comes first, the end of the packs or that of the time for it.
void Server::end_process(int code) {
  if (end_process_ && !is_ended_.exchange(true)) end_process_(code);
}

void Server::end_after(std::int64_t span_ns) {
  if (!end_process_) return; // then `this` may be gone by that time
  (void)support::start_detached_thread([this, span_ns] {
    const kit::Deadline deadline = kit::Deadline::after(std::chrono::nanoseconds(span_ns));
    while (!deadline.has_passed()) ::poll(nullptr, 0, deadline.poll_ms());
    end_process(0);
  });
}

void Server::wake_control() {
  const std::uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof one) < 0) return; // full: it wakes anyway
}

void Server::want_packs() {
  if (!are_packs_wanted_.load(std::memory_order_relaxed) &&
      !are_packs_wanted_.exchange(true, std::memory_order_relaxed))
    wake_control();
}

void Server::note_lists_shown() {
  are_lists_shown_.store(true, std::memory_order_relaxed);
}

/// The handshake and the lists come from manifests: loading waits until they are out, but for packs
/// that describe themselves.
void Server::open_packs(bool only_those_asked_for_lists) {
  for (const std::unique_ptr<pack::Instance> &instance : instances_)
    if (!only_those_asked_for_lists || !instance->is_described()) instance->open_later();
  if (!only_those_asked_for_lists) open_due_ = kit::Deadline();
}

void Server::control() {
  while (!wait_for_event()) {
    if (!open_due_.is_never() && (open_due_.has_passed() || are_packs_wanted_.load()))
      open_packs(false);
    inflight_.check_deadlines();
    check_open_deadlines();
    tidy_when_idle();
    if (notices_.due().has_passed())
      turns_.post([this](support::OffTurn) {
        pack::Instance::mark_host_thread();
        send_notices();
      });
    // The job takes what is due; until it has, look again soon rather than at once.
  }
}

/// RETURNS: true when it is time to shut down.
bool Server::wait_for_event() {
  kit::Deadline next = std::min({inflight_.next_deadline(), notices_.due(), open_due_, tidy_due_});
  for (const std::unique_ptr<pack::Instance> &instance : instances_)
    next = std::min(next, instance->open_deadline());
  if (hung_up_ns_ != 0) next = std::min(next, kit::Deadline::after(kUnreadLook));
  int timeout_ms = next.poll_ms();
  if (timeout_ms == 0) timeout_ms = 1; // what is due is being done on another thread
  std::array<pollfd, 5> waits{{{wake_.get(), POLLIN, 0},
                               {support::stop_descriptor(), POLLIN, 0},
                               {out_fd_, 0, 0}, // POLLERR: the reader of our output is gone
                               {parent_.get(), POLLIN, 0},
                               {hung_up_ns_ == 0 ? in_fd_ : -1, POLLRDHUP, 0}}};
  if (!has_input_ended_.load(std::memory_order_acquire) && !has_load_failed_.load())
    ::poll(waits.data(), waits.size(), timeout_ms);
  if (waits[0].revents != 0) {
    std::uint64_t count = 0;
    if (::read(wake_.get(), &count, sizeof count) < 0 && errno != EAGAIN) return true;
  }
  if ((waits[4].revents & (POLLHUP | POLLRDHUP)) != 0) hung_up_ns_ = kit::Deadline::now_ns();
  if (is_left_alone()) {
    support::print_line("packhost: the input was closed and nobody reads the answers; ended.");
    support::request_stop(); // which also ends the wait of whoever writes
  }
  return has_input_ended_.load(std::memory_order_acquire) || support::is_stop_requested() ||
         has_load_failed_.load() || (waits[2].revents & POLLERR) != 0 || waits[3].revents != 0;
}

/// Whether the client closed the input, its end not reached yet since an answer before it cannot be
/// written: nobody takes what waits.
bool Server::is_left_alone() {
  const std::int64_t since = writer_.waits_since_ns();
  return hung_up_ns_ != 0 && since != 0 &&
         kit::Deadline::now_ns() - std::max(hung_up_ns_, since) >= kUnreadNs;
}

void Server::note_activity() {
  if (!is_active_.load(std::memory_order_relaxed) &&
      !is_active_.exchange(true, std::memory_order_relaxed))
    wake_control();
}

void Server::tidy_when_idle() {
  if (tidy_due_.is_never()) {
    if (is_active_.load(std::memory_order_relaxed)) tidy_due_ = kit::Deadline::after(kTidyDelay);
  } else if (tidy_due_.has_passed()) {
    // A call since the last look, or one that still runs: look again.
    const bool is_busy =
        is_active_.exchange(false, std::memory_order_relaxed) || inflight_.count() > 0;
    tidy_due_ = is_busy ? kit::Deadline::after(kTidyDelay) : kit::Deadline();
    if (!is_busy) support::give_back_free_memory();
  }
}

void Server::check_open_deadlines() {
  for (const std::unique_ptr<pack::Instance> &instance : instances_)
    if (instance->is_open_late()) instance->refuse_late_open();
}

// ---- packs change
// --------------------------------------------------------------------------------

void Server::on_opened(pack::Instance &instance) {
  const bool is_refused = instance.state() == pack::Instance::State::refused;
  const contract::Manifest &manifest = instance.manifest();
  const bool is_dynamic =
      manifest.dynamic_tools || manifest.dynamic_resources || manifest.dynamic_prompts;
  if (is_refused) support::print_line("packhost: " + instance.refusal());
  if (!is_refused && !is_dynamic) return;
  rebuild_registry();
  if (is_refused) {
    const bool is_any_left =
        std::any_of(instances_.begin(), instances_.end(), [](const auto &other) {
          return other->state() != pack::Instance::State::refused;
        });
    if (fail_on_load_error_ || !is_any_left) {
      has_load_failed_.store(true);
      wake_control();
      return;
    }
  }
  if (!are_lists_shown_.load(std::memory_order_relaxed)) return;
  std::uint32_t bits = 0;
  if (is_refused || manifest.dynamic_tools) bits |= PACKHOST_CHANGED_TOOLS;
  if (is_refused || manifest.dynamic_resources) bits |= PACKHOST_CHANGED_RESOURCES;
  if (is_refused || manifest.dynamic_prompts) bits |= PACKHOST_CHANGED_PROMPTS;
  on_changed(instance, bits);
}

void Server::on_changed(pack::Instance &instance, std::uint32_t changed_bits) {
  if (notices_.add_changed(instance, changed_bits)) wake_control();
}

void Server::on_resource_changed(pack::Instance & /*instance*/, std::string_view uri) {
  if (!session_.is_subscribed(uri) && !notices_.is_any_subscribed(uri)) return;
  if (notices_.add_resource(uri)) wake_control();
}

void Server::on_log(pack::Instance &instance, std::int32_t level, std::string_view data) {
  // The levels of the ABI are the first five of the protocol: debug to error.
  const int protocol_level =
      std::clamp<std::int32_t>(level, PACKHOST_LOG_DEBUG, PACKHOST_LOG_ERROR);
  if (!session_.wants_log(protocol_level)) return;
  std::string params;
  kit::json::Writer writer(params);
  writer.begin_object().string("level", log_level_name(protocol_level));
  writer.string("logger", instance.alias()).raw("data", data).end_object();
  notify(rpc::encode_notification("notifications/message", params), {});
}

void Server::report_later(std::weak_ptr<pack::PackCall> call) {
  if (notices_.add_report(std::move(call))) wake_control();
}

void Server::send_notices() {
  const PendingNotices pending = notices_.take();
  for (const std::weak_ptr<pack::PackCall> &waiting : pending.reports)
    if (const std::shared_ptr<pack::PackCall> call = waiting.lock()) call->report_late();
  std::uint32_t bits = 0;
  for (const auto &[instance, changed] : pending.changed) {
    if (instance->state() != pack::Instance::State::open) { // its tools went with it
      bits |= changed;
      continue;
    }
    const contract::Manifest &manifest = instance->manifest();
    const std::pair<bool, std::uint32_t> lists[] = {
        {manifest.dynamic_tools, PACKHOST_CHANGED_TOOLS},
        {manifest.dynamic_resources, PACKHOST_CHANGED_RESOURCES},
        {manifest.dynamic_prompts, PACKHOST_CHANGED_PROMPTS}};
    for (const auto &[is_dynamic, which] : lists) {
      if (!is_dynamic || (changed & which) == 0) continue;
      if (const kit::Status read = instance->read_list(which, support::OffTurn::no_stream()); read)
        bits |= which;
      else
        support::log(support::LogLevel::warn, "catalog.refused",
                     {{"pack", std::string(instance->alias())}, {"reason", read.error().message}});
    }
  }
  if (bits != 0) {
    rebuild_registry(); // visible to the lists first, told to the client afterwards
    for (const std::uint32_t bit :
         {PACKHOST_CHANGED_TOOLS, PACKHOST_CHANGED_RESOURCES, PACKHOST_CHANGED_PROMPTS})
      if ((bits & bit) != 0) send_change(bit);
  }
  for (const std::string &uri : pending.uris) send_resource_change(uri);
}

void Server::send_change(std::uint32_t bit) {
  const bool is_tools = bit == PACKHOST_CHANGED_TOOLS;
  const bool is_resources = bit == PACKHOST_CHANGED_RESOURCES;
  if (is_tools       ? !capabilities_.tools
      : is_resources ? !capabilities_.resources
                     : !capabilities_.prompts)
    return;
  const std::string_view method = is_tools       ? "notifications/tools/list_changed"
                                  : is_resources ? "notifications/resources/list_changed"
                                                 : "notifications/prompts/list_changed";
  if (session_.is_initialized()) notify(rpc::encode_notification(method, {}), {});
  for (const std::shared_ptr<Subscription> &one : notices_.subscriptions()) {
    if (!(is_tools ? one->tools : is_resources ? one->resources : one->prompts)) continue;
    notify(
        rpc::encode_notification(method, R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                                             one->id.token + "}}"),
        [one] { return one->is_open(); });
  }
}

void Server::send_resource_change(const std::string &uri) {
  constexpr std::string_view kMethod = "notifications/resources/updated";
  std::string quoted;
  kit::json::append_string(quoted, uri);
  if (session_.is_subscribed(uri))
    notify(rpc::encode_notification(kMethod, R"({"uri":)" + quoted + "}"),
           [this, uri] { return session_.is_subscribed(uri); });
  for (const std::shared_ptr<Subscription> &one : notices_.subscriptions()) {
    if (!is_covered(one->uris, uri)) continue;
    notify(
        rpc::encode_notification(kMethod, R"({"_meta":{"io.modelcontextprotocol/subscriptionId":)" +
                                              one->id.token + R"(},"uri":)" + quoted + "}"),
        [one] { return one->is_open(); });
  }
}

// ---- the end
// -------------------------------------------------------------------------------------

void Server::wait_for_opens(std::int64_t until_ns) {
  const auto is_opening = [](const std::unique_ptr<pack::Instance> &instance) {
    return !instance->is_settled();
  };
  while (std::any_of(instances_.begin(), instances_.end(), is_opening) &&
         kit::Deadline::now_ns() < until_ns && !support::is_stop_requested())
    ::poll(nullptr, 0, 1);
}

void Server::wait_for_calls(std::int64_t until_ns) {
  while (inflight_.count() > 0 && kit::Deadline::now_ns() < until_ns) {
    // Ends of calls are not announced to this thread: looked at each 2 ms, in the last seconds
    // only.
    ::poll(nullptr, 0, 2);
    inflight_.check_deadlines();
  }
}

void Server::shut_down() {
  const bool is_signal = support::is_stop_requested();
  const std::int64_t now = kit::Deadline::now_ns();
  end_after(is_signal ? kWholeAfterSignalNs : kWholeAfterInputNs);
  if (!is_signal) wait_for_opens(now + kQuickNs); // a refusal decides the exit code
  if (!is_signal && !has_load_failed_.load()) wait_for_calls(now + kQuickNs);
  is_stopping_.store(true, std::memory_order_seq_cst);
  end_subscriptions();
  for (const std::shared_ptr<rpc::Work> &work : inflight_.all()) work->stop();
  const bool is_hurried = is_signal || support::is_stop_requested();
  wait_for_calls(kit::Deadline::now_ns() + (is_hurried ? kWaitAfterSignalNs : kWaitAfterInputNs));
  for (auto instance = instances_.rbegin(); instance != instances_.rend(); ++instance)
    if ((*instance)->count_calls() == 0) (*instance)->shutdown(); // else it is left behind
  writer_.flush_queued();
  turns_.end();
  support::log(support::LogLevel::info, "server.ended",
               {{"late", std::to_string(pack::count_late_touches())}});
}

void Server::end_subscriptions() {
  for (const std::shared_ptr<Subscription> &one : notices_.subscriptions()) {
    if (notices_.close(one->id) == 0) continue;
    std::string result = R"({"resultType":"complete","_meta":{)";
    result.append(R"("io.modelcontextprotocol/serverInfo":)").append(server_info_);
    result.append(R"(,"io.modelcontextprotocol/subscriptionId":)").append(one->id.token);
    result += "}}";
    send(rpc::encode_result(one->id, result), true, {});
    notify(rpc::encode_notification("notifications/cancelled",
                                    R"({"requestId":)" + one->id.token + "}"),
           {});
  }
}

} // namespace packhost::mcp
