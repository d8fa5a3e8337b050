// SPDX-License-Identifier: MIT
// The JSON checker against RapidJSON's reader, and what must hold for every text it accepts.
#include "sdk/kit/json.hpp"
#include "sdk/kit/utf8.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cstdint>
#include <cstdlib>

namespace json = packhost::kit::json;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Counts depth as the checker does.
struct DepthHandler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, DepthHandler> {
  std::size_t depth = 0;

  bool StartObject() { return ++depth <= 512; }

  bool EndObject(rapidjson::SizeType) { return depth-- > 0; }

  bool StartArray() { return ++depth <= 512; }

  bool EndArray(rapidjson::SizeType) { return depth-- > 0; }
};

enum class Verdict : std::uint8_t { json, no_json, out_of_range };

Verdict rapidjson_verdict(std::string_view text) {
  rapidjson::Reader reader;
  rapidjson::MemoryStream stream(text.data(), text.size());
  DepthHandler handler;
  // Numbers as strings: its full-precision path counts the leading zeros of 0 for a text like 0e40.
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (!result.IsError()) return Verdict::json;
  return result.Code() == rapidjson::kParseErrorNumberTooBig ? Verdict::out_of_range
                                                             : Verdict::no_json;
}

/// The two agree on what is JSON. On the range of numbers they may differ: only ours is exact.
void compare(std::string_view text, const packhost::kit::Result<void, json::ParseFault> &ours) {
  const Verdict theirs = rapidjson_verdict(text);
  if (theirs == Verdict::out_of_range) return;
  if (!ours && ours.error().fault == json::Fault::number_range) return;
  require(ours.has_value() == (theirs == Verdict::json));
}

void walk(json::Value value, int depth) {
  if (depth > 40) return;
  if (value.is(json::Kind::object)) {
    const json::Object object(value);
    for (const json::Member &member : object.members()) {
      require(object.find(member.key).exists());
      walk(member.value, depth + 1);
    }
  } else if (value.is(json::Kind::array)) {
    for (const json::Value &each : json::elements(value)) walk(each, depth + 1);
  } else if (value.is(json::Kind::string)) {
    const std::string characters = value.string();
    require(packhost::kit::utf8::is_valid(characters));
    require(value.equals(characters));
    std::string spelled;
    json::append_string(spelled, characters);
    require(spelled.size() == json::escaped_size(characters) + 2);
    require(json::check(spelled) && json::Value(spelled).string() == characters);
  } else if (value.is(json::Kind::number)) {
    require(value.number().has_value());
    const std::optional<std::int64_t> whole = value.integer();
    if (whole) require(static_cast<double>(*whole) == *value.number());
  }
}

void check_accepted(std::string_view text) {
  std::string compact;
  json::append_compact(compact, text);
  require(static_cast<bool>(json::check(compact)));
  const std::string canonical = json::canonical(text);
  require(static_cast<bool>(json::check(canonical)));
  require(json::canonical(canonical) == canonical);
  require(json::canonical(compact) == canonical);
  walk(json::Value(text), 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  const packhost::kit::Result<void, json::ParseFault> checked = json::check(text);
  const bool is_accepted = checked.has_value();
  // RapidJSON ends at a NUL, and decodes half a surrogate pair into something that is not UTF-8.
  const bool is_comparable = text.find('\0') == std::string::npos &&
                             text.find("\\ud") == std::string::npos &&
                             text.find("\\uD") == std::string::npos;
  if (is_comparable) compare(text, checked);
  if (is_accepted) check_accepted(text);
  const std::size_t before = text.size();
  json::repair_surrogates(text);
  require(text.size() == before);
  const packhost::kit::Result<void, json::ParseFault> repaired = json::check(text);
  if (is_accepted) require(static_cast<bool>(repaired));
  if (!repaired) {
    require(repaired.error().offset <= text.size());
    if (repaired.error().fault == json::Fault::number_range) {
      json::blank_number(text, repaired.error().offset);
      require(text.size() == before);
    }
  }
  return 0;
}
