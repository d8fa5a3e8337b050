// SPDX-License-Identifier: MIT
// workspace_info: one workspace, what limits and policies hold, and how paths are resolved.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace packhost::files {

namespace {

constexpr const char *kStateDirectory = ".packhost/files";

/// What workspace_info tells of the served or of a registered workspace.
struct Described {
  std::string id; // empty: transient
  std::string name;
  std::string root;
  bool is_selected = false;
};

Described describe_served(const Workspace &workspace, const Settings &settings,
                          const Registry &registry) {
  Described served;
  served.root = workspace.root().canonical_path();
  served.id = settings.workspace;
  served.is_selected = true;
  const RegisteredWorkspace *const registered =
      settings.workspace.empty() ? nullptr : registry.find(settings.workspace);
  served.name = registered != nullptr ? registered->name : std::string(last_of(served.root));
  if (served.name.empty()) served.name.push_back('/');
  return served;
}

Outcome<Described> choose(const std::optional<std::string> &wanted, const Workspace *workspace,
                          const Settings &settings, const Registry &registry) {
  if (!wanted) {
    if (workspace != nullptr) return describe_served(*workspace, settings, registry);
    return refuse(failure(ErrorCode::workspace_not_found, "No workspace is served"));
  }
  const RegisteredWorkspace *const found = registry.find(*wanted);
  if (found == nullptr) {
    return refuse(failure(ErrorCode::workspace_not_found, "No workspace of this name is registered")
                      .with("workspace", *wanted)
                      .with("recovery", "Use workspace_list to see the names."));
  }
  const bool is_selected = workspace != nullptr && found->id == settings.workspace;
  return Described{found->id, found->name, found->root, is_selected};
}

void append_state(kit::json::Writer &result, const Described &workspace) {
  struct stat status {};

  const std::string path = workspace.root + "/" + kStateDirectory;
  const bool is_there = ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  result.key("state").begin_object();
  result.string("location", kStateDirectory).boolean("available", is_there);
  if (is_there) {
    // Kept by a version that writes; this one does not read it.
    result.null("operations").null("history_bytes");
  } else {
    result.integer("operations", 0).integer("history_bytes", 0);
  }
  result.end_object();
}

Outcome<Answer> describe(const Workspace *served, const Settings &settings, int data_fd,
                         std::string_view args) {
  kit::json::ArgumentReader reader(args);
  const std::optional<std::string> wanted = reader.optional_string("workspace");
  if (Outcome<void> read = finish(reader); !read) return kit::pass_on(read);
  Outcome<Registry> registry = read_registry(data_fd);
  // A transient workspace needs no registry.
  if (!registry && (wanted || !settings.workspace.empty())) return kit::pass_on(registry);
  Outcome<Described> chosen = choose(wanted, served, settings, registry ? *registry : Registry());
  if (!chosen) return kit::pass_on(chosen);
  if (chosen->is_selected && served != nullptr) {
    if (Outcome<void> in_place = served->check_in_place(); !in_place) return kit::pass_on(in_place);
  }
  Document document;
  kit::json::Writer &result = document.result();
  result.string("name", chosen->name);
  if (chosen->id.empty())
    result.null("id");
  else
    result.string("id", chosen->id);
  result.string("root", chosen->root).boolean("transient", chosen->id.empty());
  result.boolean("selected", chosen->is_selected).string("version", settings.version);
  append_state(result, *chosen);
  result.key("limits").begin_object();
  for (const LimitRow &row : limit_rows())
    result.unsigned_integer(row.name, settings.limits.*row.member);
  result.end_object();
  result.key("policy").begin_object();
  result.boolean("sensitive_paths", true).boolean("allow_mounts", settings.allow_mounts);
  if (served != nullptr)
    result.string("resolution", served->root().uses_openat2() ? "openat2" : "component_walk");
  result.end_object();
  return document.finish(1);
}

} // namespace

void Files::workspace_info(Call &call) {
  const Workspace *const served = workspace_ ? &*workspace_ : nullptr;
  answer(call, describe(served, settings_, data_fd(), call.args()));
}

} // namespace packhost::files
