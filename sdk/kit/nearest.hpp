// SPDX-License-Identifier: MIT
// "Did you mean": the nearest known word.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace packhost::kit {

/// The candidate with the smallest edit distance (insert, delete, replace, swap of neighbours), if
/// that is at most a third of the word's length (at least 1). Ties: the first. Words above 64 bytes
/// have no nearest.
[[nodiscard]] std::optional<std::string_view>
find_nearest(std::string_view word, std::span<const std::string_view> candidates);

} // namespace packhost::kit
