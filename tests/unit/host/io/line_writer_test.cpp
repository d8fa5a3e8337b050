// SPDX-License-Identifier: MIT
// Whole lines out.
#include "host/io/line_writer.hpp"
#include "tests/support/pipe.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/eventfd.h>

using packhost::io::LineWriter;
using packhost::test::Pipe;
using Flush = packhost::io::LineWriter::Flush;

TEST_SUITE("io/line_writer") {
  TEST_CASE("a line goes out with its end") {
    Pipe pipe;
    LineWriter writer(std::move(pipe.write_end), -1);
    CHECK(writer.write_line("{}", Flush::now));
    CHECK(pipe.read_some() == "{}\n");
  }

  TEST_CASE("gathered lines go out together, in order, before a line that may not wait") {
    Pipe pipe;
    LineWriter writer(std::move(pipe.write_end), -1);
    CHECK(writer.write_line("1", Flush::later));
    CHECK(writer.write_line("2", Flush::later));
    CHECK(writer.has_gathered());
    CHECK(writer.write_line("3", Flush::now));
    CHECK_FALSE(writer.has_gathered());
    CHECK(pipe.read_some() == "1\n2\n3\n");
  }

  TEST_CASE("a line whose commit says no is not written") {
    Pipe pipe;
    LineWriter writer(std::move(pipe.write_end), -1);
    CHECK_FALSE(writer.write_line("dropped", Flush::now, [] { return false; }));
    CHECK(writer.write_line("kept", Flush::now, [] { return true; }));
    CHECK(pipe.read_some() == "kept\n");
  }

  TEST_CASE("queued lines are written by who flushes them, and their ends reported") {
    Pipe pipe;
    LineWriter writer(std::move(pipe.write_end), -1);
    int ended = 0;
    writer.queue_line("a", {}, [&] { ++ended; });
    writer.queue_line(
        "b", [] { return false; }, [&] { ++ended; });
    CHECK(ended == 0);
    writer.flush_queued();
    CHECK(ended == 2);
    CHECK(pipe.read_some() == "a\n");
  }

  TEST_CASE("[I-2] lines of many threads never mix, however slowly they are read") {
    Pipe pipe;
    LineWriter writer(std::move(pipe.write_end), -1);
    constexpr int kThreads = 4;
    constexpr int kLines = 40;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&writer, t] {
        const std::string line(20'000, static_cast<char>('a' + t));
        for (int i = 0; i < kLines; ++i) writer.write_line(line, Flush::now);
      });
    std::string all;
    while (all.size() < std::size_t{kThreads} * kLines * 20'001) all += pipe.read_some();
    for (std::thread &thread : threads) thread.join();
    std::size_t lines = 0;
    for (std::size_t at = 0; at < all.size(); ++lines) {
      const std::size_t end = all.find('\n', at);
      REQUIRE(end - at == 20'000);
      REQUIRE(all.find_first_not_of(all[at], at) == end);
      at = end + 1;
    }
    CHECK(lines == std::size_t{kThreads} * kLines);
  }

  TEST_CASE("[P-32] a stop ends the wait for a client that does not read") {
    Pipe pipe;
    packhost::kit::UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
    LineWriter writer(std::move(pipe.write_end), stop.get());
    std::thread blocked(
        [&] { CHECK_FALSE(writer.write_line(std::string(1 << 20, 'x'), Flush::now)); });
    (void)pipe.read_some(); // it has begun
    const std::uint64_t one = 1;
    REQUIRE(::write(stop.get(), &one, sizeof one) == sizeof one);
    blocked.join();
    CHECK(writer.is_broken());
  }

  TEST_CASE("[P-33] a reader that has gone away is noticed by the next line") {
    Pipe pipe;
    ::signal(SIGPIPE, SIG_IGN);
    LineWriter writer(std::move(pipe.write_end), -1);
    pipe.read_end.reset();
    CHECK_FALSE(writer.write_line("x", Flush::now));
    CHECK(writer.is_broken());
  }
}
