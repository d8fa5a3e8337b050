// SPDX-License-Identifier: MIT
// See names.hpp.
#include "plugins/files/names.hpp"

#include "plugins/files/walk.hpp"
#include "sdk/kit/utf8.hpp"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace packhost::files {

namespace {

constexpr std::size_t kMaxEntries = 20'000;

std::string map(std::string_view name, unsigned options) {
  utf8proc_uint8_t *mapped = nullptr;
  const utf8proc_ssize_t length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t *>(name.data()),
      static_cast<utf8proc_ssize_t>(name.size()), &mapped, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, &std::free);
  if (length < 0) return std::string(name);
  return {reinterpret_cast<const char *>(mapped), static_cast<std::size_t>(length)};
}

} // namespace

std::string to_nfc(std::string_view name) {
  return map(name, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

std::string fold_name(std::string_view name) {
  return map(to_nfc(name), UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
}

std::optional<std::string> find_equivalent_name(kit::UniqueFd directory, std::string_view name) {
  if (!kit::utf8::is_valid(name)) return std::nullopt;
  DirectoryReader reader;
  if (!reader.read(directory.get(), kMaxEntries)) return std::nullopt;
  const std::string composed = to_nfc(name);
  const std::string folded = fold_name(name);
  std::vector<std::string> same;
  std::vector<std::string> alike;
  for (const DirectoryEntry &entry : reader.entries()) {
    if (!kit::utf8::is_valid(entry.name) || entry.name == name) continue;
    if (to_nfc(entry.name) == composed)
      same.emplace_back(entry.name);
    else if (fold_name(entry.name) == folded)
      alike.emplace_back(entry.name);
  }
  if (same.size() == 1) return same.front();
  if (same.empty() && alike.size() == 1) return alike.front();
  return std::nullopt;
}

} // namespace packhost::files
