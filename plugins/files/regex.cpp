// SPDX-License-Identifier: MIT
// See regex.hpp. Whole blocks of lines are searched at once with "^" and "$" at line ends and
// classes that never match LF, so a match cannot cross lines. Patterns for which that differs from
// line by line ("\A", flags that touch "m") go line by line.
#include "plugins/files/regex.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace packhost::files {

namespace {

constexpr std::int64_t kMaxMemory = std::int64_t{64} << 20;
/// Where the automaton's cache overflows, time grows with the program's size.
constexpr int kMaxProgram = 200'000;
/// "^" and "$" at line ends.
constexpr std::string_view kLineFlags = "(?m)";

/// One look over a pattern, before RE2 sees it: constructs RE2 lacks, by name, and a text that each
/// match must hold.
class PatternScan {
public:
  explicit PatternScan(std::string_view pattern) : pattern_(pattern) {
    while (at_ < pattern_.size() && !fault) step();
    end_run();
    if (has_alternatives_ || folds_case_) best_.clear();
  }

  std::optional<RegexFault> fault;
  bool touches_line_flags = false;

  [[nodiscard]] std::string required() const { return best_; }

private:
  struct Construct {
    std::string_view start;
    const char *name;
  };

  static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

  static bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  }

  void step() {
    const char letter = pattern_[at_];
    switch (letter) {
    case '\\':
      return escape();
    case '[':
      end_run();
      at_ = end_of_class();
      return;
    case '(':
      end_run();
      return open_group();
    case ')':
      end_run();
      if (depth_ > 0) --depth_;
      ++at_;
      return;
    case '|':
      end_run();
      if (depth_ == 0) has_alternatives_ = true;
      ++at_;
      return;
    case '*':
    case '?':
      // What stands before may be absent.
      drop_last_character();
      end_run();
      ++at_;
      return;
    case '{':
      return open_brace();
    case '+':
    case '.':
    case '^':
    case '$':
      end_run();
      ++at_;
      return;
    default:
      add(letter);
      ++at_;
    }
  }

  void escape() {
    if (at_ + 1 >= pattern_.size()) {
      ++at_;
      return;
    }
    const char next = pattern_[at_ + 1];
    if (next == 'Q') {
      end_run();
      const std::size_t end = pattern_.find("\\E", at_ + 2);
      at_ = end == std::string_view::npos ? pattern_.size() : end + 2;
      return;
    }
    if (is_digit(next)) return escaped_digit(next);
    if (!is_letter(next)) {
      add(next);
      at_ += 2;
      return;
    }
    constexpr std::array kLacking{Construct{"C", "\\C"},
                                  Construct{"k", "named back-reference"},
                                  Construct{"g", "back-reference"},
                                  Construct{"K", "\\K"},
                                  Construct{"Z", "\\Z"},
                                  Construct{"G", "\\G"}};
    for (const Construct &construct : kLacking) {
      if (construct.start.front() == next) return unsupported(construct.name);
    }
    if (next == 'A' || next == 'z') touches_line_flags = true;
    end_run();
    at_ += 2;
    // "\x{41}" and "\p{Greek}" go on in braces, "\x41" and "\pL" without.
    if (next != 'x' && next != 'p' && next != 'P') return;
    if (at_ < pattern_.size() && pattern_[at_] == '{')
      at_ = std::min(pattern_.find('}', at_), pattern_.size() - 1) + 1;
    else
      at_ = std::min(at_ + (next == 'x' ? 2U : 1U), pattern_.size());
  }

  /// "\0", "\12" and "\123" are octal codes, "\1" alone is a back-reference.
  void escaped_digit(char first) {
    std::size_t end = at_ + 2;
    while (end < pattern_.size() && end < at_ + 4 && pattern_[end] >= '0' && pattern_[end] <= '7')
      ++end;
    if (first != '0' && end == at_ + 2) return unsupported("back-reference");
    end_run();
    at_ = end;
  }

  /// A repetition, or an ordinary "{".
  void open_brace() {
    std::size_t end = at_ + 1;
    while (end < pattern_.size() && (is_digit(pattern_[end]) || pattern_[end] == ',')) ++end;
    if (end == at_ + 1 || end == pattern_.size() || pattern_[end] != '}') {
      add('{');
      ++at_;
      return;
    }
    drop_last_character();
    end_run();
    at_ = end + 1;
  }

  void open_group() {
    ++depth_;
    if (pattern_.substr(at_, 2) != "(?") {
      ++at_;
      return;
    }
    const std::string_view rest = pattern_.substr(at_);
    constexpr std::array kConstructs{Construct{"(?=", "look-ahead"},
                                     Construct{"(?!", "look-ahead"},
                                     Construct{"(?<=", "look-behind"},
                                     Construct{"(?<!", "look-behind"},
                                     Construct{"(?>", "atomic group"},
                                     Construct{"(?(", "conditional group"},
                                     Construct{"(?P=", "named back-reference"},
                                     Construct{"(?P>", "recursion"},
                                     Construct{"(?R)", "recursion"},
                                     Construct{"(?&", "recursion"},
                                     Construct{"(?#", "comment"},
                                     Construct{"(?|", "branch reset"}};
    for (const Construct &construct : kConstructs) {
      if (rest.substr(0, construct.start.size()) == construct.start)
        return unsupported(construct.name);
    }
    at_ += 2;
    while (at_ < pattern_.size() && std::strchr("imsU-", pattern_[at_]) != nullptr) {
      if (pattern_[at_] == 'm' || pattern_[at_] == '-') touches_line_flags = true;
      if (pattern_[at_] == 'i') folds_case_ = true;
      ++at_;
    }
    // "(?i)" opens nothing.
    if (at_ < pattern_.size() && pattern_[at_] == ')') {
      --depth_;
      ++at_;
    }
  }

