// SPDX-License-Identifier: MIT
// Typed reading of arguments for packs that check their own: the first fault, named so that a model
// can mend its call.
#include "sdk/kit/json.hpp"
#include "sdk/kit/nearest.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <utility>

namespace packhost::kit::json {

namespace {

constexpr std::size_t kMaxShownNameBytes = 64; // of an argument nobody knows

Value object_or_nothing(std::string_view text) {
  const Value value(text);
  return value.is(Kind::object) ? value : Value();
}

} // namespace

ArgumentReader::ArgumentReader(std::string_view checked_args)
    : members_(object_or_nothing(checked_args)) {
  if (!Value(checked_args).is(Kind::object)) report({}, "must be an object");
}

void ArgumentReader::report(std::string argument, std::string reason, std::string expected) {
  if (fault_) return;
  fault_ = ArgumentFault{std::move(argument), std::move(reason), std::move(expected)};
}

/// The member, or nothing if it is absent or null.
Value ArgumentReader::take(std::string_view name) {
  asked_.emplace_back(name);
  const Value value = members_.find(name);
  return value.is(Kind::null) ? Value() : value;
}

std::string ArgumentReader::required_string(std::string_view name) {
  const Value value = take(name);
  if (value.is(Kind::string)) return value.string();
  report(std::string(name), value.exists() ? "must be a string" : "is missing", "a string");
  return {};
}

std::optional<std::string> ArgumentReader::optional_string(std::string_view name) {
  const Value value = take(name);
  if (!value.exists()) return std::nullopt;
  if (value.is(Kind::string)) return value.string();
  report(std::string(name), "must be a string", "a string");
  return std::nullopt;
}

std::optional<std::int64_t> ArgumentReader::optional_integer(std::string_view name) {
  const Value value = take(name);
  if (!value.exists()) return std::nullopt;
  const std::optional<std::int64_t> number = value.integer();
  if (!number) report(std::string(name), "must be an integer", "an integer");
  return number;
}

std::optional<bool> ArgumentReader::optional_boolean(std::string_view name) {
  const Value value = take(name);
  if (!value.exists()) return std::nullopt;
  const std::optional<bool> truth = value.boolean();
  if (!truth) report(std::string(name), "must be true or false", "true or false");
  return truth;
}

std::optional<std::string>
ArgumentReader::optional_choice(std::string_view name,
                                std::initializer_list<std::string_view> choices) {
  const Value value = take(name);
  if (!value.exists()) return std::nullopt;
  for (const std::string_view choice : choices) {
    if (value.equals(choice)) return std::string(choice);
  }
  std::string list;
  for (const std::string_view choice : choices) {
    list.append(list.empty() ? "'" : ", '").append(choice).append("'");
  }
  report(std::string(name), "must be one of " + list, "one of " + list);
  return std::nullopt;
}

std::vector<std::string> ArgumentReader::required_strings(std::string_view name) {
  const Value value = take(name);
  std::vector<std::string> result;
  if (!value.is(Kind::array)) {
    report(std::string(name), value.exists() ? "must be an array of strings" : "is missing",
           "an array of strings");
    return result;
  }
  Elements all(value);
  for (Value each = all.next(); each.exists(); each = all.next()) {
    if (!each.is(Kind::string)) {
      report(fmt::format("{}[{}]", name, result.size()), "must be a string", "a string");
      return {};
    }
    result.push_back(each.string());
  }
  return result;
}

Result<void, ArgumentFault> ArgumentReader::finish() {
  if (!fault_) {
    const std::vector<std::string_view> known(asked_.begin(), asked_.end());
    for (const Member &member : members_.members()) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      const std::optional<std::string_view> nearest = find_nearest(member.key, known);
      report(std::string(utf8::clip(member.key, kMaxShownNameBytes)), "unknown property",
             nearest ? fmt::format("'{}'", *nearest) : std::string());
      break;
    }
  }
  if (fault_) return tl::unexpected<ArgumentFault>(*fault_);
  return {};
}

} // namespace packhost::kit::json
