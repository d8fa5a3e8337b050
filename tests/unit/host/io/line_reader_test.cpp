// SPDX-License-Identifier: MIT
// Bytes -> lines.
#include "host/io/line_reader.hpp"
#include "tests/support/pipe.hpp"

#include <doctest/doctest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

using packhost::io::LineEvent;
using packhost::io::LineReader;
using packhost::test::Pipe;

namespace {

/// What a reader makes of `bytes`, written by another thread in pieces of `piece` bytes.
std::vector<std::string> read_all(const std::string &bytes, std::size_t limit = 1024,
                                  std::size_t piece = 65536) {
  Pipe pipe;
  std::thread writer([&] {
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      pipe.write(std::string_view(bytes).substr(at, piece));
    pipe.write_end.reset();
  });
  std::vector<std::string> lines;
  LineReader reader(pipe.read_end.get(), limit);
  for (LineEvent event = reader.next(); event.kind != LineEvent::Kind::end; event = reader.next())
    lines.push_back(event.kind == LineEvent::Kind::oversize ? "<oversize>" : event.bytes);
  writer.join();
  return lines;
}

} // namespace

TEST_SUITE("io/line_reader") {
  using Lines = std::vector<std::string>;

  TEST_CASE("[P-3] lines are put together from single bytes, and taken apart from one write") {
    CHECK(read_all("a\nbc\ndef\n", 1024, 1) == Lines{"a", "bc", "def"});
    CHECK(read_all("a\nbc\ndef\n") == Lines{"a", "bc", "def"});
  }

  TEST_CASE("[P-4] one CR before LF is no part of the line, a second is") {
    CHECK(read_all("a\r\nb\r\r\n\rc\n") == Lines{"a", "b\r", "\rc"});
  }

  TEST_CASE("[P-5] blank lines are skipped") {
    CHECK(read_all("\n\r\n   \n\t\na\n\n") == Lines{"a"});
  }

  TEST_CASE("[P-6] a byte order mark is skipped at the start of the stream and nowhere else") {
    CHECK(read_all("\xEF\xBB\xBF"
                   "a\n\xEF\xBB\xBF"
                   "b\n") == Lines{"a", "\xEF\xBB\xBF"
                                        "b"});
    CHECK(read_all("\xEF\xBB\xBF"
                   "a\n",
                   1024, 1) == Lines{"a"});
    CHECK(read_all("\xEF\n") == Lines{"\xEF"});
  }

  TEST_CASE("[P-10] a line at the limit is served, one byte more is reported once and skipped") {
    const std::string at_limit(64, 'x');
    CHECK(read_all(at_limit + "\nb\n", 64) == Lines{at_limit, "b"});
    CHECK(read_all(at_limit + "\r\nb\n", 64) == Lines{at_limit, "b"});
    CHECK(read_all(at_limit + "y\nb\n", 64) == Lines{"<oversize>", "b"});
    CHECK(read_all(std::string(300'000, 'x') + "\nb\n", 64, 1'000) == Lines{"<oversize>", "b"});
  }

  TEST_CASE("[P-10] the start of a line above the limit holds nothing of the next one") {
    Pipe pipe;
    pipe.write(R"({"jsonrpc":"2.0","method":"x"})"
               "\n"
               R"({"id":1})"
               "\n");
    LineReader reader(pipe.read_end.get(), 8);
    CHECK(reader.next().bytes == R"({"jsonrpc":"2.0","method":"x"})");
    CHECK(reader.next().bytes == R"({"id":1})");
  }

  TEST_CASE("a line above the kept buffer comes whole, and so does the next") {
    const std::string large(3'000'000, 'x');
    CHECK(read_all("a\n" + large + "\nb\n" + large + "\n", 4'000'000) ==
          Lines{"a", large, "b", large});
  }

  TEST_CASE("[P-31] a last line without an end is discarded") {
    CHECK(read_all("a\nrest") == Lines{"a"});
    CHECK(read_all("rest").empty());
    CHECK(read_all("").empty());
  }

  TEST_CASE("has_line tells without reading") {
    Pipe pipe;
    pipe.write("a\nb\nc");
    LineReader reader(pipe.read_end.get(), 1024);
    CHECK_FALSE(reader.has_line());
    CHECK(reader.next().bytes == "a");
    CHECK(reader.has_line());
    CHECK(reader.next().bytes == "b");
    CHECK_FALSE(reader.has_line());
  }
}
