// SPDX-License-Identifier: MIT
// From a launch line to packs that can be loaded.
#include "host/cli/resolve.hpp"

#include "host/cli/output.hpp"
#include "host/cli/pack_work.hpp"
#include "host/cli/paths.hpp"
#include "host/cli/suggest.hpp"

#include <algorithm>

#include <string.h>

namespace packhost::cli {

using kit::Code;

namespace {

/// The name a pack is refused under before its manifest is known.
std::string name_before_probe(const PackWords &words) {
  if (!words.alias.empty()) return words.alias;
  std::string_view name = name_of(words.pack);
  if (name.ends_with(".so")) name.remove_suffix(3);
  return std::string(name);
}

/// The clash of a pack with those before it, as a refusal; empty: none.
std::string find_clash(const std::vector<pack::PackLaunch> &earlier, const pack::PackLaunch &pack) {
  for (const pack::PackLaunch &other : earlier) {
    for (const contract::ToolEntry &tool : pack.manifest->tools) {
      const std::string shown = pack.tool_prefix + tool.name;
      const bool is_taken = std::any_of(
          other.manifest->tools.begin(), other.manifest->tools.end(),
          [&](const contract::ToolEntry &each) { return other.tool_prefix + each.name == shown; });
      if (is_taken)
        return fmt::format(
            "cannot load {}: its tool \"{}\" is already offered by pack \"{}\". Give "
            "one of them another prefix with --tool-prefix after its --pack.",
            pack.shown_file, shown, other.alias);
    }
    if (other.manifest->name == pack.manifest->name) continue;
    for (const std::string &scheme : pack.manifest->schemes) {
      const std::vector<std::string> &taken = other.manifest->schemes;
      if (std::find(taken.begin(), taken.end(), scheme) != taken.end())
        return fmt::format("cannot load {}: its scheme \"{}\" is already offered by pack \"{}\". "
                           "Give one of them another prefix with --tool-prefix after its --pack.",
                           pack.shown_file, scheme, other.alias);
    }
  }
  return {};
}

/// --tools and --hide-tools name tools that some pack of the launch line declares.
kit::Status check_tool_names(const HostOptions &host, const std::vector<pack::PackLaunch> &packs) {
  std::vector<std::string> known;
  for (const pack::PackLaunch &pack : packs)
    for (const contract::ToolEntry &tool : pack.manifest->tools)
      known.push_back(pack.tool_prefix + tool.name);
  const std::vector<std::string_view> views(known.begin(), known.end());
  for (const auto &[flag, names] :
       {std::pair{"--tools", &host.tools.only}, std::pair{"--hide-tools", &host.tools.hide}}) {
    for (const std::string &name : *names) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return kit::fail(Code::invalid_args, "{}: no pack of the launch line has a tool \"{}\"{}",
                       flag, name, did_you_mean(name, views, "\"", "\""));
    }
  }
  return {};
}

/// A member of the configuration file that is for no pack of the launch line sets nothing: most
/// likely its name is misspelt.
kit::Status check_config_names(const Launch &launch, const std::vector<PackWork> &works,
                               const std::vector<pack::RefusedPack> &refused) {
  std::vector<std::string_view> names;
  for (const PackWork &work : works) names.push_back(work.alias());
  for (const pack::RefusedPack &pack : refused) names.push_back(pack.alias);
  for (const auto &member : launch.config) {
    if (std::find(names.begin(), names.end(), member.first) != names.end()) continue;
    return kit::fail(Code::config,
                     "--config {}: \"{}\" is no pack of the launch line, which has \"{}\"{}",
                     launch.host.config, member.first, fmt::join(names, "\", \""),
                     did_you_mean(member.first, names, "\"", "\""));
  }
  return {};
}

/// Both steps that can refuse a pack before any secret is read. A value: the pack is ready for
/// finish(). An empty optional inside: it was refused.
kit::Result<std::optional<PackWork>> prepare(const PackWords &words, const Launch &launch,
                                             const std::string &directory,
                                             std::vector<pack::RefusedPack> &refused) {
  const auto refuse = [&refused](std::string alias,
                                 kit::Error error) -> kit::Result<std::optional<PackWork>> {
    if (error.code == Code::invalid_args) return tl::unexpected<kit::Error>(std::move(error));
    refused.push_back({std::move(alias), as_sentence(error.message)});
    return std::optional<PackWork>();
  };
  auto work = PackWork::probe(words, launch.host, directory);
  if (!work) return refuse(name_before_probe(words), std::move(work.error()));
  if (auto read = work->read_words(nullptr); !read)
    return refuse(work->alias(), std::move(read.error()));
  if (auto completed = work->complete_options(launch, true); !completed)
    return refuse(work->alias(), std::move(completed.error()));
  return std::optional<PackWork>(std::move(*work));
}

} // namespace

