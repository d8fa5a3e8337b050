// SPDX-License-Identifier: MIT
// See ignore_rules.hpp.
#include "plugins/files/ignore_rules.hpp"

#include "plugins/files/workspace/paths.hpp"
#include "sdk/kit/atomic_file.hpp"
#include "sdk/kit/unique_fd.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <array>

#include <fcntl.h>

namespace packhost::files {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::array<std::string_view, 4> kVcsNames{".git", ".hg", ".svn", ".jj"};

} // namespace

std::optional<Ignore> parse_ignore(std::string_view word) {
  if (word == "none") return Ignore::none;
  if (word == "vcs") return Ignore::vcs;
  if (word == "gitignore") return Ignore::gitignore;
  return std::nullopt;
}

bool is_vcs_name(std::string_view name) {
  return !name.empty() && name.front() == '.' &&
         std::find(kVcsNames.begin(), kVcsNames.end(), name) != kVcsNames.end();
}

IgnoreFile IgnoreFile::parse(std::string_view content) {
  IgnoreFile file;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    std::string_view line = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    while (line.size() > 1 && line.back() == ' ' && line[line.size() - 2] != '\\')
      line.remove_suffix(1);
    if (line.empty() || line == " " || line.front() == '#') continue;
    Line parsed;
    if (line.front() == '!') {
      parsed.takes_back = true;
      line.remove_prefix(1);
    }
    if (!kit::utf8::is_valid(line)) continue;
    // Lines that are no pattern match nothing.
    kit::Result<Glob, PatternFault> glob = Glob::parse(line, Glob::Dialect::ignore_file);
    if (!glob) continue;
    parsed.glob = std::move(*glob);
    file.lines_.push_back(std::move(parsed));
  }
  return file;
}

std::optional<bool> IgnoreFile::says(std::string_view path, std::string_view name,
                                     bool is_directory) const {
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    if (line->glob.matches(path, name, is_directory)) return !line->takes_back;
  }
  return std::nullopt;
}

void IgnoreRules::begin(int root_fd, std::string_view start, Ignore mode) {
  mode_ = mode;
  levels_.clear();
  skips_vcs_ = mode != Ignore::none;
  for (std::string_view rest = start; !rest.empty();) {
    const std::string_view part = first_of(rest);
    if (is_vcs_name(part)) skips_vcs_ = false;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  if (mode != Ignore::gitignore || start.empty()) return;
  // The folders above the start, the root first; the start itself is entered by the walk.
  kit::UniqueFd directory(::openat(root_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string path;
  for (std::string_view rest = start; !rest.empty() && directory.is_open();) {
    static_cast<void>(enter(directory.get(), path));
    const std::string part(first_of(rest));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    directory.reset(
        ::openat(directory.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    path = join(path, part);
  }
}

bool IgnoreRules::enter(int directory_fd, std::string_view directory) {
  const kit::Result<std::string> content =
      kit::read_small_file(directory_fd, ".gitignore", kMaxFileBytes);
  if (!content) return false;
  IgnoreFile file = IgnoreFile::parse(*content);
  if (file.is_empty()) return false;
  levels_.push_back({directory.empty() ? 0 : directory.size() + 1, std::move(file)});
  return true;
}

bool IgnoreRules::ignores(std::string_view directory, std::string_view name,
                          bool is_directory) const {
  if (skips_vcs_ && is_directory && is_vcs_name(name)) return true;
  if (levels_.empty()) return false;
  const std::string path = join(directory, name);
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const std::string_view below = std::string_view(path).substr(level->base);
    if (const std::optional<bool> said = level->file.says(below, name, is_directory)) return *said;
  }
  return false;
}

} // namespace packhost::files
