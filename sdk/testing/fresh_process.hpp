// SPDX-License-Identifier: MIT
// Runs one check in a process of its own, so that a crash or a hang is one finding and no more.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace packhost::testing {

struct Findings {
  std::vector<std::string> problems; // any: the check failed
  std::vector<std::string> notes;    // worth saying, no failure
};

/// Runs `check` in a child and brings its findings back. A child that dies or that has not ended
/// after limit_ms is a problem. REQUIRES: this process has one thread.
[[nodiscard]] Findings run_in_fresh_process(const std::function<Findings()> &check, int limit_ms);

} // namespace packhost::testing
