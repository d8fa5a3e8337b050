// SPDX-License-Identifier: MIT
// See glob.hpp. Braces are expanded first; each expansion is cut into components, each component
// into tokens. Matching keeps one point to go back to, the last star, so nothing is exponential.
#include "plugins/files/glob.hpp"

#include <algorithm>
#include <optional>

namespace packhost::files {

namespace {

/// Bytes of the character that starts here. REQUIRES: valid UTF-8, not empty.
std::size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1U : lead < 0xE0 ? 2U : lead < 0xF0 ? 3U : 4U;
  return std::min(length, text.size());
}

char32_t character_at(std::string_view text) {
  const std::size_t length = character_bytes(text);
  const auto byte = [&](std::size_t at) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at]));
  };
  if (length == 1) return byte(0);
  char32_t point = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t at = 1; at < length; ++at) point = point << 6 | (byte(at) & 0x3F);
  return point;
}

/// Offset of the "]" that closes the class opened at `open`, or npos.
std::size_t end_of_class(std::string_view text, std::size_t open, bool caret_negates) {
  std::size_t at = open + 1;
  if (at < text.size() && (text[at] == '!' || (caret_negates && text[at] == '^'))) ++at;
  if (at < text.size() && text[at] == ']') ++at; // first: an ordinary character
  while (at < text.size() && text[at] != ']') at += text[at] == '\\' ? 2U : 1U;
  return at < text.size() ? at : std::string_view::npos;
}

} // namespace

class GlobParser {
public:
  GlobParser(std::string_view pattern, Glob::Dialect dialect)
      : pattern_(pattern), caret_negates_(dialect == Glob::Dialect::ignore_file),
        has_braces_(dialect == Glob::Dialect::full) {}

  kit::Result<Glob, PatternFault> run() {
    if (pattern_.empty()) return fault(0, "the pattern is empty");
    if (pattern_.size() > Glob::kMaxBytes)
      return fault(Glob::kMaxBytes, fmt::format("it is {} bytes long; the limit is {}",
                                                pattern_.size(), Glob::kMaxBytes));
    if (std::optional<PatternFault> wrong = check_balance()) return tl::unexpected(*wrong);
    std::vector<std::string> expanded{std::string(pattern_)};
    if (has_braces_ && !expand(expanded))
      return fault(0, "the braces make more than 256 alternatives");
    Glob glob;
    for (const std::string &text : expanded) {
      kit::Result<Glob::Alternative, PatternFault> alternative = parse_alternative(text);
      if (!alternative) return kit::pass_on(alternative);
      glob.needs_path_ |= alternative->whole_path;
      glob.alternatives_.push_back(std::move(*alternative));
    }
    return glob;
  }

private:
  static tl::unexpected<PatternFault> fault(std::size_t offset, std::string reason) {
    return tl::unexpected(PatternFault{offset, std::move(reason)});
  }

  /// Faults are found on the pattern as written, so that their offsets are the caller's.
  std::optional<PatternFault> check_balance() const {
    std::vector<std::size_t> open_braces;
    for (std::size_t at = 0; at < pattern_.size(); ++at) {
      const char letter = pattern_[at];
      if (letter == '\\') {
        if (++at == pattern_.size()) return PatternFault{at - 1, "nothing follows the escape"};
      } else if (letter == '[') {
        const std::size_t close = end_of_class(pattern_, at, caret_negates_);
        if (close == std::string_view::npos) return PatternFault{at, "'[' is not closed"};
        if (pattern_.substr(at, close - at).find('/') != std::string_view::npos)
          return PatternFault{at, "a '/' cannot stand between brackets"};
        at = close;
      } else if (has_braces_ && letter == '{') {
        open_braces.push_back(at);
        if (open_braces.size() > static_cast<std::size_t>(Glob::kMaxNesting))
          return PatternFault{at, "braces are nested deeper than 4"};
      } else if (has_braces_ && letter == '}' && !open_braces.empty()) {
        open_braces.pop_back();
      }
    }
    if (!open_braces.empty()) return PatternFault{open_braces.back(), "'{' is not closed"};
    return std::nullopt;
  }

