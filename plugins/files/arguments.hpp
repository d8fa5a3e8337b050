// SPDX-License-Identifier: MIT
// Bounds of arguments that several tools share.
#pragma once

#include "plugins/files/errors.hpp"
#include "plugins/files/glob.hpp"
#include "plugins/files/ignore_rules.hpp"
#include "plugins/files/text_model.hpp"
#include "sdk/kit/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace packhost::files {

/// Ends the reading of arguments: the first fault, or an unknown property.
[[nodiscard]] Outcome<void> finish(kit::json::ArgumentReader &reader);

/// Below `least` it is an INVALID_ARGUMENT, above `most` a LIMIT_EXCEEDED; absent: `usual`.
[[nodiscard]] Outcome<std::uint64_t> bounded(std::string_view argument,
                                             std::optional<std::int64_t> given, std::uint64_t usual,
                                             std::uint64_t least, std::uint64_t most);

/// INVALID_PATTERN with the place of the fault. Absent: no pattern.
[[nodiscard]] Outcome<std::optional<Glob>> parse_glob(const std::optional<std::string> &pattern);

/// UNSUPPORTED_ENCODING for an unknown name.
[[nodiscard]] Outcome<std::optional<NamedEncoding>>
parse_named_encoding(const std::optional<std::string> &name);

} // namespace packhost::files
