// SPDX-License-Identifier: MIT
// Which command the words name, the help of all, and the small ones: version, help, check.
#include "host/cli/commands.hpp"

#include "host/cli/help.hpp"
#include "host/cli/launch_line.hpp"
#include "host/cli/options.hpp"
#include "host/cli/output.hpp"
#include "host/cli/pack_file.hpp"
#include "host/cli/pack_work.hpp"
#include "host/cli/paths.hpp"
#include "host/cli/suggest.hpp"
#include "host/version.hpp"
#include "sdk/kit/errno_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include <unistd.h>

namespace packhost::cli {

namespace {

struct CommandWord {
  std::string_view word;
  Command command;
};

constexpr std::array kWords{
    CommandWord{"serve", Command::serve}, CommandWord{"call", Command::call},
    CommandWord{"packs", Command::packs}, CommandWord{"inspect", Command::inspect},
    CommandWord{"check", Command::check}, CommandWord{"version", Command::version},
    CommandWord{"help", Command::help},   CommandWord{"--version", Command::version},
    CommandWord{"--help", Command::help},
};

Command find_command(std::string_view word) {
  const auto *row = std::find_if(kWords.begin(), kWords.end(),
                                 [word](const CommandWord &each) { return each.word == word; });
  if (row != kWords.end()) return row->command;
  if (word.find('/') != std::string_view::npos || is_pack_name(word)) return Command::pack_command;
  return Command::unknown;
}

std::vector<std::string_view> command_words() {
  std::vector<std::string_view> words;
  for (const CommandWord &each : kWords)
    if (!each.word.starts_with("--")) words.push_back(each.word);
  return words;
}

int unknown_command(std::string_view word) {
  return report_error(fmt::format("unknown command '{}'{}", word,
                                  did_you_mean(word, command_words(), "'", "'",
                                               "\"packhost help\" lists the commands")),
                      2);
}

int run_help(const Invocation &invocation) {
  if (invocation.words.empty()) return Output().print(overview());
  const std::string text = command_help(invocation.words.front());
  return text.empty() ? unknown_command(invocation.words.front()) : Output().print(text);
}

} // namespace

Invocation read_invocation(int argc, const char *const *argv) {
  std::vector<std::string_view> words;
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  Invocation invocation;
  if (words.empty()) {
    invocation.command = Command::unknown;
    return invocation;
  }
  std::size_t first = 0;
  if (find_command(words.front()) == Command::unknown)
    first = count_option_words(words, host_flags(kUsePackCommand));
  invocation.options.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(first));
  if (first == words.size()) {
    invocation.command = Command::unknown;
    return invocation;
  }
  invocation.first = words[first];
  invocation.words.assign(words.begin() + static_cast<std::ptrdiff_t>(first) + 1, words.end());
  invocation.command = find_command(invocation.first);
  return invocation;
}

std::optional<int> print_serve_help(const Invocation &invocation) {
  const bool is_asked = std::find(invocation.words.begin(), invocation.words.end(), "--help") !=
                        invocation.words.end();
  if (!is_asked) return std::nullopt; // a value of that form only makes us look more closely
  const auto launch = parse_launch(invocation.words);
  if (!launch) return std::nullopt; // serve says what is wrong
  if (launch->host.help) return Output().print(command_help("serve"));
  for (const PackWords &words : launch->packs) {
    auto pack = PackWork::probe(words, launch->host, "");
    if (!pack) continue; // as above
    if (auto read = pack->read_words(nullptr); !read) continue;
    if (pack->wants_help()) return Output().print(pack_options_help(*pack));
  }
  return std::nullopt;
}

int report_unknown_word(std::string_view word, const std::string &pack_dir) {
  std::vector<std::string_view> known = command_words();
  const FoundPacks packs = find_packs(pack_dir).value_or(FoundPacks());
  for (const std::string_view name : names_of(packs)) known.push_back(name);
  return report_error(
      fmt::format(
          "'{}' is neither a command nor a pack{}", word,
          did_you_mean(word, known, "'", "'",
                       "\"packhost help\" lists the commands, \"packhost packs\" the packs")),
      2);
}

int run_check(const Invocation &invocation) {
  std::array<char, 4096> room{};
  const ssize_t length = ::readlink("/proc/self/exe", room.data(), room.size() - 1);
  if (length <= 0)
    return report_error(fmt::format("the place of packhost cannot be found: /proc/self/exe ({})",
                                    kit::errno_text(errno)),
                        70);
  const std::string directory =
      directory_of(std::string_view(room.data(), static_cast<std::size_t>(length)));
  std::vector<std::string> words{"packhost-check"};
  words.insert(words.end(), invocation.words.begin(), invocation.words.end());
  std::vector<char *> argv;
  for (std::string &word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Installed beside this executable; in a build tree where it is made.
  ::execv((directory + "/packhost-check").c_str(), argv.data());
  const int error = errno;
  ::execv((directory + "/../sdk/testing/packhost-check").c_str(), argv.data());
  return report_error(fmt::format("{}/packhost-check cannot be started ({}); it is installed with "
                                  "packhost, and takes the same words by itself",
                                  directory, kit::errno_text(error)),
                      1);
}

int run_command(const Invocation &invocation, const support::PrivateEnvironment &environment) {
  if (!invocation.options.empty() && invocation.command != Command::pack_command &&
      invocation.command != Command::unknown)
    return report_error(fmt::format("options of '{0}' come after it: packhost {0} {1} ...",
                                    invocation.first, invocation.options.front()),
                        2);
  switch (invocation.command) {
  case Command::call:
    return run_call(invocation, environment);
  case Command::pack_command:
    return run_pack_command(invocation, environment);
  case Command::packs:
    return run_packs(invocation);
  case Command::inspect:
    return run_inspect(invocation);
  case Command::check:
    return run_check(invocation);
  case Command::version:
    return Output().print(fmt::format("packhost {}\n", kVersion));
  case Command::help:
    return run_help(invocation);
  case Command::serve:
  case Command::unknown:
    break;
  }
  if (!invocation.first.empty()) return unknown_command(invocation.first);
  return report_error("a command is missing; \"packhost help\" lists the commands", 2);
}

} // namespace packhost::cli
