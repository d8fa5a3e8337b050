// SPDX-License-Identifier: MIT
// One pack on its way from the words of an operator to a PackLaunch.
#include "host/cli/pack_work.hpp"

#include "host/cli/paths.hpp"
#include "host/cli/permissions.hpp"
#include "host/cli/plan.hpp"
#include "host/version.hpp"

#include <algorithm>

namespace packhost::cli {

using kit::Code;
using kit::json::Kind;

namespace {

constexpr std::size_t kMaxShownName = 48; // of a tool, prefix included
constexpr std::string_view kPinFlag = "pack-sha256";
constexpr std::string_view kPrefixFlag = "tool-prefix";

/// A word that may pin the file. Which words are values is not known before the schema is; a word
/// that only looks like the flag costs a copy and nothing else.
bool may_be_pinned(const std::vector<std::string> &words) {
  return std::any_of(words.begin(), words.end(), [](const std::string &word) {
    return word == "--pack-sha256" || word.starts_with("--pack-sha256=");
  });
}

/// ^([a-z][a-z0-9_]{0,31}_)?$
bool is_tool_prefix(std::string_view prefix) {
  if (prefix.empty()) return true;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return prefix.size() >= 2 && prefix.size() <= 33 && prefix.front() >= 'a' &&
         prefix.front() <= 'z' && prefix.back() == '_' &&
         std::all_of(prefix.begin(), prefix.end(), is_word);
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

} // namespace

std::string refusal_text(std::string_view alias, std::string_view why) {
  if (why.starts_with("cannot load ") || why.starts_with("pack \"")) return std::string(why);
  return fmt::format("pack \"{}\" refused to start: {} (configuration).", alias, why);
}

kit::Status PackWork::refuse(kit::Status failed) const {
  kit::Error &error = failed.error();
  error.message = error.code == Code::invalid_args
                      ? fmt::format("pack \"{}\": {}", alias_, error.message)
                      : refusal_text(alias_, error.message);
  return failed;
}

kit::Result<PackWork> PackWork::probe(const PackWords &words, const HostOptions &host,
                                      std::string directory) {
  auto path = find_pack_path(words.pack, host.pack_dir, directory);
  if (!path) return pass_on(path);
  auto file = probe_pack(*path, may_be_pinned(words.words) ? ProbeUse::copy : ProbeUse::plain);
  if (!file) return pass_on(file);
  PackWork work(std::move(*file));
  work.directory_ = std::move(directory);
  work.words_ = words.words;
  work.alias_ = words.alias.empty() ? work.manifest().name : words.alias;
  work.tool_prefix_ = work.manifest().tool_prefix.value_or(work.alias_ + "_");
  work.schema_ = read_tree(kit::json::Value(work.manifest().options));
  work.fields_ = read_fields(work.schema_);
  return work;
}

kit::Status PackWork::read_words(ExtraWords *extra) {
  std::vector<FlagSpec> flags = flags_of(fields_);
  flags.push_back({std::string(kPrefixFlag), true});
  flags.push_back({std::string(kPinFlag), true});
  flags.push_back({"help", false});
  if (extra != nullptr) flags.insert(flags.end(), extra->flags.begin(), extra->flags.end());
  auto parsed = parse_words(words_, flags, [](std::string_view name) -> std::string_view {
    return find_host_option(name) != nullptr ? "options of packhost come before the pack" : "";
  });
  if (!parsed) return refuse(pass_on(parsed));
  if (extra == nullptr && !parsed->words.empty())
    return refuse(kit::fail(Code::invalid_args, "unexpected word '{}'", parsed->words.front()));
  if (auto taken = take_own_flags(std::move(*parsed), extra); !taken) return refuse(taken);
  return {};
}

kit::Status PackWork::take_own_flags(ParsedWords parsed, ExtraWords *extra) {
  for (GivenFlag &flag : parsed.flags) {
    if (flag.name == "help") {
      wants_help_ = true;
    } else if (flag.name == kPinFlag) {
      if (auto pinned = check_pin(flag.value); !pinned) return pinned;
    } else if (flag.name == kPrefixFlag) {
      if (!is_tool_prefix(flag.value))
        return kit::fail(Code::invalid_args,
                         "--tool-prefix must be empty, or up to 33 lower-case letters, digits and "
                         "underscores that begin with a letter and end with an underscore");
      tool_prefix_ = flag.value;
    } else if (find_field_of_flag(fields_, flag.name) != nullptr) {
      flags_.push_back(std::move(flag));
    } else if (extra != nullptr) {
      extra->given.push_back(std::move(flag));
    }
  }
  if (extra != nullptr) extra->words = std::move(parsed.words);
  for (const contract::ToolEntry &tool : manifest().tools) {
    const std::size_t length = tool_prefix_.size() + tool.name.size();
    if (length > kMaxShownName)
      return kit::fail(Code::config,
                       "cannot load {}: with the prefix \"{}\" its tool \"{}\" has a name of {} "
                       "bytes; the limit is {}.",
                       shown_file(), tool_prefix_, tool.name, length, kMaxShownName);
  }
  return {};
}

kit::Status PackWork::check_pin(const std::string &wanted) const {
  if (!is_digest(wanted))
    return kit::fail(Code::invalid_args, "--pack-sha256 takes 64 hexadecimal digits");
  if (lower(wanted) != file_.sha256)
    return kit::fail(Code::config,
                     "cannot load {}: its SHA-256 is {}; the launch line pins {} (was the file "
                     "replaced?).",
                     shown_file(), file_.sha256, lower(wanted));
  if (!file_.runpath.empty())
    return kit::fail(Code::config,
                     "cannot load {}: it is pinned with --pack-sha256 and has a DT_RUNPATH ({}): "
                     "what that finds is not covered by the digest.",
                     shown_file(), file_.runpath);
  return {};
}

kit::Status PackWork::complete_options(const Launch &launch, bool is_serving) {
  std::vector<OptionSource> sources;
  for (const auto &[name, text] : launch.config) {
    if (name != alias_) continue;
    sources.push_back(
        {read_tree(kit::json::Value(text)), launch.host.config, directory_of(launch.host.config)});
  }
  auto typed = read_typed_options(fields_, flags_, directory_);
  if (!typed) return refuse(pass_on(typed));
  sources.push_back(std::move(*typed));
  auto given = merge_options(schema_, fields_, std::move(sources));
  if (!given) return refuse(pass_on(given));
  given_ = std::move(*given);
  if (const std::string both = find_exclusion(fields_, given_); !both.empty())
    return refuse(kit::fail(Code::config, "{}", both));
  if (auto checked = check_values(schema_, given_); !checked) return refuse(checked);
  for (const Field &field : fields_)
    if (field.meaning.dir == "data") data_override_ = given_.values.find_string(field.name);
  if (auto planned = is_serving ? plan() : kit::Status(); !planned) return refuse(planned);
  const std::string missing = find_missing(fields_, with_schema_defaults(schema_, given_.values));
  if (is_serving && !missing.empty()) return refuse(kit::fail(Code::config, "{}", missing));
  return {};
}

kit::Status PackWork::plan() {
  const contract::Plan &plan = manifest().plan;
  if (!plan.wanted) return {};
  if (!plan.unless_given.empty() &&
      std::all_of(plan.unless_given.begin(), plan.unless_given.end(),
                  [this](const std::string &name) { return given_.is_given(name); }))
    return {};
  SecretReferences references = take_out_secrets(schema_, given_.values);
  pack::PackLaunch launch = start_launch();
  auto filled = fill_defaults();
  if (!filled) return pass_on(filled);
  launch.options = encode_options(*filled);
  resolve_plan_directories(data_override_, launch);
  auto completed = run_plan(launch);
  file_.copy = std::move(launch.pinned);
  if (!completed) return pass_on(completed);
  Node values = read_tree(kit::json::Value(*completed));
  if (!values.is(Kind::object))
    return kit::fail(Code::config, "its plan did not answer with one options object");
  values.remove("packhost");
  // What was a default before and is one still was not added by plan.
  for (const auto &[name, value] : filled->members) {
    const Node *after = values.find(name);
    if (!given_.is_given(name) && after != nullptr && write_tree(*after) == write_tree(value))
      values.remove(name);
  }
  if (!put_back_secrets(schema_, values, std::move(references)))
    return kit::fail(Code::config, "its plan may not set a secret option");
  // A path that plan left alone keeps its spelling; one that it set is looked at like the others.
  std::erase_if(given_.final_paths, [&](const std::string &pointer) {
    const Node *before = find_pointer(given_.values, pointer);
    const Node *after = find_pointer(values, pointer);
    return before == nullptr || after == nullptr || before->text != after->text;
  });
  std::erase_if(given_.spelled, [this](const auto &each) {
    return std::find(given_.final_paths.begin(), given_.final_paths.end(), each.first) ==
           given_.final_paths.end();
  });
  for (const auto &member : values.members) {
    if (given_.is_given(member.first)) continue;
    given_.origins.push_back(
        {member.first, fmt::format("\"{}\" of its plan", member.first), false});
  }
  given_.values = std::move(values);
  if (auto rewritten = rewrite_paths(schema_, given_, ""); !rewritten) return rewritten;
  return check_values(schema_, given_);
}

/// The values with defaults; a default path is looked at like any other, and granted to nobody.
kit::Result<Node> PackWork::fill_defaults() {
  GivenOptions full = given_;
  full.values = with_schema_defaults(schema_, given_.values);
  if (auto rewritten = rewrite_paths(schema_, full, ""); !rewritten) return pass_on(rewritten);
  given_.spelled = std::move(full.spelled);
  return std::move(full.values);
}

pack::PackLaunch PackWork::start_launch() {
  pack::PackLaunch launch(file_.manifest);
  launch.alias = alias_;
  launch.shown_file = file_.shown_file;
  launch.load_path = file_.load_path;
  launch.pinned = std::move(file_.copy);
  launch.raw_manifest = file_.raw_manifest;
  launch.tool_prefix = tool_prefix_;
  launch.scheme = scheme_of(tool_prefix_, alias_);
  return launch;
}

std::string PackWork::encode_options(Node values) const {
  Node own = Node::object();
  own.set("tool_prefix", Node::string(tool_prefix_));
  own.set("alias", Node::string(alias_));
  own.set("version", Node::string(std::string(kVersion)));
  Node spelled = Node::object();
  for (const auto &[pointer, spelling] : given_.spelled)
    spelled.set(pointer, Node::string(spelling));
  own.set("spelled", std::move(spelled));
  values.set("packhost", std::move(own));
  std::string text = write_tree(values);
  values.wipe();
  return text;
}

kit::Result<pack::PackLaunch> PackWork::finish(const support::PrivateEnvironment &environment,
                                               const Node *command_permissions,
                                               const Node *arguments) {
  auto filled = fill_slots(file_, tool_prefix_, alias_);
  if (!filled) return pass_on(filled);
  pack::PackLaunch launch = start_launch();
  launch.manifest = std::move(*filled);
  auto values = fill_defaults();
  if (!values) {
    auto refused = refuse(pass_on(values));
    return pass_on(refused);
  }
  const Node shown = hide_secrets(schema_, *values);
  launch.hidden_tool_options = write_tree(shown);
  auto secrets = read_secrets(schema_, given_, *values, environment);
  if (!secrets) {
    auto refused = refuse(pass_on(secrets));
    return pass_on(refused);
  }
  launch.secrets = std::move(*secrets);
  const std::string &own = launch.manifest->permissions;
  const Node permissions =
      command_permissions != nullptr ? *command_permissions : read_tree(kit::json::Value(own));
  const PermissionInput input{permissions, shown,          given_.values,
                              arguments,   given_.spelled, data_override_};
  resolve_permissions(input, environment, launch);
  launch.options = encode_options(std::move(*values));
  given_.values.wipe(); // a secret of a configuration file stands in it
  return launch;
}

} // namespace packhost::cli
