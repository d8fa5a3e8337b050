// SPDX-License-Identifier: MIT
// Paths as the operator writes them.
#include "host/cli/paths.hpp"
#include "host/support/account.hpp"
#include "tests/unit/cli/temp_dir.hpp"

#include <doctest/doctest.h>

using namespace packhost;
using namespace packhost::cli;
using packhost::cli::test::TempDir;

TEST_SUITE("cli/paths") {
  TEST_CASE("[A-16] a tilde is the account's home whatever the environment says") {
    const auto home = support::find_home();
    REQUIRE(home);
    REQUIRE(::setenv("HOME", "/elsewhere", 1) == 0);
    CHECK(*make_absolute("~/notes/", "") == (*home == "/" ? "" : *home) + "/notes");
    CHECK(*make_absolute("~", "/x") == *home);
    CHECK(make_absolute("~other/x", "/x").error().message ==
          "must be a path: '~' stands for your own home directory only");
  }

  TEST_CASE("single dots and doubled slashes go, two dots stay for the disk to decide") {
    CHECK(*make_absolute("/a//./b/", "") == "/a/b");
    CHECK(*make_absolute("/", "") == "/");
    CHECK(*make_absolute("x/../y", "/d") == "/d/x/../y");
    CHECK(!make_absolute("", "/d"));
    CHECK(!make_absolute(std::string_view("a\0b", 3), "/d"));
  }

  TEST_CASE("links are resolved as far as something is there") {
    const TempDir dir;
    const std::string real = dir.make_directory("real/inner");
    std::filesystem::create_directory_symlink(dir.path("real"), dir.path("link"));
    CHECK(*resolve_links(dir.path("link/inner")) == real);
    CHECK(*resolve_links(dir.path("link/inner/../inner")) == real);
    CHECK(*resolve_links(dir.path("link/new/deep")) == dir.path("real/new/deep"));
    std::filesystem::create_directory_symlink(dir.path("loop"), dir.path("loop"));
    CHECK(resolve_links(dir.path("loop")).error().message ==
          "cannot be resolved (too many levels of symbolic links)");
  }

  TEST_CASE("a file that is read is regular and within the limit") {
    const TempDir dir;
    CHECK(*read_small_file(dir.write("four", "1234"), 4) == "1234");
    CHECK(read_small_file(dir.write("five", "12345"), 4).error().message ==
          "is too long; the limit is 4 bytes");
    CHECK(read_small_file(dir.root(), 4).error().message == "cannot be read (not a regular file)");
    CHECK(read_small_file("/dev/zero", 4).error().message == "cannot be read (not a regular file)");
  }
}
