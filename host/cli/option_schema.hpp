// SPDX-License-Identifier: MIT
// What a schema of a manifest says to an operator: the flags of its top-level members, and the
// "x-packhost" members that tell the host what a value is (a path, a secret ...). For options and
// for the inputs of commands.
#pragma once

#include "host/cli/json_tree.hpp"
#include "host/cli/options.hpp"
#include "sdk/kit/result.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::cli {

/// The "x-packhost" members of one schema.
struct HostMeaning {
  enum class Path : std::uint8_t { none, directory, file };
  enum class SecretFrom : std::uint8_t { nothing, file, variable };

  Path path = Path::none;
  bool must_exist = false;
  bool secret = false; // @env:, @file: or @fd:
  SecretFrom secret_from = SecretFrom::nothing;
  bool file_content = false;
  bool options_file = false;
  std::string dir;                   // "data"
  std::vector<std::string> excludes; // option names
  std::size_t positional = 0;        // commands; 0: a flag

  /// True if the host puts something in the value's place that nobody may see.
  [[nodiscard]] bool is_hidden() const { return secret || secret_from != SecretFrom::nothing; }
};

/// What "x-packhost" of a schema says; members of unknown names are passed over.
[[nodiscard]] HostMeaning read_meaning(const Node &schema);

enum class FieldType : std::uint8_t { text, integer, number, boolean, array, object };

/// One member of a schema, as an operator gives it.
struct Field {
  std::string name; // "undo_keep"
  std::string flag; // "undo-keep", or "no-protect-vcs" for a boolean that is true by default
  FieldType type = FieldType::text;
  FieldType element = FieldType::text; // of an array
  bool is_negated = false;             // the flag says false
  bool is_required = false;
  HostMeaning meaning;
  std::string description;
  std::string default_value; // JSON, or empty
  std::vector<std::string> choices;

  /// False for one that only a file can give.
  [[nodiscard]] bool has_flag() const {
    return type != FieldType::object && !(type == FieldType::array && element == FieldType::object);
  }
};

/// The members of an object schema, in its order.
[[nodiscard]] std::vector<Field> read_fields(const Node &schema);

/// A field by its name or by its flag, or nullptr. Borrowed from `fields`.
[[nodiscard]] const Field *find_field(const std::vector<Field> &fields, std::string_view name);
[[nodiscard]] const Field *find_field_of_flag(const std::vector<Field> &fields,
                                              std::string_view flag);

/// A word known by its place, as help shows it: `NAME`.
[[nodiscard]] std::string shown_word(const Field &field);

/// The flags of the fields, for parse_words().
[[nodiscard]] std::vector<FlagSpec> flags_of(const std::vector<Field> &fields);

/// Puts one given flag into an object: converts the text, collects repetitions of an array.
/// Code::invalid_args, naming the flag, never the value.
[[nodiscard]] kit::Status add_flag_value(Node &object, const Field &field, const GivenFlag &flag);

/// One value that a schema describes, with the schema's host members.
struct Place {
  std::string pointer; // JSON pointer from the outermost value
  const HostMeaning &meaning;
  const Node &schema;
  Node &value;
};

/// Calls `visit` for each value below `value` (itself excepted) whose schema has host members, in
/// the order of the value. Stops at the first failure.
[[nodiscard]] kit::Status visit_places(const Node &schema, Node &value,
                                       const std::function<kit::Status(const Place &)> &visit);

} // namespace packhost::cli
