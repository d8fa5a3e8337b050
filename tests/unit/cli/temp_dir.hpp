// SPDX-License-Identifier: MIT
// A directory of its own for one test, removed with everything in it.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace packhost::cli::test {

class TempDir {
public:
  TempDir() {
    std::string name = "/tmp/packhost-test-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
  }

  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;

  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] const std::string &root() const { return root_; }

  [[nodiscard]] std::string path(std::string_view name) const {
    return root_ + "/" + std::string(name);
  }

  /// RETURNS: the file's path.
  std::string write(std::string_view name, std::string_view text) const {
    const std::string at = path(name);
    std::FILE *file = std::fopen(at.c_str(), "w");
    REQUIRE(file != nullptr);
    CHECK(std::fwrite(text.data(), 1, text.size(), file) == text.size());
    CHECK(std::fclose(file) == 0);
    return at;
  }

  std::string make_directory(std::string_view name) const {
    std::filesystem::create_directories(path(name));
    return path(name);
  }

private:
  std::string root_;
};

} // namespace packhost::cli::test
