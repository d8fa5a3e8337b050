// SPDX-License-Identifier: MIT
// See flat_schema.hpp.
#include "sdk/contract/flat_schema.hpp"

#include <algorithm>

namespace packhost::contract {

namespace json = kit::json;
using json::Kind;
using json::Value;

namespace {

constexpr std::size_t kMaxProperties = 32; // the bits of required_

constexpr std::size_t kSureDigits = 18; // of an integer of 64 bits

bool is_integer(std::string_view number) {
  if (number.front() == '-') number.remove_prefix(1);
  return number.size() <= kSureDigits &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::optional<FlatSchema> FlatSchema::find(std::string_view schema) {
  FlatSchema flat;
  const json::Object members{Value(schema)};
  if (!members.find("type").equals("object")) return std::nullopt;
  const Value properties = members.find("properties");
  if (properties.exists()) {
    const json::Object list(properties);
    if (list.members().size() > kMaxProperties) return std::nullopt;
    for (const json::Member &property : list.members())
      flat.add(property.key, property.value.text());
  }
  for (const json::Member &member : members.members()) {
    if (member.key == "type" || member.key == "properties") continue;
    if (member.key == "additionalProperties" && member.value.is(Kind::boolean)) {
      flat.is_closed_ = member.value.boolean() == false;
    } else if (member.key == "required") {
      for (const Value name : json::elements(member.value))
        if (!flat.require(name.string())) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return flat;
}

void FlatSchema::add(std::string_view name, std::string_view schema) {
  Property property;
  property.name = name;
  bool is_known = true;
  const json::Object members{Value(schema)};
  for (const json::Member &member : members.members()) {
    if (member.key == "type")
      property.type = find_type(member.value);
    else if (member.key == "maxLength")
      property.max_bytes = static_cast<std::size_t>(member.value.integer().value_or(0));
    else
      is_known = false;
  }
  if (!is_known) property.type = Type::other;
  properties_.push_back(std::move(property));
}

FlatSchema::Type FlatSchema::find_type(kit::json::Value name) {
  if (name.equals("string")) return Type::string;
  if (name.equals("boolean")) return Type::boolean;
  if (name.equals("integer")) return Type::integer;
  return name.equals("number") ? Type::number : Type::other;
}

bool FlatSchema::require(std::string_view name) {
  const std::size_t place = find_property(name);
  if (place == properties_.size()) return false;
  required_ |= std::uint32_t{1} << place;
  return true;
}

std::size_t FlatSchema::find_property(std::string_view name) const {
  std::size_t place = 0;
  while (place < properties_.size() && properties_[place].name != name) ++place;
  return place;
}

bool FlatSchema::accepts(std::string_view document) const {
  const Value whole(document);
  if (!whole.is(Kind::object)) return false;
  std::uint32_t seen = 0;
  json::Members members(whole);
  for (auto member = members.next(); member.key.exists(); member = members.next()) {
    std::string_view name = member.key.text();
    name = name.substr(1, name.size() - 2);
    if (name.find('\\') != std::string_view::npos) return false;
    const std::size_t place = find_property(name);
    if (place == properties_.size()) {
      if (is_closed_) return false;
      continue;
    }
    const std::uint32_t bit = std::uint32_t{1} << place;
    if ((seen & bit) != 0) return false; // which of the two counts is the validator's business
    seen |= bit;
    const Property &property = properties_[place];
    const Kind kind = member.value.kind();
    switch (property.type) {
    case Type::other:
      return false;
    case Type::string:
      if (kind != Kind::string || member.value.text().size() - 2 > property.max_bytes) return false;
      break;
    case Type::boolean:
      if (kind != Kind::boolean) return false;
      break;
    case Type::integer:
      if (kind != Kind::number || !is_integer(member.value.text())) return false;
      break;
    case Type::number:
      if (kind != Kind::number) return false;
      break;
    }
  }
  return (seen & required_) == required_;
}

} // namespace packhost::contract
