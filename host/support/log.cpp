// SPDX-License-Identifier: MIT
// See log.hpp. stderr may be a pipe that nobody reads: a line is written only when poll() says
// there is room, and in one write of at most PIPE_BUF bytes, which then cannot block.
#include "host/support/log.hpp"

#include <atomic>
#include <climits>

#include <poll.h>
#include <unistd.h>

namespace packhost::support {

namespace {

std::atomic<LogLevel> g_level{LogLevel::warn};
std::atomic<std::uint64_t> g_dropped{0};

constexpr std::string_view level_name(LogLevel level) {
  switch (level) {
  case LogLevel::error:
    return "error";
  case LogLevel::warn:
    return "warn";
  case LogLevel::info:
    return "info";
  case LogLevel::debug:
    return "debug";
  case LogLevel::trace:
    return "trace";
  }
  return "error";
}

bool is_plain(std::string_view value) {
  if (value.empty()) return false;
  for (const char c : value)
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7F) return false;
  return true;
}

/// Values are quoted by this one function; what could end or forge a line is escaped.
void append_value(std::string &out, std::string_view value) {
  if (is_plain(value)) {
    out += value;
    return;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void write_without_waiting(std::string_view line) {
  while (!line.empty()) {
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) break;
    const ssize_t written =
        ::write(STDERR_FILENO, line.data(), line.size() < PIPE_BUF ? line.size() : PIPE_BUF);
    if (written <= 0) break;
    line.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!line.empty()) g_dropped.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

void set_log_level(LogLevel level) {
  g_level.store(level, std::memory_order_relaxed);
}

bool is_logged(LogLevel level) {
  return level <= g_level.load(std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  log(level, event, std::span<const LogField>(fields.begin(), fields.size()));
}

void log(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  if (!is_logged(level)) return;
  std::string line(level_name(level));
  line += ' ';
  line += event;
  for (const LogField &field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  line += '\n';
  write_without_waiting(line);
}

void print_line(std::string_view line) {
  std::string whole(line);
  whole += '\n';
  write_without_waiting(whole);
}

std::uint64_t dropped_log_lines() {
  return g_dropped.load(std::memory_order_relaxed);
}

} // namespace packhost::support
