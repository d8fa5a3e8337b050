// SPDX-License-Identifier: MIT
// "Did you mean": what counts as near.
#include "sdk/kit/nearest.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace packhost::kit {

TEST_SUITE("kit/nearest") {
  TEST_CASE("inserting, deleting, replacing and swapping each cost one") {
    constexpr std::array<std::string_view, 3> known{"path", "pattern", "max_bytes"};
    CHECK(find_nearest("pth", known) == "path");
    CHECK(find_nearest("paths", known) == "path");
    CHECK(find_nearest("bath", known) == "path");
    CHECK(find_nearest("apth", known) == "path");
    CHECK(find_nearest("max_byets", known) == "max_bytes");
    CHECK(find_nearest("maxbytes", known) == "max_bytes");
    CHECK(find_nearest("patern", known) == "pattern");
  }

  TEST_CASE("more than a third of the word is not near, and ties go to the first") {
    constexpr std::array<std::string_view, 3> known{"cat", "car", "query"};
    CHECK(find_nearest("cap", known) == "cat");
    CHECK_FALSE(find_nearest("dog", known));
    CHECK_FALSE(find_nearest("", known));
    CHECK_FALSE(find_nearest("q", known));
    CHECK_FALSE(find_nearest(std::string(65, 'x'), known));
    CHECK(find_nearest("car", known) == "car");
  }
}

} // namespace packhost::kit
