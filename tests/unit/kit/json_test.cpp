// SPDX-License-Identifier: MIT
// Views over checked texts: values, members, elements, tokens, and reading arguments.
#include "sdk/kit/json.hpp"

#include <doctest/doctest.h>

#include <string>

namespace packhost::kit::json {

namespace {

std::string members_of(std::string_view text) {
  const Object object{Value(text)};
  std::string result;
  for (const Member &member : object.members()) {
    result += fmt::format("<{}={}>", member.key, member.value.text());
  }
  return result;
}

std::string tokens_of(std::string_view text) {
  Tokens tokens(text);
  std::string result;
  for (Token token = tokens.next(); token.kind != TokenKind::end; token = tokens.next()) {
    result += fmt::format("{}{} ", token.kind == TokenKind::key ? "key:" : "", token.text);
  }
  return result;
}

std::string fault_of(const Result<void, ArgumentFault> &result) {
  if (result) return "none";
  const ArgumentFault &fault = result.error();
  return fmt::format("{}: {} ({})", fault.argument, fault.reason, fault.expected);
}

} // namespace

TEST_SUITE("kit/json") {
  TEST_CASE("a value is the text without the white space around it") {
    CHECK(Value(" \n{\"a\": 1}\t").text() == "{\"a\": 1}");
    CHECK(Value("[]").kind() == Kind::array);
    CHECK(Value("null").kind() == Kind::null);
    CHECK(Value("false").boolean() == false);
    CHECK_FALSE(Value().exists());
    CHECK_FALSE(Value().is(Kind::null));
    CHECK_FALSE(Value("\"true\"").boolean());
  }

  TEST_CASE("[P-27] characters of strings survive: escapes, NUL, controls, emoji, CJK") {
    CHECK(Value(R"("a\"\\\/\b\f\n\r\tz")").string() == "a\"\\/\b\f\n\r\tz");
    CHECK(Value(R"("\u0000\u001f\u2028")").string() == std::string("\0\x1F\xE2\x80\xA8", 5));
    CHECK(Value(R"("\ud83d\ude00 \u6f22")").string() == "\xF0\x9F\x98\x80 \xE6\xBC\xA2");
    CHECK(Value("\"\xE6\xBC\xA2\xF0\x9F\x98\x80\"").string() == "\xE6\xBC\xA2\xF0\x9F\x98\x80");
    const std::string large(200'000, 'x');
    CHECK(Value("\"" + large + "\"").string() == large);
    CHECK(Value(R"("p\u0061th")").equals("path"));
    CHECK_FALSE(Value(R"("path")").equals("pat"));
    CHECK_FALSE(Value("1").equals("1"));
  }

  TEST_CASE("an integer is one however it is spelled, if 64 bits hold it") {
    CHECK(Value("2").integer() == 2);
    CHECK(Value("2.0").integer() == 2);
    CHECK(Value("2e0").integer() == 2);
    CHECK(Value("200e-2").integer() == 2);
    CHECK(Value("-0").integer() == 0);
    CHECK(Value("0e999999999").integer() == 0);
    CHECK(Value("1.5e1").integer() == 15);
    CHECK(Value("9223372036854775807").integer() == INT64_MAX);
    CHECK(Value("-9223372036854775808.000").integer() == INT64_MIN);
    CHECK_FALSE(Value("9223372036854775808").integer());
    CHECK_FALSE(Value("1e30").integer());
    CHECK_FALSE(Value("1e-1").integer());
    CHECK_FALSE(Value("1.5").integer());
    CHECK_FALSE(Value("\"2\"").integer());
    CHECK(Value("0.25").number() == 0.25);
    CHECK(Value("1e-400").number() == 0.0);
    CHECK_FALSE(Value("true").number());
  }

  TEST_CASE("members come in order, and of equal keys find() gives the last") {
    const std::string text = R"({ "a" : 1, "b":{"c":[1,"}"]}, "a":"x,y" , "\u0064":null })";
    CHECK(members_of(text) == R"(<a=1><b={"c":[1,"}"]}><a="x,y"><d=null>)");
    const Object object{Value(text)};
    CHECK(object.find("a").text() == "\"x,y\"");
    CHECK(object.find("d").is(Kind::null));
    CHECK_FALSE(object.find("c").exists());
    CHECK(Object(Value()).members().empty());
    CHECK(members_of("{}").empty());
    CHECK(members_of(R"({"":1})") == "<=1>");
  }

