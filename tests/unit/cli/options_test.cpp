// SPDX-License-Identifier: MIT
// The parser of one stretch of words, and the table of host options.
#include "host/cli/options.hpp"
#include "tests/unit/cli/words.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace packhost;
using namespace packhost::cli;
using packhost::cli::test::words;

namespace {

const std::vector<FlagSpec> kFlags{{"root", true}, {"read-only", false}, {"undo-keep", true}};

std::string parsed(const std::vector<std::string> &stretch) {
  const auto result = parse_words(stretch, kFlags, [](std::string_view name) {
    return std::string_view(name == "log-level" ? "that one stands elsewhere" : "");
  });
  if (!result) return "! " + result.error().message;
  std::string out;
  for (const GivenFlag &flag : result->flags) out += flag.name + "=" + flag.value + ";";
  for (const std::string &word : result->words) out += " " + word;
  return out;
}

} // namespace

TEST_SUITE("cli/options") {
  TEST_CASE("both forms of a value are taken, and order and repetition are kept") {
    CHECK(parsed(words("--root /b --root=/a --read-only")) == "root=/b;root=/a;read-only=;");
  }

  TEST_CASE("commas, dashes and empty texts in a value are part of it") {
    CHECK(parsed({"--root", "/a,/b", "--undo-keep", "-5", "--root", ""}) ==
          "root=/a,/b;undo-keep=-5;root=;");
    CHECK(parsed({"--root=--pack", "--root", "--read-only"}) == "root=--pack;root=--read-only;");
  }

  TEST_CASE("words that are no flags are kept in order, also behind two dashes") {
    CHECK(parsed({"add", "--root", "/a", "x,y", "--", "--root"}) == "root=/a; add x,y --root");
    CHECK(parsed({"-"}) == " -");
  }

  TEST_CASE("an unknown flag is named with the nearest known one, its value is not shown") {
    CHECK(parsed(words("--roto=/secret")) == "! unknown option --roto; did you mean --root?");
    CHECK(parsed(words("--zzzzzzzz 1")) == "! unknown option --zzzzzzzz");
    CHECK(parsed(words("--log-level x")) ==
          "! unknown option --log-level; that one stands elsewhere");
  }

  TEST_CASE("a missing value and a value too many are refused") {
    CHECK(parsed(words("--root")) == "! --root needs a value");
    CHECK(parsed(words("--read-only=yes")) == "! --read-only takes no value");
  }

  TEST_CASE("a word of 200 KB is read like any other") {
    const std::string long_value(200'000, 'x');
    CHECK(parsed({"--root=" + long_value}) == "root=" + long_value + ";");
  }

  TEST_CASE("every host option has a help text, and flags and keys are unique") {
    std::set<std::string_view> flags;
    std::set<std::string_view> keys;
    for (const HostOption &option : host_options()) {
      CHECK(!option.help.empty());
      CHECK(flags.insert(option.flag).second);
      if (!option.config_key.empty()) CHECK(keys.insert(option.config_key).second);
      CHECK((option.type == OptionType::flag) == option.value_name.empty());
    }
  }

  TEST_CASE("limits go downwards only") {
    HostOptions options;
    CHECK(apply_flag(options, {"max-calls", "4"}));
    CHECK(options.limits.max_calls == 4);
    const auto more = apply_flag(options, {"max-calls", "5"});
    REQUIRE(!more);
    CHECK(more.error().message == "--max-calls must be a whole number from 1 to 4");
    CHECK(!apply_flag(options, {"max-result-bytes", "4194305"}));
    CHECK(!apply_flag(options, {"max-line-bytes", "0"}));
    CHECK(!apply_flag(options, {"max-line-bytes", "1k"}));
  }

  TEST_CASE("names are split at commas and none may be empty") {
    HostOptions options;
    CHECK(apply_flag(options, {"tools", "a,b"}));
    CHECK(apply_flag(options, {"tools", "c"}));
    CHECK(options.tools.only == std::vector<std::string>{"a", "b", "c"});
    CHECK(!apply_flag(options, {"hide-tools", "a,,b"}));
  }

  TEST_CASE("a configuration file sets what the command line does not") {
    HostOptions options;
    const auto tree = parse_tree(
        R"({"log_level": "info", "tools": ["a"], "read_only": true, "max_calls": 3, "pack_dir": "p"})");
    REQUIRE(tree);
    const std::vector<GivenFlag> given{{"log-level", "debug"}};
    REQUIRE(apply_flag(options, given.front()));
    REQUIRE(apply_config(options, *tree, given, "/etc/packhost"));
    CHECK(options.log_level == support::LogLevel::debug);
    CHECK(options.tools.only == std::vector<std::string>{"a"});
    CHECK(options.tools.read_only);
    CHECK(options.limits.max_calls == 3);
    CHECK(options.pack_dir == "/etc/packhost/p");
  }

  TEST_CASE("a member that is no option, or of another type, is refused by name") {
    HostOptions options;
    const auto refused = [&options](std::string_view text) {
      const auto tree = parse_tree(text);
      REQUIRE(tree);
      const auto set = apply_config(options, *tree, {}, "/etc");
      return set ? std::string() : set.error().message;
    };
    CHECK(refused(R"({"log_levl": "info"})") ==
          "\"packhost\": unknown member \"log_levl\"; did you mean \"log_level\"?");
    CHECK(refused(R"({"max_calls": "3"})") == "\"packhost\": \"max_calls\" must be a whole number");
    CHECK(refused(R"({"read_only": 1})") == "\"packhost\": \"read_only\" must be true or false");
    CHECK(refused(R"({"explain": true})").starts_with("\"packhost\": unknown member \"explain\""));
  }

  TEST_CASE("host options before the first free word are counted with their values") {
    const std::vector<FlagSpec> flags = host_flags(kUseCall);
    const std::vector<std::string_view> line{"--log-level", "info", "--read-only",
                                             "--tools=a",   "kv",   "kv_get"};
    CHECK(count_option_words(line, flags) == 4);
    CHECK(count_option_words({}, flags) == 0);
  }
}
