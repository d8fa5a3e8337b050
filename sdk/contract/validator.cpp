// SPDX-License-Identifier: MIT
// Checking documents with RapidJSON's schema validator. It is fed from kit/json's tokens, so no
// document is built; a feeder in front turns whole numbers into integers and tells RE2, which
// stands in for RapidJSON's own regular expressions, how long a string is.
#include "sdk/contract/validator.hpp"

// g++ 12 reports false null dereferences inside RapidJSON's stack and schema once it optimises.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wnull-dereference"
#endif

#include "sdk/contract/flat_schema.hpp"
#include "sdk/contract/schema_text.hpp"
#include "sdk/contract/violation.hpp"
#include "sdk/kit/json.hpp"

#include <rapidjson/rapidjson.h>
#include <re2/re2.h>

#include <array>
#include <charconv>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

// RapidJSON's own expressions know no \d and end at a NUL. With this guard set, schema.h takes the
// class below instead.
#define RAPIDJSON_INTERNAL_REGEX_H_ // NOLINT(bugprone-reserved-identifier): RapidJSON's name

namespace packhost::contract {

namespace {

/// A string on its way to a pattern stands behind its length, since RapidJSON hands on only where
/// it begins.
using StringLength = std::size_t;

re2::StringPiece string_behind_length(const char *text) {
  StringLength length = 0;
  std::memcpy(&length, text - sizeof length, sizeof length);
  return {text, length};
}

RE2::Options regex_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(
      1 << 20); // of one pattern and its automaton; beyond it RE2 is slower, not larger
  return options;
}

} // namespace

} // namespace packhost::contract

namespace rapidjson {

class CrtAllocator;

namespace internal {

template <typename Encoding, typename Allocator = CrtAllocator>
class GenericRegex {
public:
  explicit GenericRegex(const char *pattern)
      : regex_(pattern, packhost::contract::regex_options()) {}

  [[nodiscard]] bool IsValid() const { return regex_.ok(); }

  [[nodiscard]] bool Search(const char *text) const {
    return RE2::PartialMatch(packhost::contract::string_behind_length(text), regex_);
  }

private:
  RE2 regex_;
};

} // namespace internal

} // namespace rapidjson

#include <rapidjson/document.h>
#include <rapidjson/pointer.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

namespace packhost::contract {

namespace {

namespace json = kit::json;

/// The validator's state, told apart from other memory by its type.
class StateAllocator : public rapidjson::CrtAllocator {};

constexpr std::size_t kMaxUniqueItems = 1024; // the most a schema with uniqueItems allows, 7.5

/// Hash of one element of an array whose elements must differ.
struct ElementHash {
  std::uint64_t hash = 0;
  bool equals_any = false;

  [[nodiscard]] ElementHash GetUint64() const { return *this; } // RapidJSON's name

  friend bool operator==(const ElementHash &element, std::uint64_t other) {
    return element.equals_any || element.hash == other;
  }
};

} // namespace

} // namespace packhost::contract

namespace rapidjson {

/// The validator keeps the hashes of an array's elements in a value with its own allocator and
/// compares each new element with all of them: 60,000 items took 0.8 s. Where uniqueItems stands no
/// array above 1,024 items fits anyway, so this stand-in makes the next element a repetition.
template <>
class GenericValue<UTF8<>, packhost::contract::StateAllocator> {
public:
  using ConstValueIterator = const packhost::contract::ElementHash *;

  explicit GenericValue(Type /*array*/) {}

  [[nodiscard]] ConstValueIterator Begin() const { return hashes_.data(); }

  [[nodiscard]] ConstValueIterator End() const { return hashes_.data() + hashes_.size(); }

  void PushBack(std::uint64_t hash, packhost::contract::StateAllocator & /*allocator*/) {
    hashes_.push_back({hash, false});
    if (hashes_.size() == packhost::contract::kMaxUniqueItems) hashes_.front().equals_any = true;
  }

private:
  std::vector<packhost::contract::ElementHash> hashes_;
};

} // namespace rapidjson

namespace packhost::contract {

namespace {

/// Sends the tokens of a checked text as RapidJSON events until the handler says no.
class Feeder {
public:
  explicit Feeder(std::string_view schema)
      : has_patterns_(schema.find("\"pattern\"") != std::string_view::npos),
        has_factors_(schema.find("\"multipleOf\"") != std::string_view::npos) {}

