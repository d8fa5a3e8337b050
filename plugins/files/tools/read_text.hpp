// SPDX-License-Identifier: MIT
// What file_read and file_read_many share: reading one file's text into a result object.
#pragma once

#include "plugins/files/answers.hpp"
#include "plugins/files/options.hpp"
#include "plugins/files/text_model.hpp"
#include "plugins/files/workspace/workspace.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace packhost::files {

struct ReadRequest {
  std::string path;
  std::optional<std::int64_t> start_line;
  std::optional<std::int64_t> end_line;
  std::uint64_t max_bytes = 0;
  std::optional<NamedEncoding> named;
};

/// INVALID_ARGUMENT for an end before the start. Numbers outside the file are found when it is
/// read.
[[nodiscard]] Outcome<void> check_range(const ReadRequest &request);

/// Appends the result object to `out`. RETURNS: how many bytes of text it holds.
[[nodiscard]] Outcome<std::uint64_t> append_file_text(std::string &out, const Workspace &workspace,
                                                      const ReadRequest &request,
                                                      const Limits &limits, const Budget &budget,
                                                      const Stop &stop);

} // namespace packhost::files
