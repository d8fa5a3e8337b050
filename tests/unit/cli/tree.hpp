// SPDX-License-Identifier: MIT
// A JSON text of a test as the document the host works on.
#pragma once

#include "host/cli/json_tree.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

namespace packhost::cli::test {

/// REQUIRES: valid text.
inline Node tree(std::string_view text) {
  auto parsed = parse_tree(text);
  REQUIRE(parsed);
  return std::move(*parsed);
}

} // namespace packhost::cli::test
