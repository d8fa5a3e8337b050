// SPDX-License-Identifier: MIT
// Words of a command line as tests write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace packhost::cli::test {

/// Splits at blanks: enough for the words that tests use.
inline std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = text.find(' ') == std::string_view::npos ? text.size() : text.find(' ');
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.size() ? end : end + 1);
  }
  return out;
}

inline std::vector<std::string_view> views(const std::vector<std::string> &texts) {
  return {texts.begin(), texts.end()};
}

} // namespace packhost::cli::test
