// SPDX-License-Identifier: MIT
// The document that options are merged and rewritten in.
#include "host/cli/json_tree.hpp"
#include "tests/unit/cli/tree.hpp"

#include <doctest/doctest.h>

using namespace packhost;
using namespace packhost::cli;
using packhost::cli::test::tree;

TEST_SUITE("cli/json_tree") {
  TEST_CASE("what is read is written with its order and the spelling of its numbers") {
    CHECK(write_tree(tree(R"( {"b": 1.50, "a": [true, null, "x\ny", {}, []], "c": {"d": -0}} )")) ==
          R"({"b":1.50,"a":[true,null,"x\ny",{},[]],"c":{"d":-0}})");
  }

  TEST_CASE("a member that stands twice is refused with its path and line, at any level") {
    const auto refused = [](std::string_view text) {
      const auto parsed = parse_tree(text);
      return parsed ? std::string() : parsed.error().message;
    };
    CHECK(refused(R"({"a": 1, "b": 2, "a": 3})") ==
          "has the member \"a\" twice (line 1); leave one of them out");
    CHECK(refused("{\"f\": {\"x\": [{\"y\": 1},\n{\"y\": 1,\n \"\\u0079\": 2}]}}") ==
          "has the member \"f.x.y\" twice (line 3); leave one of them out");
    CHECK(refused(R"({"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}, {"b": 1}]})").empty());
  }

  TEST_CASE("a fault names its line") {
    const auto broken = parse_tree("{\n\n\"a\" 1}");
    REQUIRE(!broken);
    CHECK(broken.error().message == "is not valid JSON (line 3)");
    CHECK(parse_tree("{\"a\": \"\xff\"}").error().message == "is not UTF-8 (line 1)");
    CHECK(parse_tree("[1e999]").error().message == "has a number that is out of range (line 1)");
  }

  TEST_CASE("pointers lead through objects and arrays, with escapes") {
    Node root = tree(R"({"a/b": {"~": [10, 20]}})");
    const std::string pointer = pointer_to(pointer_to("", "a/b"), "~") + "/1";
    CHECK(pointer == "/a~1b/~0/1");
    Node *found = find_pointer(root, pointer);
    REQUIRE(found != nullptr);
    CHECK(found->text == "20");
    CHECK(find_pointer(root, "/a~1b/~0/2") == nullptr);
    CHECK(find_pointer(root, "/none/x") == nullptr);
    CHECK(find_pointer(root, "") == &root);
  }

  TEST_CASE("wiping leaves no character of a text") {
    Node root = tree(R"({"secret": "hunter2"})");
    const char *bytes = root.find("secret")->text.data();
    root.wipe();
    CHECK(std::string_view(bytes, 7) == std::string_view("\0\0\0\0\0\0\0", 7));
  }
}
