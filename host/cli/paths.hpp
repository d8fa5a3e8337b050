// SPDX-License-Identifier: MIT
// Paths as the operator writes them, made absolute: a leading tilde from the user database, a
// relative path from the place its text stands in.
#pragma once

#include "sdk/kit/result.hpp"

#include <string>
#include <string_view>

namespace packhost::cli {

/// Absolute and without `.`, `..` and doubled slashes where that needs no look at the disk: `..`
/// stays, since a link may stand before it. `directory` is what relative counts from; empty: a
/// relative path is refused. Code::invalid_args.
[[nodiscard]] kit::Result<std::string> make_absolute(std::string_view path,
                                                     std::string_view directory);

/// The path with its symbolic links resolved. What does not exist is kept as written behind the
/// part that does. Absolute in, absolute out. Code::config if a link cannot be followed.
[[nodiscard]] kit::Result<std::string> resolve_links(const std::string &path);

/// The directory part of an absolute path ("/" for one at the top).
[[nodiscard]] std::string directory_of(std::string_view path);

/// The last part of a path.
[[nodiscard]] std::string_view name_of(std::string_view path);

/// The working directory, for commands typed at a shell. Code::config.
[[nodiscard]] kit::Result<std::string> working_directory();

/// Reads a regular file of at most `limit` bytes. Code::config: `cannot be read (no such file)`.
[[nodiscard]] kit::Result<std::string> read_small_file(const std::string &path, std::size_t limit);

} // namespace packhost::cli