  /// Replaces each text by its alternatives until none has a brace. False: too many.
  bool expand(std::vector<std::string> &texts) const {
    std::vector<std::string> done;
    std::reverse(texts.begin(), texts.end());
    while (!texts.empty()) {
      const std::string text = std::move(texts.back());
      texts.pop_back();
      std::vector<std::string> alternatives = first_braces(text);
      if (alternatives.empty()) {
        done.push_back(text);
      } else {
        texts.insert(texts.end(), std::make_move_iterator(alternatives.rbegin()),
                     std::make_move_iterator(alternatives.rend()));
      }
      if (done.size() + texts.size() > Glob::kMaxExpansions) return false;
    }
    texts = std::move(done);
    return true;
  }

  /// The texts that the first pair of braces stands for; empty: there is none.
  std::vector<std::string> first_braces(std::string_view text) const {
    std::size_t open = std::string_view::npos;
    std::vector<std::size_t> cuts;
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char letter = text[at];
      if (letter == '\\') {
        ++at;
      } else if (letter == '[') {
        at = end_of_class(text, at, caret_negates_);
      } else if (letter == '{' && depth++ == 0) {
        open = at;
        cuts.push_back(at);
      } else if (letter == ',' && depth == 1) {
        cuts.push_back(at);
      } else if (letter == '}' && depth > 0 && --depth == 0) {
        cuts.push_back(at);
        break;
      }
    }
    std::vector<std::string> texts;
    if (open == std::string_view::npos) return texts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::string one(text.substr(0, open));
      one += text.substr(cuts[i] + 1, cuts[i + 1] - cuts[i] - 1);
      one += text.substr(cuts.back() + 1);
      texts.push_back(std::move(one));
    }
    return texts;
  }

  kit::Result<Glob::Alternative, PatternFault> parse_alternative(std::string_view text) const {
    Glob::Alternative alternative;
    while (text.size() > 1 && text.back() == '/' && text[text.size() - 2] != '\\') {
      alternative.directories_only = true;
      text.remove_suffix(1);
    }
    std::size_t start = 0;
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      if (at < text.size() && text[at] == '\\') {
        ++at;
      } else if (at < text.size() && text[at] == '[') {
        at = end_of_class(text, at, caret_negates_);
        if (at == std::string_view::npos) return fault(0, "'[' is not closed");
      } else if (at >= text.size() || text[at] == '/') {
        alternative.whole_path |= at < text.size();
        if (at > start) parts.push_back(text.substr(start, std::min(at, text.size()) - start));
        start = at + 1;
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == "**") {
        // Behind everything else it means what is below, not the folder itself.
        if (i + 1 == parts.size()) alternative.components.push_back(parse_component("*"));
        alternative.components.push_back({true, {}});
      } else {
        alternative.components.push_back(parse_component(parts[i]));
      }
    }
    if (parts.empty()) return fault(0, "the pattern names nothing");
    if (parts.size() == 1 && parts[0] == "**") alternative.whole_path = true;
    return alternative;
  }

  Glob::Component parse_component(std::string_view text) const {
    using Kind = Glob::Token::Kind;
    Glob::Component component;
    std::vector<Glob::Token> &tokens = component.tokens;
    for (std::size_t at = 0; at < text.size(); ++at) {
      char letter = text[at];
      if (letter == '*') {
        if (tokens.empty() || tokens.back().kind != Kind::star)
          tokens.push_back({Kind::star, {}, false, {}});
      } else if (letter == '?') {
        tokens.push_back({Kind::any_character, {}, false, {}});
      } else if (letter == '[') {
        const std::size_t close = end_of_class(text, at, caret_negates_);
        tokens.push_back(parse_class(text.substr(at + 1, close - at - 1)));
        at = close;
      } else {
        if (letter == '\\' && at + 1 < text.size()) letter = text[++at];
        if (tokens.empty() || tokens.back().kind != Kind::literal)
          tokens.push_back({Kind::literal, {}, false, {}});
        tokens.back().bytes += letter;
      }
    }
    return component;
  }

  Glob::Token parse_class(std::string_view inside) const {
    Glob::Token token;
    token.kind = Glob::Token::Kind::character_class;
    if (!inside.empty() && (inside.front() == '!' || (caret_negates_ && inside.front() == '^'))) {
      token.negated = true;
      inside.remove_prefix(1);
    }
    const auto next = [&inside] {
      if (inside.size() > 1 && inside.front() == '\\') inside.remove_prefix(1);
      const char32_t point = character_at(inside);
      inside.remove_prefix(character_bytes(inside));
      return point;
    };
    while (!inside.empty()) {
      const char32_t low = next();
      char32_t high = low;
      if (inside.size() > 1 && inside.front() == '-') {
        inside.remove_prefix(1);
        high = next();
      }
      token.ranges.emplace_back(low, high);
    }
    return token;
  }

  std::string_view pattern_;
  bool caret_negates_;
  bool has_braces_;
};

