// SPDX-License-Identifier: MIT
// What a pack asks of the operator: permissions (sandbox.md section 3) and commands (abi.md section
// 9). The shape only; what a permission resolves to is decided at launch.
#include "sdk/contract/manifest_fields.hpp"
#include "sdk/contract/names.hpp"

#include <algorithm>
#include <array>

namespace packhost::contract {

namespace json = kit::json;
using json::Kind;
using json::Value;

namespace {

/// `${options.root[*]}`, `${args.path}`, `${data}` ... at the start, or an absolute path.
bool is_permission_path(std::string_view text, const OptionNames &options) {
  if (text.starts_with('/')) return text.find("${") == std::string_view::npos;
  if (!text.starts_with("${")) return false;
  const std::size_t end = text.find('}');
  if (end == std::string_view::npos) return false;
  const std::string_view rest = text.substr(end + 1);
  if (!rest.empty() && !rest.starts_with('/')) return false;
  const std::string_view slot = text.substr(2, end - 2);
  constexpr std::array<std::string_view, 4> kDirectories{"data", "state", "cache", "tmp"};
  if (std::find(kDirectories.begin(), kDirectories.end(), slot) != kDirectories.end()) return true;
  if (slot.starts_with("args.")) return slot.size() > 5;
  if (!slot.starts_with("options.")) return false;
  const std::string_view name = slot.substr(8);
  return options.contains(name.substr(0, name.find_first_of(".[")));
}

/// "when" and "unless", which any entry may have.
void check_conditions(Fields &entry, const OptionNames &options) {
  static_cast<void>(read_condition(entry, "when", options));
  static_cast<void>(read_condition(entry, "unless", options));
}

void check_fs(Report &report, Value array, const std::string &path, const OptionNames &options) {
  const auto is_path = [&options](std::string_view text) {
    return is_permission_path(text, options);
  };
  for_each_element(report, array, path, [&](Value each, const std::string &here) {
    Fields entry(report, each, here);
    entry.text("path",
               {is_path, "must be an absolute path or begin with ${data}, ${state}, ${cache}, "
                         "${tmp}, ${args.NAME} or ${options.NAME} of an option the pack has"},
               Need::required);
    entry.word("access", {"read", "write", "create"}, Need::required);
    entry.flag("symlinks");
    check_conditions(entry, options);
    entry.finish();
  });
}

const Form &any_text() {
  static const Form form{[](std::string_view) { return true; }, ""};
  return form;
}

void check_exec(Report &report, Value array, const std::string &path, const OptionNames &options) {
  std::vector<std::string> names;
  for_each_element(report, array, path, [&](Value each, const std::string &here) {
    Fields entry(report, each, here);
    const std::string name =
        entry.text("name", {is_event_name, "must match ^[a-z][a-z0-9_]*$"}, Need::required);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      entry.fail("name", "stands twice");
    }
    names.push_back(name);
    entry.text("program", Need::required);
    const Value args = entry.take("args", Kind::array);
    for_each_element(report, args, entry.path_of("args"), [&](Value arg, const std::string &at) {
      if (!arg.is(Kind::string)) report.fail(arg, at, "must be a string");
    });
    const Value permissions = entry.take("permissions", Kind::object);
    if (permissions.exists()) {
      Fields inner(report, permissions, entry.path_of("permissions"));
      check_fs(report, inner.take("fs"), inner.path_of("fs"), options);
      inner.texts("listen", any_text());
      inner.finish();
    }
    check_conditions(entry, options);
    entry.finish();
  });
}

/// Flags and positional words of a command.
void check_command_input(Fields &command, const OptionNames &options) {
  const Value input = command.find("input");
  if (!input.is(Kind::object)) return;
  const Value properties = json::Object(input).find("properties");
  if (!properties.is(Kind::object)) return;
  std::vector<std::int64_t> positions;
  const json::Object members(properties);
  for (const json::Member &member : members.members()) {
    const std::string path = command.path_of("input.properties.") + std::string(member.key);
    Report &report = command.report();
    if (!is_option_name(member.key)) {
      report.fail(member.value, path, "must match ^[a-z][a-z0-9_]*$ and have two characters");
    }
    if (options.contains(member.key)) {
      report.fail(member.value, path, "is named as an option of the pack is");
    }
    if (is_reserved_option(member.key)) report.fail(member.value, path, "is a word of the host");
    const Value mark = json::Object(member.value).find("x-packhost");
    const Value position = mark.is(Kind::object) ? json::Object(mark).find("positional") : Value();
    if (!position.exists()) continue;
    const std::int64_t place = position.integer().value_or(0);
    if (std::find(positions.begin(), positions.end(), place) != positions.end()) {
      report.fail(member.value, path, "has the position of another");
    }
    positions.push_back(place);
  }
  std::sort(positions.begin(), positions.end());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] == static_cast<std::int64_t>(i) + 1) continue;
    command.fail("input", "its positions must be 1, 2, 3 and so on");
  }
}

} // namespace

void check_permissions(Report &report, Value value, const std::string &path,
                       const OptionNames &options) {
  if (!value.exists()) return;
  Fields fields(report, value, path);
  check_fs(report, fields.take("fs"), fields.path_of("fs"), options);
  for_each_element(report, fields.take("net"), fields.path_of("net"),
                   [&](Value each, const std::string &here) {
                     Fields entry(report, each, here);
                     entry.text("endpoint", Need::required);
                     check_conditions(entry, options);
                     entry.finish();
                   });
  check_exec(report, fields.take("exec"), fields.path_of("exec"), options);
  fields.texts("env", {is_variable_name, "must be the name of an environment variable"});
  fields.finish();
}

CommandEntry read_command(Report &report, Value value, const std::string &path,
                          const OptionNames &options) {
  Fields fields(report, value, path);
  CommandEntry command;
  command.name = fields.text("name",
                             {is_command_name, "must be words of a-z, 0-9 and dashes with one "
                                               "space between them"},
                             Need::required);
  command.summary = fields.text("summary", Need::required);
  command.input = fields.schema("input", SchemaUse::command_input, Need::required);
  if (!report.has_fault()) check_command_input(fields, options);
  check_permissions(report, fields.take("permissions"), fields.path_of("permissions"), options);
  command.permissions = fields.compact("permissions", Kind::object);
  check_permissions(report, fields.take("grants"), fields.path_of("grants"), options);
  command.grants = fields.compact("grants", Kind::object);
  command.dry_run = fields.flag("dry_run").value_or(true);
  fields.finish();
  return command;
}

} // namespace packhost::contract
