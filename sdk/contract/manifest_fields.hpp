// SPDX-License-Identifier: MIT
// Reading a manifest member by member: the first fault wins, knows its line and its path, and makes
// every later read return its default. So a reader is a plain list of fields.
#pragma once

#include "sdk/contract/manifest.hpp"
#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"

#include <functional>
#include <initializer_list>
#include <set>

namespace packhost::contract {

/// The first fault of one text.
class Report {
public:
  /// With lines: `manifest line 14: tools[2]: ...`; without: `tools[2]: ...`.
  Report(std::string_view text, bool has_lines) : text_(text), has_lines_(has_lines) {}

  Report(const Report &) = delete;
  Report &operator=(const Report &) = delete;

  /// `at`: the offending value, a part of the text.
  void fail(kit::json::Value at, std::string_view path, std::string_view rule);
  void fail_at(std::size_t offset, std::string_view path, std::string_view rule);

  [[nodiscard]] bool has_fault() const { return !message_.empty(); }

  /// REQUIRES: has_fault().
  [[nodiscard]] kit::Error error() const { return {kit::Code::config, message_, {}}; }

  [[nodiscard]] std::string_view text() const { return text_; }

private:
  std::string_view text_;
  bool has_lines_;
  std::string message_;
};

/// Reports a text that is not JSON, or that holds a NUL.
void check_text(Report &report, std::string_view text);

enum class Need : std::uint8_t { optional, required };

/// A form, and how a refusal describes it.
struct Form {
  std::function<bool(std::string_view)> fits;
  std::string_view rule;
};

/// The members of one object. Borrows the report and the text.
class Fields {
public:
  /// Anything but an object is a fault.
  Fields(Report &report, kit::json::Value value, std::string path);

  /// The member, absent if there is none. Counts as known from then on.
  kit::json::Value take(std::string_view name, Need need = Need::optional);
  /// Of that kind.
  kit::json::Value take(std::string_view name, kit::json::Kind kind, Need need = Need::optional);

  /// A string that is not empty.
  std::string text(std::string_view name, Need need = Need::optional);
  std::string text(std::string_view name, const Form &form, Need need = Need::optional);
  std::optional<bool> flag(std::string_view name);
  std::optional<std::uint64_t> number(std::string_view name, std::uint64_t least,
                                      std::uint64_t most, Need need = Need::optional);
  /// One of the words, or empty.
  std::string word(std::string_view name, std::initializer_list<std::string_view> words,
                   Need need = Need::optional);
  /// Strings of that form, each once.
  std::vector<std::string> texts(std::string_view name, const Form &form);
  /// The member as compact text, or empty.
  std::string compact(std::string_view name, kit::json::Kind kind);
  /// A schema that keeps its rules, as written; or empty.
  std::string schema(std::string_view name, SchemaUse use, Need need = Need::optional);

  void fail(std::string_view name, std::string_view rule);

  void fail_here(std::string_view rule) { report_.fail(value_, path_, rule); }

  /// Refuses members nobody took.
  void finish();
  /// Names them instead.
  [[nodiscard]] std::vector<std::string> unknown() const;

  [[nodiscard]] std::string path_of(std::string_view name) const;

  [[nodiscard]] const std::string &path() const { return path_; }

  [[nodiscard]] Report &report() const { return report_; }

  [[nodiscard]] kit::json::Value find(std::string_view name) const { return members_.find(name); }

private:
  Report &report_;
  kit::json::Value value_;
  std::string path_;
  kit::json::Object members_;
  std::vector<std::string> known_; // what was asked for, repetitions included
};

/// `path.step`; `step` alone where the path is empty.
[[nodiscard]] std::string join_path(std::string_view path, std::string_view step);
/// `path[index]`.
[[nodiscard]] std::string join_index(std::string_view path, std::size_t index);

/// The second member of a name that stands twice; null: there is none.
[[nodiscard]] const kit::json::Member *find_twice(const std::vector<kit::json::Member> &members);

/// Calls `read` for each element of an array with its path (`tools[2]`).
void for_each_element(Report &report, kit::json::Value array, std::string_view path,
                      const std::function<void(kit::json::Value, const std::string &)> &read);

/// Names of the properties of an object schema.
[[nodiscard]] std::set<std::string, std::less<>> property_names(std::string_view schema);

// The parts of a manifest, one reader each. `options` are the names of the pack's options.
using OptionNames = std::set<std::string, std::less<>>;

[[nodiscard]] ToolEntry read_tool(Report &report, kit::json::Value value, const std::string &path,
                                  const OptionNames &options, bool pack_checks_input);
/// `is_template` decides what the URI may be.
[[nodiscard]] ResourceEntry read_resource(Report &report, kit::json::Value value,
                                          const std::string &path, bool is_template);
[[nodiscard]] PromptEntry read_prompt(Report &report, kit::json::Value value,
                                      const std::string &path);
[[nodiscard]] CommandEntry read_command(Report &report, kit::json::Value value,
                                        const std::string &path, const OptionNames &options);
[[nodiscard]] std::optional<Condition> read_condition(Fields &fields, std::string_view name,
                                                      const OptionNames &options);
/// `{"fs": ..., "net": ..., "exec": ..., "env": ...}` (sandbox.md section 3).
void check_permissions(Report &report, kit::json::Value value, const std::string &path,
                       const OptionNames &options);
/// An object whose keys keep the rule of META parts.
void check_meta(Fields &fields, std::string_view name);

} // namespace packhost::contract
