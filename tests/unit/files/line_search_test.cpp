// SPDX-License-Identifier: MIT
// Lines found in texts and files, whatever their form and size.
#include "plugins/files/file_searcher.hpp"
#include "plugins/files/line_search.hpp"
#include "tests/unit/files/temp_tree.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include <fcntl.h>

using namespace packhost::files;

namespace {

Pattern regex(const std::string &pattern) {
  auto compiled = Pattern::compile(pattern, true, true);
  REQUIRE(compiled);
  return std::move(*compiled);
}

std::string hits_of(std::string_view text, const Pattern &pattern) {
  std::vector<SearchHit> hits;
  search_lines(text, pattern, 1, 0, 100, hits);
  std::string all;
  for (const SearchHit &hit : hits)
    all += fmt::format("{}:{}x{} ", hit.line, hit.column, hit.occurrences);
  return all;
}

std::string fault_of(const std::string &pattern) {
  const auto compiled = Pattern::compile(pattern, true, true);
  if (compiled) return "valid";
  const RegexFault &fault = compiled.error();
  if (fault.too_expensive) return "too expensive";
  return (fault.unsupported ? "unsupported " : "") + fault.reason + " at " +
         std::to_string(fault.offset);
}

} // namespace

TEST_SUITE("files/line_search") {
  TEST_CASE("expressions see one line at a time") {
    CHECK(hits_of("ab\nc\n", regex("b[^x]c")) == "");
    CHECK(hits_of("a \n b\n", regex("a\\s*b")) == "");
    CHECK(hits_of("ab\ncb\n", regex("^c")) == "2:1x1 ");
    CHECK(hits_of("ab\ncb\n", regex("b$")) == "1:2x1 2:2x1 ");
    CHECK(hits_of("ab\ncb\n", regex("\\Ac")) == "2:1x1 ");
    CHECK(hits_of("ab\ncb\n", regex("b\\z")) == "1:2x1 2:2x1 ");
    CHECK(hits_of("ab\ncb\n", regex("(?-m)^c")) == "2:1x1 ");
    CHECK(hits_of("a\n\nb\n", regex("^$")) == "2:1x1 ");
    CHECK(hits_of("a.b\naxb\n", regex("a.b")) == "1:1x1 2:1x1 ");
    CHECK(hits_of("abab\n", regex("ab")) == "1:1x2 ");
    CHECK(hits_of("ab", regex("x*")) == "1:1x3 ");
  }

  TEST_CASE("what the engine lacks is named") {
    CHECK(fault_of("x(?=y)") == "unsupported look-ahead at 1");
    CHECK(fault_of("(?<=x)y") == "unsupported look-behind at 0");
    CHECK(fault_of("(a)\\1") == "unsupported back-reference at 3");
    CHECK(fault_of("a\\C") == "unsupported \\C at 1");
    CHECK(fault_of("(?>a)") == "unsupported atomic group at 0");
    CHECK(fault_of("[\\1") != "valid");
    CHECK(fault_of("a(b") == "missing ): a(b at 0");
    CHECK(fault_of("a\\12") == "valid");
    CHECK(fault_of("((((a{1000}){1000}){1000}){1000})") != "valid");
    CHECK(fault_of("(\\pL{31}){31}") == "too expensive");
  }

  TEST_CASE("the required literal never changes an answer") {
    const std::vector<std::string> patterns{
        "ab+c",    "a?bcd",      "abc*",    "ab{0,2}cd", "(abc)?de",    "abc|de",  "a\\.bc",
        "\\x61bc", "\\pLbcd",    "(?i)abc", "[abc]de",   "ab\\bcd|x",   "abc\\d+", "de(a|b)*abc",
        "a{2}bcd", "\\Qa.b\\Ec", "bcd+?e",  "x{,2}abc",  "(?:ab)+cde?f"};
    std::mt19937 random(7);
    for (const std::string &pattern : patterns) {
      auto with = Regex::compile(pattern, true, false);
      auto without = Regex::compile(pattern, true, false);
      REQUIRE(with);
      without->for_test_drop_required_literal();
      for (int round = 0; round < 200; ++round) {
        std::string line;
        for (int i = 0; i < 12; ++i) line += "aabbccddexf.1{,"[random() % 15];
        const bool plain = without->match_line(line, 0).has_value();
        const bool candidate = with->find_candidate(line, 0).has_value();
        CAPTURE(pattern);
        CAPTURE(line);
        CHECK((!plain || candidate));
        CHECK((!plain || without->find_candidate(line, 0).has_value()));
      }
    }
  }

  TEST_CASE("a text is found where a plain search finds it") {
    std::mt19937 random(5);
    for (int round = 0; round < 4000; ++round) {
      std::string text(random() % 120, ' ');
      for (char &letter : text) letter = "ab_z"[random() % 4];
      std::string wanted(1 + random() % 5, ' ');
      for (char &letter : wanted) letter = "ab_z"[random() % 4];
      const LiteralFinder finder(wanted);
      const std::size_t from = random() % 10;
      CAPTURE(text);
      CAPTURE(wanted);
      CHECK(finder.find(text, from) ==
            (from > text.size() ? std::string::npos : text.find(wanted, from)));
    }
  }

  TEST_CASE("a long line is cut around the match") {
    const Pattern pattern = *Pattern::compile("needle", false, true);
    std::vector<SearchHit> hits;
    const std::string line = std::string(5000, 'x') + "needle" + std::string(5000, 'y');
    search_lines(line, pattern, 1, 0, 10, hits);
    REQUIRE(hits.size() == 1);
    CHECK(hits[0].text_truncated);
    CHECK(hits[0].text.size() == 2000);
    CHECK(hits[0].text.find("needle") == 1000);
    CHECK(hits[0].column == 5001);
  }

  TEST_CASE("context stays inside the text") {
    const Pattern pattern = *Pattern::compile("b", false, true);
    std::vector<SearchHit> hits;
    search_lines("a\nb\nc\nd\n", pattern, 1, 2, 10, hits);
    REQUIRE(hits.size() == 1);
    CHECK(hits[0].before == std::vector<std::string>{"a"});
    CHECK(hits[0].after == std::vector<std::string>{"c", "d"});
  }
}

