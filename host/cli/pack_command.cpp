// SPDX-License-Identifier: MIT
// `packhost PACK COMMAND ...`: operator commands of packs (abi.md section 9).
#include "host/cli/commands.hpp"
#include "host/cli/help.hpp"
#include "host/cli/launch_line.hpp"
#include "host/cli/one_call.hpp"
#include "host/cli/options.hpp"
#include "host/cli/output.hpp"
#include "host/cli/pack_work.hpp"
#include "host/cli/paths.hpp"
#include "host/cli/resolve.hpp"
#include "host/cli/show_outcome.hpp"
#include "host/cli/suggest.hpp"

#include <algorithm>

#include <unistd.h>

namespace packhost::cli {

using kit::Code;

namespace {

/// A command's words, split: "workspace add" -> {"workspace", "add"}.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find(' '), name.size());
    words.emplace_back(name.substr(0, end));
    name.remove_prefix(std::min(name.size(), end + 1));
  }
  return words;
}

/// The words that are neither flags nor their values, as far as the flags of the pack and of all
/// its commands tell.
std::vector<std::string> guess_free_words(const PackWork &pack,
                                          const std::vector<std::string> &words) {
  std::vector<FlagSpec> flags = flags_of(pack.fields());
  flags.push_back({"tool-prefix", true});
  flags.push_back({"pack-sha256", true});
  for (const contract::CommandEntry &command : pack.manifest().commands)
    for (FlagSpec &flag : flags_of(read_fields(read_tree(kit::json::Value(command.input)))))
      flags.push_back(std::move(flag));
  std::vector<std::string> free_words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") continue;
    if (!words[i].starts_with("--")) {
      free_words.push_back(words[i]);
      continue;
    }
    const std::string name = words[i].substr(2);
    if (std::any_of(flags.begin(), flags.end(), [&name](const FlagSpec &flag) {
          return flag.takes_value && flag.name == name;
        }))
      ++i;
  }
  return free_words;
}

/// The command with the most words that the free words begin with, or nullptr.
const contract::CommandEntry *find_pack_command(const PackWork &pack,
                                                const std::vector<std::string> &free_words) {
  const contract::CommandEntry *best = nullptr;
  std::size_t most = 0;
  for (const contract::CommandEntry &command : pack.manifest().commands) {
    const std::vector<std::string> words = words_of(command.name);
    if (words.size() > most && words.size() <= free_words.size() &&
        std::equal(words.begin(), words.end(), free_words.begin())) {
      best = &command;
      most = words.size();
    }
  }
  return best;
}

/// The commands that begin with all of the free words, without these: `add, list or remove`.
std::string next_words(const PackWork &pack, const std::vector<std::string> &free_words) {
  std::vector<std::string> next;
  for (const contract::CommandEntry &command : pack.manifest().commands) {
    const std::vector<std::string> words = words_of(command.name);
    if (words.size() <= free_words.size() ||
        !std::equal(free_words.begin(), free_words.end(), words.begin()))
      continue;
    const auto rest = words.begin() + static_cast<std::ptrdiff_t>(free_words.size());
    next.push_back(fmt::format("{}", fmt::join(rest, words.end(), " ")));
  }
  if (next.size() < 2) return next.empty() ? std::string() : next.front();
  const std::string last = std::move(next.back());
  next.pop_back();
  return fmt::format("{} or {}", fmt::join(next, ", "), last);
}

kit::Error unknown_command(const PackWork &pack, const std::vector<std::string> &free_words) {
  const std::string how = fmt::format("\"packhost {} --help\" lists them", pack.alias());
  if (free_words.empty())
    return {Code::invalid_args,
            fmt::format("pack \"{}\": a command is missing; {}", pack.alias(), how),
            {}};
  const std::string typed = fmt::format("{}", fmt::join(free_words, " "));
  if (const std::string next = next_words(pack, free_words); !next.empty())
    return {Code::invalid_args,
            fmt::format("pack \"{}\": '{}' goes on with {}; {}", pack.alias(), typed, next, how),
            {}};
  std::vector<std::string_view> known;
  for (const contract::CommandEntry &command : pack.manifest().commands)
    known.push_back(command.name);
  // As many words as a command may have, the longest first: those behind may be arguments.
  for (std::size_t count = std::min<std::size_t>(free_words.size(), 2); count > 0; --count) {
    const std::string start =
        fmt::format("{}", fmt::join(free_words.begin(),
                                    free_words.begin() + static_cast<std::ptrdiff_t>(count), " "));
    if (const std::string hint = did_you_mean(start, known, "'", "'", how);
        hint.find('?') != std::string::npos)
      return {Code::invalid_args,
              fmt::format("pack \"{}\" has no command '{}'{}", pack.alias(), start, hint),
              {}};
  }
  return {Code::invalid_args,
          fmt::format("pack \"{}\" has no command '{}'; {}", pack.alias(), free_words.front(), how),
          {}};
}

