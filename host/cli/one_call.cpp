// SPDX-License-Identifier: MIT
// One call into one pack from a command.
#include "host/cli/one_call.hpp"

#include "host/support/thread.hpp"
#include "sdk/kit/deadline.hpp"

#include <chrono>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace packhost::cli {

namespace {

/// The end of the call, shared by its listener (which the call owns) and by who waits.
struct Ending {
  support::Mutex mutex;
  support::ConditionVariable changed;
  bool is_done PACKHOST_GUARDED_BY(mutex) = false;
  bool is_over PACKHOST_GUARDED_BY(mutex) = false; // the pack has let go of it
  pack::CallOutcome outcome PACKHOST_GUARDED_BY(mutex);

  void end(pack::CallOutcome &&from) {
    const support::Lock lock(mutex);
    outcome = std::move(from);
    is_done = true;
    changed.notify_all();
  }

  void let_go() {
    const support::Lock lock(mutex);
    is_over = true;
    changed.notify_all();
  }

  bool wait_done(kit::Deadline until) {
    support::Lock lock(mutex);
    while (!is_done) {
      if (until.is_never()) {
        changed.wait(lock);
        continue;
      }
      if (until.has_passed()) return false;
      changed.wait_for(lock, std::chrono::milliseconds(until.poll_ms()));
    }
    return true;
  }

  bool wait_over(kit::Deadline until) {
    support::Lock lock(mutex);
    while (!is_over) {
      if (until.has_passed()) return false;
      changed.wait_for(lock, std::chrono::milliseconds(until.poll_ms()));
    }
    return true;
  }

  pack::CallOutcome take() {
    const support::Lock lock(mutex);
    return std::move(outcome);
  }
};

class OneListener : public pack::CallListener {
public:
  explicit OneListener(std::shared_ptr<Ending> ending) : ending_(std::move(ending)) {}

  void on_progress(double /*done*/, double /*total*/, std::string_view /*message*/) override {}

  void on_late_progress() override {}

  std::size_t on_done(pack::CallOutcome &outcome, bool /*may_wait*/) override {
    ending_->end(std::move(outcome));
    return 0;
  }

  void on_dropped() override {}

  void on_ended() override { ending_->let_go(); }

private:
  std::shared_ptr<Ending> ending_; // owners: this listener and run_one_call()
};

} // namespace

void set_arguments(pack::CallRequest &request, std::string arguments) {
  request.args_owner = std::move(arguments);
  // On the heap: a short text would move with the request and leave the view behind.
  request.args_owner.reserve(64);
  request.args = request.args_owner;
}

OneOutcome run_one_call(pack::Instance &instance, pack::CallRequest request,
                        std::uint64_t grace_ms) {
  const auto ending = std::make_shared<Ending>();
  auto call = std::make_shared<pack::PackCall>(instance, std::move(request),
                                               std::make_unique<OneListener>(ending));
  const support::ThreadHandle runner = support::start_thread([call] {
    pack::Instance::mark_host_thread();
    call->run(support::OffTurn::no_stream());
  });
  OneOutcome out;
  if (!runner.is_started) {
    out.call.message = "no thread to run the call on";
    return out;
  }
  const auto grace = std::chrono::milliseconds(grace_ms);
  if (!ending->wait_done(call->deadline())) {
    if (call->cancel(pack::EndedBy::deadline)) call->tell_pack(support::OffTurn::no_stream());
    if (!ending->wait_done(kit::Deadline::after(grace))) call->give_up();
    (void)ending->wait_done(kit::Deadline::after(grace));
  }
  out.call = ending->take();
  out.is_stuck = !ending->wait_over(kit::Deadline::after(grace));
  if (out.is_stuck)
    ::pthread_detach(runner.id);
  else
    ::pthread_join(runner.id, nullptr);
  return out;
}

int end_after_call(pack::Instance &instance, const OneOutcome &outcome, int code) {
  if (outcome.is_stuck) ::_exit(code);
  instance.shutdown();
  return code;
}

int exit_code_for_status(packhost_status status) {
  switch (status) {
  case PACKHOST_OK:
    return 0;
  case PACKHOST_E_INVALID_ARGS:
    return 2;
  case PACKHOST_E_DENIED:
  case PACKHOST_E_CONFLICT:
    return 3;
  case PACKHOST_E_NOT_FOUND:
    return 4;
  case PACKHOST_E_CANCELLED:
    return 130;
  case PACKHOST_E_DEADLINE:
    return 124;
  case PACKHOST_E_TOOL:
  case PACKHOST_E_LIMIT:
  case PACKHOST_E_IO:
  case PACKHOST_E_UNAVAILABLE:
  case PACKHOST_E_UNSUPPORTED:
    return 1;
  default:
    return 70; // E_NOMEM, E_INTERNAL, E_MISUSE, E_CONFIG
  }
}

int exit_code_for_outcome(const pack::CallOutcome &outcome) {
  const bool is_late = outcome.ended_by == pack::EndedBy::deadline && outcome.status != PACKHOST_OK;
  return is_late ? exit_code_for_status(PACKHOST_E_DEADLINE) : exit_code_for_status(outcome.status);
}

std::string failure_text(const pack::CallOutcome &outcome, std::string_view pack,
                         std::uint64_t timeout_ms) {
  if (exit_code_for_outcome(outcome) == exit_code_for_status(PACKHOST_E_DEADLINE))
    return fmt::format("timed out after {} s", static_cast<double>(timeout_ms) / 1000);
  if (exit_code_for_status(outcome.status) == 70 && outcome.ended_by == pack::EndedBy::pack)
    return fmt::format("internal error in pack {}{}{}", pack, outcome.message.empty() ? "" : ": ",
                       outcome.message);
  if (!outcome.message.empty()) return outcome.message;
  return fmt::format("pack {} failed with status {} and gave no reason", pack, outcome.status);
}

} // namespace packhost::cli