  TEST_CASE("[I-5] an object of many members finds the first, the last and the doubled one") {
    std::string text = "{\"first\":1";
    for (int i = 0; i < 2'000; ++i) text += fmt::format(",\"k{}\":{}", i, i);
    text += R"(,"first":2,"l\u0061st":3})";
    const Object object{Value(text)};
    CHECK(object.find("k7").text() == "7");
    CHECK(object.find("k1999").text() == "1999");
    CHECK(object.find("first").text() == "2");
    CHECK(object.find("last").text() == "3");
    CHECK_FALSE(object.find("k2000").exists());
    CHECK(object.members().size() == 2'003);
    CHECK(object.find("first").text() == "2");
    const Object moved = Object(Value(text));
    CHECK(moved.members().back().key == "last");
  }

  TEST_CASE("elements come in order, one by one or as a list") {
    const Value array(R"([1, "a]b", [2,[3]], {"c":4} ,null])");
    std::string list;
    for (const Value &each : elements(array)) list += fmt::format("<{}>", each.text());
    CHECK(list == R"(<1><"a]b"><[2,[3]]><{"c":4}><null>)");
    Elements all(Value("[ ]"));
    CHECK_FALSE(all.next().exists());
  }

  TEST_CASE("tokens tell keys from strings and can pass over values") {
    CHECK(tokens_of(R"({"a" : ["b", 1.5e3 , true],"c":{}})") ==
          R"({ key:"a" [ "b" 1.5e3 true ] key:"c" { } } )");
    const std::string text = R"({"a":[1,{"b":2}],"c":3})";
    Tokens tokens(text);
    tokens.next();
    tokens.next();
    CHECK(tokens.skip_value().text() == R"([1,{"b":2}])");
    const Token key = tokens.next();
    CHECK(key.text == "\"c\"");
    CHECK(tokens.offset() == text.size() - 3);
  }

  TEST_CASE("arguments are read by type, and null counts as absent") {
    ArgumentReader reader(
        R"({"path":"a","n":2.0,"on":true,"mode":"up","list":["x","y"],"no":null})");
    CHECK(reader.required_string("path") == "a");
    CHECK(reader.optional_integer("n") == 2);
    CHECK(reader.optional_boolean("on") == true);
    CHECK(reader.optional_choice("mode", {"up", "down"}) == "up");
    CHECK(reader.required_strings("list") == std::vector<std::string>{"x", "y"});
    CHECK_FALSE(reader.optional_string("no"));
    CHECK(fault_of(reader.finish()) == "none");
  }

  TEST_CASE("the first fault of the arguments is named") {
    ArgumentReader missing(R"({"n":"2"})");
    CHECK(missing.required_string("path").empty());
    CHECK_FALSE(missing.optional_integer("n"));
    CHECK(fault_of(missing.finish()) == "path: is missing (a string)");
    ArgumentReader choice(R"({"mode":"left"})");
    CHECK_FALSE(choice.optional_choice("mode", {"up", "down"}));
    CHECK(fault_of(choice.finish()) == "mode: must be one of 'up', 'down' (one of 'up', 'down')");
    ArgumentReader element(R"({"paths":["a",7]})");
    CHECK(element.required_strings("paths").empty());
    CHECK(fault_of(element.finish()) == "paths[1]: must be a string (a string)");
    ArgumentReader unknown(R"({"path":"a","pth":"b"})");
    CHECK(unknown.required_string("path") == "a");
    CHECK(fault_of(unknown.finish()) == "pth: unknown property ('path')");
    ArgumentReader no_object("[1]");
    CHECK(fault_of(no_object.finish()) == ": must be an object ()");
  }
}

} // namespace packhost::kit::json
