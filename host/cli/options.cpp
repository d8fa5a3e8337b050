// SPDX-License-Identifier: MIT
// The table of host options and the parser of one stretch of words. Names cxxopts.
#include "host/cli/options.hpp"

#include "host/cli/paths.hpp"
#include "host/cli/suggest.hpp"

#include <algorithm>
#include <array>
#include <charconv>

// Without its regular expressions: a word of 100 KB behind "--option=" overflows their stack.
#define CXXOPTS_NO_REGEX
#include <cxxopts.hpp>

namespace packhost::cli {

using kit::Code;
using kit::json::Kind;

namespace {

constexpr std::uint8_t kUseLines = kUseServe | kUseCall | kUsePackCommand;
constexpr std::uint8_t kUseAll = kUseLines | kUsePacks | kUseInspect;

constexpr std::array kHostOptions{
    HostOption{OptionId::config, "config", "", OptionType::path, "FILE", kUseLines,
               "read options from this JSON file"},
    HostOption{OptionId::pack_dir, "pack-dir", "pack_dir", OptionType::path, "DIR", kUseAll,
               "look for packs here"},
    HostOption{OptionId::log_level, "log-level", "log_level", OptionType::choice, "LEVEL",
               kUseLines, "error, warn (default), info, debug or trace"},
    HostOption{OptionId::tools, "tools", "tools", OptionType::names, "A,B", kUseServe | kUseCall,
               "offer only these tools"},
    HostOption{OptionId::hide_tools, "hide-tools", "hide_tools", OptionType::names, "A,B",
               kUseServe | kUseCall, "do not offer these tools"},
    HostOption{OptionId::read_only, "read-only", "read_only", OptionType::flag, "",
               kUseServe | kUseCall, "offer only tools that change nothing"},
    HostOption{OptionId::on_load_error, "on-load-error", "on_load_error", OptionType::choice,
               "WHAT", kUseServe, "skip a pack that cannot be loaded (default), or fail"},
    HostOption{OptionId::max_result_bytes, "max-result-bytes", "max_result_bytes",
               OptionType::amount, "N", kUseServe | kUseCall, "largest result of a call (4194304)"},
    HostOption{OptionId::max_args_bytes, "max-args-bytes", "max_args_bytes", OptionType::amount,
               "N", kUseServe | kUseCall, "largest arguments of a call (67108864)"},
    HostOption{OptionId::max_line_bytes, "max-line-bytes", "max_line_bytes", OptionType::amount,
               "N", kUseServe, "longest line read (67108864)"},
    HostOption{OptionId::max_calls, "max-calls", "max_calls", OptionType::amount, "N", kUseServe,
               "calls in flight (128)"},
    HostOption{OptionId::max_timeout_ms, "max-timeout-ms", "max_timeout_ms", OptionType::amount,
               "N", kUseServe | kUseCall, "longest time of a call in milliseconds (3605000)"},
    HostOption{OptionId::explain, "explain", "", OptionType::flag, "", kUseServe,
               "show options and permissions as they will be, and end"},
    HostOption{OptionId::log_bytes, "log-bytes", "log_bytes", OptionType::flag, "", kUseServe,
               "let the level trace show the protocol's lines"},
    HostOption{OptionId::json, "json", "", OptionType::flag, "", kUseCall | kUsePacks | kUseInspect,
               "print one JSON document"},
    HostOption{OptionId::tokens, "tokens", "", OptionType::flag, "", kUseInspect,
               "show what the tool list costs a session"},
    HostOption{OptionId::help, "help", "", OptionType::flag, "", kUseAll, "show this help"},
};

constexpr std::array<std::string_view, 5> kLogLevels{"error", "warn", "info", "debug", "trace"};
constexpr std::string_view kWordsKey = "words";

/// Whether a word may be this flag: the others need not be added, which takes longer than the
/// parse.
bool is_among(const FlagSpec &flag, std::span<const std::string> words) {
  return std::any_of(words.begin(), words.end(), [&flag](std::string_view word) {
    if (!word.starts_with("--")) return false;
    word.remove_prefix(2);
    return word.substr(0, word.find('=')) == flag.name;
  });
}

/// cxxopts' own look at the words. Only here its exceptions are caught.
kit::Result<ParsedWords> parse_with_cxxopts(std::span<const std::string> words,
                                            std::span<const FlagSpec> flags,
                                            std::vector<std::string> &unknown) {
  std::vector<const char *> argv{"packhost"};
  for (const std::string &word : words) argv.push_back(word.c_str());
  try {
    cxxopts::Options options("packhost");
    options.allow_unrecognised_options();
    auto add = options.add_options();
    // A vector, since only such a positional takes more than one word; arguments() keeps them whole
    // where the vector's own value is split at commas.
    add(std::string(kWordsKey), "", cxxopts::value<std::vector<std::string>>());
    for (const FlagSpec &flag : flags) {
      if (!is_among(flag, words)) continue;
      auto value = cxxopts::value<std::string>();
      if (!flag.takes_value) value->implicit_value("");
      add(flag.name, "", value);
    }
    options.parse_positional({std::string(kWordsKey)});
    const cxxopts::ParseResult result = options.parse(static_cast<int>(argv.size()), argv.data());
    ParsedWords parsed;
    for (const cxxopts::KeyValue &argument : result.arguments()) {
      if (argument.key() == kWordsKey) {
        parsed.words.push_back(argument.value());
      } else {
        parsed.flags.push_back({argument.key(), argument.value()});
      }
    }
    unknown = result.unmatched();
    return parsed;
  } catch (const cxxopts::exceptions::exception &) {
    // The words are known to be flags or free, so what is left is a missing value at the end.
    const std::string_view last = words.empty() ? std::string_view() : words.back();
    return kit::fail(Code::invalid_args, "{} needs a value", last);
  }
}

kit::Error refuse_unknown(std::string_view word, std::span<const FlagSpec> flags,
                          std::string_view (*elsewhere)(std::string_view name)) {
  const std::size_t start = std::min(word.find_first_not_of('-'), word.size());
  const std::string_view name = word.substr(start, word.find('=') - start);
  std::vector<std::string_view> names;
  for (const FlagSpec &flag : flags) names.push_back(flag.name);
  std::string hint = did_you_mean(name, names, "--", "");
  if (const std::string_view place = elsewhere(name); hint.empty() && !place.empty())
    hint = fmt::format("; {}", place);
  return {Code::invalid_args,
          fmt::format("unknown option {}{}", word.substr(0, word.find('=')), hint),
          {}};
}

static_assert(std::is_same_v<std::size_t, std::uint64_t>,
              "limits of both types are set by one function");

kit::Result<std::size_t> read_amount(std::string_view text, std::size_t most) {
  std::size_t amount = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || rest != text.data() + text.size() || amount == 0 || amount > most)
    return kit::fail(Code::invalid_args, "must be a whole number from 1 to {}", most);
  return amount;
}

/// Limits go downwards only: what stands in the struct is the most there may be.
kit::Status set_amount(std::size_t &limit, std::string_view text) {
  auto amount = read_amount(text, limit);
  if (!amount) return pass_on(amount);
  limit = *amount;
  return {};
}

kit::Status set_names(std::vector<std::string> &names, std::string_view text) {
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma == 0) return kit::fail(Code::invalid_args, "must be names with commas between them");
    names.emplace_back(text.substr(0, comma));
    if (comma == text.size()) return {};
    text.remove_prefix(comma + 1);
  }
}

