// SPDX-License-Identifier: MIT
// UTF-8: every boundary of the table of well-formed sequences.
#include "sdk/kit/utf8.hpp"

#include <doctest/doctest.h>

#include <string>

namespace packhost::kit::utf8 {

TEST_SUITE("kit/utf8") {
  TEST_CASE("each code point encodes to valid text, and its neighbours outside are refused") {
    for (char32_t point = 0; point <= 0x10FFFF; ++point) {
      if (point >= 0xD800 && point <= 0xDFFF) continue;
      std::string text;
      append(text, point);
      if (!is_valid(text) || sequence_length(text) != text.size()) {
        FAIL(doctest::String("code point "), static_cast<unsigned>(point));
      }
    }
    for (const char *text :
         {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF",
          "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xFF"}) {
      CHECK(find_invalid(text) == 0);
    }
  }

  TEST_CASE("the offset is that of the first invalid sequence, at every place around a chunk") {
    for (std::size_t before = 0; before < 40; ++before) {
      for (const char *bad : {"\xE2\x82", "\xE2", "\xF0\x9F\x98", "\x80"}) {
        CHECK(find_invalid(std::string(before, 'a') + bad) == before);
        CHECK(find_invalid(std::string(before, 'a') + bad + std::string(30, 'b')) == before);
        CHECK(find_invalid(std::string(before, 'a') + "\xC3\xA9" + bad) == before + 2);
      }
      CHECK_FALSE(find_invalid(std::string(before, 'a') + "\xC3\xA9" + std::string(20, 'b')));
    }
  }

  TEST_CASE("[P-26] each broken part becomes one replacement character") {
    std::size_t replaced = 0;
    CHECK(repair("a\xE2\x82z\xFF\xFF\xF0\x9F\x98\xC3\xA9", &replaced) ==
          "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA9");
    CHECK(replaced == 4);
    CHECK(repair("plain", &replaced) == "plain");
    CHECK(replaced == 0);
  }

  TEST_CASE("clipping never cuts a character") {
    const std::string text = "a\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80";
    CHECK(clip(text, 0).empty());
    CHECK(clip(text, 2) == "a");
    CHECK(clip(text, 3) == "a\xC3\xA9");
    CHECK(clip(text, 5) == "a\xC3\xA9");
    CHECK(clip(text, 9) == "a\xC3\xA9\xE6\xBC\xA2");
    CHECK(clip(text, 10) == text);
    CHECK(clip(text, 99) == text);
    CHECK(count_code_points(text) == 4);
  }
}

} // namespace packhost::kit::utf8
