// SPDX-License-Identifier: MIT
// A file descriptor with one owner.
#pragma once

#include <utility>

#include <unistd.h>

namespace packhost::kit {

/// Closes its descriptor when it dies. -1 owns nothing.
class UniqueFd {
public:
  UniqueFd() = default;

  explicit UniqueFd(int fd) : fd_(fd) {}

  UniqueFd(UniqueFd &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

  UniqueFd &operator=(UniqueFd &&other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }

  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  /// Gives the descriptor away: the caller closes it.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

private:
  int fd_ = -1;
};

} // namespace packhost::kit
