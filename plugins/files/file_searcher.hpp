// SPDX-License-Identifier: MIT
// Searching one file: read through one reused buffer, judged as text, searched block by block.
#pragma once

#include "plugins/files/line_search.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::files {

enum class FileVerdict : std::uint8_t { searched, binary, too_large, unreadable, special };

struct FileFindings {
  FileVerdict verdict = FileVerdict::searched;
  std::uint64_t bytes = 0; // read
  std::vector<SearchHit> hits;
};

/// For one thread. Keeps its buffer from file to file.
class FileSearcher {
public:
  struct Options {
    std::size_t context_lines = 0;
    std::size_t max_hits = 1; // a file
    std::uint64_t max_file_bytes = 0;
  };

  FileSearcher(const Pattern &pattern, Options options);

  /// Opens `name` in a directory without following or blocking, and searches it.
  [[nodiscard]] FileFindings search_at(int directory_fd, const char *name);

  /// Searches an open regular file.
  [[nodiscard]] FileFindings search(int fd, std::uint64_t size_bytes);

private:
  enum class Form : std::uint8_t { plain, utf16, refused };

  [[nodiscard]] bool read_more(int fd, std::uint64_t size_bytes, FileFindings &findings);
  [[nodiscard]] bool take_block(FileFindings &findings);
  void end_lines_by_lf(std::size_t &length);
  [[nodiscard]] FileVerdict search_utf16(FileFindings &findings);
  void reserve(std::size_t capacity);
  void start_file();

  const Pattern &pattern_;
  Options options_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;

  // of the file at hand
  std::size_t used_ = 0;
  bool at_end_ = false;
  bool is_first_block_ = true;
  bool has_cr_ = false;
  bool has_high_ = false;
  bool has_lf_ = false;
  Form form_ = Form::plain;
  std::uint64_t line_ = 1;
};

} // namespace packhost::files
