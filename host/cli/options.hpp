// SPDX-License-Identifier: MIT
// The host's own options as one table - flag, configuration key, type, default, help - and the
// parser of one stretch of words, which the packs' options use, too. cxxopts is named in
// options.cpp only.
#pragma once

#include "host/cli/json_tree.hpp"
#include "host/cli/launch_line.hpp"
#include "sdk/kit/result.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::cli {

/// A flag that one stretch of words may hold.
struct FlagSpec {
  std::string name; // without the dashes in front
  bool takes_value = true;
};

struct GivenFlag {
  std::string name;
  std::string value; // empty for one that takes none
};

/// What a stretch of words holds, in order.
struct ParsedWords {
  std::vector<GivenFlag> flags;
  std::vector<std::string> words; // those that are no flag
};

/// Parses one stretch. `--flag VALUE` and `--flag=VALUE` are the two forms. Code::invalid_args for
/// an unknown flag (with the nearest known one), a missing value, a value for a flag that takes
/// none. `elsewhere` may say where an unknown one that is near to none belongs.
[[nodiscard]] kit::Result<ParsedWords>
parse_words(std::span<const std::string> words, std::span<const FlagSpec> flags,
            std::string_view (*elsewhere)(std::string_view name));

enum class OptionId : std::uint8_t {
  config,
  pack_dir,
  log_level,
  tools,
  hide_tools,
  read_only,
  on_load_error,
  max_result_bytes,
  max_args_bytes,
  max_line_bytes,
  max_calls,
  max_timeout_ms,
  explain,
  log_bytes,
  json,
  tokens,
  help
};

enum class OptionType : std::uint8_t { flag, choice, path, names, amount };

/// Bits: the commands that know an option.
enum OptionUse : std::uint8_t {
  kUseServe = 1,
  kUseCall = 2,
  kUsePacks = 4,
  kUseInspect = 8,
  kUsePackCommand = 16
};

/// One host option. The row is everything there is about it.
struct HostOption {
  OptionId id;
  std::string_view flag;       // without dashes
  std::string_view config_key; // empty: not in a configuration file
  OptionType type;
  std::string_view value_name; // in help; empty for a flag
  std::uint8_t uses;
  std::string_view help;
};

/// The table.
[[nodiscard]] std::span<const HostOption> host_options();

/// The row of a flag, or nullptr.
[[nodiscard]] const HostOption *find_host_option(std::string_view flag);

/// The flags a command knows, for parse_words().
[[nodiscard]] std::vector<FlagSpec> host_flags(std::uint8_t uses);

/// Sets one option from the command line. Code::invalid_args, naming the flag.
[[nodiscard]] kit::Status apply_flag(HostOptions &options, const GivenFlag &flag);

/// Sets options from the "packhost" member of a configuration file; options in `already` (flags of
/// the command line) are left alone. Code::config, naming the member.
[[nodiscard]] kit::Status apply_config(HostOptions &options, const Node &members,
                                       std::span<const GivenFlag> already,
                                       std::string_view directory);

/// How many words at the start are host options with their values: where PACK stands in
/// `call --log-level info PACK`.
[[nodiscard]] std::size_t count_option_words(std::span<const std::string_view> words,
                                             std::span<const FlagSpec> flags);

} // namespace packhost::cli
