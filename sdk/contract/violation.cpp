// SPDX-License-Identifier: MIT
// The sentences of violations, by keyword. Runs only when a document was refused, so it walks both
// texts again instead of keeping anything while they are checked.
#include "sdk/contract/violation.hpp"

#include "sdk/kit/json.hpp"
#include "sdk/kit/nearest.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace packhost::contract {

namespace {

namespace json = kit::json;
using json::Kind;
using json::Value;

constexpr std::size_t kMaxShownNameBytes = 64;
constexpr std::size_t kMaxShownListBytes = 600;

/// One step of a pointer, unescaped.
std::string step_of(std::string_view token) {
  std::string step;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size()) {
      step.push_back(token[++i] == '0' ? '~' : '/');
    } else {
      step.push_back(token[i]);
    }
  }
  return step;
}

Value child_of(Value value, const std::string &step) {
  if (value.is(Kind::object)) return json::Object(value).find(step);
  if (!value.is(Kind::array)) return {};
  std::size_t index = 0;
  const char *const end = step.data() + step.size();
  if (std::from_chars(step.data(), end, index).ptr != end) return {};
  json::Elements all(value);
  Value each = all.next();
  for (; each.exists() && index > 0; --index) each = all.next();
  return each;
}

/// The value a pointer names, absent if there is none.
Value find_value(std::string_view text, std::string_view pointer) {
  Value value(text);
  while (!pointer.empty() && value.exists()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    value = child_of(value, step_of(pointer.substr(0, end)));
    pointer.remove_prefix(end);
  }
  return value;
}

std::string quoted_name(std::string_view name) {
  const std::string_view shown = kit::utf8::clip(name, kMaxShownNameBytes);
  std::string text = "'";
  kit::json::append_escaped(text, shown);
  text += shown.size() < name.size() ? "...'" : "'";
  return text;
}

std::string type_name(Value name) {
  if (name.equals("boolean")) return "true or false";
  if (name.equals("null")) return "null";
  const std::string word = name.string();
  const bool is_vowel = word.starts_with('a') || word.starts_with('o') || word.starts_with('i');
  return (is_vowel ? "an " : "a ") + word;
}

std::string type_rule(Value type, Value document) {
  if (type.equals("integer") && document.is(Kind::number)) {
    // A number without a fraction that is none for us is one that 64 bits do not hold.
    const double number = document.number().value_or(0);
    if (number >= 9.2e18 || number <= -9.2e18) return "must be an integer that fits in 64 bits";
  }
  if (!type.is(Kind::array)) return "must be " + type_name(type);
  std::string rule = "must be ";
  const std::vector<Value> names = json::elements(type);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) rule += i + 1 == names.size() ? " or " : ", ";
    rule += type_name(names[i]);
  }
  return rule;
}

std::string enum_rule(Value values) {
  std::string list;
  std::size_t count = 0;
  json::Elements all(values);
  for (Value each = all.next(); each.exists(); each = all.next(), ++count) {
    std::string shown;
    json::append_compact(shown, each.text());
    if (list.size() + shown.size() > kMaxShownListBytes) {
      list += ", ...";
      break;
    }
    list += (list.empty() ? "" : ", ") + shown;
  }
  return count == 1 ? "must be " + list : "must be one of " + list;
}

std::string required_rule(Value required, Value document) {
  const json::Object present(document.is(Kind::object) ? document : Value());
  json::Elements all(required);
  for (Value each = all.next(); each.exists(); each = all.next()) {
    const std::string name = each.string();
    if (!present.find(name).exists()) return "is missing the property " + quoted_name(name);
  }
  return "is missing a property";
}

std::string unknown_rule(Value schema, std::string_view name) {
  const Value properties = json::Object(schema).find("properties");
  const json::Object known(properties.is(Kind::object) ? properties : Value());
  std::vector<std::string_view> names;
  for (const json::Member &member : known.members()) names.push_back(member.key);
  std::string rule = "unknown property " + quoted_name(name);
  const std::optional<std::string_view> nearest = kit::find_nearest(name, names);
  if (nearest) rule += fmt::format("; did you mean {}?", quoted_name(*nearest));
  return rule;
}

