// SPDX-License-Identifier: MIT
// The tool table of the files pack, and its two ways in: plan and open.
#include "plugins/files/pack.hpp"

#include "plugins/files/workspace/selection.hpp"

#include "manifest.h"

namespace packhost::files {

namespace {

std::string version_of_manifest() {
  const kit::json::Object manifest{kit::json::Value(packhost_manifest_text)};
  return manifest.find("version").string();
}

int data_directory(const Host &host) {
  const auto *const dirs = host.iface<packhost_dirs>(PACKHOST_IFACE_DIRS);
  return dirs == nullptr ? -1 : dirs->dir_fd(host.raw(), "data");
}

Settings settings_of(std::string_view options) {
  kit::Result<Settings> settings = parse_settings(options);
  if (!settings) throw Error(PACKHOST_E_CONFIG, settings.error().message);
  settings->version = version_of_manifest();
  return std::move(*settings);
}

} // namespace

Files::Files(Open &open) : host_(open.host), settings_(settings_of(open.options)) {
  if (!settings_.root.empty()) {
    kit::Result<Workspace> workspace = Workspace::open(settings_, data_fd());
    if (!workspace) throw Error(PACKHOST_E_CONFIG, workspace.error().message);
    workspace_ = std::move(*workspace);
  }
  tool("workspace_list", &Files::workspace_list); // tools/workspace_list.cpp
  tool("workspace_info", &Files::workspace_info);
  tool("file_read", &Files::file_read);
  tool("file_read_many", &Files::file_read_many);
  tool("directory_list", &Files::directory_list);
  tool("file_info", &Files::file_info);
  tool("file_search", &Files::file_search);
  tool("content_search", &Files::content_search);
  command("workspace.add", &Files::command_add); // tools/workspace_commands.cpp
  command("workspace.list", &Files::command_list);
  command("workspace.remove", &Files::command_remove);
  command("workspace.default", &Files::command_default);
}

std::string Files::plan(Open &open) {
  const Settings settings = settings_of(open.options);
  Outcome<Registry> registry = read_registry(data_directory(open.host));
  if (!registry) throw Error(PACKHOST_E_CONFIG, operator_text(registry.error()));
  kit::Result<RegisteredWorkspace> chosen = select_workspace(*registry, settings.workspace);
  if (!chosen) throw Error(PACKHOST_E_CONFIG, chosen.error().message);
  return complete_options(open.options, *chosen);
}

Outcome<const Workspace *> Files::workspace() const {
  if (workspace_) return &*workspace_;
  return refuse(failure(ErrorCode::workspace_not_found, "No workspace is served")
                    .with("recovery", "Ask the operator to start the server with a workspace."));
}

int Files::data_fd() const {
  return data_directory(host_);
}

} // namespace packhost::files

PACKHOST_PACK(packhost::files::Files)
