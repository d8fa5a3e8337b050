// SPDX-License-Identifier: MIT
// See revision.hpp.
#include "host/mcp/revision.hpp"

#include <array>
#include <string>

namespace packhost::mcp {

namespace {

constexpr std::array kRevisions{
    Revision{.date = "2024-11-05", .index = 0},
    Revision{.date = "2025-03-26", .index = 1, .batches = true, .tool_annotations = true},
    Revision{.date = "2025-06-18", .index = 2, .tool_annotations = true, .structured = true},
    Revision{.date = "2025-11-25",
             .index = 3,
             .tool_annotations = true,
             .structured = true,
             .icons = true},
    Revision{.date = "2026-07-28",
             .index = 4,
             .per_request = true,
             .tool_annotations = true,
             .structured = true,
             .icons = true,
             .result_type = true},
};

const Revision *find(std::string_view date, bool per_request) {
  for (const Revision &revision : kRevisions)
    if (revision.date == date && revision.per_request == per_request) return &revision;
  return nullptr;
}

} // namespace

std::span<const Revision> revisions() {
  return kRevisions;
}

const Revision *find_handshake_revision(std::string_view date) {
  return find(date, false);
}

const Revision &latest_handshake_revision() {
  const Revision *latest = nullptr;
  for (const Revision &revision : kRevisions)
    if (!revision.per_request) latest = &revision;
  return *latest;
}

const Revision *find_request_revision(std::string_view date) {
  return find(date, true);
}

std::string_view supported_versions() {
  static const std::string text = [] {
    std::string list = "[";
    for (const Revision &revision : kRevisions) {
      if (!revision.per_request) continue;
      if (list.size() > 1) list += ',';
      list.append("\"").append(revision.date).append("\"");
    }
    return list + "]";
  }();
  return text;
}

} // namespace packhost::mcp
