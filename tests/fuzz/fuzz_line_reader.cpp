// SPDX-License-Identifier: MIT
// Any bytes in any pieces give the same lines, none over the limit, none blank, none with an LF.
#include "host/io/line_reader.hpp"
#include "tests/support/pipe.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr std::size_t kLimit = 64;

void require(bool holds) {
  if (!holds) std::abort();
}

/// The lines of `bytes`, offered to the reader `piece` bytes at a time.
std::vector<std::string> read_lines(std::string_view bytes, std::size_t piece) {
  packhost::test::Pipe pipe;
  require(::fcntl(pipe.write_end.get(), F_SETPIPE_SZ, 1 << 17) > 0);
  packhost::io::LineReader reader(pipe.read_end.get(), kLimit);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < bytes.size(); at += piece) pipe.write(bytes.substr(at, piece));
  pipe.write_end.reset();
  while (true) {
    packhost::io::LineEvent event = reader.next();
    if (event.kind == packhost::io::LineEvent::Kind::end) return lines;
    const bool is_line = event.kind == packhost::io::LineEvent::Kind::line;
    require(!is_line || event.bytes.size() <= kLimit);
    require(event.bytes.find('\n') == std::string::npos);
    require(!is_line || event.bytes.find_first_not_of(" \t\r") != std::string::npos);
    lines.push_back(is_line ? event.bytes : "<oversize>");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size > 60'000) return 0; // what a pipe holds
  const std::string_view bytes(static_cast<const char *>(static_cast<const void *>(data)), size);
  require(read_lines(bytes, 60'000) == read_lines(bytes, 7));
  return 0;
}
