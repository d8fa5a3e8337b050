// SPDX-License-Identifier: MIT
// The lock of the registry, and what a command that died under it left behind.
#pragma once

#include "plugins/files/errors.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace packhost::files {

/// What whoever waits is told, once, as a sentence without a full stop.
using WaitNotice = std::function<void(std::string_view)>;

/// How long to wait for another command, and when to say so.
struct LockPatience {
  int notice_ms = 1'000;
  int limit_ms = 10'000;
};

/// Takes registry.lock of the pack's data directory (-1: there is none). Held until the descriptor
/// is closed. Temporaries of commands that were killed are removed: who writes one holds the lock.
/// Fails with STATE_UNAVAILABLE, or WORKSPACE_BUSY when the patience is over.
[[nodiscard]] Outcome<kit::UniqueFd> lock_registry(int data_fd, const WaitNotice &notice,
                                                   LockPatience patience = {});

/// The path of a file in the data directory, for the operator.
[[nodiscard]] std::string path_in(int data_fd, std::string_view name);

inline constexpr std::string_view kRegistryFile = "registry.json";

} // namespace packhost::files
