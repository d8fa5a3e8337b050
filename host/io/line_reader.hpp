// SPDX-License-Identifier: MIT
// Bytes -> lines. Reassembles lines from any fragments; drops what is over the limit without
// storing it. Knows no JSON. The way out is line_writer.*.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace packhost::io {

struct LineEvent {
  enum class Kind : std::uint8_t {
    line,     // a whole line, without its end
    oversize, // longer than the limit; `bytes` is its start, at most 1 KiB
    end       // end of input, or a read error; an unfinished last line is discarded
  };
  Kind kind = Kind::end;
  std::string bytes;
};

/// Reads from one descriptor, which it does not own.
class LineReader {
public:
  LineReader(int fd, std::size_t max_line_bytes);

  /// The next line without its LF or CR LF. Blank lines and a byte order mark at the start of the
  /// stream are skipped. Blocks until there is a line. The caller owns its bytes: a pack still
  /// reads them while another thread reads on. An oversized line is skipped to its end and reported
  /// once. REQUIRES: the caller holds the ReadTurn.
  [[nodiscard]] LineEvent next();

  /// True if next() would not have to read. REQUIRES: the caller holds the ReadTurn.
  [[nodiscard]] bool has_line();

private:
  [[nodiscard]] std::optional<LineEvent> take();
  [[nodiscard]] bool fill();
  [[nodiscard]] bool find_end();
  void start_skipping();
  [[nodiscard]] std::string cut_line(std::size_t length);

  int fd_;
  std::size_t max_line_bytes_;
  std::string buffer_; // what was read and not yet taken stands in [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t scanned_ = 0;  // no LF in [begin_, scanned_)
  std::size_t line_end_ = 0; // the LF of the first line, if has_end_
  bool has_end_ = false;
  bool is_first_ = true;     // nothing was taken yet: a byte order mark may stand here
  bool is_skipping_ = false; // inside an oversized line
  std::string skipped_start_;
};

} // namespace packhost::io
