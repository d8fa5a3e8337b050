// SPDX-License-Identifier: MIT
// See thread.hpp.
#include "host/support/thread.hpp"

#include "host/support/signals.hpp"

#include <csignal>
#include <cstddef>
#include <memory>

namespace packhost::support {

namespace {

constexpr std::size_t kStackBytes = std::size_t{1024} * 1024;
constexpr std::size_t kSignalStackBytes = std::size_t{32} * 1024;

void *run(void *argument) {
  const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()> *>(argument));
  block_stop_signals();
  run_with_signal_stack(*body);
  return nullptr;
}

} // namespace

void run_with_signal_stack(const std::function<void()> &body) {
  // A crash by stack overflow is only reported if this very thread has an alternate stack.
  // Not filled: a page of it that nobody needs is never touched.
  const auto signal_stack = std::make_unique_for_overwrite<char[]>(kSignalStackBytes);
  stack_t alternate{};
  alternate.ss_sp = signal_stack.get();
  alternate.ss_size = kSignalStackBytes;
  ::sigaltstack(&alternate, nullptr);
  body();
  alternate.ss_flags = SS_DISABLE;
  ::sigaltstack(&alternate, nullptr);
}

ThreadHandle start_thread(std::function<void()> body) {
  ThreadHandle handle;
  auto owned = std::make_unique<std::function<void()>>(std::move(body));
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return handle;
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  if (::pthread_create(&handle.id, &attributes, run, owned.get()) == 0) {
    handle.is_started = true;
    (void)owned.release(); // run() owns it now
  }
  ::pthread_attr_destroy(&attributes);
  return handle;
}

bool start_detached_thread(std::function<void()> body) {
  const ThreadHandle handle = start_thread(std::move(body));
  if (handle.is_started) ::pthread_detach(handle.id);
  return handle.is_started;
}

} // namespace packhost::support