/// The command's input from its words and flags.
kit::Result<GivenOptions> read_input(const Node &schema, const std::vector<Field> &fields,
                                     const std::vector<std::string> &words,
                                     const std::vector<GivenFlag> &flags,
                                     const std::string &directory) {
  auto source = read_typed_options(fields, flags, directory);
  if (!source) return pass_on(source);
  const std::vector<const Field *> placed = positional_fields(fields);
  std::size_t next = 0;
  for (const std::string &word : words) {
    if (next == placed.size()) return kit::fail(Code::invalid_args, "unexpected word '{}'", word);
    const Field &field = *placed[next];
    if (auto added = add_flag_value(source->values, field, {field.flag, word}); !added)
      return kit::fail(Code::invalid_args, "{} {}", shown_word(field),
                       added.error().message.substr(field.flag.size() + 3));
    if (field.type != FieldType::array) ++next;
  }
  std::vector<OptionSource> sources;
  sources.push_back(std::move(*source));
  auto given = merge_options(schema, fields, std::move(sources));
  if (!given) return given;
  given->values = with_schema_defaults(schema, given->values);
  if (const std::string missing = find_missing(fields, given->values); !missing.empty())
    return kit::fail(Code::invalid_args, "{}", missing);
  if (auto checked = check_values(schema, *given); !checked) return pass_on(checked);
  return given;
}

int fail_in(const contract::CommandEntry &command, const kit::Error &error) {
  // All of it was typed: a directory that is not there is a value that does not fit, no refused
  // start.
  const Code code = error.code == Code::config ? Code::invalid_args : error.code;
  return report_error(fmt::format("{}: {}", command.name, error.message), exit_code_for(code));
}

struct CommandFlags {
  bool is_json = false;
  bool is_dry_run = false;
  std::vector<GivenFlag> input;
};

CommandFlags sort_flags(std::vector<GivenFlag> given) {
  CommandFlags flags;
  for (GivenFlag &flag : given) {
    if (flag.name == "json")
      flags.is_json = true;
    else if (flag.name == "dry-run")
      flags.is_dry_run = true;
    else
      flags.input.push_back(std::move(flag));
  }
  return flags;
}

/// From the checked words to the exit code.
int run_in_pack(PackWork &work, const contract::CommandEntry &command, const Launch &line,
                const CommandFlags &flags, const Node &input,
                const support::PrivateEnvironment &environment) {
  if (auto completed = work.complete_options(line, false); !completed)
    return report_error(completed.error());
  const Node permissions = command.permissions.empty()
                               ? Node::object()
                               : read_tree(kit::json::Value(command.permissions));
  auto launch = work.finish(environment, &permissions, &input);
  if (!launch) return report_error(launch.error());
  environment.put_back(launch->environment);
  Output output;
  output.make_private();
  pack::Instance instance(std::move(*launch), nullptr);
  if (auto opened = instance.open(); !opened) return report_error(opened.error());
  pack::CallRequest request;
  request.kind = PACKHOST_CALL_COMMAND;
  request.name = command.name;
  std::replace(request.name.begin(), request.name.end(), ' ', '.');
  set_arguments(request, write_tree(input));
  request.timeout_ms = line.host.limits.max_timeout_ms;
  request.max_result_bytes = line.host.limits.max_result_bytes;
  request.is_dry_run = flags.is_dry_run;
  const std::uint64_t timeout_ms = request.timeout_ms;
  const OneOutcome outcome = run_one_call(instance, std::move(request), line.host.limits.grace_ms);
  const int code =
      show_command_outcome(outcome.call, work.alias(), timeout_ms, flags.is_json, output);
  return end_after_call(instance, outcome, code);
}

} // namespace

int run_pack_command(const Invocation &invocation, const support::PrivateEnvironment &environment) {
  Launch line;
  auto host = read_host_words(invocation.options, kUsePackCommand, LineUse::shell, line, nullptr);
  if (!host) return report_error(host.error());
  support::set_log_level(line.host.log_level);
  PackWords words;
  words.pack = invocation.first;
  words.words.assign(invocation.words.begin(), invocation.words.end());
  auto here = working_directory();
  if (!here) return report_error(here.error());
  if (auto path = find_pack_path(words.pack, line.host.pack_dir, *here);
      path && words.pack.find('/') == std::string::npos && ::access(path->c_str(), F_OK) != 0)
    return report_unknown_word(words.pack, line.host.pack_dir);
  auto work = PackWork::probe(words, line.host, *here);
  if (!work) return report_error(work.error());
  const std::vector<std::string> free_words = guess_free_words(*work, words.words);
  const contract::CommandEntry *command = find_pack_command(*work, free_words);
  const bool asks_help = line.host.help || std::find(words.words.begin(), words.words.end(),
                                                     "--help") != words.words.end();
  if (command == nullptr)
    return asks_help && free_words.empty() ? Output().print(pack_help(*work))
                                           : report_error(unknown_command(*work, free_words));
  const Node schema = read_tree(kit::json::Value(command->input));
  const std::vector<Field> fields = read_fields(schema);
  ExtraWords extra;
  extra.flags = flags_of(fields);
  extra.flags.push_back({"json", false});
  extra.flags.push_back({"dry-run", false});
  if (auto read = work->read_words(&extra); !read) return report_error(read.error());
  if (work->wants_help()) return Output().print(pack_command_help(*work, *command));
  const CommandFlags flags = sort_flags(std::move(extra.given));
  if (flags.is_dry_run && !command->dry_run)
    return report_error(fmt::format("{} cannot be tried with --dry-run", command->name), 2);
  const auto count = static_cast<std::ptrdiff_t>(words_of(command->name).size());
  const std::vector<std::string> arguments(extra.words.begin() + count, extra.words.end());
  auto input = read_input(schema, fields, arguments, flags.input, *here);
  if (!input) return fail_in(*command, input.error());
  return run_in_pack(*work, *command, line, flags, input->values, environment);
}

} // namespace packhost::cli
