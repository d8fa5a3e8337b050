// SPDX-License-Identifier: MIT
// Searching the files of a tree on two threads with the answers of one: the walk cuts the files
// into batches, whoever is free searches the next, and findings are put together in walk order, so
// that the same tree gives the same answer wherever the work stopped.
#pragma once

#include "plugins/files/file_searcher.hpp"
#include "plugins/files/glob.hpp"
#include "plugins/files/text_file.hpp"
#include "plugins/files/walk.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::files {

struct TreeSearchRequest {
  const Glob *glob = nullptr; // which files; null: all
  std::size_t context_lines = 0;
  std::size_t max_results = 100;
  Ignore ignore = Ignore::vcs;
  std::size_t max_depth = 64;
  std::uint64_t max_file_bytes = 0;
  std::uint64_t max_bytes = 0; // of one search
  std::uint64_t max_ms = 0;
};

struct FileHits {
  std::string path; // below the root
  std::vector<SearchHit> hits;
};

enum class Truncation : std::uint8_t { none, max_results, time_budget, bytes_budget };

struct TreeFindings {
  std::vector<FileHits> files; // in walk order
  Truncation truncation = Truncation::none;
  bool cancelled = false;
  std::uint64_t files_searched = 0;
  std::uint64_t binary = 0;
  std::uint64_t too_large = 0;
  std::uint64_t ignored = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t unrepresentable = 0;
  std::uint64_t special = 0;
  std::uint64_t depth = 0;
};

/// `start`: the directory's path below the root. `stop` is asked from both threads.
[[nodiscard]] TreeFindings search_tree(const Workspace &workspace, kit::UniqueFd directory,
                                       std::string start, const Pattern &pattern,
                                       const TreeSearchRequest &request, const Stop &stop);

/// The same for one open file; `path` below the root.
[[nodiscard]] TreeFindings search_one_file(const kit::OpenFile &file, std::string path,
                                           const Pattern &pattern,
                                           const TreeSearchRequest &request);

} // namespace packhost::files
