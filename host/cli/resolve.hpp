// SPDX-License-Identifier: MIT
// From a launch line to packs that can be loaded: finds and probes each pack without running it,
// completes and checks its options, runs `plan` where a manifest has one, reads secrets, and works
// out what its permissions come to. Start-up steps 3 to 5 of sandbox.md section 6.
#pragma once

#include "host/cli/launch_line.hpp"
#include "host/pack/launch.hpp"
#include "host/support/environment.hpp"
#include "sdk/kit/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace packhost::cli {

struct Resolved {
  std::vector<pack::PackLaunch> packs;          // in the order of the launch line
  std::vector<pack::RefusedPack> refused;       // in the order of the launch line
  std::vector<std::string> granted_environment; // names for PrivateEnvironment::put_back()
};

/// What resolving looks at besides the launch line.
struct Situation {
  const support::PrivateEnvironment &environment;
  bool is_serve = true; // a relative path on the command line is refused; else it is taken from the
                        // working directory
};

/// Code::invalid_args (exit 2): the words of a pack are wrong, whichever pack. Everything that only
/// concerns one pack is in `refused`. The configuration's options are wiped from `launch`: secrets
/// may stand in them. REQUIRES: the process has one thread (plan forks).
[[nodiscard]] kit::Result<Resolved> resolve(Launch &launch, const Situation &situation);

/// Prints each refusal as a line. RETURNS: the exit code if the launch has to stop for them (with
/// --on-load-error fail, or with no pack left), else nothing.
[[nodiscard]] std::optional<int> report_refusals(const HostOptions &host, const Resolved &resolved);

/// The text of --explain: options as they will be, without secrets, and what the permissions of
/// each pack come to.
[[nodiscard]] std::string explain(const Launch &launch, const Resolved &resolved);

} // namespace packhost::cli
