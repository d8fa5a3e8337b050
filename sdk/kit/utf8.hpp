// SPDX-License-Identifier: MIT
// UTF-8: strict checking, clipping at a character, counting and repairing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace packhost::kit::utf8 {

/// Offset of the first byte of the first invalid sequence (overlong, surrogate, beyond U+10FFFF,
/// truncated), or nothing. Fast on ASCII (16 bytes a step).
[[nodiscard]] std::optional<std::size_t> find_invalid(std::string_view bytes);

[[nodiscard]] inline bool is_valid(std::string_view bytes) {
  return !find_invalid(bytes);
}

/// sequence_length() for every case.
[[nodiscard]] std::size_t general_sequence_length(std::string_view bytes);

/// Length (1 to 4) of the valid sequence at the start of `bytes`, 0 if there is none. The most
/// frequent forms are decided here, without a call.
[[nodiscard]] inline std::size_t sequence_length(std::string_view bytes) {
  if (bytes.size() >= 3) {
    const auto continues = [bytes](std::size_t at) {
      return (static_cast<unsigned char>(bytes[at]) & 0xC0U) == 0x80U;
    };
    const auto lead = static_cast<unsigned char>(bytes[0]);
    if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
    if (lead >= 0xE1 && lead <= 0xEF && lead != 0xED) return continues(1) && continues(2) ? 3 : 0;
  }
  return general_sequence_length(bytes);
}

/// The longest prefix of at most `max_bytes` bytes that does not cut a character. REQUIRES: valid
/// UTF-8.
[[nodiscard]] std::string_view clip(std::string_view text, std::size_t max_bytes);

/// Number of code points. REQUIRES: valid UTF-8.
[[nodiscard]] std::size_t count_code_points(std::string_view text);

/// A copy with each invalid sequence replaced by U+FFFD. RETURNS the number of replacements in
/// `replaced` if given.
[[nodiscard]] std::string repair(std::string_view bytes, std::size_t *replaced = nullptr);

/// Appends one code point. REQUIRES: code_point <= 0x10FFFF and no surrogate.
void append(std::string &out, char32_t code_point);

} // namespace packhost::kit::utf8
