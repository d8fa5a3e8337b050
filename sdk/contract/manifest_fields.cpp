// SPDX-License-Identifier: MIT
// Typed reading of manifest members, and the sentence a refusal is made of.
#include "sdk/contract/manifest_fields.hpp"

#include "sdk/kit/nearest.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>

namespace packhost::contract {

namespace json = kit::json;
using json::Kind;
using json::Value;

namespace {

std::string_view kind_phrase(Kind kind) {
  switch (kind) {
  case Kind::null:
    return "null";
  case Kind::boolean:
    return "true or false";
  case Kind::number:
    return "a number";
  case Kind::string:
    return "a string";
  case Kind::array:
    return "an array";
  case Kind::object:
    return "an object";
  }
  return "";
}

Value object_or_nothing(Value value) {
  return value.is(Kind::object) ? value : Value();
}

} // namespace

void Report::fail(Value at, std::string_view path, std::string_view rule) {
  fail_at(at.exists() ? static_cast<std::size_t>(at.text().data() - text_.data()) : 0, path, rule);
}

void Report::fail_at(std::size_t offset, std::string_view path, std::string_view rule) {
  if (has_fault()) return;
  if (has_lines_) {
    const std::string_view before = text_.substr(0, offset);
    message_ =
        fmt::format("manifest line {}: ", 1 + std::count(before.begin(), before.end(), '\n'));
  }
  if (!path.empty()) message_ += fmt::format("{}: ", path);
  message_ += rule;
}

void check_text(Report &report, std::string_view text) {
  const kit::Result<void, json::ParseFault> checked = json::check(text);
  if (!checked) {
    const json::ParseFault &fault = checked.error();
    std::string_view rule = "is not JSON";
    if (fault.fault == json::Fault::encoding) rule = "is not UTF-8";
    if (fault.fault == json::Fault::depth) rule = "is nested deeper than 512";
    if (fault.fault == json::Fault::number_range) rule = "holds a number beyond a double";
    report.fail_at(fault.offset, "", rule);
    return;
  }
  if (text.find("\\u0000") == std::string_view::npos) return;
  json::Tokens tokens(text);
  for (json::Token token = tokens.next(); token.kind != json::TokenKind::end;
       token = tokens.next()) {
    if (token.text.find("\\u0000") == std::string_view::npos) continue;
    std::string characters;
    json::append_unescaped(characters, token.text);
    if (characters.find('\0') == std::string::npos) continue;
    report.fail(Value(token.text), "", "holds a NUL character");
  }
}

Fields::Fields(Report &report, Value value, std::string path)
    : report_(report), value_(value), path_(std::move(path)), members_(object_or_nothing(value)) {
  if (!value.is(Kind::object)) {
    report_.fail(value, path_, "must be an object");
    return;
  }
  if (const json::Member *twice = find_twice(members_.members()))
    report_.fail(twice->value, path_of(twice->key), "stands twice");
}

std::string join_path(std::string_view path, std::string_view step) {
  std::string joined;
  joined.reserve(path.size() + 1 + step.size());
  joined += path;
  if (!path.empty()) joined += '.';
  joined += step;
  return joined;
}

std::string join_index(std::string_view path, std::size_t index) {
  std::string joined(path);
  joined += '[';
  joined += std::to_string(index);
  joined += ']';
  return joined;
}

const json::Member *find_twice(const std::vector<json::Member> &members) {
  constexpr std::size_t kFew = 24; // above, each with each costs more than a tree
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string_view key = members[i].key;
    if (members.size() > kFew) {
      if (!seen.insert(key).second) return &members[i];
      continue;
    }
    for (std::size_t before = 0; before < i; ++before)
      if (members[before].key == key) return &members[i];
  }
  return nullptr;
}

std::string Fields::path_of(std::string_view name) const {
  const std::string_view shown = kit::utf8::clip(name, 64);
  return join_path(path_, shown);
}

void Fields::fail(std::string_view name, std::string_view rule) {
  const Value member = members_.find(name);
  report_.fail(member.exists() ? member : value_, path_of(name), rule);
}

Value Fields::take(std::string_view name, Need need) {
  known_.emplace_back(name);
  const Value member = members_.find(name);
  if (!member.exists() && need == Need::required) {
    report_.fail(value_, path_, fmt::format("\"{}\" is missing", name));
  }
  return member;
}

Value Fields::take(std::string_view name, Kind kind, Need need) {
  const Value member = take(name, need);
  if (!member.exists() || member.is(kind)) return member;
  fail(name, fmt::format("must be {}", kind_phrase(kind)));
  return {};
}

std::string Fields::text(std::string_view name, Need need) {
  const Value member = take(name, Kind::string, need);
  if (!member.exists()) return {};
  std::string text = member.string();
  if (text.empty()) fail(name, "must not be empty");
  return text;
}

std::string Fields::text(std::string_view name, const Form &form, Need need) {
  std::string text = this->text(name, need);
  if (!text.empty() && !form.fits(text)) fail(name, form.rule);
  return text;
}

