// SPDX-License-Identifier: MIT
// Reading arguments with json.hpp.
#include <packhost/json.hpp>

#include <doctest/doctest.h>

using packhost::Args;

namespace {

template <class F>
std::string refusal_of(F &&read) {
  try {
    static_cast<void>(read());
  } catch (const packhost::Error &error) {
    return std::to_string(error.status()) + " " + error.what();
  }
  return "nothing was thrown";
}

} // namespace

TEST_SUITE("packhost/json") {
  TEST_CASE("members are read by type, with and without defaults") {
    const Args args(R"( {"s": "a\u00e4\n", "i": 42, "n": 0.5, "b": true, "l": ["x", "y"]} )");
    CHECK(args.str("s") == "a\xC3\xA4\n");
    CHECK(args.integer("i") == 42);
    CHECK(args.number("n") == 0.5);
    CHECK(args.number("i") == 42.0);
    CHECK(args.boolean("b"));
    CHECK(args.strings("l") == std::vector<std::string>{"x", "y"});
    CHECK(args.str("none", "default") == "default");
    CHECK(args.integer("none", 7) == 7);
    CHECK(args.number("none", 1.5) == 1.5);
    CHECK_FALSE(args.boolean("none", false));
    CHECK(args.strings("none").empty());
  }

  TEST_CASE("a number without a fraction is an integer however it is spelled") {
    const Args args(R"({"a": 2.0, "b": 2e0, "c": -9223372036854775808, "d": 2.5, "e": 1e300})");
    CHECK(args.integer("a") == 2);
    CHECK(args.integer("b") == 2);
    CHECK(args.integer("c") == INT64_MIN);
    CHECK(refusal_of([&] { return args.integer("d"); }) == "-1 'd' must be an integer");
    CHECK(refusal_of([&] { return args.integer("e"); }) == "-1 'e' must be an integer");
  }

  TEST_CASE("null counts as absent, and of equal names the last wins") {
    const Args args(R"({"a": null, "b": 1, "b": 2, "c": 1, "c": null})");
    CHECK_FALSE(args.has("a"));
    CHECK(args.integer("b") == 2);
    CHECK_FALSE(args.has("c"));
    CHECK(args.names() == std::vector<std::string>{"a", "b", "b", "c", "c"});
  }

  TEST_CASE("what is missing or of another type is refused by name") {
    const Args args(R"({"a": 1, "l": ["x", 2]})");
    CHECK(refusal_of([&] { return args.str("b"); }) == "-1 'b' is missing");
    CHECK(refusal_of([&] { return args.str("a"); }) == "-1 'a' must be a string");
    CHECK(refusal_of([&] { return args.strings("l"); }) == "-1 'l' must hold strings only");
    CHECK(refusal_of([&] { return args.object("a").has("x"); }) == "-1 'a' must be an object");
    CHECK(refusal_of([] { return Args("[1]").has("x"); }) == "-1 the arguments are no object");
    CHECK(refusal_of([] { return Args("{\"a\": ").has("x"); }) == "-1 the arguments are no object");
    CHECK(refusal_of([] { return Args("7").has("x"); }) == "-1 the arguments are no object");
  }

  TEST_CASE("nested values keep their spelling") {
    const Args args("{\"deep\" :\t{\"n\": 1.50, \"l\": [1, {\"x\": \"]}\"}]} , \"after\": -0}");
    CHECK(args.raw("deep") == "{\"n\": 1.50, \"l\": [1, {\"x\": \"]}\"}]}");
    CHECK(args.raw("after") == "-0");
    CHECK(args.raw("none").empty());
    CHECK(args.object("deep").raw("n") == "1.50");
  }

  TEST_CASE("a text nested 500 deep is read without a deep stack") {
    const std::string text = "{\"a\": " + std::string(500, '[') + std::string(500, ']') + "}";
    CHECK(Args(text).raw("a").size() == 1000);
  }

  TEST_CASE("quoted() escapes what JSON wants escaped and reads back the same") {
    std::string text = "a\"\\\n\t\x01 \xC3\xA4";
    CHECK(packhost::quoted(text) == "\"a\\\"\\\\\\n\\u0009\\u0001 \xC3\xA4\"");
    CHECK(Args("{\"t\": " + packhost::quoted(text) + "}").str("t") == text);
  }
}
