// SPDX-License-Identifier: MIT
// `packhost serve`: what an MCP client starts.
#pragma once

#include "host/cli/commands.hpp"
#include "host/support/environment.hpp"
#include "sdk/kit/unique_fd.hpp"

namespace packhost::cli {

/// The protocol's two descriptors, moved away from 0 and 1 before anything else happens.
struct ProtocolStream {
  kit::UniqueFd in;
  kit::UniqueFd out;
};

/// Start-up step 1 and 2 of sandbox.md section 6: duplicates 0 and 1 to private descriptors, puts
/// /dev/null on 0 and stderr on 1, and closes every other descriptor but those that a word of the
/// command line names as @fd:N.
[[nodiscard]] ProtocolStream move_protocol(const Invocation &invocation);

/// Steps 3 to 12. RETURNS: the exit code. REQUIRES: one thread.
[[nodiscard]] int serve(const Invocation &invocation, support::PrivateEnvironment environment,
                        ProtocolStream stream);

} // namespace packhost::cli
