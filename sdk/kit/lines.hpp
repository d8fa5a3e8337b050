// SPDX-License-Identifier: MIT
// Lines of text: LF and CRLF end one, a lone CR only where a text has no LF at all, and the last
// line may have no end. Counting works on text that comes in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace packhost::kit {

enum class Newline : std::uint8_t { none, lf, crlf, cr, mixed };

/// "lf", "crlf", "cr", "mixed" or "none".
[[nodiscard]] std::string_view name_of(Newline style);

/// How often `byte` occurs. 16 bytes a step where the machine can.
[[nodiscard]] std::size_t count_byte(std::string_view text, char byte);

/// Offset behind the `count`-th `terminator` (count >= 1), or nothing if there are fewer.
[[nodiscard]] std::optional<std::size_t> find_after(std::string_view text, char terminator,
                                                    std::size_t count);

/// Counts lines and their ends over pieces of one text.
class LineCounter {
public:
  void feed(std::string_view piece);

  [[nodiscard]] Newline style() const;

  /// The byte that ends a line in this text: '\r' if it has no '\n' at all, else '\n'. For the text
  /// so far.
  [[nodiscard]] char terminator() const { return lf_ == 0 && cr_ > 0 ? '\r' : '\n'; }

  /// Lines so far: "a\nb" and "a\nb\n" both have 2, an empty text has 0.
  [[nodiscard]] std::uint64_t count() const;

  [[nodiscard]] bool ends_with_newline() const;

private:
  std::uint64_t lf_ = 0;   // '\n', those of CRLF included
  std::uint64_t cr_ = 0;   // '\r', those of CRLF included
  std::uint64_t crlf_ = 0; // pairs
  char last_ = '\0';
  bool empty_ = true;
};

} // namespace packhost::kit
