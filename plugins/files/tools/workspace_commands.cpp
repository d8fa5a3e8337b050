// SPDX-License-Identifier: MIT
// The operator's commands "workspace add | list | remove | default". They change the registry only,
// never a workspace.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"
#include "plugins/files/workspace/breadth.hpp"
#include "sdk/kit/errno_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>

#include <sys/stat.h>

namespace packhost::files {

namespace {

/// One part for people, one for programs.
void reply(Call &call, std::string text, std::string json) {
  call.text(std::move(text));
  call.json(std::move(json));
}

template <typename T>
T value_or_throw(Outcome<T> outcome) {
  if (!outcome) throw_failure(outcome.error());
  if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

std::string canonical_directory(const std::string &path) {
  const std::unique_ptr<char, decltype(&std::free)> canonical(::realpath(path.c_str(), nullptr),
                                                              &std::free);

  struct stat status {};

  if (canonical == nullptr || ::stat(canonical.get(), &status) != 0) {
    const int error = errno;
    throw Error(error == EACCES ? PACKHOST_E_DENIED : PACKHOST_E_NOT_FOUND,
                fmt::format("'{}' cannot be registered ({})", path, kit::errno_text(error)));
  }
  if (!S_ISDIR(status.st_mode))
    throw Error(PACKHOST_E_INVALID_ARGS, fmt::format("'{}' is not a directory", path));
  return canonical.get();
}

/// What an operator should see and no program reads: standard output holds the answer alone.
void tell_operator(std::string_view text) {
  static_cast<void>(std::fputs(fmt::format("packhost: files: {}.\n", text).c_str(), stderr));
}

std::string now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  std::string text = format_time(time);
  return text.substr(0, 19) + "Z";
}

void refuse_duplicates(const Registry &registry, const std::string &name, const std::string &root) {
  for (const RegisteredWorkspace &workspace : registry.workspaces) {
    if (workspace.name == name || workspace.id == name) {
      throw Error(PACKHOST_E_CONFLICT, fmt::format("a workspace '{}' is registered already; choose "
                                                   "another name or remove it first",
                                                   name));
    }
    if (workspace.root == root) {
      throw Error(PACKHOST_E_CONFLICT,
                  fmt::format("'{}' is registered already, as '{}'", root, workspace.name));
    }
  }
}

std::vector<std::string> find_warnings(const Registry &registry, const std::string &root,
                                       const std::string &data_directory) {
  std::vector<std::string> warnings;
  if (std::string breadth = describe_breadth(root, data_directory); !breadth.empty())
    warnings.push_back(std::move(breadth));
  for (const RegisteredWorkspace &workspace : registry.workspaces) {
    if (is_inside(root, workspace.root))
      warnings.push_back(fmt::format("it lies inside workspace '{}'", workspace.name));
    else if (is_inside(workspace.root, root))
      warnings.push_back(fmt::format("it contains workspace '{}'", workspace.name));
  }
  return warnings;
}

const RegisteredWorkspace &find_or_throw(const Registry &registry, const std::string &name) {
  const RegisteredWorkspace *const found = registry.find(name);
  if (found == nullptr)
    throw Error(
        PACKHOST_E_NOT_FOUND,
        fmt::format("no workspace '{}' is registered; \"packhost files workspace list\" shows "
                    "those that are",
                    name));
  return *found;
}

void append_workspace(kit::json::Writer &writer, const RegisteredWorkspace &workspace) {
  writer.string("id", workspace.id).string("name", workspace.name);
  writer.string("root", workspace.root).string("created_at", workspace.created_at);
}

void append_default(kit::json::Writer &writer, const Registry &registry) {
  if (registry.default_name)
    writer.string("default", *registry.default_name);
  else
    writer.null("default");
}

/// The registry to change: under its lock, or, when nothing is to change, only read.
struct Editing {
  std::optional<RegistryEdit> edit;
  Registry looked_at;

  [[nodiscard]] Registry &registry() { return edit ? edit->registry : looked_at; }