kit::Result<Resolved> resolve(Launch &launch, const Situation &situation) {
  std::string directory;
  if (!situation.is_serve) {
    auto here = working_directory();
    if (!here) return pass_on(here);
    directory = std::move(*here);
  }
  Resolved resolved;
  std::vector<PackWork> works;
  for (const PackWords &words : launch.packs) {
    auto work = prepare(words, launch, directory, resolved.refused);
    if (!work) return pass_on(work);
    if (!*work) continue;
    const std::string &alias = (*work)->alias();
    if (std::any_of(works.begin(), works.end(),
                    [&alias](const PackWork &each) { return each.alias() == alias; }))
      return kit::fail(Code::invalid_args,
                       "two packs are called \"{}\"; give one of them a name: --pack NAME={}",
                       alias, words.pack);
    works.push_back(std::move(**work));
  }
  if (auto checked = check_config_names(launch, works, resolved.refused); !checked)
    return pass_on(checked);
  // All plans have run: from here on there are secrets in memory.
  for (PackWork &work : works) {
    auto finished = work.finish(situation.environment);
    std::string reason =
        finished ? find_clash(resolved.packs, *finished) : finished.error().message;
    if (!reason.empty()) {
      resolved.refused.push_back({work.alias(), as_sentence(reason)});
      continue;
    }
    for (const std::string &name : finished->environment)
      resolved.granted_environment.push_back(name);
    resolved.packs.push_back(std::move(*finished));
  }
  for (auto &member : launch.config) ::explicit_bzero(member.second.data(), member.second.size());
  launch.config.clear();
  // What a refused pack would have offered is not known for sure, so nothing is held against it.
  if (resolved.refused.empty())
    if (auto checked = check_tool_names(launch.host, resolved.packs); !checked)
      return pass_on(checked);
  return resolved;
}

std::optional<int> report_refusals(const HostOptions &host, const Resolved &resolved) {
  for (const pack::RefusedPack &refused : resolved.refused) (void)report_error(refused.reason, 0);
  if (resolved.refused.empty()) return std::nullopt;
  if (host.fail_on_load_error || resolved.packs.empty()) return exit_code_for(Code::config);
  return std::nullopt;
}

std::string explain(const Launch &launch, const Resolved &resolved) {
  std::string out;
  const HostOptions &host = launch.host;
  out += "packhost\n";
  const auto add = [&out](std::string_view name, std::string_view value) {
    out += fmt::format("  {:<17} {}\n", name, value);
  };
  static constexpr std::string_view kLevels[] = {"error", "warn", "info", "debug", "trace"};
  add("config", host.config.empty() ? "(none)" : host.config);
  add("log-level", kLevels[static_cast<std::size_t>(host.log_level)]);
  add("on-load-error", host.fail_on_load_error ? "fail" : "skip");
  add("tools",
      host.tools.only.empty() ? "(all)" : fmt::format("{}", fmt::join(host.tools.only, ",")));
  add("hide-tools",
      host.tools.hide.empty() ? "(none)" : fmt::format("{}", fmt::join(host.tools.hide, ",")));
  add("read-only", host.tools.read_only ? "yes" : "no");
  add("max-line-bytes", fmt::format("{}", host.limits.max_line_bytes));
  add("max-args-bytes", fmt::format("{}", host.limits.max_args_bytes));
  add("max-result-bytes", fmt::format("{}", host.limits.max_result_bytes));
  add("max-calls", fmt::format("{}", host.limits.max_calls));
  add("max-timeout-ms", fmt::format("{}", host.limits.max_timeout_ms));
  for (const pack::PackLaunch &pack : resolved.packs) {
    out += fmt::format("\npack {} ({} {}, {})\n", pack.alias, pack.manifest->name,
                       pack.manifest->version, pack.load_path);
    add("tool-prefix", pack.tool_prefix.empty() ? "(none)" : pack.tool_prefix);
    out += "  options           ";
    append_pretty(out, read_tree(kit::json::Value(pack.hidden_tool_options)), 2);
    out += "\n  permissions\n";
    if (pack.permissions.empty()) out += "    (none)\n";
    for (const std::string &line : pack.permissions) out += "    " + line + "\n";
  }
  for (const pack::RefusedPack &refused : resolved.refused)
    out += fmt::format("\nrefused: {}\n", refused.reason);
  return out;
}

} // namespace packhost::cli
