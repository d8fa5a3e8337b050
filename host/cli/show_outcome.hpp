// SPDX-License-Identifier: MIT
// The outcome of one call for the one who typed it: text for people, or one JSON document.
#pragma once

#include "host/cli/output.hpp"
#include "host/pack/call.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace packhost::cli {

/// Prints a tool call's outcome. RETURNS: the exit code.
[[nodiscard]] int show_outcome(const pack::CallOutcome &outcome, std::string_view pack,
                               std::uint64_t timeout_ms, bool as_json, const Output &output);

/// Prints a command's outcome: TEXT parts, or the JSON part. RETURNS: the exit code.
[[nodiscard]] int show_command_outcome(const pack::CallOutcome &outcome, std::string_view pack,
                                       std::uint64_t timeout_ms, bool as_json,
                                       const Output &output);

/// The document of a tool call: {"ok", "status", "content", "structured", "error"}.
[[nodiscard]] std::string encode_outcome(const pack::CallOutcome &outcome, std::string_view pack,
                                         std::uint64_t timeout_ms);

/// A status in lower case without E_: "ok", "not_found".
[[nodiscard]] std::string_view status_word(packhost_status status);

} // namespace packhost::cli
