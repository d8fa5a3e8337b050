// SPDX-License-Identifier: MIT
// See registry_lock.hpp.
#include "plugins/files/workspace/registry_lock.hpp"

#include "sdk/kit/deadline.hpp"
#include "sdk/kit/errno_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace packhost::files {

namespace {

constexpr const char *kLock = "registry.lock";
constexpr int kPauseMs = 50;
constexpr std::size_t kMaxShownWords = 120;

/// The start of a file whose size says nothing, as those of /proc.
std::string read_start(const std::string &path) {
  const kit::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> room{};
  while (file.is_open() && text.size() < 64 * room.size()) {
    const ssize_t got = ::read(file.get(), room.data(), room.size());
    if (got <= 0) break;
    text.append(room.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// The process that the kernel's list of locks names for a file; empty: none that we may see.
std::string find_holder(int lock_fd) {
  struct stat status {};

  if (::fstat(lock_fd, &status) != 0) return {};
  const std::string place =
      fmt::format("{:02x}:{:02x}:{} ", major(status.st_dev), minor(status.st_dev), status.st_ino);
  const std::string locks =
      read_start("/proc/locks"); // "1: FLOCK  ADVISORY  WRITE 712 fe:00:42 0 EOF"
  const std::size_t at = locks.find(place);
  if (at == std::string::npos || at < 2) return {};
  const std::size_t start = locks.rfind(' ', at - 2) + 1;
  std::string process = locks.substr(start, at - 1 - start);
  const bool is_number = std::all_of(process.begin(), process.end(),
                                     [](char letter) { return letter >= '0' && letter <= '9'; });
  return is_number && process != "0" ? process : std::string();
}

/// "process 712 (packhost files workspace add notes /srv/notes)", or "another command".
std::string describe_holder(int lock_fd) {
  const std::string process = find_holder(lock_fd);
  if (process.empty()) return "another command";
  std::string words = read_start("/proc/" + process + "/cmdline");
  while (!words.empty() && words.back() == '\0') words.pop_back();
  const bool is_long = words.size() > kMaxShownWords;
  if (is_long) words.resize(kMaxShownWords);
  std::replace_if(
      words.begin(), words.end(),
      [](char letter) { return static_cast<unsigned char>(letter) - 0x20U >= 0x5FU; }, ' ');
  if (words.empty()) return "process " + process;
  return fmt::format("process {} ({}{})", process, words, is_long ? " ..." : "");
}

Failure cannot_lock(int data_fd, int error) {
  return failure(ErrorCode::state_unavailable, "The registry of workspaces cannot be locked")
      .with("reason", "lock")
      .for_operator("{} ({})", path_in(data_fd, kLock), kit::errno_text(error));
}

struct CloseDirectory {
  void operator()(DIR *directory) const { ::closedir(directory); }
};

/// Every change is written beside the registry first; whoever holds the lock and finds such a file
/// found that of a command that was killed.
void remove_leftovers(int data_fd) {
  const std::string prefix = std::string(kRegistryFile) + ".tmp-";
  const int listed = ::openat(data_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return; // the temporaries harm nobody
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(listed));
  if (directory == nullptr) {
    ::close(listed);
    return;
  }
  while (const dirent *entry =
             ::readdir(directory.get())) { // NOLINT(concurrency-mt-unsafe): own stream
    if (std::string_view(entry->d_name).substr(0, prefix.size()) == prefix)
      ::unlinkat(data_fd, entry->d_name, 0);
  }
}

/// True: the lock is ours. False: time is over. errno in `error` for anything else.
bool wait_for_lock(int lock_fd, const WaitNotice &notice, LockPatience patience, int &error) {
  const kit::Deadline end = kit::Deadline::after(std::chrono::milliseconds(patience.limit_ms));
  const kit::Deadline told = kit::Deadline::after(std::chrono::milliseconds(patience.notice_ms));
  bool is_told = false;
  while (::flock(lock_fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      error = errno;
      return false;
    }
    if (!is_told && told.has_passed()) {
      is_told = true;
      notice(fmt::format("waiting for {}, which is changing the registry of workspaces",
                         describe_holder(lock_fd)));
    }
    if (end.has_passed()) return false;
    ::poll(nullptr, 0, std::min(kPauseMs, end.poll_ms()));
  }
  return true;
}

} // namespace

std::string path_in(int data_fd, std::string_view name) {
  std::array<char, 4096> room{};
  const ssize_t length =
      ::readlink(("/proc/self/fd/" + std::to_string(data_fd)).c_str(), room.data(), room.size());
  if (length <= 0) return std::string(name);
  return fmt::format("{}/{}", std::string_view(room.data(), static_cast<std::size_t>(length)),
                     name);
}

Outcome<kit::UniqueFd> lock_registry(int data_fd, const WaitNotice &notice, LockPatience patience) {
  if (data_fd < 0)
    return refuse(failure(ErrorCode::state_unavailable,
                          "There is no directory for the registry of workspaces")
                      .with("reason", "directory")
                      .for_operator("make one and name it with --home DIR"));
  kit::UniqueFd lock(::openat(data_fd, kLock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.is_open()) return refuse(cannot_lock(data_fd, errno));
  int error = 0;
  if (!wait_for_lock(lock.get(), notice, patience, error)) {
    if (error != 0) return refuse(cannot_lock(data_fd, error));
    return refuse(
        failure(ErrorCode::workspace_busy, "Another command is changing the registry of workspaces")
            .with("waited_ms", static_cast<std::uint64_t>(patience.limit_ms))
            .for_operator(
                "{} has held {} for {} s; wait until it ends, or end it, and repeat the command",
                describe_holder(lock.get()), path_in(data_fd, kLock),
                static_cast<double>(patience.limit_ms) / 1000));
  }
  remove_leftovers(data_fd);
  return lock;
}

} // namespace packhost::files
