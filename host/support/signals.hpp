// SPDX-License-Identifier: MIT
// SIGTERM, SIGINT, SIGHUP -> a descriptor that turns readable; SIGPIPE ignored; SIGABRT -> one line
// that names the pack and tool whose code ran (an exception that left call(), abi.md section 4.6).
#pragma once

#include "sdk/kit/unique_fd.hpp"

#include <string_view>

namespace packhost::support {

/// Installs the handlers. Once per process.
void install_signal_handlers();

/// Leaves the stop signals to other threads. Every thread of start_thread() has done so; the one
/// that waits for a stop takes them back, so that no thread inside a pack is interrupted by one.
void block_stop_signals();
void unblock_stop_signals();

/// Readable for ever once a stop was asked for, by a signal or by request_stop().
[[nodiscard]] int stop_descriptor();

/// As if a signal had come. Any thread.
void request_stop();

/// True once a stop was asked for. Any thread.
[[nodiscard]] bool is_stop_requested();

/// Says, for the life of the object, whose code this thread runs. Both texts outlive it.
class RunningCode {
public:
  RunningCode(std::string_view pack, std::string_view tool);
  RunningCode(const RunningCode &) = delete;
  RunningCode &operator=(const RunningCode &) = delete;
  ~RunningCode();

private:
  std::string_view outer_pack_;
  std::string_view outer_tool_;
};

} // namespace packhost::support
