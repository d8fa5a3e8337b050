// SPDX-License-Identifier: MIT
// The account's home directory, from the user database and nowhere else: no environment variable
// changes what a launch line means.
#pragma once

#include "sdk/kit/result.hpp"

#include <string>

namespace packhost::support {

/// Home directory of the effective user, absolute, without a trailing slash (but "/" itself).
/// Looked up at the first call and remembered. Fails with Code::config when the user database has
/// none.
[[nodiscard]] kit::Result<std::string> find_home();

} // namespace packhost::support
