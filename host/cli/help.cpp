// SPDX-License-Identifier: MIT
// Help texts, generated.
#include "host/cli/help.hpp"

#include <algorithm>
#include <array>

namespace packhost::cli {

namespace {

constexpr std::size_t kColumn = 28;
constexpr std::size_t kWidth = 100;

/// "  LEFT      RIGHT", the right side wrapped at words.
void append_row(std::string &out, std::string_view left, std::string_view right) {
  std::string line = "  " + std::string(left);
  if (line.size() + 2 > kColumn && !right.empty()) {
    out += line + "\n";
    line.clear();
  }
  line.resize(std::max(line.size(), right.empty() ? line.size() : kColumn), ' ');
  while (!right.empty()) {
    const std::size_t room = kWidth - kColumn;
    std::size_t end = right.size();
    if (end > room) {
      end = right.rfind(' ', room);
      if (end == std::string_view::npos || end == 0) end = std::min(right.find(' '), right.size());
    }
    line += right.substr(0, end);
    right.remove_prefix(std::min(right.size(), end + 1));
    if (right.empty()) break;
    out += line + "\n";
    line.assign(kColumn, ' ');
  }
  out += line + "\n";
}

struct CommandRow {
  std::string_view name;
  std::string_view words; // behind the name
  std::string_view summary;
  std::uint8_t uses; // options it knows
};

constexpr std::array kCommands{
    CommandRow{"serve", "[OPTIONS] --pack [NAME=]PACK [PACK OPTIONS] ...",
               "serve packs to an MCP client over standard input and output", kUseServe},
    CommandRow{"call", "[OPTIONS] PACK TOOL [JSON | -] [PACK OPTIONS]",
               "call one tool from a shell; TOOL as a client sees it, - reads the arguments from "
               "standard input",
               kUseCall},
    CommandRow{"packs", "[OPTIONS]", "list the packs that are there", kUsePacks},
    CommandRow{"inspect", "[OPTIONS] PACK", "show the manifest of a pack without running any of it",
               kUseInspect},
    CommandRow{"check", "PACK.so [--options JSON]",
               "run packhost-check on a pack: is it conformant?", 0},
    CommandRow{"version", "", "show the version", 0},
    CommandRow{"help", "[COMMAND]", "show this, or the help of a command", 0},
};

void append_host_options(std::string &out, std::uint8_t uses) {
  for (const HostOption &option : host_options()) {
    if ((option.uses & uses) == 0) continue;
    std::string left = "--" + std::string(option.flag);
    if (!option.value_name.empty()) left += " " + std::string(option.value_name);
    append_row(out, left, option.help);
  }
}

std::string_view type_word(FieldType type) {
  switch (type) {
  case FieldType::integer:
    return "N";
  case FieldType::number:
    return "NUMBER";
  case FieldType::boolean:
    return "true|false";
  case FieldType::text:
  case FieldType::array:
  case FieldType::object:
    break;
  }
  return "TEXT";
}

std::string value_word(const Field &field) {
  if (field.meaning.secret) return "@env:NAME|@file:PATH|@fd:N";
  if (field.meaning.secret_from == HostMeaning::SecretFrom::variable) return "VARIABLE";
  if (field.meaning.path == HostMeaning::Path::directory) return "DIR";
  if (field.meaning.path == HostMeaning::Path::file || field.meaning.file_content ||
      field.meaning.options_file || field.meaning.secret_from == HostMeaning::SecretFrom::file)
    return "FILE";
  if (!field.choices.empty() && field.choices.size() <= 5)
    return fmt::format("{}", fmt::join(field.choices, "|"));
  return std::string(type_word(field.type == FieldType::array ? field.element : field.type));
}

std::string describe(const Field &field) {
  std::string text = field.description;
  std::vector<std::string> notes;
  if (field.is_required) notes.emplace_back("required");
  if (field.type == FieldType::array) notes.emplace_back("may be repeated");
  if (field.type == FieldType::boolean) {
    if (field.is_negated) notes.emplace_back("on unless this is given");
  } else if (!field.default_value.empty()) {
    notes.push_back("default " + field.default_value);
  }
  if (!notes.empty())
    text += fmt::format("{}({})", text.empty() ? "" : " ", fmt::join(notes, ", "));
  return text;
}

void append_fields(std::string &out, const std::vector<Field> &fields) {
  for (const Field &field : fields) {
    if (field.meaning.positional != 0) continue;
    if (!field.has_flag()) {
      append_row(out, "\"" + field.name + "\"",
                 describe(field) + " (in a configuration or options file only)");
      continue;
    }
    std::string left = "--" + field.flag;
    if (field.type != FieldType::boolean) left += " " + value_word(field);
    append_row(out, left, describe(field));
  }
}

std::string title_of(const contract::Manifest &manifest) {
  return manifest.title.empty() ? manifest.name
                                : fmt::format("{} ({})", manifest.name, manifest.title);
}

} // namespace

std::vector<const Field *> positional_fields(const std::vector<Field> &fields) {
  std::vector<const Field *> placed;
  for (const Field &field : fields)
    if (field.meaning.positional != 0) placed.push_back(&field);
  std::sort(placed.begin(), placed.end(), [](const Field *left, const Field *right) {
    return left->meaning.positional < right->meaning.positional;
  });
  return placed;
}

std::string overview() {
  std::string out = "packhost serves tool packs to MCP clients.\n\nCommands\n";
  for (const CommandRow &row : kCommands) append_row(out, row.name, row.summary);
  append_row(out, "PACK COMMAND ...", "run an operator command of a pack; PACK --help lists them");
  out += "\n\"packhost help COMMAND\" shows the options of a command.\n";
  return out;
}

std::string command_help(std::string_view command) {
  const auto *row =
      std::find_if(kCommands.begin(), kCommands.end(),
                   [command](const CommandRow &each) { return each.name == command; });
  if (row == kCommands.end()) return {};
  std::string out = fmt::format("packhost {}{}{}\n\n  {}\n", row->name,
                                row->words.empty() ? "" : " ", row->words, row->summary);
  if (row->uses != 0) {
    out += "\nOptions\n";
    append_host_options(out, row->uses);
  }
  if (row->name == "serve")
    out += "\nOptions of a pack come after its --pack: \"packhost serve --pack PACK --help\" lists "
           "them.\n";
  return out;
}

std::string pack_options_help(const PackWork &pack) {
  std::string out = fmt::format("Options of pack {}\n", title_of(pack.manifest()));
  append_fields(out, pack.fields());
  append_row(out, "--tool-prefix PREFIX",
             fmt::format("put this in front of its tools' names (default \"{}\")",
                         pack.manifest().tool_prefix.value_or(pack.alias() + "_")));
  append_row(out, "--pack-sha256 HEX", "load it only if its file has this digest");
  return out;
}

std::string usage_of(const contract::CommandEntry &command, const std::vector<Field> &fields) {
  std::string out = command.name;
  for (const Field *field : positional_fields(fields))
    out += field->is_required ? " " + shown_word(*field) : " [" + shown_word(*field) + "]";
  return out;
}

std::string pack_help(const PackWork &pack) {
  const contract::Manifest &manifest = pack.manifest();
  std::string out = fmt::format("packhost {} COMMAND ...\n", pack.alias());
  out += manifest.commands.empty() ? "\nThis pack has no commands.\n" : "\nCommands\n";
  for (const contract::CommandEntry &command : manifest.commands)
    append_row(out, usage_of(command, read_fields(read_tree(kit::json::Value(command.input)))),
               command.summary);
  out += "\n" + pack_options_help(pack);
  out += "\nWith every command\n";
  append_row(out, "--json", "print one JSON document");
  append_row(out, "--dry-run", "change nothing");
  append_row(out, "--help", "show the help of the command");
  return out;
}

std::string pack_command_help(const PackWork &pack, const contract::CommandEntry &command) {
  const std::vector<Field> fields = read_fields(read_tree(kit::json::Value(command.input)));
  std::string out = fmt::format("packhost {} {} [OPTIONS]\n\n  {}\n", pack.alias(),
                                usage_of(command, fields), command.summary);
  if (!fields.empty()) out += "\n";
  for (const Field *field : positional_fields(fields))
    append_row(out, shown_word(*field), describe(*field));
  append_fields(out, fields);
  append_row(out, "--json", "print one JSON document");
  if (command.dry_run) append_row(out, "--dry-run", "change nothing");
  out += "\n" + pack_options_help(pack);
  return out;
}

} // namespace packhost::cli
