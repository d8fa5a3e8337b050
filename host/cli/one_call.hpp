// SPDX-License-Identifier: MIT
// One call into one pack from a command: opens the pack, runs the call to its end or its deadline,
// and says how the process ends. No client, no stream.
#pragma once

#include "host/pack/call.hpp"
#include "host/pack/instance.hpp"

#include <memory>

namespace packhost::cli {

/// How a call of a command ended.
struct OneOutcome {
  pack::CallOutcome call;
  bool is_stuck = false; // the pack did not come back within the grace and still uses its instance
};

/// Gives the request its arguments (checked JSON), which it owns.
void set_arguments(pack::CallRequest &request, std::string arguments);

/// Runs the call on a thread of its own and waits for its end, the deadline and the grace.
/// REQUIRES: the instance is open.
[[nodiscard]] OneOutcome run_one_call(pack::Instance &instance, pack::CallRequest request,
                                      std::uint64_t grace_ms);

/// Ends a command after its call: shuts the pack down, or, if the call is stuck, leaves at once
/// without running a destructor under it. RETURNS: `code`.
[[nodiscard]] int end_after_call(pack::Instance &instance, const OneOutcome &outcome, int code);

/// Exit code of a status (abi.md section 5).
[[nodiscard]] int exit_code_for_status(packhost_status status);

/// The same of a call that has ended, also one that its deadline ended.
[[nodiscard]] int exit_code_for_outcome(const pack::CallOutcome &outcome);

/// What an operator is told about a call that failed: the pack's message, or what stands for it.
[[nodiscard]] std::string failure_text(const pack::CallOutcome &outcome, std::string_view pack,
                                       std::uint64_t timeout_ms);

} // namespace packhost::cli
