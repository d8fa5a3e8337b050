// SPDX-License-Identifier: MIT
// Roots that open more than whoever registers them may have in mind. They are allowed, and named.
#pragma once

#include <string>
#include <string_view>

namespace packhost::files {

/// What serving `root` opens, for a root that is the whole file system, a directory of the system,
/// a home directory or one above homes; empty for any other. `root` is canonical; `data_directory`
/// is where the registry lies ("" if that is not known): an account's home is above it.
[[nodiscard]] std::string describe_breadth(std::string_view root, std::string_view data_directory);

/// True if `inner` lies below `outer`. Both canonical.
[[nodiscard]] bool is_inside(std::string_view inner, std::string_view outer);

} // namespace packhost::files
