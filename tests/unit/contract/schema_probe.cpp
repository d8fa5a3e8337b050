// SPDX-License-Identifier: MIT
// For tests/tools/check_schema_differential.py: reads lines `{"schema": ..., "document": ...}` and
// answers each with one line: `valid`, `invalid`, or `refused: ...` for a schema outside the
// subset. A schema without "type" at the top is checked below a property, where the subset asks for
// none.
#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"

#include <cstdio>
#include <iostream>
#include <string>

namespace {

namespace json = packhost::kit::json;
using packhost::contract::Schema;

std::string answer(const std::string &line) {
  if (!json::check(line)) return "refused: not JSON";
  const json::Object request{json::Value(line)};
  const std::string schema = fmt::format(R"({{"type":"object","properties":{{"value":{}}}}})",
                                         request.find("schema").text());
  const auto checked =
      packhost::contract::check_schema(schema, packhost::contract::SchemaUse::options);
  if (!checked) return "refused: " + checked.error().path + ": " + checked.error().rule;
  const packhost::kit::Result<Schema> compiled = Schema::compile(schema);
  if (!compiled) return "refused: " + compiled.error().message;
  const std::string document = fmt::format(R"({{"value":{}}})", request.find("document").text());
  return compiled->check(document) ? "valid" : "invalid";
}

} // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) std::puts(answer(line).c_str());
  return 0;
}
