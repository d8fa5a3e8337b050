// SPDX-License-Identifier: MIT
// See uri_template.hpp.
#include "host/pack/uri_template.hpp"

namespace packhost::pack {

UriTemplate::UriTemplate(std::string_view text) {
  while (!text.empty()) {
    Piece piece;
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) {
      piece.literal = text;
      text = {};
    } else {
      piece.literal = text.substr(0, open);
      std::string_view name = text.substr(open + 1, close - open - 1);
      piece.has_variable = true;
      if (!name.empty() && name.front() == '+') {
        piece.takes_any = true;
        name.remove_prefix(1);
      }
      variables_.emplace_back(name);
      text.remove_prefix(close + 1);
    }
    pieces_.push_back(std::move(piece));
  }
}

bool UriTemplate::matches(std::string_view uri) const {
  // reachable[i]: the pieces so far can end before byte i of the URI.
  std::string reachable(uri.size() + 1, 0);
  reachable[0] = 1;
  for (const Piece &piece : pieces_) {
    std::string next(uri.size() + 1, 0);
    bool is_inside_variable = false;
    for (std::size_t i = 0; i <= uri.size(); ++i) {
      if (is_inside_variable) {
        const char c = uri[i - 1];
        if (!piece.takes_any && (c == '/' || c == '?' || c == '#'))
          is_inside_variable = false;
        else
          next[i] = 1;
      }
      const std::size_t length = piece.literal.size();
      if (i >= length && reachable[i - length] != 0 &&
          uri.substr(i - length, length) == piece.literal) {
        if (piece.has_variable)
          is_inside_variable = true; // at least one byte from here
        else
          next[i] = 1;
      }
    }
    reachable = std::move(next);
  }
  return reachable[uri.size()] != 0;
}

} // namespace packhost::pack
