// SPDX-License-Identifier: MIT
// Whether this host can take a pack at all: the ABI numbers and the interfaces it requires. The
// texts are part of the interface (abi.md section 6.3).
#include "sdk/contract/manifest.hpp"

#include <packhost/packhost.h>

#include <algorithm>
#include <array>

namespace packhost::contract {

namespace {

constexpr std::array<std::string_view, 4> kHostInterfaces{
    PACKHOST_IFACE_NET, PACKHOST_IFACE_PROCESS, PACKHOST_IFACE_SECRET, PACKHOST_IFACE_DIRS};
constexpr std::array<std::string_view, 2> kPackInterfaces{PACKHOST_IFACE_CATALOG,
                                                          PACKHOST_IFACE_ABOUT};

template <typename List>
bool is_among(std::string_view id, const List &list) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

std::string_view name_of(std::string_view id) {
  return id.substr(0, id.find('/'));
}

/// What this host has instead: the other revision, or all.
std::string offered_instead(std::string_view id) {
  std::string all;
  for (const std::string_view offered : kHostInterfaces) {
    if (name_of(offered) == name_of(id)) return fmt::format("\"{}\"", offered);
    all += fmt::format("{}\"{}\"", all.empty() ? "" : ", ", offered);
  }
  return all;
}

} // namespace

kit::Status check_abi(std::uint32_t pack_major, std::uint32_t needs_minor, std::uint32_t host_major,
                      std::uint32_t host_minor) {
  std::string speaks = fmt::format("{}.0", host_major);
  if (host_minor > 0) speaks += fmt::format(" to {}.{}", host_major, host_minor);
  if (pack_major != host_major) {
    return kit::fail(kit::Code::config,
                     "it was made for pack ABI {} (needs {}.{}); this packhost speaks {}. Use {} "
                     "packhost, or a build of the pack for ABI {}",
                     pack_major, pack_major, needs_minor, speaks,
                     pack_major > host_major ? "a newer" : "an older", host_major);
  }
  if (needs_minor > host_minor) {
    return kit::fail(kit::Code::config,
                     "it needs pack ABI {}.{}; this packhost speaks {}. Upgrade packhost to a "
                     "version that has ABI {}.{}",
                     pack_major, needs_minor, speaks, pack_major, needs_minor);
  }
  return {};
}

kit::Status check_requires(const Manifest &manifest) {
  for (const std::string &id : manifest.requires_interfaces) {
    if (is_among(id, kHostInterfaces) || is_among(id, kPackInterfaces)) continue;
    return kit::fail(kit::Code::config, "it requires the interface \"{}\"; this packhost offers {}",
                     id, offered_instead(id));
  }
  return {};
}

bool is_meta_key(std::string_view key) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_end = [is_letter](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view name = key.substr(slash + 1);
  const bool is_name = !name.empty() && is_end(name.front()) && is_end(name.back()) &&
                       std::all_of(name.begin(), name.end(), [is_end](char c) {
                         return is_end(c) || c == '-' || c == '_' || c == '.';
                       });
  if (!is_name) return false;
  std::string_view prefix = key.substr(0, slash);
  std::size_t labels = 0;
  while (true) {
    const std::size_t dot = prefix.find('.');
    const std::string_view label = prefix.substr(0, dot);
    const bool is_label =
        !label.empty() && is_letter(label.front()) && is_end(label.back()) &&
        std::all_of(label.begin(), label.end(), [is_end](char c) { return is_end(c) || c == '-'; });
    if (!is_label) return false;
    ++labels;
    if (labels == 2 && (label == "mcp" || label == "modelcontextprotocol")) return false;
    if (dot == std::string_view::npos) break;
    prefix.remove_prefix(dot + 1);
  }
  return labels >= 2;
}

} // namespace packhost::contract
