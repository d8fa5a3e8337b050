// SPDX-License-Identifier: MIT
// The log: one `level event key=value ...` line an event, on stderr, never blocking: what a full
// pipe does not take is dropped and counted. The only global mutable state of the host.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace packhost::support {

enum class LogLevel : std::uint8_t { error, warn, info, debug, trace };

struct LogField {
  std::string_view key;
  std::string value;
};

/// Sets what is logged from now on. The default is warn. Any thread.
void set_log_level(LogLevel level);

/// Whether a line of this level would be written: saves making its fields. Any thread.
[[nodiscard]] bool is_logged(LogLevel level);

/// `event` is a constant `noun.verb`. Values are quoted where they need it and control characters
/// escaped. Any thread; never blocks for a reader of stderr.
void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});
void log(LogLevel level, std::string_view event, std::span<const LogField> fields);

/// A complete line for the operator, as "packhost: cannot load kv.so: ...". Written whatever the
/// level is.
void print_line(std::string_view line);

/// Lines dropped so far because stderr took no more.
[[nodiscard]] std::uint64_t dropped_log_lines();

} // namespace packhost::support