/// "must have 'a' or 'b'" where every branch asks for properties and nothing else is known.
std::string branches_rule(Value branches, bool exactly_one) {
  std::string list;
  for (const Value &branch : json::elements(branches)) {
    const Value required = json::Object(branch).find("required");
    std::string names;
    if (required.is(Kind::array)) {
      for (const Value &name : json::elements(required)) {
        names += (names.empty() ? "" : " and ") + quoted_name(name.string());
      }
    }
    if (names.empty() || list.size() > kMaxShownListBytes) {
      return exactly_one ? "must fit exactly one of the forms its schema allows"
                         : "must fit one of the forms its schema allows";
    }
    list += (list.empty() ? "" : " or ") + names;
  }
  return (exactly_one ? "must fit exactly one of the forms with " : "must fit a form with ") + list;
}

std::string plural(Value count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count.text(), count.integer() == 1 ? one : many);
}

std::string rule_of(std::string_view keyword, Value schema, Value document) {
  const Value limit = json::Object(schema).find(keyword);
  if (!limit.exists()) return "does not fit its schema";
  if (keyword == "type") return type_rule(limit, document);
  if (keyword == "enum") return enum_rule(limit);
  if (keyword == "required") return required_rule(limit, document);
  if (keyword == "minimum") return fmt::format("must be at least {}", limit.text());
  if (keyword == "maximum") return fmt::format("must be at most {}", limit.text());
  if (keyword == "multipleOf") return fmt::format("must be a multiple of {}", limit.text());
  if (keyword == "pattern") return "must match the pattern " + limit.string();
  if (keyword == "anyOf") return branches_rule(limit, false);
  if (keyword == "oneOf") return branches_rule(limit, true);
  if (keyword == "allOf") return "must fit all the forms its schema names";
  if (keyword == "uniqueItems") return "must not repeat an earlier item";
  if (keyword == "minLength") {
    return "must have at least " + plural(limit, "character", "characters");
  }
  if (keyword == "maxLength")
    return "must have at most " + plural(limit, "character", "characters");
  if (keyword == "minItems") return "must have at least " + plural(limit, "item", "items");
  if (keyword == "maxItems") return "must have at most " + plural(limit, "item", "items");
  if (keyword == "minProperties") {
    return "must have at least " + plural(limit, "property", "properties");
  }
  if (keyword == "maxProperties") {
    return "must have at most " + plural(limit, "property", "properties");
  }
  return "does not fit its schema";
}

} // namespace

Violation describe_mismatch(std::string_view schema, std::string_view document,
                            const Mismatch &mismatch) {
  const Value place = find_value(schema, mismatch.schema_pointer);
  if (!place.is(Kind::object)) {
    return {std::string(mismatch.document_pointer), "does not fit its schema"};
  }
  const std::size_t last = mismatch.document_pointer.rfind('/');
  const std::string_view parent = last == std::string_view::npos
                                      ? std::string_view()
                                      : mismatch.document_pointer.substr(0, last);
  if (mismatch.keyword == "additionalProperties" && last != std::string_view::npos) {
    const std::string name = step_of(mismatch.document_pointer.substr(last + 1));
    return {std::string(parent), unknown_rule(place, name)};
  }
  if (mismatch.keyword == "uniqueItems" && last != std::string_view::npos) {
    // An array above its maxItems is given up before its end; that is then what is wrong with it.
    const Value most = json::Object(place).find("maxItems");
    const Value array = find_value(document, parent);
    if (array.is(Kind::array)) {
      std::int64_t count = 0;
      json::Elements all(array);
      while (all.next().exists()) ++count;
      if (count > most.integer().value_or(INT64_MAX)) {
        return {std::string(parent), rule_of("maxItems", place, array)};
      }
    }
  }
  const Value value = find_value(document, mismatch.document_pointer);
  return {std::string(mismatch.document_pointer), rule_of(mismatch.keyword, place, value)};
}

} // namespace packhost::contract