kit::Status set_choice(HostOptions &options, OptionId id, std::string_view text) {
  if (id == OptionId::log_level) {
    const auto *level = std::find(kLogLevels.begin(), kLogLevels.end(), text);
    if (level == kLogLevels.end())
      return kit::fail(Code::invalid_args, "must be error, warn, info, debug or trace");
    options.log_level = static_cast<support::LogLevel>(level - kLogLevels.begin());
    return {};
  }
  if (text != "skip" && text != "fail")
    return kit::fail(Code::invalid_args, "must be skip or fail");
  options.fail_on_load_error = text == "fail";
  return {};
}

void set_flag(HostOptions &options, OptionId id, bool value) {
  if (id == OptionId::read_only) options.tools.read_only = value;
  if (id == OptionId::explain) options.explain = value;
  if (id == OptionId::log_bytes) options.log_bytes = value;
  if (id == OptionId::json) options.json = value;
  if (id == OptionId::tokens) options.tokens = value;
  if (id == OptionId::help) options.help = value;
}

kit::Status set_amount_of(HostOptions &options, OptionId id, std::string_view text) {
  if (id == OptionId::max_result_bytes) return set_amount(options.limits.max_result_bytes, text);
  if (id == OptionId::max_args_bytes) return set_amount(options.limits.max_args_bytes, text);
  if (id == OptionId::max_line_bytes) return set_amount(options.limits.max_line_bytes, text);
  if (id == OptionId::max_calls) return set_amount(options.limits.max_calls, text);
  return set_amount(options.limits.max_timeout_ms, text);
}

kit::Status set_value(HostOptions &options, const HostOption &option, std::string_view text) {
  switch (option.type) {
  case OptionType::flag:
    set_flag(options, option.id, true);
    return {};
  case OptionType::choice:
    return set_choice(options, option.id, text);
  case OptionType::path:
    if (text.empty()) return kit::fail(Code::invalid_args, "must be a path");
    (option.id == OptionId::config ? options.config : options.pack_dir) = text;
    return {};
  case OptionType::names:
    return set_names(option.id == OptionId::tools ? options.tools.only : options.tools.hide, text);
  case OptionType::amount:
    return set_amount_of(options, option.id, text);
  }
  return {};
}

