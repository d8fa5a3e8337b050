// SPDX-License-Identifier: MIT
// Names that look like they hold credentials: a write there would be refused.
#pragma once

#include <optional>
#include <string_view>

namespace packhost::files {

/// The rule a path below the root falls under ("env", "ssh" ...), or nothing. Case does not matter.
[[nodiscard]] std::optional<std::string_view> sensitive_rule(std::string_view path);

} // namespace packhost::files
