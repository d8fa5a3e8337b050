// SPDX-License-Identifier: MIT
// Which workspace a start serves when no root was given: by name or id, by the default, or because
// there is only one.
#pragma once

#include "plugins/files/workspace/registry.hpp"
#include "sdk/kit/result.hpp"

#include <string>
#include <string_view>

namespace packhost::files {

/// `wanted`: a name or id, or empty. Fails with Code::config; the sentence is for the operator.
[[nodiscard]] kit::Result<RegisteredWorkspace> select_workspace(const Registry &registry,
                                                                std::string_view wanted);

/// The options object with "root" and "workspace" set to the chosen one.
[[nodiscard]] std::string complete_options(std::string_view options,
                                           const RegisteredWorkspace &chosen);

} // namespace packhost::files
