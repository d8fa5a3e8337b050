// SPDX-License-Identifier: MIT
// What a command writes for its reader.
#include "host/cli/output.hpp"

#include "host/support/log.hpp"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace packhost::cli {

void Output::make_private() {
  own_.reset(::fcntl(1, F_DUPFD_CLOEXEC, 3));
  const kit::UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null.is_open()) ::dup2(null.get(), 0);
  ::dup2(2, 1);
}

bool Output::write(std::string_view text) const {
  const int fd = own_.is_open() ? own_.get() : 1;
  while (!text.empty()) {
    const ssize_t done = ::write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

int report_error(std::string_view message, int exit_code) {
  support::print_line("packhost: " + std::string(message));
  return exit_code;
}

} // namespace packhost::cli
