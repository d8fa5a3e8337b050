// SPDX-License-Identifier: MIT
// What the harness watches in its own process: state that a pack must leave alone, descriptors,
// threads, and bytes that reach descriptor 1.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/types.h>

namespace packhost::testing {

/// The sentences a harness collects. Any thread.
class Violations {
public:
  void add(std::string sentence);
  [[nodiscard]] std::vector<std::string> all();
  /// Those that all() has not shown yet.
  [[nodiscard]] std::vector<std::string> unread();

private:
  std::mutex mutex_;
  std::vector<std::string> sentences_; // guarded
  std::size_t shown_ = 0;              // guarded
};

/// Working directory, umask, locale and signal dispositions at one moment.
class ProcessState {
public:
  [[nodiscard]] static ProcessState now();

  /// What differs from `earlier`, as "the umask (0022, now 0000)".
  [[nodiscard]] std::vector<std::string> changes_since(const ProcessState &earlier) const;

  /// Puts this state back.
  void restore() const;

private:
  std::string working_dir_;
  mode_t umask_ = 0;
  std::string locale_;
  std::vector<std::pair<int, struct sigaction>> signals_;
};

/// Numbers of the open descriptors, in order, without the one that reads the list.
[[nodiscard]] std::vector<int> open_descriptors();
/// Where a descriptor leads, for people.
[[nodiscard]] std::string describe_descriptor(int fd);
[[nodiscard]] std::vector<int> running_threads();

/// While one lives, descriptor 1 leads into memory. They nest and overlap, also between threads:
/// the last one to end puts descriptor 1 back, hands on what came, and reports it.
class OutputWindow {
public:
  /// who: "tool greet"; reported as "tool greet: wrote 6 bytes to descriptor 1".
  OutputWindow(Violations &violations, std::string who);
  OutputWindow(const OutputWindow &) = delete;
  OutputWindow &operator=(const OutputWindow &) = delete;
  ~OutputWindow();

private:
  Violations &violations_;
  std::string who_;
};

} // namespace packhost::testing