kit::Status set_member(HostOptions &options, const HostOption &option, const Node &value,
                       std::string_view directory) {
  switch (option.type) {
  case OptionType::flag:
    if (!value.is(Kind::boolean)) return kit::fail(Code::config, "must be true or false");
    set_flag(options, option.id, value.is_true());
    return {};
  case OptionType::names:
    if (!value.is(Kind::array)) return kit::fail(Code::config, "must be an array of names");
    for (const Node &name : value.elements) {
      if (!name.is(Kind::string)) return kit::fail(Code::config, "must be an array of names");
      auto set = set_names(option.id == OptionId::tools ? options.tools.only : options.tools.hide,
                           name.text);
      if (!set) return set;
    }
    return {};
  case OptionType::amount:
    if (!value.is(Kind::number)) return kit::fail(Code::config, "must be a whole number");
    return set_amount_of(options, option.id, value.text);
  case OptionType::path: {
    if (!value.is(Kind::string)) return kit::fail(Code::config, "must be a path");
    auto path = make_absolute(value.text, directory);
    if (!path) return pass_on(path);
    return set_value(options, option, *path);
  }
  case OptionType::choice:
    if (!value.is(Kind::string)) return kit::fail(Code::config, "must be a string");
    return set_value(options, option, value.text);
  }
  return {};
}

} // namespace

kit::Result<ParsedWords> parse_words(std::span<const std::string> words,
                                     std::span<const FlagSpec> flags,
                                     std::string_view (*elsewhere)(std::string_view name)) {
  std::vector<std::string> unknown;
  auto parsed = parse_with_cxxopts(words, flags, unknown);
  if (!unknown.empty())
    return tl::unexpected<kit::Error>(refuse_unknown(unknown.front(), flags, elsewhere));
  if (!parsed) return parsed;
  for (const GivenFlag &flag : parsed->flags) {
    const auto spec = std::find_if(flags.begin(), flags.end(), [&flag](const FlagSpec &each) {
      return each.name == flag.name;
    });
    if (!spec->takes_value && !flag.value.empty())
      return kit::fail(Code::invalid_args, "--{} takes no value", flag.name);
  }
  return parsed;
}

std::span<const HostOption> host_options() {
  return kHostOptions;
}

const HostOption *find_host_option(std::string_view flag) {
  const auto *row = std::find_if(kHostOptions.begin(), kHostOptions.end(),
                                 [flag](const HostOption &each) { return each.flag == flag; });
  return row == kHostOptions.end() ? nullptr : row;
}

std::vector<FlagSpec> host_flags(std::uint8_t uses) {
  std::vector<FlagSpec> flags;
  for (const HostOption &option : kHostOptions)
    if ((option.uses & uses) != 0)
      flags.push_back({std::string(option.flag), option.type != OptionType::flag});
  return flags;
}

kit::Status apply_flag(HostOptions &options, const GivenFlag &flag) {
  const HostOption *option = find_host_option(flag.name);
  if (option == nullptr) return kit::fail(Code::internal, "--{} is no host option", flag.name);
  auto set = set_value(options, *option, flag.value);
  if (!set) set.error().message = fmt::format("--{} {}", flag.name, set.error().message);
  return set;
}

kit::Status apply_config(HostOptions &options, const Node &members,
                         std::span<const GivenFlag> already, std::string_view directory) {
  for (const auto &[key, value] : members.members) {
    const auto *row = std::find_if(kHostOptions.begin(), kHostOptions.end(),
                                   [&key = key](const HostOption &each) {
                                     return !each.config_key.empty() && each.config_key == key;
                                   });
    if (row == kHostOptions.end()) {
      std::vector<std::string_view> known;
      for (const HostOption &each : kHostOptions)
        if (!each.config_key.empty()) known.push_back(each.config_key);
      return kit::fail(Code::config, "\"packhost\": unknown member \"{}\"{}", key,
                       did_you_mean(key, known, "\"", "\""));
    }
    const bool is_given = std::any_of(already.begin(), already.end(), [row](const GivenFlag &flag) {
      return flag.name == row->flag;
    });
    HostOptions unused;
    auto set = set_member(is_given ? unused : options, *row, value, directory);
    if (!set) return kit::fail(Code::config, "\"packhost\": \"{}\" {}", key, set.error().message);
  }
  return {};
}

std::size_t count_option_words(std::span<const std::string_view> words,
                               std::span<const FlagSpec> flags) {
  std::size_t count = 0;
  while (count < words.size() && words[count].starts_with("--")) {
    const std::string_view name = words[count].substr(2);
    const bool takes_next = name.find('=') == std::string_view::npos &&
                            std::any_of(flags.begin(), flags.end(), [name](const FlagSpec &flag) {
                              return flag.takes_value && flag.name == name;
                            });
    count += takes_next ? 2 : 1;
  }
  return std::min(count, words.size());
}

} // namespace packhost::cli
