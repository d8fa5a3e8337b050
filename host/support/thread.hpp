// SPDX-License-Identifier: MIT
// Threads that may run pack code: a stack of known size and an alternate signal stack, whatever the
// launcher's limits are (abi.md section 4.3 promises packs at least 512 KiB).
#pragma once

#include <functional>

#include <pthread.h>

namespace packhost::support {

/// A thread that may have been started.
struct ThreadHandle {
  pthread_t id{};
  bool is_started = false;
};

/// Runs `body` on a new thread, which the caller joins or detaches; not started if the system has
/// no thread to give. `body` must not throw.
[[nodiscard]] ThreadHandle start_thread(std::function<void()> body);

/// The same, detached. RETURNS: false if the system has no thread to give.
[[nodiscard]] bool start_detached_thread(std::function<void()> body);

/// Runs `body` on this thread as start_thread() would on a new one: for the first thread of the
/// process, whose stack overflows would not be reported otherwise.
void run_with_signal_stack(const std::function<void()> &body);

} // namespace packhost::support
