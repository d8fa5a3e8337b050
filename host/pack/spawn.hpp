// SPDX-License-Identifier: MIT
// Starts one program as packhost.process/1 promises it: own process group, empty standard input, a
// given environment, and an end that comes with the thread that started it.
#pragma once

#include "sdk/kit/result.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

namespace packhost::pack {

struct SpawnRequest {
  std::string program;
  std::vector<std::string> argv;        // argv[0] first
  std::vector<std::string> environment; // NAME=value
};

struct Spawned {
  pid_t pid = -1;
  kit::UniqueFd exit_fd;   // a pidfd: readable once the child has ended
  kit::UniqueFd stdout_fd; // non-blocking, close-on-exec
  kit::UniqueFd stderr_fd;
};

/// REQUIRES: called on a thread that lives as long as the child may. Code::io with the reason if
/// the program cannot be executed: no child is left then.
[[nodiscard]] kit::Result<Spawned> spawn_program(const SpawnRequest &request);

} // namespace packhost::pack
