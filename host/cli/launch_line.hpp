// SPDX-License-Identifier: MIT
// A launch line taken apart: the host's own options, and for each pack the words that belong to it.
// The configuration file is read here, since it may set host options; the packs' words are read in
// resolve.cpp, when their schemas are known.
#pragma once

#include "host/pack/launch.hpp"
#include "host/support/log.hpp"
#include "sdk/kit/result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::cli {

struct HostOptions {
  support::LogLevel log_level = support::LogLevel::warn;
  bool log_bytes = false;
  bool fail_on_load_error = false; // --on-load-error fail
  bool explain = false;
  bool help = false;
  bool json = false;    // commands other than serve
  bool tokens = false;  // inspect
  std::string pack_dir; // absolute; empty: the place relative to the executable
  std::string config;   // absolute; empty: none
  pack::Limits limits;
  pack::ToolSelection tools;
};

/// One `--pack [alias=]pack` with the words behind it.
struct PackWords {
  std::string pack;  // a name, or a path with a slash in it
  std::string alias; // empty: the pack's own name
  std::vector<std::string> words;
};

struct Launch {
  HostOptions host;
  std::vector<PackWords> packs;
  std::vector<std::pair<std::string, std::string>> config; // name or alias -> options object
};

/// `serve` refuses relative paths: the working directory of a harness is not the operator's. Other
/// commands are typed at a shell and take them from the working directory.
enum class LineUse : std::uint8_t { serve, shell };

/// Reads the words of `serve`: host options, then each `--pack` with its words, and the
/// configuration file. Code::invalid_args (exit 2) for words that are wrong, Code::config (exit 78)
/// for the file.
[[nodiscard]] kit::Result<Launch> parse_launch(std::span<const std::string_view> words);

/// Reads a stretch of host options into `launch`, the configuration file included. `uses` says
/// which options the command knows (OptionUse of options.hpp); words that are no options go to
/// `free_words`, or are refused without one.
[[nodiscard]] kit::Status read_host_words(std::span<const std::string_view> words,
                                          std::uint8_t uses, LineUse use, Launch &launch,
                                          std::vector<std::string> *free_words);

/// `[NAME=]PACK`; the pack may be a path, in which an equals sign means nothing.
[[nodiscard]] kit::Result<PackWords> read_pack_word(std::string_view text);

/// True for what a pack or an alias may be called (abi.md section 7.3).
[[nodiscard]] bool is_pack_name(std::string_view name);

/// True for the first words that packhost keeps for its own commands.
[[nodiscard]] bool is_reserved_word(std::string_view word);

} // namespace packhost::cli
