// SPDX-License-Identifier: MIT
// Which command the words name, the help of all, and the small ones: version, help, check.
#include "host/cli/commands.hpp"

#include "host/cli/help.hpp"
#include "host/cli/launch_line.hpp"
#include "host/cli/options.hpp"
#include "host/cli/output.hpp"
#include "host/cli/pack_work.hpp"
#include "host/cli/paths.hpp"
#include "host/cli/resolve.hpp"
#include "host/version.hpp"
#include "sdk/kit/nearest.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <unistd.h>

namespace packhost::cli {

using kit::Code;

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

int say(std::string_view text) {
  return Output().write(text) ? 0 : 1;
}

int unknown_command(std::string_view word) {
  std::vector<std::string_view> known;
  for (const CommandWord &each : kWords)
    if (!each.word.starts_with("--")) known.push_back(each.word);
  const auto nearest = kit::find_nearest(word, known);
  return report_error(fmt::format("unknown command '{}'{}; \"packhost help\" lists the commands",
                                  word,
                                  nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""),
                      2);
}

int run_help(const Invocation &invocation) {
  if (invocation.words.empty()) return say(overview());
  const std::string text = command_help(invocation.words.front());
  return text.empty() ? unknown_command(invocation.words.front()) : say(text);
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

bool print_serve_help(const Invocation &invocation) {
  const bool is_asked = std::find(invocation.words.begin(), invocation.words.end(), "--help") !=
                        invocation.words.end();
  if (!is_asked) return false; // a value of that form only makes us look more closely
  const auto launch = parse_launch(invocation.words);
  if (!launch) return false; // serve says what is wrong
  if (launch->host.help) return say(command_help("serve")) == 0;
  for (const PackWords &words : launch->packs) {
    auto pack = PackWork::probe(words, launch->host, "");
    if (!pack) continue; // as above
    if (auto read = pack->read_words(nullptr); !read) continue;
    if (pack->wants_help()) return say(pack_options_help(*pack)) == 0;
  }
  return false;
}

int run_check(const Invocation &invocation) {
  std::array<char, 4096> room{};
  const ssize_t length = ::readlink("/proc/self/exe", room.data(), room.size() - 1);
  if (length <= 0) return report_error("the place of the executable cannot be found", 70);
  const std::string directory =
      directory_of(std::string_view(room.data(), static_cast<std::size_t>(length)));
  std::vector<std::string> words{"packhost-check"};
  words.insert(words.end(), invocation.words.begin(), invocation.words.end());
  std::vector<char *> argv;
  for (std::string &word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Installed beside this executable; in a build tree where it is made.
  for (const char *place : {"/packhost-check", "/../sdk/testing/packhost-check"})
    ::execv((directory + place).c_str(), argv.data());
  return report_error("packhost-check is not installed beside packhost", 1);
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
    return say(fmt::format("packhost {}\n", kVersion));
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
