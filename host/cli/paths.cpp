// SPDX-License-Identifier: MIT
// Paths as the operator writes them, made absolute.
#include "host/cli/paths.hpp"

#include "host/support/account.hpp"
#include "sdk/kit/errno_text.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <cerrno>
#include <cstdlib>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace packhost::cli {

using kit::Code;

namespace {

/// Without empty parts, "." and a slash at the end.
std::string tidy(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t start = std::min(path.find_first_not_of('/'), path.size());
    path.remove_prefix(start);
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(end);
    if (part.empty() || part == ".") continue;
    out += '/';
    out += part;
  }
  return out.empty() ? "/" : out;
}

} // namespace

kit::Result<std::string> make_absolute(std::string_view path, std::string_view directory) {
  if (path.empty()) return kit::fail(Code::invalid_args, "must be a path, not an empty text");
  if (path.find('\0') != std::string_view::npos)
    return kit::fail(Code::invalid_args, "must be a path without NUL");
  if (path.front() == '/') return tidy(path);
  if (path.front() == '~') {
    if (path.size() > 1 && path[1] != '/')
      return kit::fail(Code::invalid_args,
                       "must be a path: '~' stands for your own home directory only");
    auto home = support::find_home();
    if (!home) return home;
    return tidy(*home + std::string(path.substr(1)));
  }
  if (directory.empty())
    return kit::fail(
        Code::invalid_args,
        "is relative; write it absolute: the working directory of a harness is not yours");
  return tidy(std::string(directory) + "/" + std::string(path));
}

kit::Result<std::string> resolve_links(const std::string &path) {
  // The longest part that exists is resolved; the rest is what a pack may still make.
  std::string head = path;
  std::string tail;
  while (true) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(head.c_str(), nullptr),
                                                           &std::free);
    if (real != nullptr) {
      const std::string_view found = real.get();
      return found == "/" && !tail.empty() ? tail : std::string(found) + tail;
    }
    if ((errno != ENOENT && errno != ENOTDIR) || head == "/")
      return kit::fail(Code::config, "cannot be resolved ({})", kit::errno_text(errno));
    const std::size_t slash = head.rfind('/');
    tail = head.substr(slash) + tail;
    head.resize(slash == 0 ? 1 : slash);
  }
}

std::string directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return "/";
  return std::string(path.substr(0, slash));
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

kit::Result<std::string> working_directory() {
  const std::unique_ptr<char, decltype(&std::free)> name(::getcwd(nullptr, 0), &std::free);
  if (name == nullptr || *name != '/')
    return kit::fail(Code::config, "the working directory cannot be found ({})",
                     kit::errno_text(name == nullptr ? errno : ENOENT));
  return std::string(name.get());
}

kit::Result<std::string> read_small_file(const std::string &path, std::size_t limit) {
  const kit::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open())
    return kit::fail(Code::config, "cannot be read ({})", kit::errno_text(errno));

  struct stat facts {};

  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return kit::fail(Code::config, "cannot be read (not a regular file)");
  std::string text;
  // One byte more than the limit tells a file that is too long from one that just fits.
  text.resize(std::min<std::size_t>(static_cast<std::size_t>(facts.st_size), limit) + 1);
  std::size_t have = 0;
  while (true) {
    if (have == text.size()) {
      if (have > limit) return kit::fail(Code::config, "is too long; the limit is {} bytes", limit);
      text.resize(std::min(text.size() * 2, limit + 1));
    }
    const ssize_t got = ::read(file.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return kit::fail(Code::config, "cannot be read ({})", kit::errno_text(errno));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  if (have > limit) return kit::fail(Code::config, "is too long; the limit is {} bytes", limit);
  return text;
}

} // namespace packhost::cli
