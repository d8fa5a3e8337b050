// SPDX-License-Identifier: MIT
// The one directory tree that calls work on: from a caller's path to a place in it, with the
// refusals of confinement and reserved names on the way. Registered names are registry.hpp's.
#pragma once

#include "plugins/files/errors.hpp"
#include "plugins/files/options.hpp"
#include "plugins/files/workspace/paths.hpp"
#include "sdk/kit/rooted_dir.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace packhost::files {

/// A place together with what the caller called it.
struct Place {
  CallerPath asked;
  kit::Located at;
};

/// An open regular file together with what the caller called it.
struct OpenedFile {
  kit::OpenFile file;
  CallerPath asked;
};

class Workspace {
public:
  using LastLink = kit::RootedDir::LastLink;

  /// `home_fd`: the pack's data directory or -1; where it lies inside the root it is reserved.
  /// `walk_by_hand`: as if the kernel had no openat2. Fails with Code::config.
  [[nodiscard]] static kit::Result<Workspace> open(const Settings &settings, int home_fd,
                                                   bool walk_by_hand = false);

  [[nodiscard]] const kit::RootedDir &root() const { return root_; }

  /// Other mounts below the root are not entered.
  [[nodiscard]] bool stays_on_mount() const { return stays_on_mount_; }

  /// Parses, refuses what is reserved, and finds the place. Every failure is the caller's answer.
  [[nodiscard]] Outcome<Place> find(std::string_view spelled, LastLink last) const;

  /// find() for a file to read, opened. Directories are NOT_A_FILE, specials NOT_A_REGULAR_FILE.
  [[nodiscard]] Outcome<OpenedFile> open_file(std::string_view spelled) const;

  /// find() for a directory, and its descriptor for listing.
  [[nodiscard]] Outcome<kit::UniqueFd> open_directory(const Place &place) const;

  /// A relative path as results show it: with a leading "/" in a workspace rooted at "/", "." for
  /// the root.
  [[nodiscard]] std::string shown(std::string_view relative) const;

  /// For walks: whether `name` in `directory` is never listed.
  [[nodiscard]] bool hides(std::string_view directory, std::string_view name) const;

  /// What is known of a symbolic link: its text, and where it ends.
  struct Link {
    std::string text; // as stored; below the root for an absolute link inside
    bool is_absolute = false;
    bool leads_outside = false;     // then neither text nor end may be told
    std::optional<std::string> end; // below the root; nothing if it dangles or may not be told
  };

  [[nodiscard]] Link look_at_link(int parent_fd, const std::string &name,
                                  const std::string &link_path) const;

  /// WORKSPACE_ROOT_CHANGED if the root's path names another directory now, or none.
  [[nodiscard]] Outcome<void> check_in_place() const;

private:
  explicit Workspace(kit::RootedDir root) : root_(std::move(root)) {}

  [[nodiscard]] std::optional<Failure> reserved(std::string_view relative,
                                                std::string_view spelled) const;
  [[nodiscard]] bool passes_reserved(const kit::Located &place) const;
  [[nodiscard]] Failure not_found(const CallerPath &path) const;

  kit::RootedDir root_;
  std::string home_; // below the root, or empty
  bool stays_on_mount_ = false;
};

} // namespace packhost::files
