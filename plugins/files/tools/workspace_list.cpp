// SPDX-License-Identifier: MIT
// workspace_list: the registered workspaces.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"

#include <algorithm>

namespace packhost::files {

namespace {

Outcome<Answer> list(int data_fd, std::string_view args, std::string_view selected) {
  kit::json::ArgumentReader reader(args);
  if (Outcome<void> read = finish(reader); !read) return kit::pass_on(read);
  Outcome<Registry> registry = read_registry(data_fd);
  if (!registry) return kit::pass_on(registry);
  std::sort(
      registry->workspaces.begin(), registry->workspaces.end(),
      [](const RegisteredWorkspace &a, const RegisteredWorkspace &b) { return a.name < b.name; });
  Document document;
  kit::json::Writer &result = document.result();
  result.key("workspaces").begin_array();
  for (const RegisteredWorkspace &workspace : registry->workspaces) {
    result.begin_object();
    result.string("id", workspace.id).string("name", workspace.name);
    result.string("root", workspace.root);
    result.boolean("is_default", registry->default_name == workspace.name);
    result.boolean("is_selected", workspace.id == selected);
    result.boolean("available", is_available(workspace));
    result.end_object();
  }
  result.end_array();
  if (registry->default_name)
    result.string("default", *registry->default_name);
  else
    result.null("default");
  return document.finish(registry->workspaces.size());
}

} // namespace

void Files::workspace_list(Call &call) {
  answer(call, list(data_fd(), call.args(), settings_.workspace));
}

} // namespace packhost::files
