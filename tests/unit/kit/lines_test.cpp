// SPDX-License-Identifier: MIT
// Lines counted and found in pieces of text.
#include "sdk/kit/lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

using namespace packhost::kit;

namespace {

std::string told(std::string_view text, std::size_t step) {
  LineCounter counter;
  for (std::size_t at = 0; at < text.size(); at += step) counter.feed(text.substr(at, step));
  return std::to_string(counter.count()) + " " + std::string(name_of(counter.style())) +
         (counter.ends_with_newline() ? " ended" : "");
}

} // namespace

TEST_SUITE("kit/lines") {
  TEST_CASE("lines and their ends, in pieces of any size") {
    for (std::size_t step = 1; step < 5; ++step) {
      CAPTURE(step);
      CHECK(told("", step) == "0 none");
      CHECK(told("a", step) == "1 none");
      CHECK(told("a\nb", step) == "2 lf");
      CHECK(told("a\nb\n", step) == "2 lf ended");
      CHECK(told("a\r\nb\r\n", step) == "2 crlf ended");
      CHECK(told("a\r\nb\n", step) == "2 mixed ended");
      CHECK(told("a\rb\r", step) == "2 cr ended");
      CHECK(told("a\rb\nc", step) == "2 lf");
      CHECK(told("a\r\r\n", step) == "1 crlf ended");
      CHECK(told("a\n\r", step) == "2 lf");
    }
  }

  TEST_CASE("counting and finding agree with a plain loop") {
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
      std::string text(random() % 40'000, 'x');
      for (char &letter : text) {
        if (random() % (1 + static_cast<unsigned>(round)) == 0) letter = '\n';
      }
      const auto wanted = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
      CHECK(count_byte(text, '\n') == wanted);
      CHECK(find_after(text, '\n', wanted + 1) == std::nullopt);
      if (wanted == 0) continue;
      const std::size_t nth = 1 + random() % wanted;
      const std::optional<std::size_t> at = find_after(text, '\n', nth);
      REQUIRE(at);
      CHECK(text[*at - 1] == '\n');
      CHECK(count_byte(std::string_view(text).substr(0, *at), '\n') == nth);
    }
    CHECK(find_after("abc", '\n', 0) == 0);
  }
}
