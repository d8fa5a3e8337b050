// SPDX-License-Identifier: MIT
// The document that options are merged and rewritten in.
#include "host/cli/json_tree.hpp"

#include <doctest/doctest.h>

using namespace packhost;
using namespace packhost::cli;

namespace {

Node tree(std::string_view text) {
  auto parsed = parse_tree(text);
  REQUIRE(parsed);
  return std::move(*parsed);
}

} // namespace

TEST_SUITE("cli/json_tree") {
  TEST_CASE("what is read is written with its order and the spelling of its numbers") {
    CHECK(write_tree(tree(R"( {"b": 1.50, "a": [true, null, "x\ny", {}, []], "c": {"d": -0}} )")) ==
          R"({"b":1.50,"a":[true,null,"x\ny",{},[]],"c":{"d":-0}})");
  }

  TEST_CASE("of equal members the last wins, in the place of the first") {
    CHECK(write_tree(tree(R"({"a": 1, "b": 2, "a": 3})")) == R"({"a":3,"b":2})");
  }

  TEST_CASE("a fault names its line") {
    const auto broken = parse_tree("{\n\n\"a\" 1}");
    REQUIRE(!broken);
    CHECK(broken.error().message == "not valid JSON (line 3)");
    CHECK(parse_tree("{\"a\": \"\xff\"}").error().message == "not UTF-8 (line 1)");
    CHECK(parse_tree("[1e999]").error().message == "a number is out of range (line 1)");
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
