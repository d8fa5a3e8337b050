// SPDX-License-Identifier: MIT
// Which URIs an RFC 6570 template stands for. Two forms are told apart: `{name}` is one non-empty
// path segment (no `/`, `?`, `#`), `{+name}` any non-empty text. Matching takes polynomial time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace packhost::pack {

class UriTemplate {
public:
  explicit UriTemplate(std::string_view text);

  [[nodiscard]] bool matches(std::string_view uri) const;

  /// Names of the variables, in order.
  [[nodiscard]] const std::vector<std::string> &variables() const { return variables_; }

private:
  struct Piece {
    std::string literal; // before the variable
    bool has_variable = false;
    bool takes_any = false; // {+name}
  };

  std::vector<Piece> pieces_;
  std::vector<std::string> variables_;
};

} // namespace packhost::pack