std::optional<bool> Fields::flag(std::string_view name) {
  const Value member = take(name, Kind::boolean);
  return member.exists() ? member.boolean() : std::nullopt;
}

std::optional<std::uint64_t> Fields::number(std::string_view name, std::uint64_t least,
                                            std::uint64_t most, Need need) {
  const Value member = take(name, need);
  if (!member.exists()) return std::nullopt;
  const std::optional<std::int64_t> number = member.integer();
  if (number && *number >= 0) {
    const auto value = static_cast<std::uint64_t>(*number);
    if (value >= least && value <= most) return value;
  }
  fail(name, fmt::format("must be a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::string Fields::word(std::string_view name, std::initializer_list<std::string_view> words,
                         Need need) {
  const Value member = take(name, need);
  if (!member.exists()) return {};
  for (const std::string_view word : words)
    if (member.equals(word)) return std::string(word);
  std::string list;
  for (const std::string_view word : words) {
    list += fmt::format("{}\"{}\"", list.empty() ? "" : " or ", word);
  }
  fail(name, "must be " + list);
  return {};
}

std::vector<std::string> Fields::texts(std::string_view name, const Form &form) {
  std::vector<std::string> result;
  const Value array = take(name, Kind::array);
  if (!array.exists()) return result;
  for_each_element(report_, array, path_of(name), [&](Value each, const std::string &path) {
    if (!each.is(Kind::string)) {
      report_.fail(each, path, "must be a string");
      return;
    }
    std::string text = each.string();
    if (!form.fits(text)) report_.fail(each, path, form.rule);
    if (std::find(result.begin(), result.end(), text) != result.end()) {
      report_.fail(each, path, "stands twice");
    }
    result.push_back(std::move(text));
  });
  return result;
}

std::string Fields::compact(std::string_view name, Kind kind) {
  std::string text;
  const Value member = take(name, kind);
  if (member.exists()) json::append_compact(text, member.text());
  return text;
}

std::string Fields::schema(std::string_view name, SchemaUse use, Need need) {
  const Value member = take(name, Kind::object, need);
  if (!member.exists()) return {};
  const kit::Result<void, SchemaFault> checked = check_schema(member.text(), use);
  if (!checked) {
    const SchemaFault &fault = checked.error();
    std::string path = path_of(name);
    if (!fault.path.empty()) path += "." + fault.path;
    std::string rule = fault.rule;
    const Value owner = members_.find("name");
    if (fault.is_narrow && owner.is(Kind::string)) {
      rule += fmt::format(" (tool \"{}\")", kit::utf8::clip(owner.string(), 64));
    }
    const auto start = static_cast<std::size_t>(member.text().data() - report_.text().data());
    report_.fail_at(start + fault.offset, path, rule);
    return {};
  }
  return std::string(member.text());
}

std::vector<std::string> Fields::unknown() const {
  std::vector<std::string> names;
  for (const json::Member &member : members_.members()) {
    if (std::find(known_.begin(), known_.end(), member.key) == known_.end())
      names.emplace_back(member.key);
  }
  return names;
}

void Fields::finish() {
  for (const std::string &name : unknown()) {
    const std::vector<std::string_view> known(known_.begin(), known_.end());
    const std::optional<std::string_view> nearest = kit::find_nearest(name, known);
    fail(name, nearest ? fmt::format("is not known; did you mean \"{}\"?", *nearest)
                       : std::string("is not known"));
  }
}

void for_each_element(Report &report, Value array, std::string_view path,
                      const std::function<void(Value, const std::string &)> &read) {
  if (!array.exists()) return;
  if (!array.is(Kind::array)) {
    report.fail(array, path, "must be an array");
    return;
  }
  json::Elements all(array);
  std::size_t index = 0;
  for (Value each = all.next(); each.exists() && !report.has_fault(); each = all.next(), ++index) {
    read(each, join_index(path, index));
  }
}

OptionNames property_names(std::string_view schema) {
  OptionNames names;
  if (schema.empty()) return names;
  const json::Object members{Value(schema)};
  const json::Object properties(object_or_nothing(members.find("properties")));
  for (const json::Member &member : properties.members()) names.emplace(member.key);
  return names;
}

std::optional<Condition> read_condition(Fields &fields, std::string_view name,
                                        const OptionNames &options) {
  const Value value = fields.take(name, Kind::object);
  if (!value.exists()) return std::nullopt;
  Fields condition(fields.report(), value, fields.path_of(name));
  Condition result;
  result.option = condition.text("option", Need::required);
  const Value is = condition.take("is", Need::required);
  if (is.exists()) json::append_compact(result.is, is.text());
  condition.finish();
  if (!options.contains(result.option)) condition.fail("option", "names no option of the pack");
  return result;
}

void check_meta(Fields &fields, std::string_view name) {
  const Value value = fields.take(name, Kind::object);
  if (!value.exists()) return;
  const json::Object members(value);
  for (const json::Member &member : members.members()) {
    if (is_meta_key(member.key)) continue;
    fields.report().fail(member.value, fields.path_of(name),
                         fmt::format("\"{}\" is no key of the form com.example/name", member.key));
  }
}

} // namespace packhost::contract
