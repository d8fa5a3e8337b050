// SPDX-License-Identifier: MIT
// Small files replaced and read whole.
#include "sdk/kit/atomic_file.hpp"
#include "sdk/kit/unique_fd.hpp"
#include "tests/unit/files/temp_tree.hpp"

#include <doctest/doctest.h>

#include <iterator>

using namespace packhost::kit;

TEST_SUITE("kit/atomic_file") {
  TEST_CASE("a file is replaced whole, with its mode, and nothing is left beside it") {
    const packhost::tests::TempTree tree;
    const UniqueFd dir(::open(tree.root().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    CHECK(replace_file(dir.get(), "f", "one", 0600));
    const UniqueFd held(::open(tree.at("f").c_str(), O_RDONLY | O_CLOEXEC));
    CHECK(replace_file(dir.get(), "f", "two", 0640));
    CHECK(read_small_file(dir.get(), "f", 100).value() == "two");
    char old[8] = {};
    CHECK(::read(held.get(), old, sizeof(old)) == 3);
    CHECK(std::string(old) == "one");

    struct stat status {};

    ::stat(tree.at("f").c_str(), &status);
    CHECK((status.st_mode & 0777U) == 0640);
    const std::filesystem::directory_iterator entries(tree.root());
    CHECK(std::distance(begin(entries), end(entries)) == 1);
  }

  TEST_CASE("what cannot be written is told and leaves the old content") {
    const packhost::tests::TempTree tree;
    tree.write("d/x", "kept");
    const UniqueFd dir(::open(tree.root().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    CHECK_FALSE(replace_file(dir.get(), "d", "file over a directory", 0600));
    CHECK(std::filesystem::exists(tree.at("d/x")));
    CHECK_FALSE(replace_file(dir.get(), "none/f", "x", 0600));
  }

  TEST_CASE("small files are read whole or refused") {
    const packhost::tests::TempTree tree;
    tree.write("f", std::string(10'000, 'x'));
    tree.fifo("p");
    const UniqueFd dir(::open(tree.root().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    CHECK(read_small_file(dir.get(), "f", 10'000).value().size() == 10'000);
    CHECK(read_small_file(dir.get(), "f", 9'999).error().code == Code::limit);
    CHECK(read_small_file(dir.get(), "none", 10).error().code == Code::not_found);
    CHECK_FALSE(read_small_file(dir.get(), "p", 10));
  }
}
