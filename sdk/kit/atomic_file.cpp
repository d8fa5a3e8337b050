// SPDX-License-Identifier: MIT
// See atomic_file.hpp.
#include "sdk/kit/atomic_file.hpp"

#include "sdk/kit/errno_text.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace packhost::kit {

namespace {

tl::unexpected<Error> io_failure(const char *what, int error_number) {
  const Code code = error_number == EACCES || error_number == EPERM || error_number == EROFS
                        ? Code::denied
                    : error_number == ENOSPC || error_number == EDQUOT ? Code::limit
                    : error_number == ENOENT                           ? Code::not_found
                                                                       : Code::io;
  tl::unexpected<Error> failure = fail(code, "the file cannot be {}", what);
  failure.value().detail = errno_text(error_number);
  return failure;
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

} // namespace

Status replace_file(int dir_fd, const std::string &name, std::string_view content, mode_t mode) {
  const std::string temporary = name + ".tmp-" + std::to_string(::getpid());
  static_cast<void>(::unlinkat(dir_fd, temporary.c_str(), 0)); // of a process that died
  const UniqueFd file(::openat(dir_fd, temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file.is_open()) return io_failure("written", errno);
  const bool is_written = ::fchmod(file.get(), mode) == 0 && write_all(file.get(), content) &&
                          ::fsync(file.get()) == 0 &&
                          ::renameat(dir_fd, temporary.c_str(), dir_fd, name.c_str()) == 0;
  if (!is_written) {
    const int error_number = errno;
    static_cast<void>(::unlinkat(dir_fd, temporary.c_str(), 0));
    return io_failure("written", error_number);
  }
  const UniqueFd dir(::openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir.is_open() || ::fsync(dir.get()) != 0) return io_failure("made durable", errno);
  return {};
}

Result<std::string> read_small_file(int dir_fd, const std::string &name, std::size_t max_bytes) {
  const UniqueFd file(
      ::openat(dir_fd, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) return io_failure("read", errno);

  struct stat status {};

  if (::fstat(file.get(), &status) != 0) return io_failure("read", errno);
  if (!S_ISREG(status.st_mode)) return fail(Code::io, "the file is not a regular file");
  std::string content;
  for (;;) {
    const std::size_t before = content.size();
    if (before > max_bytes) return fail(Code::limit, "the file is larger than {} bytes", max_bytes);
    content.resize(before + 4096);
    const ssize_t got = ::read(file.get(), content.data() + before, 4096);
    if (got < 0 && errno != EINTR) return io_failure("read", errno);
    content.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) return content;
  }
}

} // namespace packhost::kit
