// SPDX-License-Identifier: MIT
// Runs a pack's `plan` in a throw-away process: the options completed from the pack's own data. The
// child has none of the protocol's descriptors, no secret has been read yet, and it has two
// seconds.
#pragma once

#include "host/pack/launch.hpp"
#include "sdk/kit/result.hpp"

#include <string>

namespace packhost::cli {

/// The completed options object (checked JSON). `launch.options` is what plan gets; the launch is
/// used up in the child only. Code::config: the text of plan's refusal, or a whole sentence that
/// begins with "cannot load". REQUIRES: the process has one thread.
[[nodiscard]] kit::Result<std::string> run_plan(pack::PackLaunch &launch);

inline constexpr int kPlanSeconds = 2;
inline constexpr std::size_t kMaxPlanBytes = 1024U * 1024;

} // namespace packhost::cli
