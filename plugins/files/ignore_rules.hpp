// SPDX-License-Identifier: MIT
// What searches leave out: folders of version control, and what .gitignore files of the workspace
// name (nearest file wins, the last matching line of it; "!" takes back).
#pragma once

#include "plugins/files/glob.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::files {

enum class Ignore : std::uint8_t { none, vcs, gitignore };

/// "none", "vcs" or "gitignore".
[[nodiscard]] std::optional<Ignore> parse_ignore(std::string_view word);

/// A folder of version control: ".git" and the like.
[[nodiscard]] bool is_vcs_name(std::string_view name);

/// The lines of one .gitignore file.
class IgnoreFile {
public:
  [[nodiscard]] static IgnoreFile parse(std::string_view content);

  /// What the file says of a path relative to its folder: ignored, taken back, or nothing.
  [[nodiscard]] std::optional<bool> says(std::string_view path, std::string_view name,
                                         bool is_directory) const;

  [[nodiscard]] bool is_empty() const { return lines_.empty(); }

private:
  struct Line {
    Glob glob;
    bool takes_back = false;
  };

  std::vector<Line> lines_;
};

/// The rules in force while a walk goes down and up.
class IgnoreRules {
public:
  /// A walk starts at `start` (below the root): .gitignore files above it apply, and inside a
  /// folder of version control nothing is left out for being one.
  void begin(int root_fd, std::string_view start, Ignore mode);

  /// The walk enters a directory. True if it has rules; leave() is then due.
  [[nodiscard]] bool enter(int directory_fd, std::string_view directory);

  void leave() { levels_.pop_back(); }

  [[nodiscard]] bool ignores(std::string_view directory, std::string_view name,
                             bool is_directory) const;

private:
  struct Level {
    std::size_t base; // bytes of a path below the root that lie above the file's folder
    IgnoreFile file;
  };

  Ignore mode_ = Ignore::none;
  bool skips_vcs_ = false;
  std::vector<Level> levels_;
};

} // namespace packhost::files
