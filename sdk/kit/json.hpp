// SPDX-License-Identifier: MIT
// JSON as checked text: one pass checks a whole text (limits, UTF-8, grammar), and views over it
// read members without building a document, so numbers keep their spelling and 64 MiB of input stay
// 64 MiB. Also: writing, and the canonical form. RapidJSON's reader was measured at a quarter of
// the speed on a request line and a fifteenth on long text; it is the oracle of the fuzz target.
#pragma once

#include "sdk/kit/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::kit::json {

/// What a text may be. Depth counts nested objects and arrays; the outermost is 1.
struct Limits {
  std::size_t max_depth = 512;
};

enum class Fault : std::uint8_t {
  syntax,      // not JSON
  encoding,    // not UTF-8, or an escape of half a surrogate pair
  depth,       // nested deeper than the limit
  number_range // a number beyond a double, as 1e400
};

struct ParseFault {
  Fault fault = Fault::syntax;
  std::size_t offset = 0; // bytes from the start of the text
};

/// Checks that `text` is exactly one JSON value (white space around it allowed). Constant stack, no
/// allocation that grows with nesting beyond the limit.
[[nodiscard]] Result<void, ParseFault> check(std::string_view text, const Limits &limits = {});

/// The same. RETURNS: true if it stands in the compact form, without white space between tokens.
[[nodiscard]] Result<bool, ParseFault> check_form(std::string_view text, const Limits &limits = {});

/// The members of the outermost object and of the objects in it, as far as they fit: what check()
/// came by, so that nobody has to look for it again. Borrows the text.
class Outline {
public:
  static constexpr std::size_t kMaxDepth = 3; // of the objects whose members are noted
  static constexpr std::size_t kMaxMembers = 32;

  struct Entry {
    std::string_view key;   // with its quotes, as spelled
    std::string_view value; // as spelled
    std::size_t depth = 1;  // of the object it is a member of
  };

  /// The members in the order of the text, those of a member's own object right behind it; nothing
  /// if they did not all fit. REQUIRES: check() was content.
  [[nodiscard]] std::span<const Entry> entries() const {
    return {entries_.data(), is_whole_ ? count_ : 0};
  }

  /// The members of the object that is the value of entries[place].
  [[nodiscard]] static std::span<const Entry> inside(std::span<const Entry> entries,
                                                     std::size_t place);

private:
  friend class OutlineWriter;
  std::array<Entry, kMaxMembers> entries_;
  std::size_t count_ = 0;
  bool is_whole_ = true;
};

/// The same, noting the members it comes by. `outline` is a fresh one.
[[nodiscard]] Result<void, ParseFault> check(std::string_view text, Outline &outline,
                                             const Limits &limits = {});

/// Replaces each lone surrogate escape (\ud800) by \ufffd, in place: both have six bytes. Escaped
/// backslashes are respected. RETURNS: how many were replaced.
std::size_t repair_surrogates(std::string &text);

/// Replaces the number at `offset`, whose value no double can hold, by 1e308 and blanks, so that
/// the text can be read on for its id. REQUIRES: check() reported number_range at `offset` of this
/// text.
void blank_number(std::string &text, std::size_t offset);

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

/// One value inside a checked text. Borrows the text: valid while that lives and is not changed.
/// REQUIRES of every Value: its text went through check() (or is a part of one that did).
class Value {
public:
  Value() = default; // absent

  /// The outermost value of a checked text.
  explicit Value(std::string_view checked);

  /// A value without white space around it.
  [[nodiscard]] static Value of_spelled(std::string_view spelled) {
    Value value;
    value.text_ = spelled;
    return value;
  }

  /// False for a member that find() did not find.
  [[nodiscard]] bool exists() const { return !text_.empty(); }

  [[nodiscard]] Kind kind() const;

  [[nodiscard]] bool is(Kind kind) const { return exists() && this->kind() == kind; }

  /// The value as spelled, without white space around it.
  [[nodiscard]] std::string_view text() const { return text_; }

  /// The characters of a string, unescaped. REQUIRES: is(Kind::string).
  [[nodiscard]] std::string string() const;

  /// True if this is a string equal to `expected`, without copying where nothing is escaped.
  [[nodiscard]] bool equals(std::string_view expected) const;

  /// A number without a fraction that fits, however spelled (2, 2.0, 2e0). Nothing for anything
  /// else.
  [[nodiscard]] std::optional<std::int64_t> integer() const;

  /// Any number. Nothing for anything else.
  [[nodiscard]] std::optional<double> number() const;

  /// true or false. Nothing for anything else.
  [[nodiscard]] std::optional<bool> boolean() const;

private:
  std::string_view text_;
};

struct Member {
  std::string_view key; // the characters, unescaped; lives as long as the Object
  Value value;
};

/// The members of one object, in order. Of equal keys find() gives the last. Not copyable: keys
/// with escapes are kept inside. One thread at a time. The first members are indexed at once; an
/// object with more than a few hundred is scanned again by find(), so that a line of 64 MiB full of
/// members does not become an index of 500 MiB.
class Object {
public:
  /// REQUIRES: value.is(Kind::object), or !value.exists() for an object without members.
  explicit Object(Value value);
  /// The same from an outline; `inside` are the entries for the members of `value`, or nothing.
  Object(Value value, std::span<const Outline::Entry> inside);
  Object(Object &&) noexcept;
  Object &operator=(Object &&) noexcept;
  ~Object();

  [[nodiscard]] Value find(std::string_view key) const;

  /// All of them: 32 bytes each.
  [[nodiscard]] const std::vector<Member> &members() const;

private:
  void index(std::size_t limit) const;
  void add(std::string_view spelled_key, Value value) const;

