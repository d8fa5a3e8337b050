// SPDX-License-Identifier: MIT
// Candidates by type, filtered by the schema itself.
#include "sdk/testing/samples.hpp"

#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"

#include <algorithm>

namespace packhost::testing {

namespace json = kit::json;

namespace {

using Candidates = std::vector<std::string>;

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

bool fits(std::string_view schema, std::string_view value) {
  const kit::Result<contract::Schema> compiled = contract::Schema::compile(schema);
  return compiled && compiled->check(value).has_value();
}

json::Object members_of(json::Value value) {
  return json::Object(value.is(json::Kind::object) ? value : json::Value());
}

std::string type_of(const json::Object &schema) {
  const json::Value type = schema.find("type");
  if (type.is(json::Kind::string)) return type.string();
  if (type.is(json::Kind::array)) {
    const std::vector<json::Value> names = json::elements(type);
    if (!names.empty() && names[0].is(json::Kind::string)) return names[0].string();
  }
  if (schema.find("properties").exists()) return "object";
  return schema.find("items").exists() ? "array" : "string";
}

/// Literal values that the schema itself offers.
void add_offered(const json::Object &schema, Candidates &out) {
  if (schema.find("default").exists()) out.emplace_back(schema.find("default").text());
  for (const char *list : {"enum", "examples"}) {
    const json::Value values = schema.find(list);
    if (!values.is(json::Kind::array)) continue;
    for (const json::Value value : json::elements(values)) out.emplace_back(value.text());
  }
}

void add_strings(const json::Object &schema, const SampleStyle &style, Candidates &out) {
  const json::Object host = members_of(schema.find("x-packhost"));
  if (host.find("path").exists()) {
    const bool is_file = host.find("path").equals("file");
    out.insert(out.begin(), quoted(is_file ? style.file : style.directory));
  }
  const auto at_least = static_cast<std::size_t>(
      std::clamp<std::int64_t>(schema.find("minLength").integer().value_or(0), 0, 1'000'000));
  const auto at_most = static_cast<std::size_t>(std::clamp<std::int64_t>(
      schema.find("maxLength").integer().value_or(1'000'000), 0, 1'000'000));
  std::string word = style.word;
  if (word.size() < at_least) word.resize(at_least, 'a');
  out.push_back(quoted(std::string_view(word).substr(0, at_most)));
  for (const char *common : {"a",
                             "A",
                             "ab",
                             "a1",
                             "0",
                             "1",
                             "12",
                             "a-b",
                             "a_b",
                             "a.b",
                             "a.md",
                             "a/b",
                             "/a",
                             "#a",
                             "a=1",
                             "a:b",
                             "a@b.c",
                             "2026-01-12",
                             "2026-01-12T15:00:58Z",
                             "12:30",
                             "1.0.0",
                             "en",
                             "\xC3\xA4",
                             ""}) {
    out.push_back(quoted(common));
  }
  for (const std::size_t digits : {4U, 6U, 8U, 12U, 16U, 20U, 26U, 32U, 40U, 64U}) {
    out.push_back(quoted(std::string(digits, '0')));
    out.push_back(quoted(std::string(digits, 'a')));
  }
}

void add_numbers(const json::Object &schema, Candidates &out) {
  for (const char *bound : {"minimum", "multipleOf", "maximum"}) {
    if (schema.find(bound).exists()) out.emplace_back(schema.find(bound).text());
  }
  for (const char *common : {"1", "0", "2", "10", "100", "-1", "0.5"}) out.emplace_back(common);
}

void add_object(const json::Object &schema, const SampleStyle &style, Candidates &out) {
  const json::Object properties = members_of(schema.find("properties"));
  std::vector<std::string> required;
  if (schema.find("required").is(json::Kind::array)) {
    for (const json::Value name : json::elements(schema.find("required"))) {
      required.push_back(name.string());
    }
  }
  std::string object;
  json::Writer writer(object);
  writer.begin_object();
  for (const json::Member &property : properties.members()) {
    const bool is_required =
        std::find(required.begin(), required.end(), property.key) != required.end();
    if (!is_required && !style.full) continue;
    const std::optional<std::string> value = make_sample(property.value.text(), style);
    if (value) writer.raw(property.key, *value);
  }
  writer.end_object();
  out.push_back(std::move(object));
}

void add_array(const json::Object &schema, const SampleStyle &style, Candidates &out) {
  const json::Value items = schema.find("items");
  const std::int64_t least = schema.find("minItems").integer().value_or(0);
  const std::int64_t wanted = std::clamp<std::int64_t>(least, style.full ? 1 : 0, 1'000);
  const std::optional<std::string> item =
      items.exists() ? make_sample(items.text(), style) : std::optional<std::string>("\"a\"");
  std::string array = "[";
  for (std::int64_t i = 0; item && i < wanted; ++i) array += (i > 0 ? "," : "") + *item;
  out.push_back(array + "]");
  out.emplace_back("[]");
}

} // namespace

std::optional<std::string> make_sample(std::string_view schema, const SampleStyle &style) {
  const json::Object members{json::Value(schema)};
  Candidates candidates;
  const std::string type = type_of(members);
  if (type == "string") add_strings(members, style, candidates);
  // Offered values come behind a free text of the caller's own, which is there to be found again.
  add_offered(members, candidates);
  if (type == "integer" || type == "number") add_numbers(members, candidates);
  if (type == "boolean") candidates.insert(candidates.end(), {"true", "false"});
  if (type == "null") candidates.emplace_back("null");
  if (type == "object") add_object(members, style, candidates);
  if (type == "array") add_array(members, style, candidates);
  for (const char *branches : {"anyOf", "oneOf", "allOf"}) {
    const json::Value list = members.find(branches);
    if (!list.is(json::Kind::array)) continue;
    for (const json::Value branch : json::elements(list)) {
      const std::optional<std::string> value = make_sample(branch.text(), style);
      if (value) candidates.push_back(*value);
    }
  }
  for (std::string &candidate : candidates) {
    if (fits(schema, candidate)) return std::move(candidate);
  }
  return std::nullopt;
}

// ---- what does not fit --------------------------------------------------------------------------

namespace {

/// The object with one member replaced, added (not there before) or left out (no value).
std::string with_member(std::string_view object, std::string_view name,
                        std::optional<std::string_view> value) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  const json::Object members{json::Value(object)};
  for (const json::Member &member : members.members()) {
    if (member.key != name) writer.raw(member.key, member.value.text());
  }
  if (value) writer.raw(name, *value);
  writer.end_object();
  return out;
}

std::string_view wrong_type(const std::string &type) {
  if (type == "string") return "5";
  return type == "object" ? "5" : "\"x\"";
}

} // namespace

std::vector<BadSample> make_bad_samples(std::string_view schema, std::string_view good) {
  std::vector<BadSample> bad;
  const kit::Result<contract::Schema> compiled = contract::Schema::compile(schema);
  const auto add = [&](std::string what, std::string object) {
    const bool breaks = compiled && !compiled->check(object).has_value();
    bad.push_back({std::move(what), std::move(object), breaks});
  };
  const json::Object members{json::Value(schema)};
  const json::Object properties = members_of(members.find("properties"));
  for (const json::Member &property : properties.members()) {
    const std::string name(property.key);
    const std::string type = type_of(members_of(property.value));
    const std::string said = "property '" + name + "' ";
    add(said + "has another type", with_member(good, name, wrong_type(type)));
    add(said + "is an empty array", with_member(good, name, "[]"));
    add(said + "is an empty object", with_member(good, name, "{}"));
    add(said + "is null", with_member(good, name, "null"));
    add(said + "is left out", with_member(good, name, std::nullopt));
    add(said + "is a huge number", with_member(good, name, "1e308"));
    add(said + "is a negative number", with_member(good, name, "-9223372036854775808"));
    add(said + "is an empty text", with_member(good, name, "\"\""));
    add(said + "is a text with a zero character", with_member(good, name, R"("\u0000")"));
    add(said + "is a long text", with_member(good, name, quoted(std::string(100'000, 'a'))));
  }
  add("an unknown property stands beside the others",
      with_member(good, "packhost_check_unknown", "1"));
  add("nothing is given", "{}");
  return bad;
}

} // namespace packhost::testing
