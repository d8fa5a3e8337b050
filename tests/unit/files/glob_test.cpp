// SPDX-License-Identifier: MIT
// Globs: what matches, what is refused, and how long it takes.
#include "plugins/files/glob.hpp"
#include "plugins/files/workspace/paths.hpp"
#include "sdk/kit/deadline.hpp"

#include <doctest/doctest.h>

using packhost::files::Glob;

namespace {

bool matches(std::string_view pattern, std::string_view path, bool is_directory = false) {
  const auto glob = Glob::parse(pattern);
  REQUIRE(glob);
  return glob->matches(path, packhost::files::last_of(path), is_directory);
}

std::string reason(std::string_view pattern) {
  const auto glob = Glob::parse(pattern);
  return glob ? "valid" : std::to_string(glob.error().offset) + " " + glob.error().reason;
}

} // namespace

TEST_SUITE("files/glob") {
  TEST_CASE("a pattern without a slash matches the last component at any depth") {
    CHECK(matches("*.cpp", "a.cpp"));
    CHECK(matches("*.cpp", "x/y/a.cpp"));
    CHECK_FALSE(matches("*.cpp", "x/a.cpp/b"));
    CHECK(matches("a?c", "x/a\xC3\xA9"
                         "c"));
    CHECK_FALSE(matches("a?c", "ac"));
  }

  TEST_CASE("a pattern with a slash matches the whole path, and stars stop at slashes") {
    CHECK(matches("src/*.h", "src/a.h"));
    CHECK_FALSE(matches("src/*.h", "src/x/a.h"));
    CHECK_FALSE(matches("src/*.h", "y/src/a.h"));
    CHECK(matches("src/**/*.h", "src/a.h"));
    CHECK(matches("src/**/*.h", "src/x/y/a.h"));
    CHECK(matches("**/a.h", "a.h"));
  }

  TEST_CASE("a final ** is everything below, not the folder itself") {
    CHECK(matches("a/**", "a/b/c"));
    CHECK_FALSE(matches("a/**", "a", true));
    CHECK(matches("**", "a"));
  }

  TEST_CASE("a trailing slash restricts to directories and is no slash of the path") {
    CHECK(matches("build/", "x/build", true));
    CHECK_FALSE(matches("build/", "x/build"));
  }

  TEST_CASE("classes, ranges, negation and escapes go by characters") {
    CHECK(matches("[a-c]x", "bx"));
    CHECK_FALSE(matches("[!a-c]x", "bx"));
    CHECK(matches("[\xC3\xA0-\xC3\xBF]", "\xC3\xA9"));
    CHECK(matches("[]]", "]"));
    CHECK(matches("\\*", "*"));
    CHECK_FALSE(matches("\\*", "a"));
    CHECK_FALSE(matches("A", "a"));
    CHECK(matches("*", ".hidden"));
  }

  TEST_CASE("braces are alternatives, also nested and with slashes") {
    CHECK(matches("*.{h,cpp}", "a.cpp"));
    CHECK(matches("{a,b{c,d}}.x", "bd.x"));
    CHECK(matches("{src/*,top}.c", "src/a.c"));
    CHECK(matches("{src/*,top}.c", "deep/top.c"));
    CHECK(matches("a{,b}", "a"));
    CHECK(matches("}", "}"));
  }

  TEST_CASE("what is unbalanced or too large is refused with its place") {
    CHECK(reason("a[b") == "1 '[' is not closed");
    CHECK(reason("x{a,b") == "1 '{' is not closed");
    CHECK(reason("{{{{{a}}}}}") == "4 braces are nested deeper than 4");
    CHECK(reason("a\\") == "1 nothing follows the escape");
    CHECK(reason("") == "0 the pattern is empty");
    CHECK(reason("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}") == "valid");
    CHECK(reason("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}") ==
          "0 the braces make more than 256 alternatives");
    CHECK(reason(std::string(1025, 'a')) == "1024 it is 1025 bytes long; the limit is 1024");
  }

  TEST_CASE("matching takes polynomial time") {
    const auto end = packhost::kit::Deadline::after(std::chrono::seconds(2));
    std::string pattern;
    for (int i = 0; i < 60; ++i) pattern += "a*";
    CHECK_FALSE(matches(pattern + "b", std::string(4000, 'a')));
    std::string path;
    for (int i = 0; i < 60; ++i) path += "a/";
    std::string deep;
    for (int i = 0; i < 20; ++i) deep += "**/a/";
    CHECK_FALSE(matches(deep + "b", path + "a"));
    CHECK_FALSE(end.has_passed());
  }

  TEST_CASE("the ignore-file dialect has no braces and negates with a caret") {
    const auto glob = Glob::parse("{a,b}", Glob::Dialect::ignore_file);
    REQUIRE(glob);
    CHECK(glob->matches("{a,b}", "{a,b}", false));
    const auto negated = Glob::parse("[^a]", Glob::Dialect::ignore_file);
    REQUIRE(negated);
    CHECK(negated->matches("b", "b", false));
  }
}
