// SPDX-License-Identifier: MIT
// THE table of protocol revisions and what each changes, as flags. A date is compared nowhere else.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace packhost::mcp {

/// What a revision has. Flags, not dates.
struct Revision {
  std::string_view date;
  std::size_t index = 0;         // place in the table
  bool per_request = false;      // no handshake: the revision stands on each request
  bool batches = false;          // arrays of messages
  bool tool_annotations = false; // also audio blocks, the completions capability, progress messages
  bool structured = false;       // outputSchema, structuredContent, title, _meta of definitions,
                                 // resource_link blocks, lastModified
  bool icons = false;
  bool result_type = false; // resultType and serverInfo on every result, caching hints on six
};

/// Oldest first.
[[nodiscard]] std::span<const Revision> revisions();

/// The revision an initialize may negotiate; null if there is none of that date.
[[nodiscard]] const Revision *find_handshake_revision(std::string_view date);
/// What is offered for any other date: the latest with a handshake.
[[nodiscard]] const Revision &latest_handshake_revision();
/// The revision a request may claim for itself; null if there is none of that date.
[[nodiscard]] const Revision *find_request_revision(std::string_view date);
/// The JSON array of dates a request may claim.
[[nodiscard]] std::string_view supported_versions();

} // namespace packhost::mcp
