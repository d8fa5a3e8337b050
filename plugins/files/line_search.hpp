// SPDX-License-Identifier: MIT
// Finding lines in one text that is already in memory: the pattern, and what is told of a hit.
#pragma once

#include "plugins/files/literal_finder.hpp"
#include "plugins/files/regex.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::files {

/// What is looked for: a text as it stands, or an expression.
class Pattern {
public:
  /// A query of a caller. A literal without case becomes an expression, too.
  [[nodiscard]] static kit::Result<Pattern, RegexFault> compile(std::string query, bool is_regex,
                                                                bool case_sensitive);

  /// Offset at or behind `from` of a place whose line may match; none behind it is missed. `text`
  /// ends its lines by LF.
  [[nodiscard]] std::optional<std::size_t> find_candidate(std::string_view text,
                                                          std::size_t from) const;

  /// The leftmost match in a line without its end, at or behind `from`.
  [[nodiscard]] std::optional<MatchSpan> match_line(std::string_view line, std::size_t from) const;

private:
  LiteralFinder literal_;
  std::optional<Regex> regex_;
};

constexpr std::size_t kMaxShownCharacters = 2'000;

struct SearchHit {
  std::uint64_t line = 0;
  std::uint64_t column = 0; // code points, from 1
  std::uint64_t occurrences = 0;
  std::string text;
  bool text_truncated = false;
  std::vector<std::string> before;
  std::vector<std::string> after;
};

/// Appends the matching lines of `text` to `hits` until there are `max_hits`. `first_line`: number
/// of the text's first line.
void search_lines(std::string_view text, const Pattern &pattern, std::uint64_t first_line,
                  std::size_t context_lines, std::size_t max_hits, std::vector<SearchHit> &hits);

} // namespace packhost::files
