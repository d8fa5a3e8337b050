// SPDX-License-Identifier: MIT
// Walking a tree in a fixed order: depth first, names bytewise, links never followed. Who visits
// decides what to do with an entry; what is not entered is counted.
#pragma once

#include "plugins/files/ignore_rules.hpp"
#include "plugins/files/workspace/workspace.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::files {

struct DirectoryEntry {
  std::string_view name;  // raw bytes
  unsigned char type = 0; // DT_*; DT_UNKNOWN is resolved by the walk
};

/// Reads whole directories with few system calls. Entries live until the next read().
class DirectoryReader {
public:
  /// All entries but "." and "..", at most `max_entries`. False: it cannot be read.
  [[nodiscard]] bool read(int directory_fd,
                          std::size_t max_entries = std::numeric_limits<std::size_t>::max());

  /// Bytewise by name.
  void sort();

  [[nodiscard]] const std::vector<DirectoryEntry> &entries() const { return entries_; }

  /// More entries were there than max_entries.
  [[nodiscard]] bool was_cut() const { return was_cut_; }

private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<DirectoryEntry> entries_;
  bool was_cut_ = false;
};

struct WalkCounts {
  std::uint64_t scanned = 0; // entries seen
  std::uint64_t ignored = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t unrepresentable = 0;
  std::uint64_t depth = 0; // directories not entered for their depth
};

using SharedFd = std::shared_ptr<const kit::UniqueFd>;

/// What a visitor sees. Borrowed for the visit.
struct WalkEntry {
  const SharedFd &directory_fd;
  std::string_view directory; // below the root; empty: the root
  std::string_view below;     // of `directory`, what lies below the start
  std::string_view name;
  unsigned char type = 0;     // DT_*
  bool is_addressable = true; // the name is UTF-8
};

enum class Visit : std::uint8_t { go_on, stop };

/// One walk. For one thread.
class TreeWalk {
public:
  struct Options {
    bool recursive = true;
    std::size_t max_depth = 64;
    Ignore ignore = Ignore::none;
    bool report_unaddressable = false; // visit names that are not UTF-8, too
  };

  TreeWalk(const Workspace &workspace, Options options)
      : workspace_(workspace), options_(options) {}

  /// Visits everything below a directory. `start`: its path below the root.
  void run(kit::UniqueFd directory, std::string start,
           const std::function<Visit(const WalkEntry &)> &visit);

  [[nodiscard]] const WalkCounts &counts() const { return counts_; }

  /// Directories not entered for their depth, the first twenty.
  [[nodiscard]] const std::vector<std::string> &depth_limited() const { return depth_limited_; }

private:
  struct Level {
    SharedFd fd;
    std::unique_ptr<DirectoryReader> reader;
    std::size_t next = 0;
    std::size_t path_length = 0; // of the directory in path_
    bool has_rules = false;
  };

  [[nodiscard]] bool push_level(kit::UniqueFd fd);
  void enter(const DirectoryEntry &entry);

  const Workspace &workspace_;
  Options options_;
  IgnoreRules rules_;
  std::vector<Level> levels_;
  std::vector<std::unique_ptr<DirectoryReader>> spare_;
  std::string path_; // of the innermost level
  WalkCounts counts_;
  std::vector<std::string> depth_limited_;
};

/// DT_* of a mode.
[[nodiscard]] unsigned char type_of_mode(mode_t mode);

/// "file", "directory", "symlink" or "other".
[[nodiscard]] std::string_view kind_of_type(unsigned char type);

} // namespace packhost::files
