// SPDX-License-Identifier: MIT
// What a pack's permissions come to for one launch: slots filled from the options, conditions
// decided. Only what an option names is granted; what a manifest spells out is not. See sandbox.md
// section 3.
#pragma once

#include "host/cli/json_tree.hpp"
#include "host/pack/launch.hpp"
#include "host/support/environment.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::cli {

struct PermissionInput {
  const Node &permissions;         // the manifest's, or the running command's
  const Node &options;             // final, without secrets, with defaults: for conditions
  const Node &given;               // what the operator typed and plan added: what grants
  const Node *arguments = nullptr; // of a command: ${args.x}
  const std::vector<std::pair<std::string, std::string>> &spelled;
  std::string_view data_override; // --home and the like; empty: the usual place
};

/// Sets directories, endpoints, programs, environment and the lines of --explain in `launch`.
void resolve_permissions(const PermissionInput &input,
                         const support::PrivateEnvironment &environment, pack::PackLaunch &launch);

/// Sets ${data} alone, for reading: what plan may see.
void resolve_plan_directories(std::string_view data_override, pack::PackLaunch &launch);

/// A text with its ${options.x} and ${args.x} slots filled in: one text, or one for each element
/// behind [*] and .*; none where an option is absent. For tests, too.
[[nodiscard]] std::vector<std::string>
fill_permission_slots(std::string_view text, const Node &options, const Node *arguments);

} // namespace packhost::cli
