// SPDX-License-Identifier: MIT
// Open things below one directory and nowhere else. Paths without links take one system call with
// openat2; everything else is walked component by component with the links read by hand, which also
// tells where a link leads. No host path is ever built from a caller's text.
#pragma once

#include "sdk/kit/result.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace packhost::kit {

/// Why a path below the root cannot be reached.
enum class PathFault : std::uint8_t {
  outside,         // it leads out of the root, whatever is or is not there
  not_found,       // nothing there, or a directory on the way is missing
  not_a_directory, // a file stands where a directory is needed
  not_regular,     // FIFO, socket, device or directory where content was to be opened
  symlink_loop,    // more than 40 links
  too_long,        // a component above 255 bytes or a path above 4,095
  denied,
  crosses_mount, // only with Options::stay_on_mount
  changed,       // replaced between two looks at it; trying again may help
  read_only,
  no_space,
  io
};

/// errno of a system call on a path below the root.
[[nodiscard]] PathFault path_fault_of(int error_number);

struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  friend bool operator==(const FileId &, const FileId &) = default;
};

[[nodiscard]] inline FileId id_of(const struct stat &status) {
  return {status.st_dev, status.st_ino};
}

/// One place below the root: a directory descriptor and a name in it.
struct Located {
  UniqueFd parent;  // O_PATH; for the root itself the root, with the name "."
  std::string name; // last component
  std::string path; // below the root with links followed; empty: the root

  struct stat status {}; // of the place, never of what a kept link leads to

  bool followed_link = false; // a link was followed somewhere on the way
  std::vector<FileId> passed; // directories walked through by hand, the place itself included
};

struct OpenFile {
  UniqueFd fd;

  struct stat status {};
};

class RootedDir {
public:
  enum class LastLink : std::uint8_t { follow, keep };

  struct Options {
    bool walk_by_hand = false;  // as if the kernel had no openat2
    bool stay_on_mount = false; // refuse other mounts below the root
  };

  /// Opens `path`, which must be a directory. `spellings`: further absolute spellings of the same
  /// directory that callers and absolute links may use. Whether openat2 is there is found out here,
  /// once. Fails with Code::not_found, denied or io.
  [[nodiscard]] static Result<RootedDir> open(const std::string &path,
                                              std::vector<std::string> spellings, Options options);

  [[nodiscard]] int fd() const { return fd_.get(); }

  [[nodiscard]] const std::string &canonical_path() const { return canonical_; }

  [[nodiscard]] bool uses_openat2() const { return uses_openat2_; }

  [[nodiscard]] FileId id() const { return id_; }

  /// Whether the canonical path still names this very directory.
  [[nodiscard]] bool is_in_place() const;

  /// An absolute path without the root in front, if one spelling of the root is a component-wise
  /// prefix of it ("/srv/app" is none of "/srv/app-old").
  [[nodiscard]] std::optional<std::string_view> strip_root(std::string_view absolute) const;

  /// Finds the place a relative path names. REQUIRES: components joined by single slashes, none of
  /// them "." or ".."; empty: the root. With LastLink::keep a link at the end is the place itself.
  [[nodiscard]] Result<Located, PathFault> locate(std::string_view relative, LastLink last) const;

  /// The short way for what most calls name: a regular file without links on the way, opened for
  /// reading. Nothing for anything else: ask locate() for the reason. REQUIRES: as locate().
  [[nodiscard]] std::optional<OpenFile> open_plain_file(const std::string &relative) const;

  /// Opens the regular file at a place for reading: classified first, opened without blocking or
  /// following, and looked at again.
  [[nodiscard]] Result<OpenFile, PathFault> open_regular(const Located &place) const;

  /// Opens the directory at a place for listing.
  [[nodiscard]] Result<UniqueFd, PathFault> open_directory(const Located &place) const;

private:
  RootedDir() = default;

  [[nodiscard]] std::optional<Result<Located, PathFault>>
  locate_without_links(std::string_view relative) const;
  [[nodiscard]] int open_beneath(const char *relative, int flags) const;

  UniqueFd fd_;
  std::string canonical_;
  std::vector<std::string> spellings_;
  FileId id_;
  Options options_;
  bool uses_openat2_ = false;
};

} // namespace packhost::kit
