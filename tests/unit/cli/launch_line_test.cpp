// SPDX-License-Identifier: MIT
// A launch line taken apart.
#include "host/cli/launch_line.hpp"
#include "tests/unit/cli/temp_dir.hpp"
#include "tests/unit/cli/words.hpp"

#include <doctest/doctest.h>

using namespace packhost;
using namespace packhost::cli;
using packhost::cli::test::TempDir;
using packhost::cli::test::views;
using packhost::cli::test::words;

namespace {

kit::Result<Launch> parse(std::string_view line) {
  const std::vector<std::string> texts = words(line);
  return parse_launch(views(texts));
}

std::string refusal(std::string_view line) {
  const auto launch = parse(line);
  return launch ? "accepted" : launch.error().message;
}

} // namespace

TEST_SUITE("cli/launch_line") {
  TEST_CASE("an option belongs to the pack named last before it, host options come first") {
    const auto launch =
        parse("--log-level info --pack kb --base /b --pack=notes=files --root /r --read-only");
    REQUIRE(launch);
    CHECK(launch->host.log_level == support::LogLevel::info);
    REQUIRE(launch->packs.size() == 2);
    CHECK(launch->packs[0].pack == "kb");
    CHECK(launch->packs[0].alias.empty());
    CHECK(launch->packs[0].words == words("--base /b"));
    CHECK(launch->packs[1].pack == "files");
    CHECK(launch->packs[1].alias == "notes");
    CHECK(launch->packs[1].words == words("--root /r --read-only"));
  }

  TEST_CASE("a path is a pack, and an equals sign in it means nothing") {
    const auto launch = parse("--pack /opt/a=b/kv.so --pack x=./y=z.so");
    REQUIRE(launch);
    CHECK(launch->packs[0].pack == "/opt/a=b/kv.so");
    CHECK(launch->packs[1].alias == "x");
    CHECK(launch->packs[1].pack == "./y=z.so");
  }

  TEST_CASE("a value in the form of --pack needs the equals form") {
    const auto launch = parse("--pack files --name=--pack --pack kb");
    REQUIRE(launch);
    CHECK(launch->packs[0].words == words("--name=--pack"));
    CHECK(launch->packs[1].pack == "kb");
  }

  TEST_CASE("names that are reserved or no names are refused") {
    CHECK(refusal("--pack serve=kb").starts_with("--pack: 'serve' cannot be the name of a pack"));
    CHECK(refusal("--pack Kb=kb").starts_with("--pack: 'Kb' cannot be the name of a pack"));
    CHECK(refusal("--pack kv.so") ==
          "--pack: 'kv.so' is no name of a pack; a file is named by a path with a slash");
    CHECK(refusal("--pack") == "--pack needs the name of a pack");
    CHECK(refusal("--pack=") == "--pack needs the name of a pack");
    CHECK(is_pack_name("abcdefghijkl"));
    CHECK(!is_pack_name("abcdefghijklm"));
    CHECK(!is_pack_name("packhost"));
    CHECK(!is_pack_name("a_b"));
  }

  TEST_CASE("words in front of the first pack that are no host options are refused") {
    CHECK(refusal("stray --pack kb") ==
          "unexpected word 'stray'; options of a pack come after its --pack");
    CHECK(refusal("--log-levl info") == "unknown option --log-levl; did you mean --log-level?");
    CHECK(refusal("--pakc files --root /") == "unknown option --pakc; did you mean --pack?");
    CHECK(refusal("--root / --pack files") ==
          "unknown option --root; options of a pack come after its --pack");
    CHECK(refusal("--log-level loud") == "--log-level must be error, warn, info, debug or trace");
    CHECK(refusal("--read-only --read-only") == "--read-only is given twice");
  }

  TEST_CASE("[A-16] a relative path of the host's own options is refused on the line of serve") {
    CHECK(
        refusal("--config packhost.json") ==
        "--config is relative; write it absolute: the working directory of a harness is not yours");
    CHECK(refusal("--pack-dir packs").starts_with("--pack-dir is relative"));
  }

  TEST_CASE("the configuration file is strict JSON of known shape") {
    const TempDir dir;
    const auto with = [&dir](std::string_view text) {
      return refusal("--config " + dir.write("c.json", text));
    };
    const std::string at = "--config " + dir.path("c.json");
    CHECK(with("{\"packhost\": {\"log_level\": \"info\"}, \"kb\": {\"base\": \"/n\"}}") ==
          "accepted");
    CHECK(with("{\n\"kb\": {},\n}") == at + " is not valid JSON (line 3)");
    CHECK(with("{\"kb\": {\"base\": \"/a\",\n\"base\": \"/b\"}}") ==
          at + " has the member \"kb.base\" twice (line 2); leave one of them out");
    CHECK(with("{\"kb\": {}, \"kb\": {}}") ==
          at + " has the member \"kb\" twice (line 1); leave one of them out");
    CHECK(with("[]") == at + " is not a JSON object");
    CHECK(with("{\"kb\": 1}") == at + ": \"kb\" is not an object");
    CHECK(with("{\"K b\": {}}") == at + ": \"K b\" is no name of a pack");
    CHECK(with(std::string(1024 * 1024 + 1, ' ')) ==
          at + " is too long; the limit is 1048576 bytes");
    CHECK(with("{\"kb\": " + std::string(100, '[') + std::string(100, ']') + "}") ==
          at + " is nested deeper than 64 levels (line 1)");
    CHECK(refusal("--config " + dir.path("none.json")) ==
          "--config " + dir.path("none.json") + " cannot be read (no such file or directory)");
  }
}
