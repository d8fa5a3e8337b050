// SPDX-License-Identifier: MIT
// See rooted_dir.hpp. The walk by hand never hands ".." to the kernel: it keeps the descriptors of
// the directories it came through and steps back over them.
#include "sdk/kit/rooted_dir.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace packhost::kit {

namespace {

constexpr int kMaxLinks = 40;
constexpr int kPathFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
constexpr int kReadFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;

int sys_openat2(int dir, const char *path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags);
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, dir, path, &how, sizeof(how)));
}

/// `path` behind `prefix` if that ends at a component border.
std::optional<std::string_view> strip(std::string_view path, std::string_view prefix) {
  while (prefix.size() > 1 && prefix.back() == '/') prefix.remove_suffix(1);
  if (prefix == "/") return path.substr(std::min(path.find_first_not_of('/'), path.size()));
  if (path.substr(0, prefix.size()) != prefix) return std::nullopt;
  path.remove_prefix(prefix.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path.substr(std::min(path.find_first_not_of('/'), path.size()));
}

/// One walk: what is still to go, and the directories behind.
class Walk {
public:
  Walk(const RootedDir &root, bool stay_on_mount) : root_(root), stay_on_mount_(stay_on_mount) {
    passed_.push_back(root.id());
  }

  Result<Located, PathFault> run(std::string_view relative, RootedDir::LastLink last) {
    push(relative);
    while (!todo_.empty()) {
      std::string name = std::move(todo_.back());
      todo_.pop_back();
      if (name == ".") continue;
      if (name == "..") {
        if (names_.empty()) return tl::unexpected(PathFault::outside);
        names_.pop_back();
        dirs_.pop_back();
        continue;
      }

      struct stat status {};

      if (::fstatat(top(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return tl::unexpected(path_fault_of(errno));
      if (stay_on_mount_ && status.st_dev != root_.id().device)
        return tl::unexpected(PathFault::crosses_mount);
      const bool is_last = todo_.empty();
      if (S_ISLNK(status.st_mode) && !(is_last && last == RootedDir::LastLink::keep)) {
        if (Result<void, PathFault> done = follow(name); !done) return pass_on(done);
        continue;
      }
      if (is_last) return finish(std::move(name), status);
      if (Result<void, PathFault> done = enter(std::move(name), status); !done)
        return pass_on(done);
    }
    return finish_at_directory();
  }

private:
  [[nodiscard]] int top() const { return dirs_.empty() ? root_.fd() : dirs_.back().get(); }

  /// The components of `path` come next.
  void push(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
      const std::size_t slash = std::min(path.find('/'), path.size());
      if (slash > 0) parts.emplace_back(path.substr(0, slash));
      path.remove_prefix(std::min(slash + 1, path.size()));
    }
    todo_.insert(todo_.end(), std::make_move_iterator(parts.rbegin()),
                 std::make_move_iterator(parts.rend()));
  }

  Result<void, PathFault> follow(const std::string &name) {
    if (++links_ > kMaxLinks) return tl::unexpected(PathFault::symlink_loop);
    followed_ = true;
    std::array<char, PATH_MAX> buffer{};
    const ssize_t length = ::readlinkat(top(), name.c_str(), buffer.data(), buffer.size());
    if (length < 0) {
      return tl::unexpected(errno == EINVAL ? PathFault::changed : path_fault_of(errno));
    }
    std::string_view target(buffer.data(), static_cast<std::size_t>(length));
    if (target.empty()) return tl::unexpected(PathFault::not_found);
    if (target.front() == '/') {
      const std::optional<std::string_view> inside = root_.strip_root(target);
      if (!inside) return tl::unexpected(PathFault::outside);
      names_.clear();
      dirs_.clear();
      target = *inside;
    }
    if (!target.empty() && target.back() == '/') todo_.emplace_back("."); // must be a directory
    push(target);
    return {};
  }

  Result<void, PathFault> enter(std::string name, const struct stat &status) {
    if (!S_ISDIR(status.st_mode)) return tl::unexpected(PathFault::not_a_directory);
    UniqueFd dir(::openat(top(), name.c_str(), kPathFlags | O_DIRECTORY));
    if (!dir.is_open()) {
      const bool replaced = errno == ENOTDIR || errno == ELOOP;
      return tl::unexpected(replaced ? PathFault::changed : path_fault_of(errno));
    }

    struct stat opened {};

    if (::fstat(dir.get(), &opened) != 0) return tl::unexpected(path_fault_of(errno));
    if (!(id_of(opened) == id_of(status))) return tl::unexpected(PathFault::changed);
    passed_.push_back(id_of(opened));
    dirs_.push_back(std::move(dir));
    names_.push_back(std::move(name));
    return {};
  }

  Result<Located, PathFault> finish(std::string name, const struct stat &status) {
    Located place;
    place.parent = UniqueFd(::fcntl(top(), F_DUPFD_CLOEXEC, 0));
    if (!place.parent.is_open()) return tl::unexpected(PathFault::io);
    place.status = status;
    place.followed_link = followed_;
    if (S_ISDIR(status.st_mode)) passed_.push_back(id_of(status));
    place.passed = std::move(passed_);
    for (const std::string &part : names_) place.path.append(part).push_back('/');
    place.path += name;
    place.name = std::move(name);
    return place;
  }

  /// The way ended in "." or "..", or at the root: the place is the directory reached.
  Result<Located, PathFault> finish_at_directory() {
    struct stat status {};

    if (::fstat(top(), &status) != 0) return tl::unexpected(path_fault_of(errno));
    if (names_.empty()) {
      Result<Located, PathFault> root = finish(".", status);
      if (root) root->path.clear();
      return root;
    }
    std::string name = std::move(names_.back());
    names_.pop_back();
    dirs_.pop_back();
    return finish(std::move(name), status);
  }

  const RootedDir &root_;
  bool stay_on_mount_;
  std::vector<std::string> todo_; // last first
  std::vector<std::string> names_;
  std::vector<UniqueFd> dirs_;
  std::vector<FileId> passed_;
  int links_ = 0;
  bool followed_ = false;
};

} // namespace

PathFault path_fault_of(int error_number) {
  switch (error_number) {
  case ENOENT:
    return PathFault::not_found;
  case ENOTDIR:
    return PathFault::not_a_directory;
  case ELOOP:
    return PathFault::symlink_loop;
  case ENAMETOOLONG:
    return PathFault::too_long;
  case EACCES:
  case EPERM:
    return PathFault::denied;
  case EXDEV:
    return PathFault::outside;
  case EAGAIN:
    return PathFault::changed;
  case EROFS:
    return PathFault::read_only;
  case ENOSPC:
  case EDQUOT:
    return PathFault::no_space;
  default:
    return PathFault::io;
  }
}

Result<RootedDir> RootedDir::open(const std::string &path, std::vector<std::string> spellings,
                                  Options options) {
  RootedDir root;
  root.options_ = options;
  root.fd_ = UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.fd_.is_open()) {
    const int error_number = errno;
    const Code code = error_number == ENOENT || error_number == ENOTDIR ? Code::not_found
                      : error_number == EACCES                          ? Code::denied
                                                                        : Code::io;
    tl::unexpected<Error> failure = fail(code, "the directory cannot be opened");
    failure.value().detail = path + ": errno " + std::to_string(error_number);
    return failure;
  }

  struct stat status {};

  if (::fstat(root.fd_.get(), &status) != 0)
    return fail(Code::io, "the directory cannot be examined");
  root.id_ = id_of(status);
  const std::unique_ptr<char, decltype(&std::free)> canonical(::realpath(path.c_str(), nullptr),
                                                              &std::free);
  if (canonical == nullptr) return fail(Code::io, "the directory has no canonical path");
  root.canonical_ = canonical.get();
  root.spellings_.push_back(root.canonical_);
  spellings.push_back(path);
  for (std::string &spelling : spellings) {
    if (spelling.empty() || spelling.front() != '/') continue;
    if (std::find(root.spellings_.begin(), root.spellings_.end(), spelling) ==
        root.spellings_.end())
      root.spellings_.push_back(std::move(spelling));
  }
  if (!options.walk_by_hand) {
    const UniqueFd probe(
        sys_openat2(root.fd_.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_BENEATH));
    root.uses_openat2_ = probe.is_open();
  }
  return root;
}

bool RootedDir::is_in_place() const {
  struct stat status {};

  return ::stat(canonical_.c_str(), &status) == 0 && id_of(status) == id_;
}

std::optional<std::string_view> RootedDir::strip_root(std::string_view absolute) const {
  for (const std::string &spelling : spellings_) {
    if (std::optional<std::string_view> inside = strip(absolute, spelling)) return inside;
  }
  return std::nullopt;
}

int RootedDir::open_beneath(const char *relative, int flags) const {
  std::uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  if (options_.stay_on_mount) resolve |= RESOLVE_NO_XDEV;
  return sys_openat2(fd_.get(), relative, flags, resolve);
}

std::optional<Result<Located, PathFault>>
RootedDir::locate_without_links(std::string_view relative) const {
  const std::size_t slash = relative.rfind('/');
  Located place;
  if (slash == std::string_view::npos) {
    place.parent = UniqueFd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  } else {
    const std::string parent(relative.substr(0, slash));
    place.parent = UniqueFd(open_beneath(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  if (!place.parent.is_open()) return std::nullopt;
  place.name = relative.substr(slash == std::string_view::npos ? 0 : slash + 1);
  if (::fstatat(place.parent.get(), place.name.c_str(), &place.status, AT_SYMLINK_NOFOLLOW) != 0)
    return Result<Located, PathFault>(tl::unexpected(path_fault_of(errno)));
  if (S_ISLNK(place.status.st_mode)) return std::nullopt;
  if (options_.stay_on_mount && place.status.st_dev != id_.device) return std::nullopt;
  place.path = relative;
  return Result<Located, PathFault>(std::move(place));
}

Result<Located, PathFault> RootedDir::locate(std::string_view relative, LastLink last) const {
  if (relative.size() >= PATH_MAX) return tl::unexpected(PathFault::too_long);
  if (uses_openat2_ && !relative.empty()) {
    if (std::optional<Result<Located, PathFault>> found = locate_without_links(relative))
      return std::move(*found);
  }
  return Walk(*this, options_.stay_on_mount).run(relative, last);
}

std::optional<OpenFile> RootedDir::open_plain_file(const std::string &relative) const {
  if (!uses_openat2_ || relative.empty()) return std::nullopt;

  // Classified before it is opened: opening a device can have effects.
  struct stat before {};

  if (::fstatat(fd_.get(), relative.c_str(), &before, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  if (!S_ISREG(before.st_mode)) return std::nullopt;
  OpenFile file;
  file.fd = UniqueFd(open_beneath(relative.c_str(), kReadFlags));
  if (!file.fd.is_open() || ::fstat(file.fd.get(), &file.status) != 0) return std::nullopt;
  if (!S_ISREG(file.status.st_mode) || !(id_of(file.status) == id_of(before))) return std::nullopt;
  return file;
}

Result<OpenFile, PathFault> RootedDir::open_regular(const Located &place) const {
  if (!S_ISREG(place.status.st_mode)) return tl::unexpected(PathFault::not_regular);
  OpenFile file;
  file.fd = UniqueFd(::openat(place.parent.get(), place.name.c_str(), kReadFlags));
  if (!file.fd.is_open())
    return tl::unexpected(errno == ELOOP ? PathFault::changed : path_fault_of(errno));
  if (::fstat(file.fd.get(), &file.status) != 0) return tl::unexpected(path_fault_of(errno));
  if (!S_ISREG(file.status.st_mode) || !(id_of(file.status) == id_of(place.status)))
    return tl::unexpected(PathFault::changed);
  return file;
}

Result<UniqueFd, PathFault> RootedDir::open_directory(const Located &place) const {
  if (!S_ISDIR(place.status.st_mode)) return tl::unexpected(PathFault::not_a_directory);
  UniqueFd dir(::openat(place.parent.get(), place.name.c_str(),
                        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!dir.is_open())
    return tl::unexpected(errno == ELOOP ? PathFault::changed : path_fault_of(errno));
  return dir;
}

} // namespace packhost::kit
