// SPDX-License-Identifier: MIT
// Typed reading of a call's arguments or a pack's options, on RapidJSON's reader. What does not fit
// throws packhost::Error, which the wall in pack.hpp turns into an answer. Nothing becomes a
// document: nested values stay text until they are asked for, numbers keep their spelling.
#ifndef PACKHOST_JSON_HPP
#define PACKHOST_JSON_HPP

#include <packhost/pack.hpp>

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace packhost {

/// `text` as a JSON string with its quotes. text is UTF-8.
inline std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out += '"';
}

namespace detail {

enum class JsonKind { null, boolean, number, string, array, object };

/// One value directly inside an object or array.
struct JsonValue {
  std::string key; // empty in an array
  JsonKind kind = JsonKind::null;
  std::string_view raw; // as spelled
  std::string text;     // of a string: its characters
  bool is_true = false; // of a boolean
};

/// Collects the values directly inside one object or array.
class JsonCollector {
public:
  explicit JsonCollector(std::string_view json) : stream(json.data(), json.size()), json_(json) {}

  bool Null() { return value(JsonKind::null); }

  bool Bool(bool flag) {
    current_.is_true = flag;
    return value(JsonKind::boolean);
  }

  bool Int(int) { return value(JsonKind::number); }

  bool Uint(unsigned) { return value(JsonKind::number); }

  bool Int64(std::int64_t) { return value(JsonKind::number); }

  bool Uint64(std::uint64_t) { return value(JsonKind::number); }

  bool Double(double) { return value(JsonKind::number); }

  bool RawNumber(const char *, rapidjson::SizeType, bool) { return value(JsonKind::number); }

  bool String(const char *text, rapidjson::SizeType size, bool) {
    if (depth_ == 1) current_.text.assign(text, size);
    return value(JsonKind::string);
  }

  bool Key(const char *text, rapidjson::SizeType size, bool) {
    if (depth_ == 1) {
      current_.key.assign(text, size);
      start_ = stream.Tell();
    }
    return true;
  }

  bool StartObject() { return open(JsonKind::object); }

  bool EndObject(rapidjson::SizeType) { return close(JsonKind::object); }

  bool StartArray() { return open(JsonKind::array); }

  bool EndArray(rapidjson::SizeType) { return close(JsonKind::array); }

  rapidjson::MemoryStream stream;
  std::vector<JsonValue> values;
  JsonKind outer = JsonKind::null;

private:
  bool open(JsonKind kind) {
    if (depth_++ > 0) return true;
    outer = kind;
    start_ = stream.Tell();
    return true;
  }

  bool close(JsonKind kind) {
    --depth_;
    return depth_ == 0 || value(kind);
  }

  bool value(JsonKind kind) {
    if (depth_ != 1) return depth_ > 0; // a scalar alone is neither object nor array
    // The iterative reader says EndObject and EndArray before it takes the closing bracket.
    const bool is_container = kind == JsonKind::object || kind == JsonKind::array;
    const std::size_t end = stream.Tell() + (is_container ? 1 : 0);
    std::size_t start = start_;
    while (start < end && is_between_values(json_[start])) ++start;
    current_.kind = kind;
    current_.raw = json_.substr(start, end - start);
    values.push_back(std::move(current_));
    current_ = JsonValue();
    start_ = end;
    return true;
  }

  static bool is_between_values(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ':' || c == ',';
  }

  std::string_view json_;
  JsonValue current_;
  std::size_t start_ = 0;
  std::size_t depth_ = 0;
};

inline std::vector<JsonValue> read_json(std::string_view json, JsonKind outer,
                                        const char *complaint) {
  JsonCollector collector(json);
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  const bool is_read = !reader.Parse<kFlags>(collector.stream, collector).IsError();
  if (!is_read || collector.outer != outer) throw Error(PACKHOST_E_INVALID_ARGS, complaint);
  return std::move(collector.values);
}

} // namespace detail

