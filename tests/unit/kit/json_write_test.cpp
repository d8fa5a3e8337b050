// SPDX-License-Identifier: MIT
// Writing: strings of every length around the chunk size, the compact and the canonical form.
#include "sdk/kit/json.hpp"

#include <doctest/doctest.h>

#include <string>

namespace packhost::kit::json {

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

std::string compact(std::string_view text) {
  std::string out = "<";
  append_compact(out, text);
  return out + ">";
}

/// The same thing byte by byte, as an oracle.
std::string escaped_slowly(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    const std::string_view shorts = "\"\"\\\\\bb\ff\nn\rr\tt";
    std::size_t at = 0;
    while (at < shorts.size() && shorts[at] != byte) at += 2;
    if (at < shorts.size()) {
      out += '\\';
      out += shorts[at + 1];
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      out += byte;
    }
  }
  return out;
}

} // namespace

TEST_SUITE("kit/json_write") {
  TEST_CASE(
      "only quotes, backslashes and controls are escaped, in the short form where there is one") {
    CHECK(escaped("a\"b\\c/\b\f\n\r\t\x01\x1F\x7F") ==
          "a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F");
    CHECK(escaped(std::string_view("\0", 1)) == "\\u0000");
    CHECK(escaped("\xE2\x80\xA8\xF0\x9F\x98\x80") == "\xE2\x80\xA8\xF0\x9F\x98\x80");
    std::string out = "x";
    append_string(out, "y");
    CHECK(out == "x\"y\"");
  }

  TEST_CASE("[P-27] escaping and its size agree with the slow way at every length and place") {
    for (std::size_t length = 0; length < 70; ++length) {
      for (std::size_t at = 0; at <= length; ++at) {
        for (const char byte : {'"', '\\', '\n', '\x01', '\x1F', ' ', '\xC3'}) {
          std::string text(length, 'x');
          text.insert(at, 1, byte);
          if (byte == '\xC3') text.insert(at + 1, 1, '\xA9');
          if (length > 20) text[length / 2] = '\t';
          REQUIRE(escaped(text) == escaped_slowly(text));
          REQUIRE(escaped_size(text) == escaped(text).size());
        }
      }
    }
  }

  TEST_CASE("compact text has no white space outside strings and keeps every spelling") {
    CHECK(compact(" { \"a b\" : [ 1.50 , \"x \\\" y\" ] ,\n\t\"c\":-0 } ") ==
          "<{\"a b\":[1.50,\"x \\\" y\"],\"c\":-0}>");
    CHECK(compact("\"a                     b\\\\\"  ") == "<\"a                     b\\\\\">");
    CHECK(compact("7") == "<7>");
  }

  TEST_CASE("the canonical form sorts keys by bytes, keeps the last of equal ones and spells "
            "strings one way") {
    CHECK(canonical("{}") == "{}");
    CHECK(canonical(R"({ "b" : 1.0, "a" : [ 2, {"z":1,"y":[]} ] })") ==
          R"({"a":[2,{"y":[],"z":1}],"b":1.0})");
    CHECK(canonical(R"({"a":1,"b":2,"a":3})") == R"({"a":3,"b":2})");
    CHECK(canonical(R"({"a":1,"\u0061":{"c":2,"b":1}})") == R"({"a":{"b":1,"c":2}})");
    CHECK(canonical(R"(["\u00e9\/\u000a\u001F\"\\"])") == "[\"\xC3\xA9/\\n\\u001f\\\"\\\\\"]");
    CHECK(canonical(R"({"B":1,"a":2,"":3,"é":4,"\"":5})") == R"({"":3,"\"":5,"B":1,"a":2,"é":4})");
    CHECK(canonical("[1,[],{},[{\"b\":1,\"a\":2}],null]") == "[1,[],{},[{\"a\":2,\"b\":1}],null]");
    CHECK(canonical("1E5") == "1E5");
  }

  TEST_CASE("the canonical form of texts that say the same is the same") {
    const std::string one = canonical(R"({"x":{"q":1,"p":[true,false]},"w":"\u0041"})");
    const std::string two = canonical("{ \"w\" : \"A\",\n\"x\":{\"p\":[true , false],\"q\":1}}");
    CHECK(one == two);
  }

  TEST_CASE("the writer sets commas, and numbers read back the same") {
    std::string out;
    Writer writer(out);
    writer.begin_object()
        .string("a", "x\n")
        .integer("b", INT64_MIN)
        .unsigned_integer("c", UINT64_MAX);
    writer.key("d").begin_array().number(0.1).number(1e22).boolean(true).null().end_array();
    writer.key("e").begin_object().end_object().raw("f", "[1]").boolean("g", false).null("h");
    writer.end_object();
    CHECK(out == R"({"a":"x\n","b":-9223372036854775808,"c":18446744073709551615,)"
                 R"("d":[0.1,1e+22,true,null],"e":{},"f":[1],"g":false,"h":null})");
    CHECK(check(out));
  }
}

} // namespace packhost::kit::json
