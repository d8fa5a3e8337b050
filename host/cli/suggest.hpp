// SPDX-License-Identifier: MIT
// "Did you mean": how a refusal of an unknown word goes on.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace packhost::cli {

/// `; did you mean 'serve'?`, or nothing when no known word is near. `before` and `after` stand
/// around the word.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> known,
                                       std::string_view before, std::string_view after);

/// The same with a next step: `; did you mean 'serve'? NEXT`, or `; NEXT`.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> known,
                                       std::string_view before, std::string_view after,
                                       std::string_view next);

} // namespace packhost::cli
