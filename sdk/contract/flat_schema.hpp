// SPDX-License-Identifier: MIT
// The quick way for the schemas most tools have: one object of strings, numbers and flags. It only
// ever says yes; what it does not take goes to the validator, which knows every rule and makes the
// sentences.
#pragma once

#include "sdk/kit/json.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::contract {

class FlatSchema {
public:
  /// Nothing for a schema that says more than this class knows. `schema` is compact, accepted by
  /// check_schema() and without annotations.
  [[nodiscard]] static std::optional<FlatSchema> find(std::string_view schema);

  /// True only if the schema's rules hold. `document` is checked JSON text.
  [[nodiscard]] bool accepts(std::string_view document) const;

private:
  enum class Type : std::uint8_t { other, string, boolean, integer, number };

  struct Property {
    std::string name;
    Type type = Type::other; // with rules this class does not know: no document with it is taken
    std::size_t max_bytes = SIZE_MAX; // of a string as spelled: never fewer than its characters
  };

  void add(std::string_view name, std::string_view schema);
  [[nodiscard]] static Type find_type(kit::json::Value name);
  [[nodiscard]] bool require(std::string_view name);
  [[nodiscard]] std::size_t find_property(std::string_view name) const;

  std::vector<Property> properties_;
  std::uint32_t required_ = 0; // one bit for each property
  bool is_closed_ = false;     // no other members
};

} // namespace packhost::contract
