// SPDX-License-Identifier: MIT
// What an errno means, in words for the operator; what a client sees says it in words of its own.
#pragma once

#include <string>

#include <string.h>

namespace packhost::kit {

/// "no such file or directory": the C library's text in any locale, begun with a small letter, so
/// that it can stand inside a sentence. Any thread.
[[nodiscard]] inline std::string errno_text(int error) {
  const char *const known = ::strerrordesc_np(error);
  std::string text = known != nullptr ? known : "error " + std::to_string(error);
  if (text.front() >= 'A' && text.front() <= 'Z') text.front() += 'a' - 'A';
  return text;
}

} // namespace packhost::kit
