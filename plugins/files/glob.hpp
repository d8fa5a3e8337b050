// SPDX-License-Identifier: MIT
// Path patterns: compiled once, matched in time bounded by pattern times path. The dialect is
// described in README.md; ignore files use the variant without braces.
#pragma once

#include "sdk/kit/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::files {

struct PatternFault {
  std::size_t offset = 0; // bytes into the pattern
  std::string reason;
};

class Glob {
public:
  enum class Dialect : std::uint8_t {
    full,       // {a,b} are alternatives
    ignore_file // braces are ordinary, "[^a]" is "[!a]"
  };

  static constexpr std::size_t kMaxBytes = 1024;
  static constexpr std::size_t kMaxExpansions = 256;
  static constexpr int kMaxNesting = 4;

  /// Fails for unbalanced brackets or braces, a dangling escape and patterns above the limits.
  [[nodiscard]] static kit::Result<Glob, PatternFault> parse(std::string_view pattern,
                                                             Dialect dialect = Dialect::full);

  /// `path` is relative to the folder the pattern is about, `name` its last component. Both UTF-8.
  [[nodiscard]] bool matches(std::string_view path, std::string_view name, bool is_directory) const;

  /// False if the last component alone decides, so that `path` may be left empty.
  [[nodiscard]] bool needs_path() const { return needs_path_; }

private:
  friend class GlobParser;

  struct Token {
    enum class Kind : std::uint8_t { literal, any_character, star, character_class };

    Kind kind = Kind::literal;
    std::string bytes; // literal
    bool negated = false;
    std::vector<std::pair<char32_t, char32_t>> ranges;
  };

  struct Component {
    bool any_depth = false; // "**"
    std::vector<Token> tokens;
  };

  struct Alternative {
    std::vector<Component> components;
    bool whole_path = false;
    bool directories_only = false;
  };

  [[nodiscard]] static bool matches_component(const std::vector<Token> &tokens,
                                              std::string_view text);
  /// Length of what `token` matches at the start of `text`, or npos.
  [[nodiscard]] static std::size_t match_one(const Token &token, std::string_view text);
  [[nodiscard]] static bool matches_path(const std::vector<Component> &components,
                                         std::string_view path);

  std::vector<Alternative> alternatives_;
  bool needs_path_ = false;
};

} // namespace packhost::files
