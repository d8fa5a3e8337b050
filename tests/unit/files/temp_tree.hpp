// SPDX-License-Identifier: MIT
// A temporary directory with a workspace and a place beside it, removed at the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace packhost::tests {

class TempTree {
public:
  TempTree() {
    std::string pattern = std::filesystem::temp_directory_path() / "packhost-files-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    base_ = std::filesystem::canonical(pattern);
    std::filesystem::create_directory(root());
    std::filesystem::create_directory(outside());
  }

  TempTree(const TempTree &) = delete;
  TempTree &operator=(const TempTree &) = delete;

  ~TempTree() {
    std::error_code ignored;
    for (auto it = std::filesystem::recursive_directory_iterator(base_, ignored);
         it != std::filesystem::recursive_directory_iterator(); it.increment(ignored)) {
      if (it->is_directory(ignored) && !it->is_symlink(ignored)) ::chmod(it->path().c_str(), 0700);
    }
    std::filesystem::remove_all(base_, ignored);
  }

  [[nodiscard]] std::string base() const { return base_.string(); }

  [[nodiscard]] std::string root() const { return base_ / "w"; }

  [[nodiscard]] std::string outside() const { return base_ / "o"; }

  [[nodiscard]] std::string at(std::string_view path) const {
    return root() + "/" + std::string(path);
  }

  void write(std::string_view path, std::string_view bytes) const { write_to(at(path), bytes); }

  void write_outside(std::string_view path, std::string_view bytes) const {
    write_to(outside() + "/" + std::string(path), bytes);
  }

  void directory(std::string_view path) const { std::filesystem::create_directories(at(path)); }

  void link(std::string_view path, const std::string &target) const {
    std::filesystem::create_directories(std::filesystem::path(at(path)).parent_path());
    std::filesystem::create_symlink(target, at(path));
  }

  void fifo(std::string_view path) const {
    if (::mkfifo(at(path).c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  }

  void socket(std::string_view path) const {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    at(path).copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int bound = ::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof(address));
    ::close(fd);
    if (bound != 0) throw std::runtime_error("bind");
  }

  /// A whole file.
  [[nodiscard]] static std::string read(const std::string &path) {
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
  }

private:
  static void write_to(const std::string &path, std::string_view bytes) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::filesystem::path base_;
};

} // namespace packhost::tests
