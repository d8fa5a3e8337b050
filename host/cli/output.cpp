// SPDX-License-Identifier: MIT
// What a command writes for its reader.
#include "host/cli/output.hpp"

#include "host/support/log.hpp"
#include "sdk/kit/errno_text.hpp"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace packhost::cli {

using kit::Code;

namespace {

// What could not be written is an answer that did not come: the code of E_IO.
constexpr int kExitUnwritten = 1;

} // namespace

void Output::make_private() {
  own_.reset(::fcntl(1, F_DUPFD_CLOEXEC, 3));
  const kit::UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null.is_open()) ::dup2(null.get(), 0);
  ::dup2(2, 1);
}

int Output::print(std::string_view text, int code) const {
  const int error = write_all(own_.is_open() ? own_.get() : STDOUT_FILENO, text);
  return error == 0 ? code : report_unwritten(error, code);
}

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

int report_unwritten(int error, int code) {
  return report_error(fmt::format("standard output cannot be written ({})", kit::errno_text(error)),
                      code != 0 ? code : kExitUnwritten);
}

std::string as_sentence(std::string_view message) {
  std::string text(message);
  const bool is_ended =
      text.empty() || std::string_view(".!?").find(text.back()) != std::string_view::npos;
  // A command to copy stays as it has to be typed.
  if (!is_ended && text.find(". Run: ") == std::string::npos) text += '.';
  return text;
}

int report_error(std::string_view message, int exit_code) {
  support::print_line("packhost: " + as_sentence(message));
  return exit_code;
}

int report_error(const kit::Error &error) {
  return report_error(error.message, exit_code_for(error.code));
}

int exit_code_for(kit::Code code) {
  switch (code) {
  case Code::invalid_args:
    return 2;
  case Code::denied:
  case Code::conflict:
    return 3;
  case Code::not_found:
    return 4;
  case Code::config:
    return 78;
  case Code::deadline:
    return 124;
  case Code::cancelled:
    return 130;
  case Code::no_memory:
  case Code::misuse:
  case Code::internal:
    return 70;
  case Code::limit:
  case Code::io:
  case Code::unavailable:
  case Code::unsupported:
    return 1;
  }
  return 70;
}

} // namespace packhost::cli
