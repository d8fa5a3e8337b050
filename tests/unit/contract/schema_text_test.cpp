// SPDX-License-Identifier: MIT
// Schemas without the host's members, documents with defaults, and the rules of schemas that the
// manifest files do not show.
#include "sdk/contract/validator.hpp"

#include <doctest/doctest.h>

#include <string>

namespace packhost::contract {

namespace {

std::string fault_of(std::string_view schema, SchemaUse use) {
  const kit::Result<void, SchemaFault> result = check_schema(schema, use);
  if (result) return "none";
  return fmt::format("{}@{}: {}", result.error().path, result.error().offset, result.error().rule);
}

} // namespace

TEST_SUITE("contract/schema_text") {
  TEST_CASE("x-packhost goes where it is a keyword and stays where it is a name or data") {
    CHECK(
        without_host_members(
            R"({ "type":"object", "x-packhost":{"wide":true}, "properties":{"a":{"x-packhost":{"path":"file"},"type":"string"},)"
            R"("x-packhost":{"type":"string","x-packhost":{"secret":true}}},"items":{"x-packhost":{}},"default":{"x-packhost":1},)"
            R"("anyOf":[{"x-packhost":{}},{"enum":[{"x-packhost":2}]}] })") ==
        R"({"type":"object","properties":{"a":{"type":"string"},"x-packhost":{"type":"string"}},"items":{},)"
        R"("default":{"x-packhost":1},"anyOf":[{},{"enum":[{"x-packhost":2}]}]})");
    CHECK(without_host_members("{}") == "{}");
  }

  TEST_CASE("defaults fill what is absent, at the top and in nested objects that are present") {
    constexpr std::string_view kSchema =
        R"({"type":"object","properties":{"keep":{"type":"integer","default":200},"root":{"type":"array"},)"
        R"("net":{"type":"object","properties":{"port":{"default":80},"host":{"type":"string"}}},)"
        R"("log":{"type":"object","default":{},"properties":{"level":{"default":"warn"}}},)"
        R"("targets":{"type":"object","additionalProperties":{"type":"object","properties":{"tls":{"default":true}}}}}})";
    CHECK(with_defaults(kSchema, "{}") == R"({"keep":200,"log":{"level":"warn"}})");
    CHECK(with_defaults(kSchema, R"({ "root" : [ "a" ], "keep":1.50, "net":{"host":"h"} })") ==
          R"({"root":["a"],"keep":1.50,"net":{"host":"h","port":80},"log":{"level":"warn"}})");
    CHECK(with_defaults(
              kSchema,
              R"({"keep":0,"log":{"level":"debug"},"targets":{"x":{},"y":{"tls":false}}})") ==
          R"({"keep":0,"log":{"level":"debug"},"targets":{"x":{"tls":true},"y":{"tls":false}}})");
    CHECK(with_defaults(kSchema, "7") == "7");
  }

  TEST_CASE("a map of options may give one schema for its values, and nothing else may") {
    constexpr std::string_view kMap =
        R"({"type":"object","properties":{"targets":{"type":"object","additionalProperties":{"type":"object"}}}})";
    CHECK(fault_of(kMap, SchemaUse::options) == "none");
    CHECK(fault_of(kMap, SchemaUse::output) ==
          "properties.targets.additionalProperties@81: must be true or false");
  }

  TEST_CASE("the offset of a fault is that of the offending value") {
    CHECK(fault_of(R"({"type":"object","const":1})", SchemaUse::output) ==
          "@25: \"const\" is not in the schema subset packs may use");
    CHECK(fault_of(R"({"type":"object","properties":{"a":{"maxLength":"x"}}})",
                   SchemaUse::output) == "properties.a.maxLength@48: must be a number");
  }

  TEST_CASE("[I-5] the number and the depth of schemas have limits") {
    std::string many = R"({"type":"object","properties":{"a0":{})";
    for (int i = 1; i < 1'000; ++i) many += fmt::format(",\"a{}\":{{}}", i);
    CHECK(fault_of(many + "}}", SchemaUse::output).ends_with("a schema may hold 1000 schemas"));
    std::string deep = "{}";
    for (int i = 0; i < 14; ++i) deep = fmt::format(R"({{"items":{}}})", deep);
    const std::string root = R"({"type":"object","properties":{"a":)";
    CHECK(fault_of(root + deep + "}}", SchemaUse::output) == "none");
    CHECK(fault_of(root + R"({"items":)" + deep + "}}}", SchemaUse::output)
              .ends_with("schemas may be nested 16 deep"));
  }

  TEST_CASE("patterns that other engines read otherwise are refused") {
    for (const char *pattern : {"^(?=a)", "(?!a)", "(?<=a)", "(?i)a", "(?P<n>a)", "(a)\\1", "\\Aa",
                                "a\\z", "\\Qa\\E", "(", "a{1001}", "[a"}) {
      CAPTURE(pattern);
      CHECK(find_pattern_fault(pattern));
    }
    for (const char *pattern :
         {"^a$", "(?:a|b)+", "\\d{1,4}", "[(?=]", "\\(?=a", "\\\\A", "^\\p{L}"}) {
      CAPTURE(pattern);
      CHECK_FALSE(find_pattern_fault(pattern));
    }
    CHECK(find_pattern_fault(std::string_view("a\0b", 3)));
  }
}

} // namespace packhost::contract
