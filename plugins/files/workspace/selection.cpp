// SPDX-License-Identifier: MIT
// See selection.hpp.
#include "plugins/files/workspace/selection.hpp"

#include "sdk/kit/json.hpp"

namespace packhost::files {

namespace {

std::string names_of(const Registry &registry) {
  std::string names;
  for (const RegisteredWorkspace &workspace : registry.workspaces) {
    if (!names.empty()) names += ", ";
    names += workspace.name;
  }
  return names;
}

} // namespace

kit::Result<RegisteredWorkspace> select_workspace(const Registry &registry,
                                                  std::string_view wanted) {
  using kit::Code;
  if (registry.workspaces.empty()) {
    return kit::fail(Code::config,
                     "no workspace is registered; give --root PATH, or register one with "
                     "'packhost files workspace add NAME PATH'");
  }
  const RegisteredWorkspace *chosen = nullptr;
  if (!wanted.empty()) {
    chosen = registry.find(wanted);
    if (chosen == nullptr) {
      return kit::fail(Code::config, "no workspace '{}' is registered; there are: {}", wanted,
                       names_of(registry));
    }
  } else if (registry.default_name) {
    chosen = registry.find(*registry.default_name);
    if (chosen == nullptr) {
      return kit::fail(Code::config,
                       "the default workspace '{}' is not registered; choose another with "
                       "'packhost files workspace "
                       "default NAME'; there are: {}",
                       *registry.default_name, names_of(registry));
    }
  } else if (registry.workspaces.size() == 1) {
    chosen = &registry.workspaces.front();
  } else {
    return kit::fail(Code::config,
                     "several workspaces are registered and none is the default; choose one with "
                     "--workspace: {}",
                     names_of(registry));
  }
  if (!is_available(*chosen)) {
    return kit::fail(
        Code::config,
        "the directory of workspace '{0}', {1}, is not there; bring it back, or remove the "
        "workspace with 'packhost files workspace remove {0}'",
        chosen->name, chosen->root);
  }
  return *chosen;
}

std::string complete_options(std::string_view options, const RegisteredWorkspace &chosen) {
  std::string completed;
  kit::json::Writer writer(completed);
  writer.begin_object();
  const kit::json::Object members{kit::json::Value(options)};
  for (const kit::json::Member &member : members.members()) {
    if (member.key != "root" && member.key != "workspace")
      writer.raw(member.key, member.value.text());
  }
  writer.string("root", chosen.root).string("workspace", chosen.id);
  writer.end_object();
  return completed;
}

} // namespace packhost::files
