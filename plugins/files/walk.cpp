// SPDX-License-Identifier: MIT
// See walk.hpp.
#include "plugins/files/walk.hpp"

#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace packhost::files {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{32} * 1024;
constexpr std::size_t kMaxTold = 20;

/// As the kernel writes them (getdents64).
struct KernelEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

bool is_dots(const char *name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

} // namespace

unsigned char type_of_mode(mode_t mode) {
  return static_cast<unsigned char>(IFTODT(mode));
}

std::string_view kind_of_type(unsigned char type) {
  switch (type) {
  case DT_REG:
    return "file";
  case DT_DIR:
    return "directory";
  case DT_LNK:
    return "symlink";
  default:
    return "other";
  }
}

bool DirectoryReader::read(int directory_fd, std::size_t max_entries) {
  entries_.clear();
  was_cut_ = false;
  for (std::size_t block = 0;; ++block) {
    if (block == blocks_.size())
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
    char *const bytes = blocks_[block].get();
    const long got = ::syscall(SYS_getdents64, directory_fd, bytes, kBlockBytes);
    if (got < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (got == 0) return true;
    for (long at = 0; at < got;) {
      // The kernel aligns entries to eight bytes, and so does the block.
      const char *const raw = bytes + at;
      unsigned short length = 0;
      std::memcpy(&length, raw + offsetof(KernelEntry, length), sizeof(length));
      at += length;
      const char *const name = raw + offsetof(KernelEntry, name);
      if (is_dots(name)) continue;
      if (entries_.size() == max_entries) {
        was_cut_ = true;
        return true;
      }
      entries_.push_back(
          {std::string_view(name), static_cast<unsigned char>(raw[offsetof(KernelEntry, type)])});
    }
  }
}

void DirectoryReader::sort() {
  std::sort(entries_.begin(), entries_.end(),
            [](const DirectoryEntry &a, const DirectoryEntry &b) { return a.name < b.name; });
}

bool TreeWalk::push_level(kit::UniqueFd fd) {
  Level level;
  if (spare_.empty()) {
    level.reader = std::make_unique<DirectoryReader>();
  } else {
    level.reader = std::move(spare_.back());
    spare_.pop_back();
  }
  if (!level.reader->read(fd.get())) {
    spare_.push_back(std::move(level.reader));
    ++counts_.unreadable;
    return false;
  }
  level.reader->sort();
  level.path_length = path_.size();
  if (options_.ignore == Ignore::gitignore) level.has_rules = rules_.enter(fd.get(), path_);
  level.fd = std::make_shared<const kit::UniqueFd>(std::move(fd));
  levels_.push_back(std::move(level));
  return true;
}

/// Goes down into a directory of the innermost level, unless it is too deep or cannot be read.
void TreeWalk::enter(const DirectoryEntry &entry) {
  if (levels_.size() >= options_.max_depth) {
    ++counts_.depth;
    if (depth_limited_.size() < kMaxTold) depth_limited_.push_back(join(path_, entry.name));
    return;
  }
  const std::string name(entry.name);
  kit::UniqueFd fd(::openat(levels_.back().fd->get(), name.c_str(),
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  bool may_enter = fd.is_open();
  if (may_enter && workspace_.stays_on_mount()) {
    struct stat status {};

    may_enter = ::fstat(fd.get(), &status) == 0 && status.st_dev == workspace_.root().id().device;
  }
  if (!may_enter) {
    ++counts_.unreadable;
    return;
  }
  const std::size_t before = path_.size();
  if (before > 0) path_ += '/';
  path_ += name;
  if (!push_level(std::move(fd))) path_.resize(before);
}

void TreeWalk::run(kit::UniqueFd directory, std::string start,
                   const std::function<Visit(const WalkEntry &)> &visit) {
  path_ = std::move(start);
  rules_.begin(workspace_.root().fd(), path_, options_.ignore);
  const std::size_t start_length = path_.empty() ? 0 : path_.size() + 1;
  if (!push_level(std::move(directory))) return;
  while (!levels_.empty()) {
    Level &level = levels_.back();
    if (level.next == level.reader->entries().size()) {
      if (level.has_rules) rules_.leave();
      spare_.push_back(std::move(level.reader));
      levels_.pop_back();
      if (!levels_.empty()) path_.resize(levels_.back().path_length);
      continue;
    }
    DirectoryEntry entry = level.reader->entries()[level.next++];
    if (workspace_.hides(path_, entry.name)) continue;
    ++counts_.scanned;
    const bool is_addressable = kit::utf8::is_valid(entry.name);
    if (!is_addressable) {
      ++counts_.unrepresentable;
      if (!options_.report_unaddressable) continue;
    }
    if (entry.type == DT_UNKNOWN) {
      struct stat status {};

      const std::string name(entry.name);
      if (::fstatat(level.fd->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        entry.type = type_of_mode(status.st_mode);
    }
    const bool is_directory = entry.type == DT_DIR;
    if (options_.ignore != Ignore::none && rules_.ignores(path_, entry.name, is_directory)) {
      ++counts_.ignored;
      continue;
    }
    const std::string_view whole = path_;
    const WalkEntry seen{level.fd,   whole,      whole.substr(std::min(start_length, whole.size())),
                         entry.name, entry.type, is_addressable};
    if (visit(seen) == Visit::stop) break;
    if (is_directory && options_.recursive && is_addressable) enter(entry);
  }
  levels_.clear();
}

} // namespace packhost::files