/// The members of one JSON object. Borrows the text for raw() and object(); null counts as absent;
/// of equal names the last wins. The forms without a default require the member.
class Args {
public:
  /// Throws Error(E_INVALID_ARGS) for what is no JSON object.
  explicit Args(std::string_view json)
      : members_(detail::read_json(json, detail::JsonKind::object, "the arguments are no object")) {
  }

  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::string str(std::string_view name) const {
    return expect(name, detail::JsonKind::string, "a string").text;
  }

  std::string str(std::string_view name, std::string_view otherwise) const {
    return has(name) ? str(name) : std::string(otherwise);
  }

  /// A number without a fraction, however spelled: 2, 2.0, 2e0.
  std::int64_t integer(std::string_view name) const {
    const std::string_view raw = expect(name, detail::JsonKind::number, "an integer").raw;
    std::int64_t whole = 0;
    const auto [end, fault] = std::from_chars(raw.data(), raw.data() + raw.size(), whole);
    if (fault == std::errc() && end == raw.data() + raw.size()) return whole;
    const double number = to_double(raw);
    if (number != std::floor(number) || std::abs(number) > 9007199254740992.0) {
      throw Error(PACKHOST_E_INVALID_ARGS, "'" + std::string(name) + "' must be an integer");
    }
    return static_cast<std::int64_t>(number);
  }

  std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    return has(name) ? integer(name) : otherwise;
  }

  double number(std::string_view name) const {
    return to_double(expect(name, detail::JsonKind::number, "a number").raw);
  }

  double number(std::string_view name, double otherwise) const {
    return has(name) ? number(name) : otherwise;
  }

  bool boolean(std::string_view name) const {
    return expect(name, detail::JsonKind::boolean, "true or false").is_true;
  }

  bool boolean(std::string_view name, bool otherwise) const {
    return has(name) ? boolean(name) : otherwise;
  }

  /// An array of strings; empty when absent.
  std::vector<std::string> strings(std::string_view name) const {
    std::vector<std::string> out;
    if (!has(name)) return out;
    const std::string_view raw = expect(name, detail::JsonKind::array, "an array of strings").raw;
    for (detail::JsonValue &item : detail::read_json(raw, detail::JsonKind::array, "")) {
      if (item.kind != detail::JsonKind::string) {
        throw Error(PACKHOST_E_INVALID_ARGS, "'" + std::string(name) + "' must hold strings only");
      }
      out.push_back(std::move(item.text));
    }
    return out;
  }

  /// A nested object.
  Args object(std::string_view name) const {
    return Args(expect(name, detail::JsonKind::object, "an object").raw);
  }

  /// The member as it is spelled, or an empty view when absent.
  std::string_view raw(std::string_view name) const {
    const detail::JsonValue *value = find(name);
    return value == nullptr ? std::string_view() : value->raw;
  }

  /// The names of all members, in order.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const detail::JsonValue &member : members_) out.push_back(member.key);
    return out;
  }

private:
  const detail::JsonValue *find(std::string_view name) const {
    for (auto at = members_.rbegin(); at != members_.rend(); ++at) {
      if (at->key == name) return at->kind == detail::JsonKind::null ? nullptr : &*at;
    }
    return nullptr;
  }

  const detail::JsonValue &expect(std::string_view name, detail::JsonKind kind,
                                  const char *wanted) const {
    const detail::JsonValue *value = find(name);
    if (value == nullptr) {
      throw Error(PACKHOST_E_INVALID_ARGS, "'" + std::string(name) + "' is missing");
    }
    if (value->kind != kind) {
      throw Error(PACKHOST_E_INVALID_ARGS, "'" + std::string(name) + "' must be " + wanted);
    }
    return *value;
  }

  static double to_double(std::string_view raw) {
    double number = 0;
    const auto [end, fault] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
    if (fault != std::errc() || end != raw.data() + raw.size()) {
      throw Error(PACKHOST_E_INVALID_ARGS, "a number is out of range");
    }
    return number;
  }

  std::vector<detail::JsonValue> members_;
};

} // namespace packhost

#endif
