// SPDX-License-Identifier: MIT
// file_read, file_read_many and file_info through the pack's border.
#include "sdk/kit/sha256.hpp"
#include "tests/unit/files/files_case.hpp"

#include <filesystem>

#include <sys/stat.h>

using namespace packhost::tests;
using namespace std::string_view_literals;

TEST_SUITE("files/read") {
  TEST_CASE_FIXTURE(FilesCase, "[F-8] CRLF text is returned with its CRLF, and named so") {
    tree.write("a.txt", "one\r\ntwo\r\n");
    const Json read = call("file_read", path_args("a.txt"));
    CHECK(read.string("result.content") == "one\r\ntwo\r\n");
    CHECK(read.string("result.newline") == "crlf");
    CHECK(read["result.line_count"] == "2");
    CHECK(read["result.ends_with_newline"] == "true");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-9] a byte order mark is told, and is not in the content") {
    tree.write("a.txt", "\xEF\xBB\xBF"
                        "x\n");
    tree.write("b.txt", "\xFE\xFF\0y"sv);
    const Json utf8 = call("file_read", path_args("a.txt"));
    CHECK(utf8.string("result.content") == "x\n");
    CHECK(utf8["result.bom"] == "true");
    CHECK(utf8["result.size_bytes"] == "5");
    const Json utf16 = call("file_read", path_args("b.txt"));
    CHECK(utf16.string("result.content") == "y");
    CHECK(utf16.string("result.encoding") == "utf-16-be");
    CHECK(utf16["result.bom"] == "true");
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "[F-10] a line beyond the file is refused with the number of lines") {
    tree.write("ten", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    const Json beyond = call("file_read", path_args("ten", "\"end_line\":11"));
    CHECK(beyond.string("error.code") == "LINE_OUT_OF_RANGE");
    CHECK(beyond["error.details.line_count"] == "10");
    CHECK(code("file_read", path_args("ten", "\"start_line\":0")) == "LINE_OUT_OF_RANGE");
    CHECK(code("file_read", path_args("ten", "\"start_line\":-3")) == "LINE_OUT_OF_RANGE");
    CHECK(code("file_read", path_args("ten", "\"start_line\":11")) == "LINE_OUT_OF_RANGE");
    CHECK(code("file_read", path_args("ten", "\"start_line\":5,\"end_line\":4")) ==
          "INVALID_ARGUMENT");
    const Json range = call("file_read", path_args("ten", "\"start_line\":9,\"end_line\":10"));
    CHECK(range.string("result.content") == "9\n10\n");
    CHECK(range["result.start_line"] == "9");
    CHECK(range["result.end_line"] == "10");
  }

  TEST_CASE_FIXTURE(FilesCase, "an empty file has no lines, and asking for none is fine") {
    tree.write("empty", "");
    const Json read = call("file_read", path_args("empty"));
    CHECK(read["result.line_count"] == "0");
    CHECK(read["result.start_line"] == "null");
    CHECK(read["result.end_line"] == "null");
    CHECK(read.string("result.newline") == "none");
    CHECK(code("file_read", path_args("empty", "\"start_line\":1")) == "LINE_OUT_OF_RANGE");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-11] what is cut ends at a line, and the pieces make the file") {
    std::string text;
    for (int i = 0; i < 40'000; ++i) text += std::to_string(i * i) + (i % 3 == 0 ? "\r\n" : "\n");
    text += "last \xC3\xA4";
    tree.write("long", text);
    std::string pieces;
    std::string next = "1";
    int calls = 0;
    while (next != "null") {
      const Json read =
          call("file_read", path_args("long", "\"max_bytes\":50001,\"start_line\":" + next));
      pieces += read.string("result.content");
      next = read["result.next_start_line"];
      CHECK((read["result.truncated"] == "true") == (next != "null"));
      if (next != "null") CHECK(read.string("result.truncation_reason") == "max_bytes");
      REQUIRE(++calls < 100);
    }
    CHECK(pieces == text);
    CHECK(calls > 3);
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "[F-12] a line above max_bytes is cut at a character, its length told") {
    std::string line;
    while (line.size() < 3 * 1024 * 1024) line += "\xE2\x82\xAC";
    tree.write("long", line + "\nnext\n");
    const Json read = call("file_read", path_args("long"));
    const std::string content = read.string("result.content");
    CHECK(read.string("result.truncation_reason") == "line_exceeds_max_bytes");
    CHECK(content.size() <= 1'048'576);
    CHECK(content.size() > 1'048'576 - 3);
    CHECK(content.size() % 3 == 0);
    CHECK(read["result.line_bytes"] == std::to_string(line.size() + 1));
    CHECK(read["result.next_start_line"] == "2");
    CHECK(read["result.line_count"] == "2");
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "[F-13] a picture is refused, and is text to whoever names latin-1") {
    const std::string_view png = "\x89PNG\r\n\x1A\n\0\0\0\rIHDR"sv;
    tree.write("a.png", png);
    const Json refused = call("file_read", path_args("a.png"));
    CHECK(refused.string("error.code") == "BINARY_CONTENT_REFUSED");
    CHECK(refused.string("error.details.reason") == "nul_byte");
    const Json read = call("file_read", path_args("a.png", "\"encoding\":\"latin-1\""));
    CHECK(read.string("result.content").substr(0, 5) == "\xC2\x89PNG");
    CHECK(code("file_read", path_args("a.png", "\"encoding\":\"ebcdic\"")) ==
          "UNSUPPORTED_ENCODING");
    CHECK(code("file_read", path_args("a.png", "\"encoding\":\"utf-8\"")) == "ENCODING_ERROR");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-14] bytes of another encoding are refused, never replaced") {
    tree.write("latin", "caf\xE9 au lait");
    const Json refused = call("file_read", path_args("latin"));
    CHECK(refused.string("error.code") == "BINARY_CONTENT_REFUSED");
    CHECK(refused.string("error.details.reason") == "undecodable");
    CHECK(refused["error.details.offset"] == "3");
    CHECK(refused.text().find("\xEF\xBF\xBD") == std::string::npos);
  }

  TEST_CASE_FIXTURE(FilesCase, "a NUL behind the first 64 KiB counts where it is returned") {
    tree.write("late", std::string(70'000, '\n') + std::string("a\0b\nc\n"sv));
    CHECK(code("file_read", path_args("late", "\"end_line\":10")) == "ok");
    CHECK(code("file_read", path_args("late")) == "BINARY_CONTENT_REFUSED");
  }

  TEST_CASE_FIXTURE(FilesCase, "what is no text is not read on where no hash is made of it") {
    tree.write("huge", "");
    std::filesystem::resize_file(tree.at("huge"), std::uintmax_t{1} << 43U); // sparse: 8 TiB
    const Json info = call("file_info", path_args("huge"));
    CHECK(info["result.content_hash"] == "null");
    CHECK(info["result.is_text"] == "false");
    CHECK(info["result.size_bytes"] == "8796093022208");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-15] one of 32 files may fail alone; 33 are too many") {
    std::string paths;
    for (int i = 0; i < 32; ++i) {
      if (i != 7) tree.write("f" + std::to_string(i), std::to_string(i));
      paths += (i == 0 ? "\"f" : ",\"f") + std::to_string(i) + "\"";
    }
    const Json read = call("file_read_many", "{\"paths\":[" + paths + "]}");
    CHECK(read["result.ok_count"] == "31");
    CHECK(read["result.error_count"] == "1");
    CHECK(read.string("result.entries.7.error.code") == "NOT_FOUND");
    CHECK(read["result.entries.7.ok"] == "false");
    CHECK(read.string("result.entries.31.result.content") == "31");
    CHECK(items == 32);
    const Json many = call("file_read_many", "{\"paths\":[" + paths + ",\"f0\"]}");
    CHECK(many.string("error.code") == "LIMIT_EXCEEDED");
    CHECK(many["error.details.maximum"] == "32");
    CHECK(code("file_read_many", "{\"paths\":[]}") == "INVALID_ARGUMENT");
  }

  TEST_CASE_FIXTURE(FilesCase, "files that no longer fit into one answer can be read alone") {
    open("\"max_read_many_bytes\":4096");
    tree.write("a", std::string(3000, 'a'));
    tree.write("b", std::string(3000, 'b'));
    tree.write("c", "c");
    const Json read = call("file_read_many", R"({"paths":["a","b","c"]})");
    CHECK(read["result.entries.0.ok"] == "true");
    CHECK(read.string("result.entries.1.error.code") == "LIMIT_EXCEEDED");
    CHECK(read["result.entries.1.error.details.retry_alone"] == "true");
    CHECK(read["result.entries.2.ok"] == "true");
  }

  TEST_CASE_FIXTURE(FilesCase, "text that escaping makes too long is cut, not refused") {
    open("\"max_read_bytes\":3145728");
    std::string text;
    while (text.size() < 2'000'000) text += std::string(99, '\x01') + "\n";
    tree.write("controls", text);
    const Json read = call("file_read", path_args("controls"));
    CHECK(read["result.truncated"] == "true");
    CHECK(read.text().size() < 4'194'304);
    const std::string content = read.string("result.content");
    CHECK(content.back() == '\n');
    CHECK(content == text.substr(0, content.size()));
  }

  TEST_CASE_FIXTURE(FilesCase, "a file with CR alone is read by its CR") {
    tree.write("cr", "a\rb\rc");
    const Json read = call("file_read", path_args("cr", "\"start_line\":2,\"end_line\":2"));
    CHECK(read.string("result.content") == "b\r");
    CHECK(read.string("result.newline") == "cr");
    CHECK(read["result.line_count"] == "3");
    tree.write("mixed", "a\rb\nc\r\n");
    const Json mixed = call("file_read", path_args("mixed"));
    CHECK(mixed["result.line_count"] == "2");
    CHECK(mixed.string("result.newline") == "mixed");
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "[F-16] file_info describes a link itself; a hash is the file's SHA-256") {
    tree.write("dir/a.txt", "hello\nworld");
    tree.link("ln", "dir/a.txt");
    tree.link("absolute", tree.at("dir"));
    tree.link("dangling", "nowhere");
    tree.link("out", tree.outside() + "/x");
    const Json link = call("file_info", path_args("ln"));
    CHECK(link.string("result.kind") == "symlink");
    CHECK(link.string("result.link_target") == "dir/a.txt");
    CHECK(link.string("result.resolves_to") == "dir/a.txt");
    CHECK(link["result.link_outside"] == "false");
    CHECK(link["result.content_hash"] == "");
    const Json absolute = call("file_info", path_args("absolute"));
    CHECK(absolute.string("result.link_target") == "dir");
    CHECK(absolute["result.link_absolute"] == "true");
    CHECK(call("file_info", path_args("dangling"))["result.resolves_to"] == "null");
    const Json out = call("file_info", path_args("out"));
    CHECK(out["result.link_outside"] == "true");
    CHECK(out["result.link_target"] == "null");
    CHECK(out["result.resolves_to"] == "null");
    const Json file = call("file_info", path_args("dir/a.txt"));
    const auto hash = packhost::kit::sha256_hex("hello\nworld");
    REQUIRE(hash);
    CHECK(*hash == "26c60a61d01db5836ca70fefd44a6a016620413c8ef5f259a6c5612d4f79d3b8");
    CHECK(file.string("result.content_hash") == "sha256:" + *hash);
    CHECK(file["result.line_count"] == "2");
    CHECK(file["result.is_text"] == "true");
    CHECK(file["result.nlink"] == "1");
    const Json directory = call("file_info", path_args("dir/"));
    CHECK(directory.string("result.kind") == "directory");
    CHECK(directory["result.entry_count"] == "1");
    CHECK(call("file_info", path_args("ln/"))["error.code"] == "\"NOT_A_DIRECTORY\"");
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "file_info tells text from bytes, modes, and what a write would meet") {
    tree.write("run.sh", "#!/bin/sh\n");
    ::chmod(tree.at("run.sh").c_str(), 0750);
    tree.write("blob", "\0\1"sv);
    tree.write(".env", "");
    const Json script = call("file_info", path_args("run.sh"));
    CHECK(script.string("result.mode") == "0750");
    CHECK(script["result.is_executable"] == "true");
    CHECK(script["result.sensitive"] == "false");
    const Json blob = call("file_info", path_args("blob"));
    CHECK(blob["result.is_text"] == "false");
    CHECK(blob["result.encoding"] == "");
    CHECK(blob.string("result.content_hash").substr(0, 7) == "sha256:");
    CHECK(call("file_info", path_args(".env"))["result.sensitive"] == "true");
  }

  TEST_CASE_FIXTURE(FilesCase, "kinds that do not fit are refused by their own codes") {
    tree.directory("d");
    tree.write("f", "x");
    CHECK(code("file_read", path_args("d")) == "NOT_A_FILE");
    CHECK(code("file_read", path_args("f/")) == "NOT_A_FILE");
    CHECK(code("file_read", path_args("f/x")) == "NOT_A_DIRECTORY");
    CHECK(code("file_read", path_args("none")) == "NOT_FOUND");
    CHECK(code("file_read", path_args("none/x")) == "NOT_FOUND");
    CHECK(code("file_read", path_args("")) == "INVALID_PATH");
    CHECK(code("directory_list", path_args("f")) == "NOT_A_DIRECTORY");
    CHECK(code("file_search", path_args("f", "\"glob\":\"*\"")) == "NOT_A_DIRECTORY");
  }

  TEST_CASE_FIXTURE(FilesCase, "what permissions forbid is refused as such") {
    tree.write("locked", "x");
    tree.write("open", "x");
    ::chmod(tree.at("locked").c_str(), 0);
    ::chmod(tree.base().c_str(), 0755);
    open();
    // The superuser may read everything: be somebody else for the calls.
    const bool is_superuser = ::geteuid() == 0;
    if (is_superuser) REQUIRE(::seteuid(65534) == 0);
    const std::string locked = code("file_read", path_args("locked"));
    const std::string free = code("file_read", path_args("open"));
    const Json search = call("content_search", path_args(".", "\"query\":\"x\""));
    if (is_superuser) REQUIRE(::seteuid(0) == 0);
    CHECK(locked == "PERMISSION_DENIED");
    CHECK(free == "ok");
    CHECK(search["result.skipped.unreadable"] == "1");
  }

  TEST_CASE_FIXTURE(FilesCase, "sizes of requests are bounded") {
    tree.write("f", "x");
    const Json large = call("file_read", path_args("f", "\"max_bytes\":1048577"));
    CHECK(large.string("error.code") == "LIMIT_EXCEEDED");
    CHECK(large["error.details.maximum"] == "1048576");
    CHECK(large["error.details.requested"] == "1048577");
    CHECK(large.string("error.details.limit") == "max_bytes");
    CHECK(code("file_read", path_args("f", "\"max_bytes\":0")) == "INVALID_ARGUMENT");
    CHECK(code("file_read", path_args("f", "\"max_bytes\":\"9\"")) == "INVALID_ARGUMENT");
    CHECK(code("file_read", path_args("f", "\"max_bytes\":2.0")) == "ok");
    CHECK(code("file_read", path_args("f", "\"max_bytes\":null")) == "ok");
    CHECK(code("file_read", path_args("f", "\"max_bytes\":true")) == "INVALID_ARGUMENT");
  }
}