  template <typename Handler>
  bool feed(std::string_view text, Handler &to) {
    json::Tokens tokens(text);
    counts_.clear();
    for (;;) {
      const json::Token token = tokens.next();
      if (token.kind == json::TokenKind::end) return true;
      if (!send(token, to)) return false;
    }
  }

private:
  template <typename Handler>
  bool send(const json::Token &token, Handler &to) {
    switch (token.kind) {
    case json::TokenKind::begin_object:
    case json::TokenKind::begin_array: {
      count_value();
      counts_.push_back({token.kind == json::TokenKind::begin_array, 0});
      return counts_.back().is_array ? to.StartArray() : to.StartObject();
    }
    case json::TokenKind::end_object:
    case json::TokenKind::end_array: {
      const rapidjson::SizeType count = counts_.back().count;
      counts_.pop_back();
      return token.kind == json::TokenKind::end_array ? to.EndArray(count) : to.EndObject(count);
    }
    case json::TokenKind::key: {
      ++counts_.back().count;
      const std::string_view key = characters(token.text, false);
      return to.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()), true);
    }
    case json::TokenKind::string: {
      count_value();
      const std::string_view text = characters(token.text, has_patterns_);
      return to.String(text.data(), static_cast<rapidjson::SizeType>(text.size()), true);
    }
    case json::TokenKind::number:
      count_value();
      return number(token.text, to);
    case json::TokenKind::literal:
      count_value();
      if (token.text == "null") return to.Null();
      return to.Bool(token.text == "true");
    case json::TokenKind::end:
      break;
    }
    return true;
  }

  template <typename Handler>
  bool number(std::string_view text, Handler &to) const {
    const char *const end = text.data() + text.size();
    std::uint64_t large = 0;
    const std::from_chars_result plain = std::from_chars(text.data(), end, large);
    if (plain.ec == std::errc{} && plain.ptr == end) return to.Uint64(large);
    const json::Value value(text);
    const std::optional<std::int64_t> whole = value.integer();
    // RapidJSON negates what it divides, which the smallest integer does not survive.
    if (whole && !(has_factors_ && *whole == INT64_MIN)) {
      return *whole < 0 ? to.Int64(*whole) : to.Uint64(static_cast<std::uint64_t>(*whole));
    }
    return to.Double(value.number().value_or(0));
  }

  void count_value() {
    if (!counts_.empty() && counts_.back().is_array) ++counts_.back().count;
  }

  /// The characters of a string: in the text itself where nothing is escaped.
  std::string_view characters(std::string_view spelled, bool with_length) {
    const bool is_plain = spelled.find('\\') == std::string_view::npos;
    if (is_plain && !with_length) return spelled.substr(1, spelled.size() - 2);
    scratch_.assign(sizeof(StringLength), '\0');
    json::append_unescaped(scratch_, spelled);
    const StringLength length = scratch_.size() - sizeof(StringLength);
    std::memcpy(scratch_.data(), &length, sizeof length);
    return std::string_view(scratch_).substr(sizeof length);
  }

  struct Count {
    bool is_array = false;
    rapidjson::SizeType count = 0;
  };

  bool has_patterns_;
  bool has_factors_;
  std::string scratch_;
  std::vector<Count> counts_;
};

using Validator = rapidjson::GenericSchemaValidator<
    rapidjson::SchemaDocument, rapidjson::BaseReaderHandler<rapidjson::UTF8<>>, StateAllocator>;

/// What one thread needs to check one document; reused, since making one costs as much as a check.
struct Checker {
  Checker(const rapidjson::SchemaDocument &compiled, std::string_view schema)
      : feeder(schema), validator(compiled, &allocator) {}

  Feeder feeder;
  StateAllocator allocator;
  Validator validator;
};

constexpr std::size_t kMaxIdleCheckers = 8;
constexpr std::size_t kMaxKeptDocumentBytes = 65536; // a checker grows with its document

std::string pointer_text(const rapidjson::SchemaDocument::PointerType &pointer) {
  rapidjson::StringBuffer buffer;
  pointer.Stringify(buffer);
  return {buffer.GetString(), buffer.GetSize()};
}

rapidjson::Document build_document(std::string_view text) {
  Feeder feeder("");
  rapidjson::Document document;
  auto generate = [&feeder, text](rapidjson::Document &to) { return feeder.feed(text, to); };
  document.Populate(generate);
  return document;
}

