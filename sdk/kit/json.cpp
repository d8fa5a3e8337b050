// SPDX-License-Identifier: MIT
// Reading checked texts: values, members, elements and tokens as views. Nothing here can meet a
// malformed text (json_check.cpp refused it), so brackets are counted and not matched.
#include "sdk/kit/json.hpp"

#include "sdk/kit/chunk16.hpp"
#include "sdk/kit/json_scan.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>

namespace packhost::kit::json {

namespace {

/// Members an Object indexes when it is made.
constexpr std::size_t kIndexedMembers = 256;

/// Without white space and separators at the start.
std::string_view skip_between(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (is_space(text[at]) || text[at] == ',' || text[at] == ':')) ++at;
  return text.substr(at);
}

/// Finds the end of a container byte by byte, or by what stands in a chunk.
class ContainerEnd {
public:
  /// One byte, without what an escape in front of it makes of it. RETURNS: true at the end.
  bool take(char byte) {
    if (byte == '"') {
      in_string_ = !in_string_;
    } else if (!in_string_) {
      if (byte == '{' || byte == '[') ++depth_;
      if (byte == '}' || byte == ']') return --depth_ == 0;
    }
    return false;
  }

  /// Bytes one by one until a whole chunk was passed or the end. RETURNS: how many were taken.
  std::size_t take_some(std::string_view text, bool &is_end) {
    std::size_t at = 0;
    for (; at < text.size() && at < Chunk16::kSize && !is_end; ++at) {
      if (text[at] == '\\')
        ++at; // stands in strings only
      else
        is_end = take(text[at]);
    }
    return std::min(at, text.size());
  }

private:
  std::size_t depth_ = 0;
  bool in_string_ = false;
};

/// Size of the object or array at the start of text.
std::size_t container_size(std::string_view text) {
  ContainerEnd end;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= Chunk16::kSize) {
      const Chunk16 chunk(text.data() + at);
      if (chunk.equal_to('\\') == 0) {
        const Chunk16 folded = chunk.folded();
        ByteMask stops = chunk.equal_to('"') | folded.equal_to('{') | folded.equal_to('}');
        for (; stops != 0; stops &= stops - 1)
          if (end.take(text[at + first_of(stops)])) return at + first_of(stops) + 1;
        at += Chunk16::kSize;
        continue;
      }
    }
    bool is_end = false;
    at += end.take_some(text.substr(at), is_end);
    if (is_end) return at;
  }
  return text.size();
}

std::size_t scalar_size(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && !is_space(text[at]) && text[at] != ',' && text[at] != ']' &&
         text[at] != '}' && text[at] != ':') {
    ++at;
  }
  return at;
}

/// Size of the value at the start of text (no white space before it).
std::size_t value_size(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == '"') return string_size(text);
  if (text[0] == '{' || text[0] == '[') return container_size(text);
  return scalar_size(text);
}

/// Takes one value off the front.
Value take_value(std::string_view &rest) {
  rest = skip_between(rest);
  const std::size_t size = value_size(rest);
  const Value value = Value::of_spelled(rest.substr(0, size));
  rest.remove_prefix(size);
  return value;
}

struct Spelled {
  std::string_view key; // with quotes
  Value value;
};

/// Takes one member off the front of what stands inside an object; a key that is empty: no more.
Spelled take_member(std::string_view &rest) {
  rest = skip_between(rest);
  if (rest.empty() || rest[0] != '"') {
    rest = {};
    return {};
  }
  Spelled member;
  member.key = rest.substr(0, string_size(rest));
  rest.remove_prefix(member.key.size());
  member.value = take_value(rest);
  return member;
}

/// What stands between the brackets of a container.
std::string_view inside(Value container) {
  const std::string_view text = container.text();
  return text.size() < 2 ? std::string_view() : text.substr(1, text.size() - 2);
}

bool spelled_equals(std::string_view spelled, std::string_view expected) {
  const std::string_view inner = spelled.substr(1, spelled.size() - 2);
  if (inner.find('\\') == std::string_view::npos) return inner == expected;
  std::string characters;
  append_unescaped(characters, spelled);
  return characters == expected;
}

std::uint32_t hex4(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + 4, value, 16);
  return value;
}