kit::Result<Glob, PatternFault> Glob::parse(std::string_view pattern, Dialect dialect) {
  return GlobParser(pattern, dialect).run();
}

bool Glob::matches(std::string_view path, std::string_view name, bool is_directory) const {
  return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const Alternative &one) {
    if (one.directories_only && !is_directory) return false;
    if (one.whole_path) return matches_path(one.components, path);
    return matches_component(one.components.front().tokens, name);
  });
}

std::size_t Glob::match_one(const Token &token, std::string_view text) {
  switch (token.kind) {
  case Token::Kind::literal:
    return text.substr(0, token.bytes.size()) == token.bytes ? token.bytes.size()
                                                             : std::string_view::npos;
  case Token::Kind::any_character:
    return text.empty() ? std::string_view::npos : character_bytes(text);
  case Token::Kind::character_class: {
    if (text.empty()) return std::string_view::npos;
    const char32_t point = character_at(text);
    const bool is_in =
        std::any_of(token.ranges.begin(), token.ranges.end(), [point](const auto &range) {
          return range.first <= point && point <= range.second;
        });
    return is_in != token.negated ? character_bytes(text) : std::string_view::npos;
  }
  case Token::Kind::star:
    break;
  }
  return std::string_view::npos;
}

bool Glob::matches_component(const std::vector<Token> &tokens, std::string_view text) {
  std::size_t token = 0;
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_at = 0;
  // "*.cpp", the most frequent form, without trying every start.
  if (tokens.size() == 2 && tokens[0].kind == Token::Kind::star &&
      tokens[1].kind == Token::Kind::literal) {
    const std::string &end = tokens[1].bytes;
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  }
  for (;;) {
    if (token == tokens.size()) {
      if (at == text.size()) return true;
    } else if (tokens[token].kind == Token::Kind::star) {
      star = token++;
      star_at = at;
      if (token == tokens.size()) return true;
      continue;
    } else if (const std::size_t length = match_one(tokens[token], text.substr(at));
               length != std::string_view::npos) {
      at += length;
      ++token;
      continue;
    }
    if (star == std::string_view::npos || star_at == text.size()) return false;
    star_at += character_bytes(text.substr(star_at));
    at = star_at;
    token = star + 1;
  }
}

bool Glob::matches_path(const std::vector<Component> &components, std::string_view path) {
  const auto end_of = [path](std::size_t at) { return std::min(path.find('/', at), path.size()); };
  const auto behind = [path](std::size_t end) { return std::min(end + 1, path.size()); };
  std::size_t index = 0;
  std::size_t at = 0;
  std::size_t any = std::string_view::npos;
  std::size_t any_at = 0;
  for (;;) {
    if (index == components.size()) {
      if (at == path.size()) return true;
    } else if (components[index].any_depth) {
      any = index++;
      any_at = at;
      if (index == components.size()) return true;
      continue;
    } else if (at < path.size() &&
               matches_component(components[index].tokens, path.substr(at, end_of(at) - at))) {
      at = behind(end_of(at));
      ++index;
      continue;
    }
    if (any == std::string_view::npos || any_at == path.size()) return false;
    any_at = behind(end_of(any_at));
    at = any_at;
    index = any + 1;
  }
}

} // namespace packhost::files
