// SPDX-License-Identifier: MIT
// See signals.hpp. The handlers use only what is safe in one.
#include "host/support/signals.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace packhost::support {

namespace {

std::atomic<bool> g_stop_requested{false};
thread_local std::string_view t_pack;
thread_local std::string_view t_tool;

constexpr int kStopSignals[] = {SIGTERM, SIGINT, SIGHUP};

void change_mask(int how) {
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : kStopSignals) sigaddset(&stops, signal);
  ::pthread_sigmask(how, &stops, nullptr);
}

int stop_event() {
  static const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd;
}

void on_stop(int /*signal*/) {
  request_stop();
}

void put(char *line, std::size_t &length, std::size_t capacity, std::string_view text) {
  const std::size_t take = text.size() < capacity - length ? text.size() : capacity - length;
  std::memcpy(line + length, text.data(), take);
  length += take;
}

void on_abort(int /*signal*/) {
  if (!t_pack.empty()) {
    char line[256];
    std::size_t length = 0;
    put(line, length, sizeof line, "packhost: the code of pack ");
    put(line, length, sizeof line, t_pack);
    put(line, length, sizeof line, ", ");
    put(line, length, sizeof line, t_tool);
    put(line, length, sizeof line, ", ended the process (abort, or an exception that left it)\n");
    if (::write(STDERR_FILENO, line, length) < 0) ::_exit(134);
  }
  ::signal(SIGABRT, SIG_DFL);
  ::raise(SIGABRT);
}

} // namespace

void install_signal_handlers() {
  (void)stop_event();

  struct sigaction action {};

  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : kStopSignals) ::sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  action.sa_handler = on_abort;
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGABRT, &action, nullptr);
}

void block_stop_signals() {
  change_mask(SIG_BLOCK);
}

void unblock_stop_signals() {
  change_mask(SIG_UNBLOCK);
}

int stop_descriptor() {
  return stop_event();
}

void request_stop() {
  g_stop_requested.store(true, std::memory_order_seq_cst);
  const std::uint64_t one = 1;
  if (::write(stop_event(), &one, sizeof one) < 0) return; // full: it is readable already
}

bool is_stop_requested() {
  return g_stop_requested.load(std::memory_order_seq_cst);
}

RunningCode::RunningCode(std::string_view pack, std::string_view tool)
    : outer_pack_(t_pack), outer_tool_(t_tool) {
  t_pack = pack;
  t_tool = tool;
}

RunningCode::~RunningCode() {
  t_pack = outer_pack_;
  t_tool = outer_tool_;
}

} // namespace packhost::support
