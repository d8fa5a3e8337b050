// SPDX-License-Identifier: MIT
// See line_search.hpp.
#include "plugins/files/line_search.hpp"

#include "sdk/kit/lines.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <cstring>

namespace packhost::files {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::size_t start_of_line(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  const void *const found = ::memrchr(text.data(), '\n', at);
  return found == nullptr
             ? 0
             : static_cast<std::size_t>(static_cast<const char *>(found) - text.data()) + 1;
}

std::size_t end_of_line(std::string_view text, std::size_t at) {
  return std::min(text.find('\n', at), text.size());
}

/// Steps back `count` characters from `at`.
std::size_t step_back(std::string_view text, std::size_t at, std::size_t count) {
  while (at > 0 && count > 0) {
    --at;
    if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U) --count;
  }
  return at;
}

std::size_t step_forward(std::string_view text, std::size_t at, std::size_t count) {
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
    --count;
  }
  return at;
}

/// At most kMaxShownCharacters of a line, around `match`.
std::string cut_line(std::string_view line, const MatchSpan &match, bool &was_cut) {
  if (line.size() <= kMaxShownCharacters ||
      kit::utf8::count_code_points(line) <= kMaxShownCharacters)
    return std::string(line);
  was_cut = true;
  std::size_t start = step_back(line, match.start, kMaxShownCharacters / 2);
  const std::size_t end = step_forward(line, start, kMaxShownCharacters);
  if (end == line.size()) start = step_back(line, end, kMaxShownCharacters);
  return std::string(line.substr(start, end - start));
}

std::uint64_t count_occurrences(std::string_view line, const Pattern &pattern, MatchSpan match) {
  std::uint64_t count = 0;
  for (;;) {
    ++count;
    // Behind an empty match the next character.
    const std::size_t from = match.end > match.start ? match.end : step_forward(line, match.end, 1);
    if (from > line.size() || (match.end == match.start && match.end == line.size())) return count;
    const std::optional<MatchSpan> next = pattern.match_line(line, from);
    if (!next) return count;
    match = *next;
  }
}

std::string context_line(std::string_view line) {
  bool was_cut = false;
  return cut_line(line, {}, was_cut);
}

void add_context(std::string_view text, std::size_t start, std::size_t end, std::size_t lines,
                 SearchHit &hit) {
  std::size_t at = start;
  for (std::size_t i = 0; i < lines && at > 0; ++i) {
    const std::size_t line_start = start_of_line(text, at - 1);
    hit.before.push_back(context_line(text.substr(line_start, at - 1 - line_start)));
    at = line_start;
  }
  std::reverse(hit.before.begin(), hit.before.end());
  at = end + 1;
  for (std::size_t i = 0; i < lines && at < text.size(); ++i) {
    const std::size_t line_end = end_of_line(text, at);
    hit.after.push_back(context_line(text.substr(at, line_end - at)));
    at = line_end + 1;
  }
}

} // namespace

kit::Result<Pattern, RegexFault> Pattern::compile(std::string query, bool is_regex,
                                                  bool case_sensitive) {
  Pattern pattern;
  if (is_regex || !case_sensitive) {
    kit::Result<Regex, RegexFault> regex = Regex::compile(query, case_sensitive, !is_regex);
    if (!regex) return kit::pass_on(regex);
    pattern.regex_ = std::move(*regex);
  } else {
    pattern.literal_ = LiteralFinder(std::move(query));
  }
  return pattern;
}

std::optional<std::size_t> Pattern::find_candidate(std::string_view text, std::size_t from) const {
  if (regex_) return regex_->find_candidate(text, from);
  const std::size_t found = literal_.find(text, from);
  return found == kNone ? std::nullopt : std::optional<std::size_t>(found);
}

std::optional<MatchSpan> Pattern::match_line(std::string_view line, std::size_t from) const {
  if (regex_) return regex_->match_line(line, from);
  const std::size_t found = literal_.find(line, from);
  if (found == kNone) return std::nullopt;
  return MatchSpan{found, found + literal_.wanted().size()};
}

void search_lines(std::string_view text, const Pattern &pattern, std::uint64_t first_line,
                  std::size_t context_lines, std::size_t max_hits, std::vector<SearchHit> &hits) {
  std::size_t from = 0;
  std::size_t counted = 0; // lines are counted up to here
  std::uint64_t line_number = first_line;
  while (from < text.size() && hits.size() < max_hits) {
    const std::optional<std::size_t> candidate = pattern.find_candidate(text, from);
    if (!candidate) break;
    const std::size_t start = start_of_line(text, *candidate);
    const std::size_t end = end_of_line(text, *candidate);
    const std::string_view line = text.substr(start, end - start);
    if (const std::optional<MatchSpan> match = pattern.match_line(line, 0)) {
      line_number += kit::count_byte(text.substr(counted, start - counted), '\n');
      counted = start;
      SearchHit hit;
      hit.line = line_number;
      hit.column = kit::utf8::count_code_points(line.substr(0, match->start)) + 1;
      hit.occurrences = count_occurrences(line, pattern, *match);
      hit.text = cut_line(line, *match, hit.text_truncated);
      if (context_lines > 0) add_context(text, start, end, context_lines, hit);
      hits.push_back(std::move(hit));
    }
    from = end + 1;
  }
}

} // namespace packhost::files
