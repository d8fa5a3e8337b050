// SPDX-License-Identifier: MIT
// See suggest.hpp.
#include "host/cli/suggest.hpp"

#include "sdk/kit/nearest.hpp"

#include <fmt/format.h>

namespace packhost::cli {

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::string_view before, std::string_view after) {
  const auto nearest = kit::find_nearest(word, known);
  return nearest ? fmt::format("; did you mean {}{}{}?", before, *nearest, after) : std::string();
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known,
                         std::string_view before, std::string_view after, std::string_view next) {
  const std::string hint = did_you_mean(word, known, before, after);
  return hint.empty() ? fmt::format("; {}", next) : fmt::format("{} {}", hint, next);
}

} // namespace packhost::cli