/// Appends what the escape at the start of text stands for. RETURNS: its size.
std::size_t append_escape(std::string &out, std::string_view text) {
  switch (text[1]) {
  case 'b':
    out.push_back('\b');
    return 2;
  case 'f':
    out.push_back('\f');
    return 2;
  case 'n':
    out.push_back('\n');
    return 2;
  case 'r':
    out.push_back('\r');
    return 2;
  case 't':
    out.push_back('\t');
    return 2;
  case 'u':
    break;
  default:
    out.push_back(text[1]);
    return 2;
  }
  const std::uint32_t unit = hex4(text.substr(2));
  if (unit < 0xD800 || unit > 0xDFFF) {
    utf8::append(out, unit);
    return 6;
  }
  const std::uint32_t second = hex4(text.substr(8)); // check() saw the pair
  utf8::append(out, 0x10000U + ((unit - 0xD800U) << 10U) + (second - 0xDC00U));
  return 12;
}

/// A number as whole digits times a power of ten.
struct Decimal {
  bool is_negative = false;
  std::string digits; // without zeros at either end; empty: zero
  std::int64_t power = 0;
};

Decimal read_decimal(std::string_view text) {
  constexpr std::int64_t kFar = 1'000'000'000;
  Decimal decimal;
  decimal.is_negative = text.starts_with('-');
  if (decimal.is_negative) text.remove_prefix(1);
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    std::string_view power = text.substr(exponent + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const char *const end = power.data() + power.size();
    if (std::from_chars(power.data(), end, decimal.power).ec != std::errc{}) {
      decimal.power = power.starts_with('-') ? -kFar : kFar;
    }
    decimal.power = std::clamp(decimal.power, -kFar, kFar);
    text = text.substr(0, exponent);
  }
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    decimal.power -= static_cast<std::int64_t>(text.size() - point - 1);
  }
  decimal.digits.reserve(text.size());
  for (const char byte : text) {
    if (byte != '.' && !(byte == '0' && decimal.digits.empty())) decimal.digits.push_back(byte);
  }
  while (!decimal.digits.empty() && decimal.digits.back() == '0') {
    decimal.digits.pop_back();
    ++decimal.power;
  }
  return decimal;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const char *const end = text.data() + text.size();
  const std::from_chars_result plain = std::from_chars(text.data(), end, value);
  if (plain.ec == std::errc{} && plain.ptr == end) return value;
  Decimal decimal = read_decimal(text);
  if (decimal.digits.empty()) return 0;
  if (decimal.power < 0 || decimal.power > 19) return std::nullopt;
  decimal.digits.append(static_cast<std::size_t>(decimal.power), '0');
  if (decimal.is_negative) decimal.digits.insert(decimal.digits.begin(), '-');
  const char *const last = decimal.digits.data() + decimal.digits.size();
  const std::from_chars_result result = std::from_chars(decimal.digits.data(), last, value);
  if (result.ec != std::errc{} || result.ptr != last) return std::nullopt;
  return value;
}

} // namespace

// ---- values

Value::Value(std::string_view checked) : text_(checked) {
  while (!text_.empty() && is_space(text_.front())) text_.remove_prefix(1);
  while (!text_.empty() && is_space(text_.back())) text_.remove_suffix(1);
}

Kind Value::kind() const {
  assert(exists());
  switch (text_[0]) {
  case '{':
    return Kind::object;
  case '[':
    return Kind::array;
  case '"':
    return Kind::string;
  case 't':
  case 'f':
    return Kind::boolean;
  case 'n':
    return Kind::null;
  default:
    return Kind::number;
  }
}

std::string Value::string() const {
  assert(is(Kind::string));
  std::string characters;
  append_unescaped(characters, text_);
  return characters;
}

bool Value::equals(std::string_view expected) const {
  return is(Kind::string) && spelled_equals(text_, expected);
}

std::optional<std::int64_t> Value::integer() const {
  if (!is(Kind::number)) return std::nullopt;
  return whole_number(text_);
}

std::optional<double> Value::number() const {
  if (!is(Kind::number)) return std::nullopt;
  double value = 0;
  const std::from_chars_result result =
      std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (result.ec != std::errc{})
    return 0.0; // too small for a double: check() refuses too large ones
  return value;
}

std::optional<bool> Value::boolean() const {
  if (!is(Kind::boolean)) return std::nullopt;
  return text_[0] == 't';
}

