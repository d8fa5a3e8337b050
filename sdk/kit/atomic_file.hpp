// SPDX-License-Identifier: MIT
// Small files that are replaced whole: a reader sees the old content or the new, also after a
// crash.
#pragma once

#include "sdk/kit/result.hpp"

#include <string>
#include <string_view>

#include <sys/types.h>

namespace packhost::kit {

/// Writes a temporary beside `name`, syncs it, renames it over `name` and syncs the directory.
/// `dir_fd` may be an O_PATH descriptor. Two writers must agree on a lock of their own. Fails with
/// Code::denied, limit (no space) or io; the old content is then untouched and no temporary is
/// left.
[[nodiscard]] Status replace_file(int dir_fd, const std::string &name, std::string_view content,
                                  mode_t mode);

/// The whole of a small file. Fails with Code::not_found, denied, limit (above max_bytes) or io.
[[nodiscard]] Result<std::string> read_small_file(int dir_fd, const std::string &name,
                                                  std::size_t max_bytes);

} // namespace packhost::kit
