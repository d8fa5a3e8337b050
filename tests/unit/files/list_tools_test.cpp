// SPDX-License-Identifier: MIT
// directory_list, file_search and content_search through the pack's border.
#include "sdk/kit/deadline.hpp"
#include "tests/unit/files/files_case.hpp"

using namespace packhost::tests;
using namespace std::string_view_literals;
using Names = std::vector<std::string>;

namespace {

std::string query_args(std::string_view query, std::string_view more = {}) {
  return path_args(".",
                   "\"query\":" + quote(query) + (more.empty() ? "" : ",") + std::string(more));
}

} // namespace

TEST_SUITE("files/list") {
  TEST_CASE_FIXTURE(FilesCase,
                    "[F-18] listings are in byte order, the same each time, and say when cut") {
    for (const char *path : {"b/z", "b/a", "a.txt", "a/x", "B", ".hidden"}) tree.write(path, "1");
    const Json once = call("directory_list", R"({"recursive":true})");
    CHECK(once.column("result.entries", "path") ==
          Names{".hidden", "B", "a", "a/x", "a.txt", "b", "b/a", "b/z"});
    CHECK(once["result.truncated"] == "false");
    CHECK(once.text() == call("directory_list", R"({"recursive":true})").text());
    const Json cut = call("directory_list", R"({"recursive":true,"max_entries":3})");
    CHECK(cut.column("result.entries", "path") == Names{".hidden", "B", "a"});
    CHECK(cut["result.truncated"] == "true");
    CHECK(cut.string("result.truncation_reason") == "max_entries");
    const Json exact = call("directory_list", R"({"recursive":true,"max_entries":8})");
    CHECK(exact["result.truncated"] == "false");
    CHECK(call("directory_list", "{}").column("result.entries", "path") ==
          Names{".hidden", "B", "a", "a.txt", "b"});
  }

  TEST_CASE_FIXTURE(FilesCase, "a glob filters what is returned, not what is entered") {
    for (const char *path : {"a/b/c.txt", "a/d.cpp", "e.txt"}) tree.write(path, "1");
    CHECK(call("directory_list", R"({"recursive":true,"glob":"*.txt"})")
              .column("result.entries", "path") == Names{"a/b/c.txt", "e.txt"});
    CHECK(call("directory_list", R"({"path":"a","recursive":true,"glob":"b/*"})")
              .column("result.entries", "path") == Names{"a/b/c.txt"});
    const Json wrong = call("directory_list", R"({"glob":"[x"})");
    CHECK(wrong.string("error.code") == "INVALID_PATTERN");
    CHECK(wrong["error.details.offset"] == "0");
  }

  TEST_CASE_FIXTURE(FilesCase, "an entry tells kind, size, mode and where a link leads") {
    tree.write("a", "123");
    tree.link("in", "a");
    tree.link("out", "../../o");
    tree.fifo("p");
    const Json list = call("directory_list", "{}");
    CHECK(list.column("result.entries", "kind") == Names{"file", "symlink", "symlink", "other"});
    CHECK(list["result.entries.0.size_bytes"] == "3");
    CHECK(list.string("result.entries.1.link_target") == "a");
    CHECK(list["result.entries.2.link_target"] == "null");
    CHECK(list.string("result.entries.0.mtime").size() == "2026-01-02T03:04:05.678Z"sv.size());
  }

  TEST_CASE_FIXTURE(FilesCase, "names that are no UTF-8 are counted and shown as not addressable") {
    tree.write("bad\xFFname", "needle");
    tree.write("good", "needle");
    const Json list = call("directory_list", "{}");
    CHECK(list["result.unrepresentable"] == "1");
    CHECK(list.string("result.entries.0.name_base64") == "YmFk/25hbWU=");
    CHECK(list["result.entries.0.addressable"] == "false");
    CHECK(call("file_search", path_args(".", "\"glob\":\"*\""))["result.skipped.unrepresentable"] ==
          "1");
    CHECK(call("content_search", query_args("needle"))["result.skipped.unrepresentable"] == "1");
  }

  TEST_CASE_FIXTURE(FilesCase, "folders below the depth limit are named, not entered") {
    open("\"max_recursion_depth\":2");
    tree.write("a/b/c/d", "needle");
    const Json list = call("directory_list", R"({"recursive":true})");
    CHECK(list.column("result.entries", "path") == Names{"a", "a/b"});
    CHECK(list["result.depth_limited"] == R"(["a/b"])");
    CHECK(list.string("result.truncation_reason") == "max_depth");
    CHECK(call("file_search", path_args(".", "\"glob\":\"d\""))["result.skipped.depth"] == "1");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-19] loops of links end, each link once") {
    tree.write("d/f", "needle\n");
    tree.link("d/loop", "..");
    tree.link("d/self", "self");
    const Json list = call("directory_list", R"({"recursive":true})");
    CHECK(list.column("result.entries", "path") == Names{"d", "d/f", "d/loop", "d/self"});
    CHECK(call("file_search", path_args(".", "\"glob\":\"*\""))["result.scanned"] == "4");
    CHECK(call("content_search", query_args("needle")).size("result.matches") == 1);
    CHECK(code("file_read", path_args("d/self")) == "INVALID_PATH");
    CHECK(code("directory_list", path_args("d/loop/d")) == "ok");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-17] numbers above a limit are refused with the maximum") {
    const Json entries = call("directory_list", R"({"max_entries":1001})");
    CHECK(entries.string("error.code") == "LIMIT_EXCEEDED");
    CHECK(entries["error.details.maximum"] == "1000");
    const Json files = call("file_search", path_args(".", R"("glob":"*","max_results":201)"));
    CHECK(files.string("error.code") == "LIMIT_EXCEEDED");
    CHECK(files["error.details.maximum"] == "200");
    const Json lines = call("content_search", query_args("x", "\"max_results\":201"));
    CHECK(lines.string("error.code") == "LIMIT_EXCEEDED");
    CHECK(lines["error.details.maximum"] == "200");
    CHECK(code("content_search", query_args("x", "\"context_lines\":6")) == "LIMIT_EXCEEDED");
    CHECK(code("directory_list", R"({"max_entries":0})") == "INVALID_ARGUMENT");
  }

  TEST_CASE_FIXTURE(FilesCase, "file_search matches in walk order and says when it stopped") {
    for (const char *path : {"a/1.c", "a/2.c", "b/3.c", "b/4.h", "c"}) tree.write(path, "xy");
    const Json all = call("file_search", path_args(".", R"("glob":"*.c")"));
    CHECK(all.column("result.matches", "path") == Names{"a/1.c", "a/2.c", "b/3.c"});
    CHECK(all["result.matches.0.size_bytes"] == "2");
    CHECK(all["result.truncated"] == "false");
    CHECK(items == 3);
    const Json two = call("file_search", path_args(".", R"("glob":"*.c","max_results":2)"));
    CHECK(two.size("result.matches") == 2);
    CHECK(two.string("result.truncation_reason") == "max_results");
    const Json folders = call("file_search", path_args(".", R"("glob":"*/")"));
    CHECK(folders.column("result.matches", "path") == Names{"a", "b"});
    CHECK(call("file_search", path_args("a/../b", R"("glob":"*.h")"))
              .column("result.matches", "path") == Names{"b/4.h"});
  }
}

