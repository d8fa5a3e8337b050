// SPDX-License-Identifier: MIT
// A launch line taken apart at its `--pack` words; the configuration file is read here.
#include "host/cli/launch_line.hpp"

#include "host/cli/options.hpp"
#include "host/cli/paths.hpp"

#include <algorithm>

#include <string.h>

namespace packhost::cli {

using kit::Code;
using kit::json::Kind;

namespace {

/// A word that is --pack or begins with --pack= always starts the next pack.
bool starts_pack(std::string_view word) {
  return word == "--pack" || word.starts_with("--pack=");
}

kit::Result<std::vector<PackWords>> split_packs(std::span<const std::string_view> words) {
  std::vector<PackWords> packs;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!starts_pack(words[i])) {
      packs.back().words.emplace_back(words[i]);
      continue;
    }
    const bool is_joined = words[i].size() > 6;
    if (!is_joined && i + 1 == words.size())
      return kit::fail(Code::invalid_args, "--pack needs the name of a pack");
    auto pack = read_pack_word(is_joined ? words[i].substr(7) : words[++i]);
    if (!pack) return pass_on(pack);
    packs.push_back(std::move(*pack));
  }
  return packs;
}

kit::Status refuse_twice(std::span<const GivenFlag> flags) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const HostOption *option = find_host_option(flags[i].name);
    if (option != nullptr && option->type == OptionType::names) continue;
    for (std::size_t j = 0; j < i; ++j)
      if (flags[j].name == flags[i].name)
        return kit::fail(Code::invalid_args, "--{} is given twice", flags[i].name);
  }
  return {};
}

kit::Result<Node> read_config(const std::string &path) {
  auto text = read_small_file(path, kMaxOptionsFileBytes);
  if (!text) return kit::fail(Code::config, "--config {} {}", path, text.error().message);
  auto tree = parse_tree(*text);
  ::explicit_bzero(text->data(), text->size()); // secrets may stand in it
  if (!tree) return kit::fail(Code::config, "--config {} {}", path, tree.error().message);
  if (!tree->is(Kind::object))
    return kit::fail(Code::config, "--config {} is not a JSON object", path);
  return tree;
}

kit::Status take_config(Launch &launch, std::span<const GivenFlag> flags) {
  auto tree = read_config(launch.host.config);
  if (!tree) return pass_on(tree);
  for (const auto &[name, value] : tree->members) {
    if (!value.is(Kind::object))
      return kit::fail(Code::config, "--config {}: \"{}\" is not an object", launch.host.config,
                       name);
    if (name == "packhost") {
      auto set = apply_config(launch.host, value, flags, directory_of(launch.host.config));
      if (!set)
        return kit::fail(Code::config, "--config {}: {}", launch.host.config, set.error().message);
    } else if (is_pack_name(name)) {
      launch.config.emplace_back(name, write_tree(value));
    } else {
      return kit::fail(Code::config, "--config {}: \"{}\" is no name of a pack", launch.host.config,
                       name);
    }
  }
  return {};
}

/// Where an unknown option belongs that stands before the first --pack, or where there is none.
std::string_view place_before_packs(std::string_view /*name*/) {
  return "options of a pack come after its --pack";
}

std::string_view place_without_packs(std::string_view name) {
  return name == "pack" ? "it is for serve: packhost serve --pack PACK" : "";
}

/// Paths of the host's own options, as the command's rule for relative ones has it.
kit::Status finish_paths(HostOptions &host, LineUse use) {
  for (std::string *path : {&host.config, &host.pack_dir}) {
    if (path->empty()) continue;
    std::string directory;
    if (use != LineUse::serve && path->front() != '/') {
      auto here = working_directory();
      if (!here) return pass_on(here);
      directory = std::move(*here);
    }
    auto absolute = make_absolute(*path, directory);
    if (!absolute)
      return kit::fail(absolute.error().code, "{} {}",
                       path == &host.config ? "--config" : "--pack-dir", absolute.error().message);
    *path = std::move(*absolute);
  }
  return {};
}

} // namespace

kit::Result<PackWords> read_pack_word(std::string_view text) {
  PackWords pack;
  const std::size_t equals = text.find('=');
  const std::size_t slash = text.find('/');
  if (equals != std::string_view::npos && (slash == std::string_view::npos || equals < slash)) {
    pack.alias = text.substr(0, equals);
    if (!is_pack_name(pack.alias))
      return kit::fail(Code::invalid_args,
                       "--pack: '{}' cannot be the name of a pack: a lower-case letter, then up to "
                       "11 lower-case letters and digits, and no word packhost keeps for itself",
                       pack.alias);
    text.remove_prefix(equals + 1);
  }
  if (text.empty()) return kit::fail(Code::invalid_args, "--pack needs the name of a pack");
  pack.pack = text;
  if (text.find('/') == std::string_view::npos && !is_pack_name(text))
    return kit::fail(Code::invalid_args,
                     "--pack: '{}' is no name of a pack; a file is named by a path with a slash",
                     text);
  return pack;
}

bool is_pack_name(std::string_view name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && name.size() <= 12 && is_lower(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_lower(c) || is_digit(c); }) &&
         !is_reserved_word(name);
}

bool is_reserved_word(std::string_view word) {
  static constexpr std::string_view kReserved[] = {"serve", "call",         "packs",  "inspect",
                                                   "tools", "instructions", "doctor", "harness",
                                                   "check", "version",      "help",   "packhost"};
  return std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved);
}

kit::Status read_host_words(std::span<const std::string_view> words, std::uint8_t uses, LineUse use,
                            Launch &launch, std::vector<std::string> *free_words) {
  const std::vector<std::string> copies(words.begin(), words.end());
  std::vector<FlagSpec> flags = host_flags(uses);
  const bool is_serve = (uses & kUseServe) != 0;
  // Never among these words, which end before the first of it: only to be the nearest word.
  if (is_serve) flags.push_back({"pack", true});
  auto parsed = parse_words(copies, flags, is_serve ? place_before_packs : place_without_packs);
  if (!parsed) return pass_on(parsed);
  if (!parsed->words.empty() && free_words == nullptr)
    return kit::fail(Code::invalid_args,
                     "unexpected word '{}'; options of a pack come after its --pack",
                     parsed->words.front());
  if (auto twice = refuse_twice(parsed->flags); !twice) return twice;
  for (const GivenFlag &flag : parsed->flags)
    if (auto set = apply_flag(launch.host, flag); !set) return set;
  if (auto paths = finish_paths(launch.host, use); !paths) return paths;
  if (!launch.host.config.empty() && !launch.host.help)
    if (auto taken = take_config(launch, parsed->flags); !taken) return taken;
  if (free_words != nullptr) *free_words = std::move(parsed->words);
  return {};
}

kit::Result<Launch> parse_launch(std::span<const std::string_view> words) {
  const auto first = std::find_if(words.begin(), words.end(), starts_pack);
  const auto count = static_cast<std::size_t>(first - words.begin());
  Launch launch;
  auto packs = split_packs(words.subspan(count));
  if (!packs) return pass_on(packs);
  launch.packs = std::move(*packs);
  auto host = read_host_words(words.first(count), kUseServe, LineUse::serve, launch, nullptr);
  if (!host) return pass_on(host);
  return launch;
}

} // namespace packhost::cli
