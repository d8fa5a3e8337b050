// SPDX-License-Identifier: MIT
// The pack's pure parts: encodings, ignore files, credential names, paths, the error table.
#include "plugins/files/errors.hpp"
#include "plugins/files/ignore_rules.hpp"
#include "plugins/files/names.hpp"
#include "plugins/files/sensitive.hpp"
#include "plugins/files/text_model.hpp"
#include "plugins/files/workspace/paths.hpp"
#include "tests/unit/files/temp_tree.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace packhost::files;
using namespace std::string_view_literals;
namespace kit = packhost::kit;

namespace {

/// Decodes in pieces of `step` bytes: "encoding bom text" or the fault.
std::string decode(std::string_view bytes, std::size_t step,
                   std::optional<NamedEncoding> named = std::nullopt) {
  const auto told = [](const TextFault &fault) {
    return std::string(name_of(fault.reason)) + " at " + std::to_string(fault.offset);
  };
  kit::Result<Decoder, TextFault> decoder = Decoder::begin(bytes.substr(0, kNulWindow), named);
  if (!decoder) return told(decoder.error());
  std::string text =
      std::string(name_of(decoder->encoding())) + (decoder->has_bom() ? " bom " : " ");
  std::size_t at = 0;
  std::size_t end = std::min(std::max<std::size_t>(step, 4), bytes.size());
  for (;;) {
    const auto piece = decoder->decode(bytes.substr(at, end - at), end == bytes.size());
    if (!piece) return told(piece.error());
    text += piece->text;
    at += piece->consumed;
    if (end == bytes.size()) return text;
    end = std::min(end + step, bytes.size());
  }
}

std::string outcome_of(std::string_view path, const kit::RootedDir &root) {
  const Outcome<CallerPath> parsed = parse_path(path, root);
  return parsed ? parsed->relative + (parsed->must_be_directory ? " dir" : "")
                : std::string(row_of(parsed.error().code).word);
}

} // namespace

TEST_SUITE("files/text_model") {
  TEST_CASE("text is decoded the same in pieces of any size") {
    const std::string_view utf8 = "\xEF\xBB\xBFg\xC3\xBCte \xF0\x9F\x98\x80\n"sv;
    const std::string_view le = "\xFF\xFE"
                                "a\0\x3D\xD8\x00\xDE"sv;
    const std::string_view be = "\xFE\xFF\0a\xD8\x3D\xDE\x00"sv;
    for (std::size_t step = 1; step < 9; ++step) {
      CAPTURE(step);
      CHECK(decode(utf8, step) == "utf-8 bom g\xC3\xBCte \xF0\x9F\x98\x80\n");
      CHECK(decode(le, step) == "utf-16-le bom a\xF0\x9F\x98\x80");
      CHECK(decode(be, step) == "utf-16-be bom a\xF0\x9F\x98\x80");
    }
  }

  TEST_CASE("what is no text is told with reason and offset") {
    CHECK(decode("ab\0c"sv, 8) == "nul_byte at 2");
    CHECK(decode("ab\xFFxyz"sv, 8) == "undecodable at 2");
    CHECK(decode("abcdef\xC3"sv, 3) == "undecodable at 6");
    CHECK(decode("\xFF\xFE\0\0"sv, 8) == "utf-32 at 0");
    CHECK(decode("\xFF\xFE"
                 "a\0b"sv,
                 8) == "undecodable at 4");
    CHECK(decode("\xFF\xFE\x3D\xD8x\0"sv, 8) == "undecodable at 2");
    CHECK(decode(""sv, 8) == "utf-8 ");
  }

  TEST_CASE("named encodings are strict, too") {
    CHECK(decode("\xE9\0"sv, 8, parse_encoding("Latin_1")) == "latin-1 \xC3\xA9\0"sv);
    CHECK(decode("\x80\x81"sv, 8, parse_encoding("cp1252")) == "undecodable at 1");
    CHECK(decode("\x80"sv, 8, parse_encoding("windows-1252")) == "windows-1252 \xE2\x82\xAC");
    CHECK(decode("a\x80"sv, 8, parse_encoding("ascii")) == "undecodable at 1");
    CHECK(decode("\xFE\xFF\0a"sv, 8, parse_encoding("utf-16")) == "utf-16-be bom a");
    CHECK(decode("a\0"sv, 8, parse_encoding("utf-16-le")) == "utf-16-le a");
    CHECK_FALSE(parse_encoding("utf-7"));
    CHECK_FALSE(parse_encoding(std::string(100, 'x')));
  }

  TEST_CASE("one look over bytes finds what it looks for at any place") {
    for (std::size_t at = 0; at < 40; ++at) {
      std::string bytes(40, 'x');
      bytes[at] = '\0';
      CHECK(traits_of(bytes).has_nul);
      bytes[at] = '\r';
      CHECK(traits_of(bytes).has_cr);
      bytes[at] = '\x80';
      CHECK(traits_of(bytes).has_high);
      CHECK_FALSE(traits_of(bytes).has_nul);
      CHECK_FALSE(traits_of(bytes).has_cr);
    }
  }
}