void append_unescaped(std::string &out, std::string_view spelled) {
  std::string_view rest = spelled.substr(1, spelled.size() - 2);
  for (;;) {
    const std::size_t escape = rest.find('\\');
    out.append(rest.substr(0, escape));
    if (escape == std::string_view::npos) return;
    rest.remove_prefix(escape);
    rest.remove_prefix(append_escape(out, rest));
  }
}

// ---- members and elements

Object::Object(Value value) {
  assert(!value.exists() || value.is(Kind::object));
  rest_ = inside(value);
  index(kIndexedMembers);
}

Object::Object(Value value, std::span<const Outline::Entry> inside) {
  if (inside.empty()) {
    *this = Object(value);
    return;
  }
  members_.reserve(8);
  for (const Outline::Entry &entry : inside)
    if (entry.depth == inside.front().depth) add(entry.key, Value::of_spelled(entry.value));
}

std::span<const Outline::Entry> Outline::inside(std::span<const Entry> entries, std::size_t place) {
  std::size_t end = place + 1;
  while (end < entries.size() && entries[end].depth > entries[place].depth) ++end;
  return entries.subspan(place + 1, end - place - 1);
}

Object::Object(Object &&) noexcept = default;
Object &Object::operator=(Object &&) noexcept = default;
Object::~Object() = default;

/// Moves members from rest_ into the index until it has `limit` of them.
void Object::index(std::size_t limit) const {
  if (members_.empty() && !rest_.empty()) members_.reserve(8);
  while (!rest_.empty() && members_.size() < limit) {
    const Spelled member = take_member(rest_);
    if (member.key.empty()) return;
    add(member.key, member.value);
  }
}

void Object::add(std::string_view spelled_key, Value value) const {
  std::string_view key = spelled_key.substr(1, spelled_key.size() - 2);
  if (key.find('\\') != std::string_view::npos) {
    std::string characters;
    append_unescaped(characters, spelled_key);
    // A vector's bytes stay where they are when the list of vectors grows.
    const std::vector<char> &kept =
        unescaped_keys_.emplace_back(characters.begin(), characters.end());
    key = {kept.data(), kept.size()};
  }
  members_.push_back({key, value});
}

Value Object::find(std::string_view key) const {
  Value found;
  std::string_view rest = rest_;
  while (!rest.empty()) {
    const Spelled member = take_member(rest);
    if (!member.key.empty() && spelled_equals(member.key, key)) found = member.value;
  }
  if (found.exists()) return found;
  for (std::size_t i = members_.size(); i > 0; --i) {
    if (members_[i - 1].key == key) return members_[i - 1].value;
  }
  return {};
}

const std::vector<Member> &Object::members() const {
  index(std::numeric_limits<std::size_t>::max());
  return members_;
}

Members::Members(Value object) : rest_(inside(object)) {
  assert(object.is(Kind::object));
}

Members::Spelled Members::next() {
  const auto [key, value] = take_member(rest_);
  return {Value::of_spelled(key), value};
}

Elements::Elements(Value array) : rest_(inside(array)) {
  assert(array.is(Kind::array));
}

Value Elements::next() {
  return take_value(rest_);
}

std::vector<Value> elements(Value value) {
  std::vector<Value> result;
  Elements all(value);
  for (Value each = all.next(); each.exists(); each = all.next()) result.push_back(each);
  return result;
}

// ---- tokens

Token Tokens::next() {
  rest_ = skip_between(rest_);
  if (rest_.empty()) return {TokenKind::end, rest_};
  TokenKind kind = TokenKind::literal;
  std::size_t size = 1;
  switch (rest_[0]) {
  case '{':
    kind = TokenKind::begin_object;
    break;
  case '}':
    kind = TokenKind::end_object;
    break;
  case '[':
    kind = TokenKind::begin_array;
    break;
  case ']':
    kind = TokenKind::end_array;
    break;
  case '"': {
    size = string_size(rest_);
    std::size_t after = size;
    while (after < rest_.size() && is_space(rest_[after])) ++after;
    kind = after < rest_.size() && rest_[after] == ':' ? TokenKind::key : TokenKind::string;
    break;
  }
  case 't':
  case 'f':
  case 'n':
    size = scalar_size(rest_);
    break;
  default:
    kind = TokenKind::number;
    size = scalar_size(rest_);
    break;
  }
  const Token token{kind, rest_.substr(0, size)};
  rest_.remove_prefix(size);
  return token;
}

Value Tokens::skip_value() {
  return take_value(rest_);
}

} // namespace packhost::kit::json
