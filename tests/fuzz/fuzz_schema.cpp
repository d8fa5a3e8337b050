// SPDX-License-Identifier: MIT
// A schema and a document, one line each: rules, compiling, checking, copying, defaults.
#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"

#include <cstdint>
#include <cstdlib>

namespace contract = packhost::contract;
namespace json = packhost::kit::json;
using contract::SchemaUse;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_pair(std::string_view schema, std::string_view document) {
  const auto compiled = contract::Schema::compile(schema);
  require(compiled.has_value());
  const auto outcome = compiled->check(document);
  if (!outcome) require(!outcome.error().rule.empty());
  require(compiled->check(document).has_value() == outcome.has_value());
  const std::string completed = contract::with_defaults(schema, document);
  require(json::check(completed).has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const std::size_t end = text.find('\n');
  const std::string_view schema = text.substr(0, end);
  const std::string_view document =
      end == std::string_view::npos ? std::string_view("{}") : text.substr(end + 1);
  if (!json::check(schema)) return 0;
  const std::string shown = contract::without_host_members(schema);
  require(json::check(shown).has_value());
  require(contract::without_host_members(shown) == shown);
  for (const SchemaUse use : {SchemaUse::tool_input, SchemaUse::tool_input_wide, SchemaUse::output,
                              SchemaUse::options, SchemaUse::command_input}) {
    const auto rules = contract::check_schema(schema, use);
    if (!rules) require(!rules.error().rule.empty() && rules.error().offset <= schema.size());
    // What the narrow profile takes, the subset takes.
    if (rules && use == SchemaUse::tool_input) {
      require(contract::check_schema(schema, SchemaUse::tool_input_wide).has_value());
    }
    if (rules && use == SchemaUse::options && json::check(document)) check_pair(schema, document);
  }
  return 0;
}
