// SPDX-License-Identifier: MIT
// The lexical step: what a caller's path says, before anything is looked at.
#pragma once

#include "plugins/files/errors.hpp"
#include "sdk/kit/rooted_dir.hpp"

#include <string>
#include <string_view>

namespace packhost::files {

/// A path as the caller spelled it, and what it means below the root.
struct CallerPath {
  std::string spelled;
  std::string relative;           // components joined by single slashes; empty: the root
  bool must_be_directory = false; // it ended in a slash
};

constexpr std::size_t kMaxPathBytes = 4095;
constexpr std::size_t kMaxComponentBytes = 255;
constexpr std::size_t kMaxComponents = 128;

/// "." and empty components vanish, ".." is resolved without looking, an absolute path must lie
/// below one spelling of the root. Fails with INVALID_PATH or PATH_OUTSIDE_WORKSPACE.
[[nodiscard]] Outcome<CallerPath> parse_path(std::string_view spelled, const kit::RootedDir &root);

/// "a/b" and "c" to "a/b/c"; an empty directory is the root.
[[nodiscard]] std::string join(std::string_view directory, std::string_view name);

/// "a/b" of "a/b/c", "" of "c".
[[nodiscard]] std::string_view parent_of(std::string_view relative);

/// "c" of "a/b/c".
[[nodiscard]] std::string_view last_of(std::string_view relative);

/// "a" of "a/b/c".
[[nodiscard]] std::string_view first_of(std::string_view relative);

} // namespace packhost::files
