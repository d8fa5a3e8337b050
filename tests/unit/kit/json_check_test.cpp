// SPDX-License-Identifier: MIT
// What is JSON and what is not, with the offset of the first fault; and the two repairs.
#include "sdk/kit/json.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace packhost::kit::json {

namespace {

std::string repeat(std::string_view text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result.append(text);
  return result;
}

const char *name_of(Fault fault) {
  switch (fault) {
  case Fault::syntax:
    return "syntax";
  case Fault::encoding:
    return "encoding";
  case Fault::depth:
    return "depth";
  case Fault::number_range:
    return "number_range";
  }
  return "?";
}

/// "ok", or the fault and its offset.
std::string outcome(std::string_view text, const Limits &limits = {}) {
  const Result<void, ParseFault> result = check(text, limits);
  if (result) return "ok";
  return fmt::format("{} at {}", name_of(result.error().fault), result.error().offset);
}

} // namespace

TEST_SUITE("kit/json_check") {
  TEST_CASE("every kind of value is a text, with white space around it") {
    for (const char *text : {"null", "true", "false", "0", "-0", "1.5e-3", "\"\"", "{}", "[]",
                             " \t\r\n{\"a\" : [1, 2 , {\"b\":null}] }\n", "[[],{},\"x\"]"}) {
      CAPTURE(text);
      CHECK(outcome(text) == "ok");
    }
  }

  TEST_CASE("what the grammar does not have is refused where it stands") {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"", "syntax at 0"},
        {"  ", "syntax at 2"},
        {"[1,]", "syntax at 3"},
        {"{\"a\":1,}", "syntax at 7"},
        {"{a:1}", "syntax at 1"},
        {"{\"a\" 1}", "syntax at 5"},
        {"{\"a\":1", "syntax at 6"},
        {"[1}", "syntax at 2"},
        {"{\"a\":1]", "syntax at 6"},
        {"1 2", "syntax at 2"},
        {"NaN", "syntax at 0"},
        {"-Infinity", "syntax at 1"},
        {"// c\n1", "syntax at 0"},
        {"01", "syntax at 1"},
        {"1.", "syntax at 2"},
        {".5", "syntax at 0"},
        {"1e", "syntax at 2"},
        {"+1", "syntax at 0"},
        {"tru", "syntax at 0"},
        {"nullx", "syntax at 4"},
        {"'a'", "syntax at 0"},
        {"\"abc", "syntax at 4"},
        {"\"a\nb\"", "syntax at 2"},
        {"\"a\\x\"", "syntax at 2"},
        {"\"\\u12g4\"", "syntax at 1"},
        {"\"\\", "syntax at 2"},
        {"\xEF\xBB\xBF{}", "syntax at 0"},
        {std::string("\"a\0b\"", 5), "syntax at 2"},
        {std::string("1\0", 2), "syntax at 1"},
    };
    for (const std::pair<std::string, std::string> &row : rows) {
      CAPTURE(row.first);
      CHECK(outcome(row.first) == row.second);
    }
  }

  TEST_CASE("bytes that are not UTF-8 are refused at their offset, also behind long plain text") {
    CHECK(outcome("\"ab\xFF\"") == "encoding at 3");
    CHECK(outcome("\"\xC0\x80\"") == "encoding at 1");
    CHECK(outcome("\"\xED\xA0\x80\"") == "encoding at 1");
    CHECK(outcome("\"" + repeat("x", 100) + "\xE2\x82\"") == "encoding at 101");
    CHECK(outcome("\"\xF0\x9F\x98\x80 \xE6\xBC\xA2\"") == "ok");
  }

  TEST_CASE("[P-11] ten thousand and a million brackets end in a depth fault, not in a crash") {
    CHECK(outcome(repeat("[", 10'000)) == "depth at 512");
    CHECK(outcome(repeat("[", 1'000'000)) == "depth at 512");
    CHECK(outcome(repeat("{\"a\":", 200'000) + "1" + repeat("}", 200'000)) == "depth at 2560");
    CHECK(outcome(repeat("[", 512) + repeat("]", 512)) == "ok");
    CHECK(outcome(repeat("[", 513) + repeat("]", 513)) == "depth at 512");
    CHECK(outcome(repeat("[", 65) + repeat("]", 65), {64}) == "depth at 64");
  }

  TEST_CASE("the pass that checks a text notes the members of three levels") {
    const std::string_view text =
        R"({"a":1, "b" : {"c":[{"x":1}],"d":{"e":"f" ,"g":{"h":{}}} },"\u0061":{},"z":"}"})";
    Outline outline;
    REQUIRE(check(text, outline));
    std::string shown;
    for (const Outline::Entry &entry : outline.entries())
      shown += fmt::format("{} {}={}\n", entry.depth, entry.key, entry.value);
    CHECK(shown == "1 \"a\"=1\n1 \"b\"={\"c\":[{\"x\":1}],\"d\":{\"e\":\"f\" ,\"g\":{\"h\":{}}} }\n"
                   "2 \"c\"=[{\"x\":1}]\n2 \"d\"={\"e\":\"f\" ,\"g\":{\"h\":{}}}\n"
                   "3 \"e\"=\"f\"\n3 \"g\"={\"h\":{}}\n1 \"\\u0061\"={}\n1 \"z\"=\"}\"\n");
    const auto entries = outline.entries();
    CHECK(Outline::inside(entries, 0).empty());
    CHECK(Outline::inside(entries, 1).size() == 4);
    const Object members(Value(entries[1].value), Outline::inside(entries, 1));
    CHECK(members.members().size() == 2);
    CHECK(members.find("d").text() == entries[3].value);
    const Object empty(Value("{}"), Outline::inside(entries, 6));
    CHECK(empty.members().empty());
  }

  TEST_CASE(
      "an object from an outline is the object from its text, and too many members are none") {
    for (std::size_t count = 0; count < Outline::kMaxMembers + 3; ++count) {
      std::string text = "{";
      for (std::size_t i = 0; i < count; ++i)
        text += fmt::format("{}\"k{}\":{}", i > 0 ? "," : "", i % 7, i % 3 == 0 ? "[{}]" : "\"v\"");
      text += "}";
      CAPTURE(text);
      Outline outline;
      REQUIRE(check(text, outline));
      CHECK(outline.entries().size() == (count <= Outline::kMaxMembers ? count : 0));
      const Object scanned{Value(text)};
      const Object noted(Value(text), outline.entries());
      REQUIRE(noted.members().size() == scanned.members().size());
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(noted.members()[i].key == scanned.members()[i].key);
        CHECK(noted.members()[i].value.text() == scanned.members()[i].value.text());
      }
      for (std::size_t i = 0; i < 8; ++i)
        CHECK(noted.find(fmt::format("k{}", i)).text() ==
              scanned.find(fmt::format("k{}", i)).text());
    }
  }

  TEST_CASE("check_form() tells whether white space stands between tokens") {
    CHECK(check_form(R"({"a":[1,2," "],"b":"\n"})").value());
    for (const std::string_view text : {R"( {})", R"({} )", R"({ })", R"({"a" :1})", R"({"a": 1})",
                                        R"([1 ,2])", R"([1, 2])", "[1\n]"}) {
      CAPTURE(text);
      CHECK_FALSE(check_form(text).value());
    }
    CHECK_FALSE(check_form("{").has_value());
  }

  TEST_CASE("[I-5] whoever allows a million levels pays a bit for each, and no stack") {
    const std::size_t levels = 1'000'000;
    const std::string arrays = repeat("[", levels) + repeat("]", levels);
    const std::string objects = repeat("{\"a\":", levels) + "1" + repeat("}", levels);
    CHECK(outcome(arrays, {levels}) == "ok");
    CHECK(outcome(objects, {levels}) == "ok");
    CHECK(outcome(repeat("[{\"a\":", levels / 2) + "1" + repeat("}]", levels / 2), {levels}) ==
          "ok");
    CHECK(canonical(objects) == objects);
    std::string compact;
    append_compact(compact, arrays);
    CHECK(compact == arrays);
    CHECK(Object(Value(objects)).find("a").text().size() == objects.size() - 6);
  }

  TEST_CASE("[P-26] half a surrogate pair is a fault, and the repair makes it U+FFFD in place") {
    CHECK(outcome("\"\\ud800\"") == "encoding at 1");
    CHECK(outcome("\"a\\udc00\"") == "encoding at 2");
    CHECK(outcome("\"\\ud800\\u0041\"") == "encoding at 1");
    CHECK(outcome("\"\\ud83d\\ude00\"") == "ok");
    std::string text = R"(["\ud800","\uDC00x","\ud83d\ude00","\\ud800","\\\ud800","\ud800\ud800"])";
    const std::size_t size = text.size();
    CHECK(repair_surrogates(text) == 5);
    CHECK(text.size() == size);
    CHECK(text == R"(["\ufffd","\ufffdx","\ud83d\ude00","\\ud800","\\\ufffd","\ufffd\ufffd"])");
    CHECK(outcome(text) == "ok");
    std::string cut = "\"\\ud8";
    CHECK(repair_surrogates(cut) == 0);
  }

  TEST_CASE("[P-28] duplicate keys, -0, huge and tiny numbers have a defined outcome") {
    CHECK(outcome("{\"a\":1,\"a\":2}") == "ok");
    CHECK(outcome("-0") == "ok");
    CHECK(outcome("1e400") == "number_range at 0");
    CHECK(outcome("[1,-1e400]") == "number_range at 3");
    CHECK(outcome(repeat("9", 5'000)) == "number_range at 0");
    CHECK(outcome("0." + repeat("9", 5'000)) == "ok");
    CHECK(outcome("1e-400") == "ok");
    CHECK(outcome("0e999999999999999999999") == "ok");
    CHECK(outcome("1e999999999999999999999") == "number_range at 0");
    CHECK(outcome("1e-999999999999999999999") == "ok");
    CHECK(outcome("1.7976931348623157e308") == "ok");
    CHECK(outcome("1.7976931348623159e308") == "number_range at 0");
    CHECK(outcome("0." + repeat("0", 400) + "1e700") == "ok");
    CHECK(outcome("0." + repeat("0", 300) + "1e700") == "number_range at 0");
    CHECK(outcome(repeat("1", 400) + "e-100") == "ok");
  }

  TEST_CASE("[P-28] a number beyond a double is blanked, so that the rest can be read") {
    std::string text = R"({"id":7,"params":{"n":-12.5e400,"m":1}})";
    const Result<void, ParseFault> first = check(text);
    REQUIRE_FALSE(first);
    CHECK(first.error().fault == Fault::number_range);
    blank_number(text, first.error().offset);
    CHECK(text == R"({"id":7,"params":{"n":1e308    ,"m":1}})");
    CHECK(outcome(text) == "ok");
    std::string shortest = "2e308";
    blank_number(shortest, 0);
    CHECK(shortest == "1e308");
  }
}

} // namespace packhost::kit::json
