// SPDX-License-Identifier: MIT
// The commands of packhost but `serve`: which one the words name, and running it.
#pragma once

#include "host/support/environment.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::cli {

enum class Command : std::uint8_t {
  serve,
  call,
  packs,
  inspect,
  check,
  version,
  help,
  pack_command, // the first word names a pack
  unknown
};

struct Invocation {
  Command command = Command::help;
  std::vector<std::string_view> options; // host options before the first word
  std::string_view first;                // the first word, "" if there was none
  std::vector<std::string_view> words;   // those after it
};

/// Looks at argv alone; nothing is opened.
[[nodiscard]] Invocation read_invocation(int argc, const char *const *argv);

/// `serve --help`, with or without packs: the exit code if it was asked for. Everything else of
/// `serve` is in serve.cpp.
[[nodiscard]] std::optional<int> print_serve_help(const Invocation &invocation);

/// Runs any command but `serve`. RETURNS: the exit code (abi.md section 5). REQUIRES: one thread,
/// and the process's environment taken.
[[nodiscard]] int run_command(const Invocation &invocation,
                              const support::PrivateEnvironment &environment);

// ---- one each, for run_command() ----

[[nodiscard]] int run_call(const Invocation &invocation,
                           const support::PrivateEnvironment &environment);
[[nodiscard]] int run_pack_command(const Invocation &invocation,
                                   const support::PrivateEnvironment &environment);

/// Refuses a first word that names neither a command nor a pack that is there. RETURNS: 2.
[[nodiscard]] int report_unknown_word(std::string_view word, const std::string &pack_dir);

/// Lists the packs that are there.
[[nodiscard]] int run_packs(const Invocation &invocation);

/// Shows a manifest, or what its tool list costs.
[[nodiscard]] int run_inspect(const Invocation &invocation);

/// Becomes packhost-check; returns only if that is not installed.
[[nodiscard]] int run_check(const Invocation &invocation);

} // namespace packhost::cli
