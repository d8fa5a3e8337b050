// SPDX-License-Identifier: MIT
// Copies of schemas without some keywords, and documents completed with the defaults of a schema.
#include "sdk/contract/schema_text.hpp"

#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace packhost::contract {

namespace {

namespace json = kit::json;

/// What stands inside a container of a schema.
enum class Place : std::uint8_t {
  schema, // keywords
  map,    // property names, a schema each
  list,   // schemas
  data    // anything
};

Place place_behind(std::string_view keyword) {
  if (keyword == "properties") return Place::map;
  if (keyword == "items" || keyword == "additionalProperties") return Place::schema;
  if (keyword == "anyOf" || keyword == "oneOf" || keyword == "allOf") return Place::list;
  return Place::data;
}

class Copier {
public:
  Copier(std::string_view schema, std::span<const std::string_view> dropped)
      : tokens_(schema), dropped_(dropped) {}

  std::string run();

private:
  void key(std::string_view spelled);
  void open(const json::Token &token);

  [[nodiscard]] Place place() const { return open_.empty() ? Place::data : open_.back(); }

  void comma() {
    if (needs_comma_) out_.push_back(',');
    needs_comma_ = false;
  }

  json::Tokens tokens_;
  std::span<const std::string_view> dropped_;
  std::string out_;
  std::vector<Place> open_;
  Place next_ = Place::schema; // of the container that comes
  bool needs_comma_ = false;
};

void Copier::key(std::string_view spelled) {
  std::string name;
  json::append_unescaped(name, spelled);
  const bool is_keyword = place() == Place::schema;
  if (is_keyword && std::find(dropped_.begin(), dropped_.end(), name) != dropped_.end()) {
    tokens_.skip_value();
    return;
  }
  comma();
  json::append_string(out_, name); // so that a keyword has one spelling
  out_.push_back(':');
  next_ = is_keyword ? place_behind(name) : (place() == Place::map ? Place::schema : Place::data);
}

void Copier::open(const json::Token &token) {
  comma();
  out_.append(token.text);
  const bool is_array = token.kind == json::TokenKind::begin_array;
  const Place wanted = place() == Place::list ? Place::schema : next_;
  const bool fits = is_array == (wanted == Place::list);
  open_.push_back(fits ? wanted : Place::data);
  next_ = Place::data;
}

std::string Copier::run() {
  for (;;) {
    const json::Token token = tokens_.next();
    switch (token.kind) {
    case json::TokenKind::end:
      return std::move(out_);
    case json::TokenKind::key:
      key(token.text);
      break;
    case json::TokenKind::begin_object:
    case json::TokenKind::begin_array:
      open(token);
      break;
    case json::TokenKind::end_object:
    case json::TokenKind::end_array:
      open_.pop_back();
      out_.append(token.text);
      needs_comma_ = true;
      break;
    case json::TokenKind::string:
    case json::TokenKind::number:
    case json::TokenKind::literal:
      comma();
      out_.append(token.text);
      needs_comma_ = true;
      break;
    }
  }
}

/// Appends the document with defaults. As deep as the schema, which is at most 16.
void fill(std::string &out, json::Value schema, json::Value document);

void fill_object(std::string &out, const json::Object &schema, json::Value document) {
  const json::Value declared = schema.find("properties");
  const json::Object properties(declared.is(json::Kind::object) ? declared : json::Value());
  const json::Object present(document);
  const std::size_t start = out.size();
  const auto add = [&out, start](std::string_view key, json::Value place, json::Value value) {
    out.push_back(out.size() == start ? '{' : ',');
    json::append_string(out, key);
    out.push_back(':');
    fill(out, place, value);
  };
  for (const json::Member &member : present.members()) {
    const json::Value place = properties.find(member.key);
    add(member.key, place.exists() ? place : schema.find("additionalProperties"), member.value);
  }
  for (const json::Member &property : properties.members()) {
    if (!property.value.is(json::Kind::object) || present.find(property.key).exists()) continue;
    const json::Value fallback = json::Object(property.value).find("default");
    if (fallback.exists()) add(property.key, property.value, fallback);
  }
  out.append(out.size() == start ? "{}" : "}");
}

void fill(std::string &out, json::Value schema, json::Value document) {
  if (schema.is(json::Kind::object) && document.is(json::Kind::object)) {
    fill_object(out, json::Object(schema), document);
    return;
  }
  if (schema.is(json::Kind::object) && document.is(json::Kind::array)) {
    const json::Value items = json::Object(schema).find("items");
    if (items.is(json::Kind::object)) {
      out.push_back('[');
      json::Elements all(document);
      bool is_first = true;
      for (json::Value each = all.next(); each.exists(); each = all.next()) {
        if (!is_first) out.push_back(',');
        is_first = false;
        fill(out, items, each);
      }
      out.push_back(']');
      return;
    }
  }
  json::append_compact(out, document.text());
}

} // namespace

std::string copy_schema(std::string_view schema, std::span<const std::string_view> dropped) {
  return Copier(schema, dropped).run();
}

std::string without_host_members(std::string_view schema) {
  constexpr std::array<std::string_view, 1> kHostMembers{"x-packhost"};
  return copy_schema(schema, kHostMembers);
}

std::string with_defaults(std::string_view schema, std::string_view document) {
  std::string result;
  fill(result, json::Value(schema), json::Value(document));
  return result;
}

} // namespace packhost::contract
