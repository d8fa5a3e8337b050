// SPDX-License-Identifier: MIT
// check_schema(): the subset of abi.md section 7.5 keyword by keyword, and the narrow profile for
// what clients and model services take. Recursion ends at the depth limit.
#include "sdk/contract/manifest_fields.hpp"
#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/nearest.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace packhost::contract {

namespace {

namespace json = kit::json;
using json::Kind;
using json::Value;

constexpr std::size_t kMaxDepth = 16;     // abi.md section 7.5
constexpr std::size_t kMaxSchemas = 1000; // in one schema: compiling compares each with each
constexpr std::int64_t kMaxUnique = 1024; // abi.md section 7.5
constexpr std::int64_t kMaxCount = 4294967295;

constexpr std::array<std::string_view, 7> kTypes{"null",   "boolean", "object", "array",
                                                 "string", "number",  "integer"};

/// What a keyword may hold.
enum class Holds : std::uint8_t {
  type,
  schema,
  map,
  list,
  closed, // additionalProperties
  names,
  values,
  number,
  factor,
  count,
  pattern,
  text,
  flag,
  examples,
  anything,
  host_members
};

struct KeywordRow {
  std::string_view name;
  Holds holds;
};

constexpr std::array kKeywords{
    KeywordRow{"type", Holds::type},           KeywordRow{"properties", Holds::map},
    KeywordRow{"required", Holds::names},      KeywordRow{"additionalProperties", Holds::closed},
    KeywordRow{"items", Holds::schema},        KeywordRow{"enum", Holds::values},
    KeywordRow{"minimum", Holds::number},      KeywordRow{"maximum", Holds::number},
    KeywordRow{"multipleOf", Holds::factor},   KeywordRow{"minLength", Holds::count},
    KeywordRow{"maxLength", Holds::count},     KeywordRow{"pattern", Holds::pattern},
    KeywordRow{"minItems", Holds::count},      KeywordRow{"maxItems", Holds::count},
    KeywordRow{"uniqueItems", Holds::flag},    KeywordRow{"minProperties", Holds::count},
    KeywordRow{"maxProperties", Holds::count}, KeywordRow{"anyOf", Holds::list},
    KeywordRow{"oneOf", Holds::list},          KeywordRow{"allOf", Holds::list},
    KeywordRow{"title", Holds::text},          KeywordRow{"description", Holds::text},
    KeywordRow{"default", Holds::anything},    KeywordRow{"examples", Holds::examples},
    KeywordRow{"format", Holds::text},         KeywordRow{"x-packhost", Holds::host_members},
};

/// The members of "x-packhost" and what they may be: a kind, or one of some words.
struct HostMemberRow {
  std::string_view name;
  Kind kind;
  std::array<std::string_view, 4> words{};
};

constexpr std::array kHostMembers{
    HostMemberRow{"path", Kind::string, {"directory", "file"}},
    HostMemberRow{"must_exist", Kind::boolean},
    HostMemberRow{"secret", Kind::boolean},
    HostMemberRow{"secret_from", Kind::string, {"file", "env"}},
    HostMemberRow{"file_content", Kind::boolean},
    HostMemberRow{"options_file", Kind::boolean},
    HostMemberRow{"excludes", Kind::array},
    HostMemberRow{"dir", Kind::string, {"data", "state", "cache", "tmp"}},
    HostMemberRow{"positional", Kind::number},
    HostMemberRow{"wide", Kind::boolean},
};

class Rules {
public:
  Rules(std::string_view text, SchemaUse use) : text_(text), use_(use) {}

  kit::Result<void, SchemaFault> run();

private:
  bool schema(Value value, const std::string &path, std::size_t depth);
  bool keyword(const KeywordRow &row, Value value, const std::string &path, std::size_t depth);
  bool counts_and_numbers(const KeywordRow &row, Value value, const std::string &path);
  bool type(Value value, const std::string &path);
  bool map(Value value, const std::string &path, std::size_t depth);
  bool list(Value value, const std::string &path, std::size_t depth);
  bool closed(Value value, const std::string &path, std::size_t depth);
  bool names(Value value, const std::string &path);
  bool values(Value value, const std::string &path);
  bool pattern(Value value, const std::string &path);
  bool host_members(Value value, const std::string &path);
  bool unique(const json::Object &members, Value where, const std::string &path);
  bool root(const json::Object &members, Value where);
  bool narrow(const json::Object &members, Value where, const std::string &path);
  bool narrow_property(Value property, const std::string &path);

  [[nodiscard]] bool is_narrow() const { return use_ == SchemaUse::tool_input; }

  bool fail(Value where, const std::string &path, std::string rule, bool is_narrow_rule = false) {
    fault_.path = path;
    fault_.rule = std::move(rule);
    fault_.offset = static_cast<std::size_t>(where.text().data() - text_.data());
    fault_.is_narrow = is_narrow_rule;
    return false;
  }

  bool fail_narrow(Value where, const std::string &path, std::string rule) {
    return fail(where, path, std::move(rule), true);
  }