  void save() const {
    if (edit) value_or_throw(edit->save());
  }
};

Editing begin_editing(const Call &call, int data_fd) {
  Editing editing;
  if (call.dry_run())
    editing.looked_at = value_or_throw(read_registry(data_fd));
  else
    editing.edit = value_or_throw(RegistryEdit::begin(data_fd, tell_operator));
  return editing;
}

} // namespace

void Files::command_add(Call &call) {
  kit::json::ArgumentReader reader(call.args());
  const std::string name = reader.required_string("name");
  const std::string path = reader.required_string("path");
  const bool is_default = reader.optional_boolean("default").value_or(false);
  value_or_throw(finish(reader));
  if (!is_workspace_name(name)) {
    throw Error(PACKHOST_E_INVALID_ARGS,
                fmt::format("'{}' cannot be a name: it takes 1 to 64 letters, digits, '.', '_' "
                            "and '-', the first a letter or digit",
                            name));
  }
  RegisteredWorkspace workspace;
  workspace.name = name;
  workspace.root = canonical_directory(path);
  Editing editing = begin_editing(call, data_fd());
  Registry &registry = editing.registry();
  refuse_duplicates(registry, name, workspace.root);
  const std::vector<std::string> warnings =
      find_warnings(registry, workspace.root, path_in(data_fd(), "."));
  workspace.id = make_workspace_id();
  workspace.created_at = now();
  registry.workspaces.push_back(workspace);
  if (is_default) registry.default_name = name;
  editing.save();

  const std::string text =
      fmt::format("{} workspace '{}': {}{}\n", call.dry_run() ? "would register" : "registered",
                  name, workspace.root, is_default ? " (the default)" : "");
  std::string json;
  kit::json::Writer writer(json);
  writer.begin_object();
  append_workspace(writer, workspace);
  append_default(writer, registry);
  writer.boolean("dry_run", call.dry_run()).key("warnings").begin_array();
  for (const std::string &warning : warnings) {
    tell_operator(fmt::format("warning: workspace '{}', {}: {}", name, workspace.root, warning));
    writer.string(warning);
  }
  writer.end_array().end_object();
  reply(call, text, std::move(json));
}

void Files::command_list(Call &call) {
  kit::json::ArgumentReader reader(call.args());
  value_or_throw(finish(reader));
  Registry registry = value_or_throw(read_registry(data_fd()));
  std::sort(
      registry.workspaces.begin(), registry.workspaces.end(),
      [](const RegisteredWorkspace &a, const RegisteredWorkspace &b) { return a.name < b.name; });
  std::string text;
  std::string json;
  kit::json::Writer writer(json);
  writer.begin_object();
  append_default(writer, registry);
  writer.key("workspaces").begin_array();
  for (const RegisteredWorkspace &workspace : registry.workspaces) {
    const bool is_default = registry.default_name == workspace.name;
    const bool is_there = is_available(workspace);
    text += fmt::format("{}{}  {}  {}{}\n", is_default ? "* " : "  ", workspace.name, workspace.id,
                        workspace.root, is_there ? "" : "  (missing)");
    writer.begin_object();
    append_workspace(writer, workspace);
    writer.boolean("is_default", is_default).boolean("available", is_there);
    writer.end_object();
  }
  writer.end_array().end_object();
  if (registry.workspaces.empty()) text = "no workspace is registered\n";
  reply(call, std::move(text), std::move(json));
}

void Files::command_remove(Call &call) {
  kit::json::ArgumentReader reader(call.args());
  const std::string name = reader.required_string("name");
  value_or_throw(finish(reader));
  Editing editing = begin_editing(call, data_fd());
  Registry &registry = editing.registry();
  const RegisteredWorkspace removed = find_or_throw(registry, name);
  std::erase_if(registry.workspaces,
                [&](const RegisteredWorkspace &one) { return one.id == removed.id; });
  if (registry.default_name == removed.name) registry.default_name.reset();
  editing.save();
  std::string json;
  kit::json::Writer writer(json);
  writer.begin_object();
  append_workspace(writer, removed);
  append_default(writer, registry);
  writer.boolean("dry_run", call.dry_run()).end_object();
  reply(call,
        fmt::format("{} workspace '{}'; its files in {} are untouched\n",
                    call.dry_run() ? "would unregister" : "unregistered", removed.name,
                    removed.root),
        std::move(json));
}

void Files::command_default(Call &call) {
  kit::json::ArgumentReader reader(call.args());
  const std::optional<std::string> name = reader.optional_string("name");
  const bool unset = reader.optional_boolean("unset").value_or(false);
  value_or_throw(finish(reader));
  if (name.has_value() == unset)
    throw Error(PACKHOST_E_INVALID_ARGS, "give the name of a workspace, or --unset");
  Editing editing = begin_editing(call, data_fd());
  Registry &registry = editing.registry();
  if (name)
    registry.default_name = find_or_throw(registry, *name).name;
  else
    registry.default_name.reset();
  editing.save();
  std::string json;
  kit::json::Writer writer(json);
  writer.begin_object();
  append_default(writer, registry);
  writer.boolean("dry_run", call.dry_run()).end_object();
  const std::string_view would = call.dry_run() ? "would make: " : "";
  reply(call,
        registry.default_name
            ? fmt::format("{}the default workspace is '{}'\n", would, *registry.default_name)
            : fmt::format("{}there is no default workspace\n", would),
        std::move(json));
}

} // namespace packhost::files
