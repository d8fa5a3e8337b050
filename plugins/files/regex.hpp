// SPDX-License-Identifier: MIT
// Regular expressions for content search: RE2 syntax, linear time, applied to each line. The only
// file of this pack that names RE2.
#pragma once

#include "plugins/files/literal_finder.hpp"
#include "sdk/kit/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace packhost::files {

struct RegexFault {
  bool too_expensive = false;
  bool unsupported = false;
  std::size_t offset = 0; // bytes into the pattern
  std::string reason;     // for unsupported: the construct
};

struct MatchSpan {
  std::size_t start = 0;
  std::size_t end = 0;
};

/// A compiled pattern. Usable from several threads.
class Regex {
public:
  /// `literal`: the text means itself (for searches without case).
  [[nodiscard]] static kit::Result<Regex, RegexFault> compile(std::string_view pattern,
                                                              bool case_sensitive, bool literal);
  Regex(Regex &&) noexcept;
  Regex &operator=(Regex &&) noexcept;
  ~Regex();

  /// The leftmost match in one line (without its end) at or behind `from`.
  [[nodiscard]] std::optional<MatchSpan> match_line(std::string_view line, std::size_t from) const;

  /// Whether any line of `text` (ended by LF) may match, and a place in the first that may; never
  /// misses one. Meant to be followed by match_line().
  [[nodiscard]] std::optional<std::size_t> find_candidate(std::string_view text,
                                                          std::size_t from) const;

  /// A text that every matching line holds, or empty.
  [[nodiscard]] const std::string &required_literal() const { return required_.wanted(); }

  /// For tests of the prefilter: as if there were none.
  void for_test_drop_required_literal() { required_ = LiteralFinder(); }

private:
  Regex();

  std::unique_ptr<re2::RE2> compiled_;
  LiteralFinder required_;
  bool line_by_line_ = false; // the pattern tells the start of a text from the start of a line
};

} // namespace packhost::files