  std::string_view text_;
  SchemaUse use_;
  std::size_t schemas_ = 0;
  SchemaFault fault_;
};

kit::Result<void, SchemaFault> Rules::run() {
  const Value value(text_);
  bool is_good = schema(value, "", 1);
  if (is_good) {
    const json::Object members(value);
    is_good = root(members, value);
  }
  if (!is_good) return tl::unexpected<SchemaFault>(std::move(fault_));
  return {};
}

bool Rules::schema(Value value, const std::string &path, std::size_t depth) {
  if (!value.is(Kind::object)) return fail(value, path, "a schema must be an object");
  if (depth > kMaxDepth) return fail(value, path, "schemas may be nested 16 deep");
  if (++schemas_ > kMaxSchemas) return fail(value, path, "a schema may hold 1000 schemas");
  const json::Object members(value);
  if (const json::Member *twice = find_twice(members.members()))
    return fail(twice->value, path, fmt::format("\"{}\" stands twice", twice->key));
  for (const json::Member &member : members.members()) {
    const auto row =
        std::find_if(kKeywords.begin(), kKeywords.end(),
                     [&member](const KeywordRow &each) { return each.name == member.key; });
    if (row == kKeywords.end()) {
      std::array<std::string_view, kKeywords.size()> known{};
      std::transform(kKeywords.begin(), kKeywords.end(), known.begin(),
                     [](const KeywordRow &each) { return each.name; });
      std::string rule = fmt::format("\"{}\" is not in the schema subset packs may use",
                                     kit::utf8::clip(member.key, 64));
      const auto nearest = kit::find_nearest(member.key, known);
      if (nearest) rule += fmt::format("; did you mean \"{}\"?", *nearest);
      return fail(member.value, path, std::move(rule));
    }
    if (!keyword(*row, member.value, path, depth)) return false;
  }
  if (!unique(members, value, path)) return false;
  return !is_narrow() || narrow(members, value, path);
}

bool Rules::keyword(const KeywordRow &row, Value value, const std::string &path,
                    std::size_t depth) {
  const std::string here = join_path(path, row.name);
  switch (row.holds) {
  case Holds::type:
    return type(value, here);
  case Holds::schema:
    return schema(value, here, depth + 1);
  case Holds::map:
    return map(value, here, depth);
  case Holds::list:
    return list(value, here, depth);
  case Holds::closed:
    return closed(value, here, depth);
  case Holds::names:
    return names(value, here);
  case Holds::values:
    return values(value, here);
  case Holds::pattern:
    return pattern(value, here);
  case Holds::host_members:
    return host_members(value, here);
  case Holds::number:
  case Holds::factor:
  case Holds::count:
    return counts_and_numbers(row, value, here);
  case Holds::text:
    return value.is(Kind::string) || fail(value, here, "must be a string");
  case Holds::flag:
    return value.is(Kind::boolean) || fail(value, here, "must be true or false");
  case Holds::examples:
    return value.is(Kind::array) || fail(value, here, "must be an array");
  case Holds::anything:
    break;
  }
  return true;
}

bool Rules::counts_and_numbers(const KeywordRow &row, Value value, const std::string &path) {
  const std::optional<double> number = value.number();
  if (!number) return fail(value, path, "must be a number");
  if (row.holds == Holds::factor && *number <= 0) return fail(value, path, "must be above 0");
  if (row.holds != Holds::count) return true;
  const std::optional<std::int64_t> count = value.integer();
  if (count && *count >= 0 && *count <= kMaxCount) return true;
  return fail(value, path, "must be a whole number from 0 to 4294967295");
}

bool Rules::type(Value value, const std::string &path) {
  const auto is_type = [](Value name) {
    return std::any_of(kTypes.begin(), kTypes.end(),
                       [name](std::string_view type) { return name.equals(type); });
  };
  if (is_type(value)) return true;
  if (!value.is(Kind::array)) {
    return fail(value, path,
                "must be one of null, boolean, object, array, string, number, integer");
  }
  std::set<std::string> seen;
  for (const Value &name : json::elements(value)) {
    if (!is_type(name)) return fail(name, path, "names no type");
    if (!seen.insert(name.string()).second) return fail(name, path, "names a type twice");
  }
  if (seen.empty()) return fail(value, path, "names no type");
  if (is_narrow()) return fail_narrow(value, path, "must be one name, not a list");
  return true;
}

bool Rules::map(Value value, const std::string &path, std::size_t depth) {
  if (!value.is(Kind::object)) return fail(value, path, "must be an object");
  const json::Object properties(value);
  const json::Member *const twice = find_twice(properties.members());
  for (const json::Member &property : properties.members()) {
    const std::string here = join_path(path, property.key);
    if (property.key.find('\0') != std::string_view::npos) {
      return fail(property.value, path, "a name may not hold a NUL");
    }
    if (&property == twice) return fail(property.value, here, "stands twice");
    if (!schema(property.value, here, depth + 1)) return false;
    if (is_narrow() && !narrow_property(property.value, here)) return false;
  }
  return true;
}

bool Rules::list(Value value, const std::string &path, std::size_t depth) {
  if (!value.is(Kind::array)) return fail(value, path, "must be an array of schemas");
  json::Elements all(value);
  std::size_t index = 0;
  for (Value each = all.next(); each.exists(); each = all.next(), ++index) {
    if (!schema(each, join_index(path, index), depth + 1)) return false;
  }
  return index > 0 || fail(value, path, "must have at least one schema");
}

bool Rules::closed(Value value, const std::string &path, std::size_t depth) {
  if (value.is(Kind::boolean)) return true;
  if (use_ != SchemaUse::options) return fail(value, path, "must be true or false");
  return schema(value, path, depth + 1);
}

bool Rules::names(Value value, const std::string &path) {
  if (!value.is(Kind::array)) return fail(value, path, "must be an array of names");
  std::set<std::string> seen;
  for (const Value &name : json::elements(value)) {
    if (!name.is(Kind::string)) return fail(name, path, "must be an array of names");
    if (!seen.insert(name.string()).second) return fail(name, path, "has a name twice");
  }
  return true;
}

bool Rules::values(Value value, const std::string &path) {
  if (!value.is(Kind::array)) return fail(value, path, "must be an array");
  std::set<std::string> seen;
  for (const Value &each : json::elements(value)) {
    if (!seen.insert(json::canonical(each.text())).second) {
      return fail(each, path, "has a value twice");
    }
  }
  if (seen.empty()) return fail(value, path, "must have at least one value");
  // Containers in it cost the compiler what schemas cost.
  schemas_ += static_cast<std::size_t>(
      std::count_if(value.text().begin(), value.text().end(), [](char c) { return c == '{'; }));
  return schemas_ <= kMaxSchemas || fail(value, path, "a schema may hold 1000 schemas");
}

bool Rules::pattern(Value value, const std::string &path) {
  if (!value.is(Kind::string)) return fail(value, path, "must be a string");
  std::optional<std::string> fault = find_pattern_fault(value.string());
  return !fault || fail(value, path, std::move(*fault));
}

bool Rules::host_members(Value value, const std::string &path) {
  if (!value.is(Kind::object)) return fail(value, path, "must be an object");
  const json::Object members(value);
  for (const json::Member &member : members.members()) {
    const auto row =
        std::find_if(kHostMembers.begin(), kHostMembers.end(),
                     [&member](const HostMemberRow &each) { return each.name == member.key; });
    if (row == kHostMembers.end()) {
      return fail(member.value, path, fmt::format("\"{}\" is not known", member.key));
    }
    const std::string here = join_path(path, member.key);
    if (!member.value.is(row->kind)) return fail(member.value, here, "is of the wrong kind");
    const bool is_word =
        row->words[0].empty() ||
        std::any_of(row->words.begin(), row->words.end(), [&member](std::string_view word) {
          return !word.empty() && member.value.equals(word);
        });
    if (!is_word) return fail(member.value, here, "is not one of the words for it");
    if (row->kind == Kind::array && !names(member.value, here)) return false;
    if (row->kind == Kind::number && member.value.integer().value_or(0) < 1) {
      return fail(member.value, here, "must be a whole number from 1");
    }
  }
  return true;
}

bool Rules::unique(const json::Object &members, Value where, const std::string &path) {
  const Value flag = members.find("uniqueItems");
  if (!flag.exists() || flag.boolean() == false) return true;
  const std::optional<std::int64_t> most = members.find("maxItems").integer();
  if (most && *most <= kMaxUnique) return true;
  return fail(flag.exists() ? flag : where, join_path(path, "uniqueItems"),
              "may stand only beside a \"maxItems\" of at most 1024");
}

bool Rules::root(const json::Object &members, Value where) {
  if (!members.find("type").equals("object")) {
    return fail(where, "", "the top level must have \"type\": \"object\"");
  }
  if (!is_narrow()) return true;
  for (const std::string_view keyword : {"anyOf", "oneOf", "allOf"}) {
    const Value value = members.find(keyword);
    if (!value.exists()) continue;
    return fail_narrow(value, "", fmt::format("\"{}\" may not stand at the top level", keyword));
  }
  if (members.find("properties").exists()) return true;
  return fail_narrow(where, "", "\"properties\" is missing (write {} for none)");
}

bool Rules::narrow(const json::Object &members, Value where, const std::string &path) {
  const Value type = members.find("type");
  if (type.equals("array") && !members.find("items").exists()) {
    return fail_narrow(where, path, "an array needs \"items\"");
  }
  if (!path.empty() && type.equals("object") && !members.find("properties").exists() &&
      !members.find("additionalProperties").exists()) {
    return fail_narrow(where, path, "an object needs \"properties\" or \"additionalProperties\"");
  }
  const Value fallback = members.find("default");
  if (fallback.is(Kind::null)) {
    return fail_narrow(fallback, join_path(path, "default"), "may not be null");
  }
  return true;
}

bool Rules::narrow_property(Value property, const std::string &path) {
  const Value description = json::Object(property).find("description");
  if (description.is(Kind::string) && !description.equals("")) return true;
  return fail_narrow(property, path, "has no description");
}

} // namespace

kit::Result<void, SchemaFault> check_schema(std::string_view schema, SchemaUse use) {
  return Rules(schema, use).run();
}

} // namespace packhost::contract