TEST_SUITE("files/ignore_rules") {
  TEST_CASE("the last matching line of an ignore file decides") {
    const IgnoreFile file = IgnoreFile::parse("# note\n*.o\n!keep.o\n/top\nbuild/\ndoc/*.txt\r\n");
    CHECK(file.says("x/a.o", "a.o", false) == true);
    CHECK(file.says("keep.o", "keep.o", false) == false);
    CHECK(file.says("top", "top", false) == true);
    CHECK_FALSE(file.says("x/top", "top", false));
    CHECK(file.says("x/build", "build", true) == true);
    CHECK_FALSE(file.says("x/build", "build", false));
    CHECK(file.says("doc/a.txt", "a.txt", false) == true);
    CHECK_FALSE(file.says("doc/x/a.txt", "a.txt", false));
  }
}

TEST_SUITE("files/sensitive") {
  TEST_CASE("credential-shaped names are known by their rule") {
    const auto rule = [](std::string_view path) {
      return std::string(sensitive_rule(path).value_or("-"));
    };
    CHECK(rule("a/.env") == "env");
    CHECK(rule("prod.env") == "env");
    CHECK(rule(".ENV.local") == "env");
    CHECK(rule("x/.ssh/config") == "ssh");
    CHECK(rule("id_ed25519") == "ssh");
    CHECK(rule("server.pem") == "key");
    CHECK(rule(".kube/config") == "cloud");
    CHECK(rule(".gnupg/any") == "gpg");
    CHECK(rule("a/.config/gh/hosts.yml") == "tool");
    CHECK(rule("credentials.json") == "named");
    CHECK(rule("prod-secrets.yaml") == "named");
    CHECK(rule("service_account.json") == "named");
    CHECK(rule("terraform.tfstate") == "state");
  }

  TEST_CASE("examples, public halves and source code are not") {
    for (const std::string_view path :
         {".env.example", "secrets.example.json", "secrets.py", "credentials.go", "environment.ts",
          "config.env.ts", "environment.yml", "tokenizer.json", "keyboard.json", "monkey.key.md",
          "secretary.txt", ".environment", "id_rsa.pub", "known_hosts", "kube/config"}) {
      CAPTURE(path);
      CHECK_FALSE(sensitive_rule(path));
    }
  }
}

TEST_SUITE("files/workspace/paths") {
  TEST_CASE("the lexical step") {
    const packhost::tests::TempTree tree;
    const auto root = kit::RootedDir::open(tree.root(), {"/spelled/tree"}, {});
    REQUIRE(root);
    CHECK(outcome_of("a/./b//c", *root) == "a/b/c");
    CHECK(outcome_of("a/../b/", *root) == "b dir");
    CHECK(outcome_of(".", *root) == "");
    CHECK(outcome_of("../x", *root) == "PATH_OUTSIDE_WORKSPACE");
    CHECK(outcome_of("a/../../x", *root) == "PATH_OUTSIDE_WORKSPACE");
    CHECK(outcome_of("", *root) == "INVALID_PATH");
    CHECK(outcome_of("a\0b"sv, *root) == "INVALID_PATH");
    CHECK(outcome_of(std::string(256, 'a'), *root) == "INVALID_PATH");
    CHECK(outcome_of(std::string(5000, '/') + "a", *root) == "INVALID_PATH");
    std::string deep = "a";
    for (int i = 0; i < 127; ++i) deep += "/a";
    CHECK(outcome_of(deep, *root) == deep);
    CHECK(outcome_of(deep + "/a", *root) == "INVALID_PATH");
    CHECK(outcome_of(tree.root() + "/x", *root) == "x");
    CHECK(outcome_of(tree.root(), *root) == "");
    CHECK(outcome_of("/spelled/tree/../tree/x", *root) == "x");
    CHECK(outcome_of(tree.root() + "-old/x", *root) == "PATH_OUTSIDE_WORKSPACE");
    CHECK(outcome_of("~/x", *root) == "~/x");
    CHECK(outcome_of("$HOME", *root) == "$HOME");
  }

  TEST_CASE("below a root of / every absolute path is inside") {
    const auto root = kit::RootedDir::open("/", {}, {});
    REQUIRE(root);
    CHECK(outcome_of("/etc/x", *root) == "etc/x");
    CHECK(outcome_of("/", *root) == " dir");
  }
}

TEST_SUITE("files/errors") {
  TEST_CASE("every code has one word, and a failure is one document") {
    std::set<std::string_view> words;
    for (const ErrorRow &row : error_rows()) words.insert(row.word);
    CHECK(words.size() == error_rows().size());
    CHECK(
        encode_failure(failure(ErrorCode::io_error, "It {}", "failed")
                           .with("path", "a\"b")
                           .with("n", std::uint64_t{3})
                           .transient()) ==
        R"({"ok":false,"error":{"code":"IO_ERROR","message":"It failed","retryable":true,"details":{"path":"a\"b","n":3}}})");
    CHECK(
        encode_failure(failure(ErrorCode::not_found, "No")) ==
        R"({"ok":false,"error":{"code":"NOT_FOUND","message":"No","retryable":false,"details":{}}})");
  }
}

TEST_SUITE("files/names") {
  TEST_CASE("names are composed and folded") {
    CHECK(to_nfc("e\xCC\x81") == "\xC3\xA9");
    CHECK(fold_name("E\xCC\x81X") == fold_name("\xC3\xA9x"));
    CHECK(to_nfc("plain.txt") == "plain.txt");
  }
}
