// SPDX-License-Identifier: MIT
// What the readers and the writer of JSON text share; not for others.
#pragma once

#include "sdk/kit/chunk16.hpp"

#include <cstddef>
#include <string_view>

namespace packhost::kit::json {

/// White space of JSON, and no other.
inline bool is_space(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/// Size of the string token at the start of checked text, its quotes included.
inline std::size_t string_size(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size()) {
    if (text.size() - at >= Chunk16::kSize) {
      const Chunk16 chunk(text.data() + at);
      const ByteMask stops = chunk.equal_to('"') | chunk.equal_to('\\');
      if (stops == 0) {
        at += Chunk16::kSize;
        continue;
      }
      at += first_of(stops);
    }
    if (text[at] == '"') return at + 1;
    at += text[at] == '\\' ? 2U : 1U;
  }
  return text.size();
}

} // namespace packhost::kit::json
