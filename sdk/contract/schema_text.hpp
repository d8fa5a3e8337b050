// SPDX-License-Identifier: MIT
// Schemas as text: copying one without some of its keywords. What is a keyword and what is the name
// of a property or plain data depends on the place, so a schema is walked, not searched.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace packhost::contract {

/// The schema, compact, without the members of these names at the places of keywords. Iterative.
/// REQUIRES: checked JSON text.
[[nodiscard]] std::string copy_schema(std::string_view schema,
                                      std::span<const std::string_view> dropped);

} // namespace packhost::contract
