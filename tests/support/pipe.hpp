// SPDX-License-Identifier: MIT
// A pipe for tests: writes whole texts, reads what is there.
#pragma once

#include "sdk/kit/unique_fd.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace packhost::test {

struct Pipe {
  kit::UniqueFd read_end;
  kit::UniqueFd write_end;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(write_end.get(), text.data(), text.size());
      if (count <= 0) throw std::runtime_error("the pipe takes no more");
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  /// Waits for at least one byte, at most 10 s; what is there then. Empty at the end or in vain.
  [[nodiscard]] std::string read_some() const {
    pollfd ready{read_end.get(), POLLIN, 0};
    if (::poll(&ready, 1, 10'000) != 1) return {};
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(read_end.get(), bytes.data(), bytes.size());
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string();
  }

  [[nodiscard]] std::string read_to_end() const {
    std::string all;
    for (std::string more = read_some(); !more.empty(); more = read_some()) all += more;
    return all;
  }
};

} // namespace packhost::test
