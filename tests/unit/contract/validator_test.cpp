// SPDX-License-Identifier: MIT
// Documents against compiled schemas: what fits, and the sentences for what does not.
#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace packhost::contract {

namespace {

std::string outcome(const Schema &schema, std::string_view document) {
  const kit::Result<void, Violation> result = schema.check(document);
  if (result) return "fits";
  return fmt::format("{}: {}", result.error().pointer, result.error().rule);
}

std::string outcome(std::string_view schema, std::string_view document) {
  const kit::Result<Schema> compiled = Schema::compile(schema);
  if (!compiled) return compiled.error().message;
  return outcome(*compiled, document);
}

constexpr std::string_view kRead = R"({
  "type": "object", "additionalProperties": false, "required": ["path"],
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 8, "default": "x"},
    "max_bytes": {"type": "integer", "minimum": 1, "maximum": 100},
    "mode": {"type": "string", "enum": ["text", "bytes"]},
    "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true},
    "key": {"type": "string", "pattern": "^\\d+$"},
    "where": {"type": "object", "properties": {"a/b": {"type": "boolean"}}, "minProperties": 1},
    "step": {"type": "number", "multipleOf": 0.5},
    "any": {"type": ["string", "null"]}}})";

} // namespace

TEST_SUITE("contract/validator") {
  TEST_CASE("what fits") {
    for (const char *document :
         {R"({"path":"a"})", R"({ "path" : "\u00e4\u00f6" , "max_bytes" : 2.0 })",
          R"({"path":"a","max_bytes":1e2,"mode":"bytes","paths":["x","y"],"step":1.5,"any":null})",
          R"({"path":"12345678","key":"0123","where":{"a/b":true,"c":[1]}})"}) {
      CAPTURE(document);
      CHECK(outcome(kRead, document) == "fits");
    }
  }

  TEST_CASE("the quick way for flat schemas never takes what the validator refuses") {
    const std::vector<std::string> properties{
        R"({"type":"string"})",  R"({"type":"string","maxLength":3})",
        R"({"type":"integer"})", R"({"type":"boolean"})",
        R"({"type":"number"})",  R"({"type":"integer","minimum":2})"};
    const std::vector<std::string> values{R"("")",
                                          R"("abc")",
                                          R"("abcd")",
                                          R"("\u00e4\u00f6\u00fc")",
                                          "true",
                                          "false",
                                          "null",
                                          "0",
                                          "-7",
                                          "2.0",
                                          "2.5",
                                          "1e3",
                                          "99999999999999999999999",
                                          "-9223372036854775808",
                                          "[]",
                                          R"({"a":1})"};
    std::size_t fitting = 0;
    for (const std::string &property : properties) {
      for (const std::string_view rest :
           {R"()", R"(,"required":["a"])", R"(,"additionalProperties":false)",
            R"(,"required":["a"],"additionalProperties":false)", R"(,"required":["other"])"}) {
        const std::string schema =
            fmt::format(R"({{"type":"object","properties":{{"a":{}}}{}}})", property, rest);
        // The same rules in a form that has no quick way.
        const std::string slow = fmt::format(R"({{"type":"object","allOf":[{}]}})", schema);
        for (const std::string &value : values) {
          for (const std::string &document : {fmt::format(R"({{"a":{}}})", value),
                                              fmt::format(R"({{"a":{},"b":{}}})", value, value),
                                              fmt::format(R"({{"a":"x","a":{}}})", value),
                                              fmt::format(R"({{"\u0061":{}}})", value),
                                              fmt::format(R"({{"b":{}}})", value), value}) {
            CAPTURE(schema);
            CAPTURE(document);
            const bool fits = outcome(schema, document) == "fits";
            REQUIRE(fits == (outcome(slow, document) == "fits"));
            fitting += fits ? 1U : 0U;
          }
        }
      }
    }
    CHECK(fitting > 200);
  }

  TEST_CASE("violations name the field and the fault, and never the value") {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"[]", ": must be an object"},
        {"{}", ": is missing the property 'path'"},
        {R"({"pth":"a"})", ": unknown property 'pth'; did you mean 'path'?"},
        {R"({"path":"a","s3cret":"a"})", ": unknown property 's3cret'"},
        {R"({"path":7})", "/path: must be a string"},
        {R"({"path":""})", "/path: must have at least 1 character"},
        {R"({"path":"123456789"})", "/path: must have at most 8 characters"},
        {R"({"path":"a","max_bytes":0})", "/max_bytes: must be at least 1"},
        {R"({"path":"a","max_bytes":101})", "/max_bytes: must be at most 100"},
        {R"({"path":"a","max_bytes":2.5})", "/max_bytes: must be an integer"},
        {R"({"path":"a","max_bytes":"2"})", "/max_bytes: must be an integer"},
        {R"({"path":"a","max_bytes":1e30})", "/max_bytes: must be an integer that fits in 64 bits"},
        {R"({"path":"a","mode":"s3cret"})", "/mode: must be one of \"text\", \"bytes\""},
        {R"({"path":"a","paths":[]})", "/paths: must have at least 1 item"},
        {R"({"path":"a","paths":["a","b",3]})", "/paths/2: must be a string"},
        {R"({"path":"a","paths":["a","b","c","d"]})", "/paths: must have at most 3 items"},
        {R"({"path":"a","paths":["a","b","a"]})", "/paths/2: must not repeat an earlier item"},
        {R"({"path":"a","key":"12a"})", "/key: must match the pattern ^\\d+$"},
        {R"({"path":"a","where":{}})", "/where: must have at least 1 property"},
        {R"({"path":"a","where":{"a/b":1}})", "/where/a~1b: must be true or false"},
        {R"({"path":"a","step":0.7})", "/step: must be a multiple of 0.5"},
        {R"({"path":"a","any":5})", "/any: must be a string or null"},
    };
    for (const std::pair<std::string, std::string> &row : rows) {
      CAPTURE(row.first);
      CHECK(outcome(kRead, row.first) == row.second);
    }
  }

  TEST_CASE("a required property is missing also where its schema has a default") {
    CHECK(outcome(kRead, R"({"mode":"text"})") == ": is missing the property 'path'");
  }

  TEST_CASE("branches are named by what they ask for") {
    constexpr std::string_view kBranches =
        R"({"type":"object","anyOf":[{"required":["id"]},{"required":["name","space"]}]})";
    CHECK(outcome(kBranches, R"({"name":"x"})") ==
          ": must fit a form with 'id' or 'name' and 'space'");
    CHECK(outcome(kBranches, R"({"id":1})") == "fits");
    CHECK(outcome(R"({"oneOf":[{"type":"integer"},{"type":"number"}]})", "1") ==
          ": must fit exactly one of the forms its schema allows");
    CHECK(outcome(R"({"allOf":[{"minimum":3},{"maximum":5}]})", "6") ==
          ": must fit all the forms its schema names");
  }

  TEST_CASE("[P-27] patterns see the whole string, NUL and escapes included") {
    constexpr std::string_view kDigits = R"({"type":"string","pattern":"^[0-9]+$"})";
    CHECK(outcome(kDigits, R"("12")") == "fits");
    CHECK(outcome(kDigits, R"("\u0031\u0032")") == "fits");
    CHECK(outcome(kDigits, R"("12\u0000")") != "fits");
    CHECK(outcome(kDigits, R"("12\u0000x")") != "fits");
    CHECK(outcome(kDigits, R"("12\n")") != "fits");
    CHECK(outcome(R"({"pattern":"\u0041.\\d"})", R"("xA-5y")") == "fits");
    CHECK(outcome(R"({"pattern":"^\\p{L}+$"})", "\"\xC3\xA4\xE6\xBC\xA2\"") == "fits");
  }

  TEST_CASE("[I-5] a pattern made to explode costs time in proportion to its input") {
    const kit::Result<Schema> schema = Schema::compile(R"({"pattern":"^(a+)+$"})");
    REQUIRE(schema);
    const std::string document = "\"" + std::string(1'000'000, 'a') + "!\"";
    CHECK(outcome(*schema, document) != "fits");
  }

  TEST_CASE("[I-5] ten times the distinct items cost about ten times as long, not a hundred") {
    const kit::Result<Schema> schema = Schema::compile(
        R"({"anyOf":[{"type":"array","uniqueItems":true,"maxItems":1024},{"type":"string"}]})");
    REQUIRE(schema);
    const auto numbers = [](int count) {
      std::string document = "[0";
      for (int i = 1; i < count; ++i) document += fmt::format(",{}", i);
      return document + "]";
    };
    CHECK(outcome(*schema, numbers(1'024)) == "fits");
    CHECK(outcome(*schema, numbers(1'025)) != "fits");
    const auto milliseconds = [&schema](const std::string &document) {
      const auto start = std::chrono::steady_clock::now();
      CHECK_FALSE(schema->check(document));
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
          .count();
    };
    const double few = milliseconds(numbers(40'000));
    const double many = milliseconds(numbers(400'000));
    CHECK(many < 60 * few + 20); // quadratic would be a hundred times
  }

  TEST_CASE("[P-28] numbers at the edges and duplicate keys have a defined outcome") {
    CHECK(outcome(R"({"type":"integer"})", "-0") == "fits");
    CHECK(outcome(R"({"type":"integer"})", "9223372036854775808") == "fits");
    CHECK(outcome(R"({"type":"integer"})", "-9223372036854775808") == "fits");
    CHECK(outcome(R"({"type":"number","multipleOf":2})", "-9223372036854775808") == "fits");
    CHECK(outcome(R"({"type":"number"})", "1e308") == "fits");
    CHECK(outcome(R"({"enum":[1]})", "1.0") == "fits");
    CHECK(outcome(R"({"enum":[{"a":1,"b":[2]}]})", R"({"b":[2.0],"a":1})") == "fits");
    CHECK(outcome(R"({"properties":{"a":{"type":"string"}}})", R"({"a":"x","a":1})") ==
          "/a: must be a string");
  }

  TEST_CASE("[P-11] a document as deep as the limit is checked at constant stack") {
    const std::string deep = std::string(512, '[') + std::string(512, ']');
    CHECK(outcome(R"({"type":"array"})", deep) == "fits");
    CHECK(outcome(R"({"type":"array","items":{"type":"array","maxItems":0}})", deep) ==
          "/0: must have at most 0 items");
  }

  TEST_CASE("one schema may be used by several threads at once") {
    const kit::Result<Schema> schema = Schema::compile(kRead);
    REQUIRE(schema);
    std::vector<int> wrong(4);
    std::vector<std::thread> threads;
    for (int &count : wrong) {
      threads.emplace_back([&schema, &count] {
        for (int i = 0; i < 500; ++i) {
          if (!schema->check(R"({"path":"a","key":"12","paths":["x","y"]})")) ++count;
          if (schema->check(R"({"path":"a","key":"x"})")) ++count;
        }
      });
    }
    for (std::thread &thread : threads) thread.join();
    CHECK(wrong == std::vector<int>{0, 0, 0, 0});
  }

  TEST_CASE("a property may be called as a keyword is") {
    constexpr std::string_view kNames =
        R"({"type":"object","additionalProperties":false,"properties":{"pattern":{"type":"string"},)"
        R"("default":{"type":"integer"},"title":{"type":"string"},"properties":{"type":"object"},)"
        R"("enum":{"type":"array","items":{"type":"string"}},"$ref":{"type":"string"}}})";
    CHECK(check_schema(kNames, SchemaUse::output));
    CHECK(
        outcome(
            kNames,
            R"({"pattern":"((","default":1,"title":"t","properties":{},"enum":["a"],"$ref":"x"})") ==
        "fits");
    CHECK(outcome(kNames, R"({"default":"x"})") == "/default: must be an integer");
    CHECK(outcome(kNames, R"({"title":1})") == "/title: must be a string");
  }

  TEST_CASE("a keyword with an escape in its name is that keyword") {
    CHECK(outcome(R"({"p\u0061ttern":"^[0-9]+$"})", R"("12")") == "fits");
    CHECK(outcome(R"({"p\u0061ttern":"^[0-9]+$"})", R"("1a")") ==
          ": must match the pattern ^[0-9]+$");
    CHECK(outcome(R"({"p\u0061ttern":"("})", "1") != "fits");
    CHECK(outcome(R"({"multiple\u004ff":2})", "-9223372036854775808") == "fits");
  }

  TEST_CASE("a pattern that RE2 refuses does not compile") {
    CHECK(outcome(R"({"type":"object","properties":{"a":{"pattern":"(a"}}})", "{}") ==
          "pattern is no regular expression packs may use (missing ): (a)");
  }
}

} // namespace packhost::contract
