// SPDX-License-Identifier: MIT
// A server under measurement: a child process with a pipe at each end, read line by line, and what
// the kernel says of it. Whatever goes wrong ends the driver: a figure of a broken run is no
// figure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace packhost::bench {

/// Says on stderr what went wrong and ends the process.
[[noreturn]] void give_up(const std::string &what);

/// Nanoseconds of a clock that never goes back.
[[nodiscard]] std::int64_t now_ns();

struct Memory {
  double rss_kib = 0;
  double beside_shared_kib = 0; // without pages of shared objects that others have mapped as well
  double anonymous_kib = 0;
};

class Server {
public:
  /// Starts it with an environment that holds PATH only.
  explicit Server(const std::vector<std::string> &argv);
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;
  ~Server(); // ends a process that still runs

  void send(std::string_view bytes);

  /// The next line without its end; valid until the next call. Waits for it.
  [[nodiscard]] std::string_view read_line();

  /// True if read_line() would not have to wait.
  [[nodiscard]] bool has_line() const;

  /// Reads at most `limit` bytes into the buffer, so that a slow reader can be played.
  void read_some(std::size_t limit);

  /// Closes its input and waits for the exit status 0. RETURNS: how long that took.
  std::int64_t finish_ns();

  /// Time its living threads have spent on a processor.
  [[nodiscard]] double cpu_ns() const;
  [[nodiscard]] Memory memory() const;
  [[nodiscard]] double peak_kib() const;
  [[nodiscard]] double threads() const;

private:
  [[nodiscard]] std::string proc_path(const char *name) const;

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0; // [begin_, end_) was read and not taken
  std::size_t end_ = 0;
  std::size_t scanned_ = 0; // no LF in [begin_, scanned_)
};

} // namespace packhost::bench