  mutable std::vector<Member> members_;
  mutable std::vector<std::vector<char>> unescaped_keys_;
  mutable std::string_view rest_; // what is not indexed: starts at a member; empty: nothing
};

/// The members of an object one by one, without a list of them: for one look at each.
class Members {
public:
  struct Spelled {
    Value key; // a string; absent after the last member
    Value value;
  };

  /// REQUIRES: object.is(Kind::object).
  explicit Members(Value object);

  /// The next one, or an absent key after the last.
  [[nodiscard]] Spelled next();

private:
  std::string_view rest_;
};

/// The elements of an array, in order: 16 bytes each. REQUIRES: value.is(Kind::array).
[[nodiscard]] std::vector<Value> elements(Value value);

/// The elements of an array one by one, without a list of them.
class Elements {
public:
  /// REQUIRES: array.is(Kind::array).
  explicit Elements(Value array);

  /// The next one, or an absent value after the last.
  [[nodiscard]] Value next();

private:
  std::string_view rest_;
};

enum class TokenKind : std::uint8_t {
  begin_object,
  end_object,
  begin_array,
  end_array,
  key,
  string,
  number,
  literal, // true, false, null
  end      // of the text
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text; // as spelled; keys and strings with their quotes
};

/// The tokens of a checked text in order, at constant memory: for whoever walks a whole document.
class Tokens {
public:
  explicit Tokens(std::string_view checked) : begin_(checked.data()), rest_(checked) {}

  Token next();

  /// Passes over one whole value. REQUIRES: the last token was a key, or a value comes next.
  /// RETURNS: the value.
  Value skip_value();

  /// Bytes from the start of the text to where next() goes on.
  [[nodiscard]] std::size_t offset() const {
    return static_cast<std::size_t>(rest_.data() - begin_);
  }

private:
  const char *begin_;
  std::string_view rest_;
};

/// Appends the characters of a string token (with its quotes), unescaped.
void append_unescaped(std::string &out, std::string_view spelled);

// ---- writing
// --------------------------------------------------------------------------------------------------------

/// Appends `text` as a JSON string with its quotes: only `"`, `\` and controls are escaped, in the
/// short form where there is one. REQUIRES: text is UTF-8.
void append_string(std::string &out, std::string_view text);

/// The same without the quotes (for a string written in pieces).
void append_escaped(std::string &out, std::string_view text);

/// How many bytes append_escaped() would add.
[[nodiscard]] std::size_t escaped_size(std::string_view text);

/// Appends a checked text without white space outside strings; spelling of numbers and order of
/// members kept.
void append_compact(std::string &out, std::string_view checked);

/// Compact, keys of every object in byte order, of equal keys the last, numbers as spelled, strings
/// as append_string() writes them. Iterative. REQUIRES: checked text.
[[nodiscard]] std::string canonical(std::string_view checked);

/// Writes one JSON value into a string. Commas are its business, grammar is the caller's
/// (asserted).
class Writer {
public:
  explicit Writer(std::string &out) : out_(out) {}

  Writer &begin_object();
  Writer &end_object();
  Writer &begin_array();
  Writer &end_array();
  Writer &key(std::string_view name);
  Writer &string(std::string_view text);
  Writer &integer(std::int64_t number);
  Writer &unsigned_integer(std::uint64_t number);
  Writer &number(double number); // finite; shortest form that reads back the same
  Writer &boolean(bool value);
  Writer &null();
  /// An encoded value, as it is.
  Writer &raw(std::string_view json);

  // key and value in one
  Writer &string(std::string_view name, std::string_view text) { return key(name).string(text); }

  Writer &integer(std::string_view name, std::int64_t value) { return key(name).integer(value); }

  Writer &unsigned_integer(std::string_view name, std::uint64_t value) {
    return key(name).unsigned_integer(value);
  }

  Writer &boolean(std::string_view name, bool value) { return key(name).boolean(value); }

  Writer &null(std::string_view name) { return key(name).null(); }

  Writer &raw(std::string_view name, std::string_view json) { return key(name).raw(json); }

private:
  void before_value();

  std::string &out_;
  bool needs_comma_ = false;
};

// ---- reading arguments
// ----------------------------------------------------------------------------------------------

/// What is wrong with the arguments of a call, for packs that check their own.
struct ArgumentFault {
  std::string argument; // JSON path from the arguments object: "paths[3]"; empty: the whole
  std::string reason;   // "unknown property", "must be an integer" ...
  std::string expected; // what would be right, may be empty
};

/// Typed reading of one object's members. null counts as absent. The first fault wins and later
/// reads return defaults; ask fault() when all are read. unknown members are a fault of finish(),
/// which names the member (and the nearest known one).
class ArgumentReader {
public:
  /// REQUIRES: checked text. A text that is no object is a fault.
  explicit ArgumentReader(std::string_view checked_args);

  [[nodiscard]] std::string required_string(std::string_view name);
  [[nodiscard]] std::optional<std::string> optional_string(std::string_view name);
  [[nodiscard]] std::optional<std::int64_t> optional_integer(std::string_view name);
  [[nodiscard]] std::optional<bool> optional_boolean(std::string_view name);
  /// One of `choices`.
  [[nodiscard]] std::optional<std::string>
  optional_choice(std::string_view name, std::initializer_list<std::string_view> choices);
  [[nodiscard]] std::vector<std::string> required_strings(std::string_view name);

  /// After all members were asked for: refuses those that nobody asked for.
  [[nodiscard]] Result<void, ArgumentFault> finish();

private:
  [[nodiscard]] Value take(std::string_view name);
  void report(std::string argument, std::string reason, std::string expected = {});

  Object members_;
  std::vector<std::string> asked_;
  std::optional<ArgumentFault> fault_;
};

} // namespace packhost::kit::json