TEST_SUITE("files/file_searcher") {
  TEST_CASE("files larger than the buffer give the same hits as in one piece") {
    const packhost::tests::TempTree tree;
    std::mt19937 random(11);
    std::string text;
    std::vector<std::uint64_t> wanted;
    for (std::uint64_t line = 1; text.size() < 700'000; ++line) {
      text.append(random() % 400, 'x');
      if (line == 50) text.append(150'000, 'L');
      if (random() % 40 == 0) {
        text += "needle";
        wanted.push_back(line);
      }
      text += random() % 2 == 0 ? "\n" : "\r\n";
    }
    tree.write("big", text);
    const Pattern pattern = *Pattern::compile("needle", false, true);
    FileSearcher searcher(pattern, {0, 100'000, 1 << 24});
    const int fd = ::open(tree.at("big").c_str(), O_RDONLY | O_CLOEXEC);
    const FileFindings found = searcher.search(fd, text.size());
    ::close(fd);
    CHECK(found.verdict == FileVerdict::searched);
    std::vector<std::uint64_t> lines;
    for (const SearchHit &hit : found.hits) lines.push_back(hit.line);
    CHECK(lines == wanted);
  }

  TEST_CASE("every form of text and what is none") {
    const packhost::tests::TempTree tree;
    using namespace std::string_view_literals;
    tree.write("cr", "a\rneedle\rb");
    tree.write("utf16", "\xFF\xFE"
                        "x\0\n\0n\0e\0e\0d\0l\0e\0"sv);
    tree.write("bom", "\xEF\xBB\xBFneedle");
    tree.write("binary", "needle\0"sv);
    tree.write("latin", "needle \xE9 x");
    tree.write("late", std::string(100'000, '\n') + "needle" + std::string(1, '\xFF'));
    tree.write("empty", "");
    const Pattern pattern = *Pattern::compile("needle", false, true);
    FileSearcher searcher(pattern, {0, 10, 1 << 24});
    const int dir = ::open(tree.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const auto told = [&](const char *name) {
      const FileFindings found = searcher.search_at(dir, name);
      if (found.verdict == FileVerdict::binary) return std::string("binary");
      if (found.hits.empty()) return std::string("none");
      return fmt::format("{}:{}", found.hits[0].line, found.hits[0].column);
    };
    CHECK(told("cr") == "2:1");
    CHECK(told("utf16") == "2:1");
    CHECK(told("bom") == "1:1");
    CHECK(told("binary") == "binary");
    CHECK(told("latin") == "binary");
    CHECK(told("late") == "binary");
    CHECK(told("empty") == "none");
    ::close(dir);
  }
}