/// The first pattern of a compact schema that may not stand there.
std::optional<std::string> find_bad_pattern(std::string_view schema) {
  json::Tokens tokens(schema);
  for (json::Token token = tokens.next(); token.kind != json::TokenKind::end;
       token = tokens.next()) {
    if (token.kind != json::TokenKind::key || token.text != "\"pattern\"") continue;
    const json::Token value = tokens.next();
    if (value.kind != json::TokenKind::string) continue; // a property of that name
    std::optional<std::string> fault = find_pattern_fault(json::Value(value.text).string());
    if (fault) return fault;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> find_pattern_fault(std::string_view pattern) {
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest[0] == '\0') return "may not hold a NUL";
    if (rest[0] == '\\' && rest.size() > 1) {
      if (rest[1] >= '1' && rest[1] <= '9') return "may not have back-references";
      // Known to RE2 and to no JSON Schema dialect.
      if (std::string_view("AzCQE").find(rest[1]) != std::string_view::npos) {
        return fmt::format("may not have \\{}: other engines do not know it", rest[1]);
      }
      ++i;
      continue;
    }
    if (rest[0] == '[') in_class = true;
    if (rest[0] == ']') in_class = false;
    if (!in_class && rest.starts_with("(?") && !rest.starts_with("(?:")) {
      return "may not have look-around, flags or named groups";
    }
  }
  const RE2 regex(re2::StringPiece(pattern.data(), pattern.size()), regex_options());
  if (regex.ok()) return std::nullopt;
  return fmt::format("is no regular expression packs may use ({})", regex.error());
}

struct Schema::Impl {
  explicit Impl(std::string schema) : text(std::move(schema)), flat(FlatSchema::find(text)) {}

  std::unique_ptr<Checker> take() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::unique_ptr<Checker> checker = std::move(idle.back());
        idle.pop_back();
        return checker;
      }
    }
    std::call_once(once, [this] { compiled.emplace(build_document(text)); });
    return std::make_unique<Checker>(*compiled, text);
  }

  void give_back(std::unique_ptr<Checker> checker) {
    checker->validator.Reset();
    const std::lock_guard lock(mutex);
    if (idle.size() < kMaxIdleCheckers) idle.push_back(std::move(checker));
  }

  std::string text; // compact, without annotations
  std::optional<FlatSchema> flat;
  std::once_flag once; // compiled with the first document that does not go the quick way
  std::optional<rapidjson::SchemaDocument> compiled;
  std::mutex mutex;
  std::vector<std::unique_ptr<Checker>> idle; // guarded by mutex
};

Schema::Schema(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Schema::Schema(Schema &&) noexcept = default;
Schema &Schema::operator=(Schema &&) noexcept = default;
Schema::~Schema() = default;

kit::Result<Schema> Schema::compile(std::string_view schema) {
  // RapidJSON compiles whatever looks like a schema, so what only people read goes first.
  constexpr std::array<std::string_view, 6> kAnnotations{"title",    "description", "default",
                                                         "examples", "format",      "x-packhost"};
  std::string text = copy_schema(schema, kAnnotations);
  const std::optional<std::string> fault = find_bad_pattern(text);
  if (fault) return kit::fail(kit::Code::config, "pattern {}", *fault);
  return Schema(std::make_unique<Impl>(std::move(text)));
}

kit::Result<void, Violation> Schema::check(std::string_view document) const {
  if (impl_->flat && impl_->flat->accepts(document)) return {};
  std::unique_ptr<Checker> checker = impl_->take();
  if (checker->feeder.feed(document, checker->validator)) {
    if (document.size() <= kMaxKeptDocumentBytes) impl_->give_back(std::move(checker));
    return {};
  }
  const Validator &validator = checker->validator;
  const std::string place = pointer_text(validator.GetInvalidDocumentPointer());
  const std::string schema_place = pointer_text(validator.GetInvalidSchemaPointer());
  const char *keyword = validator.GetInvalidSchemaKeyword();
  Violation violation = describe_mismatch(impl_->text, document,
                                          {schema_place, keyword != nullptr ? keyword : "", place});
  if (document.size() <= kMaxKeptDocumentBytes) impl_->give_back(std::move(checker));
  return tl::unexpected<Violation>(std::move(violation));
}

} // namespace packhost::contract
