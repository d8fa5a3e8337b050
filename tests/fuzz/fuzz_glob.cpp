// SPDX-License-Identifier: MIT
// Globs as callers and ignore files write them: any pattern compiles or is refused, and matching
// ends. Input: the pattern up to the first LF, the path behind it.
#include "plugins/files/glob.hpp"
#include "plugins/files/ignore_rules.hpp"
#include "plugins/files/workspace/paths.hpp"
#include "sdk/kit/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using packhost::files::Glob;
  const std::string_view input(reinterpret_cast<const char *>(data), size);
  if (!packhost::kit::utf8::is_valid(input)) return 0;
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view pattern = input.substr(0, end);
  const std::string_view path = input.substr(std::min(end + 1, input.size())).substr(0, 4095);
  const std::string_view name = packhost::files::last_of(path);
  for (const Glob::Dialect dialect : {Glob::Dialect::full, Glob::Dialect::ignore_file}) {
    const auto glob = Glob::parse(pattern, dialect);
    if (!glob) {
      if (glob.error().offset > pattern.size() || glob.error().reason.empty()) std::abort();
      continue;
    }
    const bool as_file = glob->matches(path, name, false);
    // What matches a file matches a directory of that name, too.
    if (as_file && !glob->matches(path, name, true)) std::abort();
  }
  static_cast<void>(packhost::files::IgnoreFile::parse(input).says(path, name, false));
  return 0;
}