  std::size_t end_of_class() const {
    std::size_t at = at_ + 1;
    if (at < pattern_.size() && pattern_[at] == '^') ++at;
    if (at < pattern_.size() && pattern_[at] == ']') ++at;
    while (at < pattern_.size() && pattern_[at] != ']') {
      if (pattern_.substr(at, 2) == "[:") {
        const std::size_t close = pattern_.find(":]", at + 2);
        at = close == std::string_view::npos ? at + 1 : close + 2;
      } else {
        at += pattern_[at] == '\\' ? 2U : 1U;
      }
    }
    return std::min(at + 1, pattern_.size());
  }

  void unsupported(const char *construct) { fault = RegexFault{false, true, at_, construct}; }

  void add(char letter) {
    // Only what every match must hold counts: nothing inside groups.
    if (depth_ == 0) run_ += letter;
  }

  void drop_last_character() {
    while (!run_.empty() && (static_cast<unsigned char>(run_.back()) & 0xC0U) == 0x80U)
      run_.pop_back();
    if (!run_.empty()) run_.pop_back();
  }

  void end_run() {
    if (run_.size() > best_.size()) best_ = run_;
    run_.clear();
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool has_alternatives_ = false;
  bool folds_case_ = false;
  std::string run_;
  std::string best_;
};

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

/// Told about the caller's pattern, without the flags that were put in front of it.
RegexFault fault_of(const re2::RE2 &compiled, std::string_view pattern) {
  RegexFault fault;
  fault.too_expensive = compiled.error_code() == re2::RE2::ErrorPatternTooLarge;
  fault.reason = compiled.error();
  if (const std::size_t flags = fault.reason.find(kLineFlags); flags != std::string::npos)
    fault.reason.erase(flags, kLineFlags.size());
  std::string_view argument = compiled.error_arg();
  if (argument.substr(0, kLineFlags.size()) == kLineFlags)
    argument.remove_prefix(kLineFlags.size());
  const std::size_t found = argument.empty() ? std::string_view::npos : pattern.find(argument);
  fault.offset = found == std::string_view::npos ? 0 : found;
  return fault;
}

} // namespace

Regex::Regex() = default;
Regex::Regex(Regex &&) noexcept = default;
Regex &Regex::operator=(Regex &&) noexcept = default;
Regex::~Regex() = default;

kit::Result<Regex, RegexFault> Regex::compile(std::string_view pattern, bool case_sensitive,
                                              bool literal) {
  Regex regex;
  std::string text;
  if (literal) {
    text = re2::RE2::QuoteMeta(piece(pattern));
  } else {
    const PatternScan scan(pattern);
    if (scan.fault) return tl::unexpected(*scan.fault);
    if (case_sensitive) regex.required_ = LiteralFinder(scan.required());
    regex.line_by_line_ = scan.touches_line_flags;
    text = std::string(kLineFlags) + std::string(pattern);
  }
  re2::RE2::Options options;
  options.set_max_mem(kMaxMemory);
  options.set_log_errors(false);
  options.set_case_sensitive(case_sensitive);
  options.set_never_nl(true);
  regex.compiled_ = std::make_unique<re2::RE2>(piece(text), options);
  if (!regex.compiled_->ok()) return tl::unexpected(fault_of(*regex.compiled_, pattern));
  if (regex.compiled_->ProgramSize() > kMaxProgram)
    return tl::unexpected(RegexFault{true, false, 0, "the pattern's automaton is too large"});
  return regex;
}

std::optional<MatchSpan> Regex::match_line(std::string_view line, std::size_t from) const {
  re2::StringPiece match;
  if (!compiled_->Match(piece(line), from, line.size(), re2::RE2::UNANCHORED, &match, 1))
    return std::nullopt;
  const auto start = static_cast<std::size_t>(match.data() - line.data());
  return MatchSpan{start, start + match.size()};
}

std::optional<std::size_t> Regex::find_candidate(std::string_view text, std::size_t from) const {
  if (from >= text.size()) return std::nullopt;
  if (!required_.wanted().empty()) {
    const std::size_t found = required_.find(text, from);
    return found == std::string_view::npos ? std::nullopt : std::optional<std::size_t>(found);
  }
  if (line_by_line_) return from;
  re2::StringPiece match;
  if (!compiled_->Match(piece(text), from, text.size(), re2::RE2::UNANCHORED, &match, 1))
    return std::nullopt;
  const auto start = static_cast<std::size_t>(match.data() - text.data());
  // An empty match behind the last line end is in no line.
  return start < text.size() ? std::optional<std::size_t>(start) : std::nullopt;
}

} // namespace packhost::files