TEST_SUITE("files/content_search") {
  TEST_CASE_FIXTURE(FilesCase,
                    "[F-20] a literal is no expression, and a bad expression is refused") {
    tree.write("t", "axb\na.b\nf(x\n");
    const Json literal = call("content_search", query_args("a.b"));
    CHECK(literal.column("result.matches", "text") == Names{"a.b"});
    CHECK(literal["result.matches.0.line"] == "2");
    const Json regex = call("content_search", query_args("a.b", "\"regex\":true"));
    CHECK(regex.column("result.matches", "text") == Names{"axb", "a.b"});
    const Json bad = call("content_search", query_args("(", "\"regex\":true"));
    CHECK(bad.string("error.code") == "INVALID_PATTERN");
    CHECK(bad["error.details.offset"] == "0");
    CHECK(call("content_search", query_args("(")).column("result.matches", "text") == Names{"f(x"});
  }

  TEST_CASE_FIXTURE(
      FilesCase, "[F-21] patterns made to explode answer at once; what is unsupported is named") {
    tree.write("t", std::string(50'000, 'a') + "!\n");
    tree.write("u", "xy\n");
    const auto end = packhost::kit::Deadline::after(std::chrono::seconds(1));
    const Json none = call("content_search", query_args("(a+)+$", "\"regex\":true"));
    CHECK_FALSE(end.has_passed());
    CHECK(none.size("result.matches") == 0);
    CHECK(none["result.files_searched"] == "2");
    for (const char *pattern : {"(?<=x)y", "(a)\\1"}) {
      const Json refused = call("content_search", query_args(pattern, "\"regex\":true"));
      CHECK(refused.string("error.code") == "INVALID_PATTERN");
      CHECK(refused.string("error.details.reason") == "unsupported");
    }
    CHECK(code("content_search", query_args("(\\pL{31}){31}", "\"regex\":true")) ==
          "PATTERN_TOO_EXPENSIVE");
    CHECK(call("content_search", query_args("xy")).size("result.matches") == 1);
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-22] columns count characters, and a byte order mark is none") {
    tree.write("t", "\xEF\xBB\xBF\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80match match\n");
    const Json found = call("content_search", query_args("match"));
    CHECK(found["result.matches.0.column"] == "4");
    CHECK(found["result.matches.0.occurrences"] == "2");
    CHECK(found.string("result.matches.0.text").substr(0, 4) == "\xF0\x9F\x98\x80");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-23] what is skipped is counted; ignore none looks into .git") {
    open("\"max_search_file_bytes\":1000");
    tree.write("plain", "needle\n");
    tree.write("binary", "needle\0"sv);
    tree.write("large", std::string(1001, 'x'));
    tree.write(".git/config", "needle\n");
    tree.write("sub/.gitignore", "*.log\n!keep.log\n");
    tree.write("sub/a.log", "needle\n");
    tree.write("sub/keep.log", "needle\n");
    tree.fifo("pipe");
    const Json usual = call("content_search", query_args("needle"));
    CHECK(usual.column("result.matches", "path") == Names{"plain", "sub/a.log", "sub/keep.log"});
    CHECK(
        usual["result.skipped"] ==
        R"({"binary":1,"too_large":1,"ignored":1,"unreadable":0,"unrepresentable":0,"special":1,"depth":0})");
    const Json everything = call("content_search", query_args("needle", R"("ignore":"none")"));
    CHECK(everything.column("result.matches", "path") ==
          Names{".git/config", "plain", "sub/a.log", "sub/keep.log"});
    CHECK(everything["result.skipped.ignored"] == "0");
    const Json git = call("content_search", query_args("needle", R"("ignore":"gitignore")"));
    CHECK(git.column("result.matches", "path") == Names{"plain", "sub/keep.log"});
    CHECK(git["result.skipped.ignored"] == "2");
    const Json inside = call("content_search", path_args(".git", R"("query":"needle")"));
    CHECK(inside.column("result.matches", "path") == Names{".git/config"});
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "hits come in walk order, and a stopped search gives the first ones") {
    for (int i = 0; i < 400; ++i)
      tree.write(fmt::format("d{:02}/f{:03}", i / 20, i), "x\nneedle one\ny\nneedle two\n");
    Names wanted;
    for (int i = 0; i < 400; ++i) wanted.push_back(fmt::format("d{:02}/f{:03}", i / 20, i));
    const Json first = call("content_search", query_args("needle", "\"max_results\":199"));
    CHECK(first.size("result.matches") == 199);
    CHECK(first.string("result.truncation_reason") == "max_results");
    for (std::size_t i = 0; i < 199; ++i) {
      CHECK(first.string(fmt::format("result.matches.{}.path", i)) == wanted[i / 2]);
      CHECK(first[fmt::format("result.matches.{}.line", i)] == (i % 2 == 0 ? "2" : "4"));
    }
    for (int i = 0; i < 20; ++i)
      CHECK(call("content_search", query_args("needle", "\"max_results\":199")).text() ==
            first.text());
    const Json one = call("content_search", query_args("needle two", R"("glob":"f39?")"));
    CHECK(one.size("result.matches") == 10);
    CHECK(one["result.truncated"] == "false");
  }

  TEST_CASE_FIXTURE(FilesCase, "context, case and one file") {
    tree.write("t", "one\nTWO\nthree\n");
    tree.link("l", "t");
    const Json found =
        call("content_search",
             path_args("l", R"("query":"two","case_sensitive":false,"context_lines":1)"));
    CHECK(found.string("result.matches.0.path") == "l");
    CHECK(found["result.matches.0.before"] == R"(["one"])");
    CHECK(found["result.matches.0.after"] == R"(["three"])");
    CHECK(call("content_search", query_args("two")).size("result.matches") == 0);
    CHECK(code("content_search", query_args("a\nb")) == "INVALID_ARGUMENT");
    CHECK(code("content_search", query_args("")) == "INVALID_ARGUMENT");
    CHECK(code("content_search", query_args(std::string(4097, 'x'))) == "LIMIT_EXCEEDED");
    CHECK(code("content_search", path_args("none", R"("query":"x")")) == "NOT_FOUND");
  }

  TEST_CASE_FIXTURE(FilesCase, "a search gives up after its time or bytes, and says so") {
    open("\"search_bytes\":1");
    for (int i = 0; i < 50; ++i) tree.write(fmt::format("f{:02}", i), "needle\n");
    const Json cut = call("content_search", query_args("needle"));
    CHECK(cut["result.truncated"] == "true");
    CHECK(cut.string("result.truncation_reason") == "bytes_budget");
    CHECK(cut.size("result.matches") < 50);
  }

  TEST_CASE_FIXTURE(FilesCase, "a cancelled search ends as cancelled") {
    tree.write("t", "needle\n");
    packhost::testing::CallSetup setup;
    setup.cancelled_at_start = true;
    const packhost::testing::Result result =
        pack().tool("content_search", query_args("needle"), setup);
    CHECK(result.status == PACKHOST_E_CANCELLED);
  }
}
