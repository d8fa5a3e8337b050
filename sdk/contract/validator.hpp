// SPDX-License-Identifier: MIT
// The schema subset packs may use (abi.md section 7.5), its narrow profile for tool inputs, and the
// check of a text against a compiled schema. validator.cpp names RapidJSON's schema.h and RE2;
// nobody else does in host and contract.
#pragma once

#include "sdk/kit/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace packhost::contract {

/// What breaks a schema of a manifest. `path` is like `properties.a.items`; `rule` a sentence part.
struct SchemaFault {
  std::string path;
  std::string rule;
  std::size_t offset = 0; // of the offending member or value, in bytes from the start of the schema
  bool is_narrow = false; // a breach of the narrow profile, not of the subset
};

enum class SchemaUse : std::uint8_t {
  tool_input,      // subset and narrow profile
  tool_input_wide, // subset only ("x-packhost": {"wide": true})
  output,          // subset
  options,         // subset, additionalProperties may be one schema
  command_input    // subset
};

/// Checks a schema (checked JSON text) against the subset.
[[nodiscard]] kit::Result<void, SchemaFault> check_schema(std::string_view schema, SchemaUse use);

/// Why a `pattern` may not stand in a schema (RE2 refuses it, or it means something else to other
/// engines); nothing if it may.
[[nodiscard]] std::optional<std::string> find_pattern_fault(std::string_view pattern);

/// What does not fit in a document.
struct Violation {
  std::string pointer; // JSON pointer into the document: "/paths/3"; "" is the whole
  std::string rule;    // for a model or a person, never the value: `must be an integer`, `unknown
                       // property 'pth'; did you mean 'path'?`
};

/// A compiled schema. Thread-safe: check() may run on several threads at once.
class Schema {
public:
  /// REQUIRES: check_schema() accepted it. Fails with Code::config for a pattern RE2 refuses.
  [[nodiscard]] static kit::Result<Schema> compile(std::string_view schema);
  Schema(Schema &&) noexcept;
  Schema &operator=(Schema &&) noexcept;
  ~Schema();

  /// Checks a document (checked JSON text) in one pass, at constant stack. A number without a
  /// fraction is an integer however spelled.
  [[nodiscard]] kit::Result<void, Violation> check(std::string_view document) const;

private:
  struct Impl;
  explicit Schema(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The schema without any "x-packhost" member, compact: what a client sees.
[[nodiscard]] std::string without_host_members(std::string_view schema);

/// The options object with the defaults of the schema filled in for what is absent (top level and
/// nested objects that are present). Both are checked JSON texts.
[[nodiscard]] std::string with_defaults(std::string_view schema, std::string_view document);

} // namespace packhost::contract
