// SPDX-License-Identifier: MIT
// Options from all their sources: order, paths, references, messages.
#include "host/cli/option_values.hpp"
#include "host/cli/secrets.hpp"
#include "tests/unit/cli/temp_dir.hpp"
#include "tests/unit/cli/tree.hpp"

#include <doctest/doctest.h>

using namespace packhost;
using namespace packhost::cli;
using packhost::cli::test::TempDir;
using packhost::cli::test::tree;

namespace {

constexpr std::string_view kSchema = R"({
  "type": "object", "additionalProperties": false, "required": ["root"],
  "properties": {
    "root": {"type": "array", "maxItems": 4,
             "items": {"type": "string", "x-packhost": {"path": "directory", "must_exist": true}}},
    "workspace": {"type": "string", "x-packhost": {"excludes": ["root"]}},
    "undo_keep": {"type": "integer", "minimum": 0, "maximum": 10000, "default": 200},
    "share": {"type": "number"},
    "protect_vcs": {"type": "boolean", "default": true},
    "read_only": {"type": "boolean", "default": false},
    "name": {"type": "string", "maxLength": 5},
    "settings": {"type": "string", "x-packhost": {"path": "file", "options_file": true}},
    "token": {"type": "string", "minLength": 3, "x-packhost": {"secret": true}},
    "password_file": {"type": "string", "x-packhost": {"secret_from": "file"}},
    "password_env": {"type": "string", "x-packhost": {"secret_from": "env"}},
    "certificate": {"type": "string", "x-packhost": {"path": "file", "file_content": true}},
    "targets": {"type": "object", "additionalProperties":
      {"type": "object", "additionalProperties": false, "properties": {
        "port": {"type": "integer"}, "password": {"type": "string", "x-packhost": {"secret": true}}}}}}})";

struct Options {
  Node schema = tree(kSchema);
  std::vector<Field> fields = read_fields(schema);

  [[nodiscard]] kit::Result<GivenOptions> merge(std::string_view config,
                                                const std::vector<GivenFlag> &flags,
                                                const std::string &directory = "") const {
    std::vector<OptionSource> sources;
    if (!config.empty()) sources.push_back({tree(config), "/etc/c.json", "/etc"});
    auto typed = read_typed_options(fields, flags, directory);
    if (!typed) return pass_on(typed);
    sources.push_back(std::move(*typed));
    auto given = merge_options(schema, fields, std::move(sources));
    if (!given) return given;
    if (auto checked = check_values(schema, *given); !checked) return pass_on(checked);
    return given;
  }

  [[nodiscard]] std::string text(std::string_view config, const std::vector<GivenFlag> &flags,
                                 const std::string &directory = "") const {
    const auto given = merge(config, flags, directory);
    return given ? write_tree(given->values)
                 : fmt::format("{}: {}", given.error().code == kit::Code::invalid_args ? 2 : 78,
                               given.error().message);
  }
};

} // namespace

TEST_SUITE("cli/option_values") {
  TEST_CASE("[A-16] default, configuration file, options file and command line override in order") {
    const TempDir dir;
    const Options options;
    const std::string file = dir.write("s.json", R"({"name": "file", "undo_keep": 3})");
    const std::string config = R"({"name": "conf", "undo_keep": 2, "share": 0.5})";
    CHECK(options.text(config, {}) == R"({"name":"conf","undo_keep":2,"share":0.5})");
    CHECK(options.text(config, {{"settings", file}}) ==
          R"({"name":"file","undo_keep":3,"share":0.5,"settings":")" + file + "\"}");
    CHECK(options.text(config, {{"settings", file}, {"name", "typed"}}) ==
          R"({"name":"typed","undo_keep":3,"share":0.5,"settings":")" + file + "\"}");
    const auto given = options.merge("", {{"name", "x"}});
    REQUIRE(given);
    CHECK(write_tree(with_schema_defaults(options.schema, given->values)) ==
          R"({"name":"x","undo_keep":200,"protect_vcs":true,"read_only":false})");
  }

  TEST_CASE("flags become the types of the schema, numbers keep their spelling") {
    const Options options;
    CHECK(options.text("", {{"undo-keep", "7"}, {"share", "1.50"}, {"no-protect-vcs", ""}}) ==
          R"({"undo_keep":7,"share":1.50,"protect_vcs":false})");
    CHECK(options.text("", {{"undo-keep", "seven"}}) == "2: --undo-keep must be a whole number");
    CHECK(options.text("", {{"share", "much"}}) == "2: --share must be a number");
    CHECK(options.text("", {{"name", "a"}, {"name", "b"}}) == "2: --name is given twice");
  }

  TEST_CASE("a boolean that is true by default has one spelling, and an object has no flag") {
    const Options options;
    CHECK(find_field_of_flag(options.fields, "protect-vcs") == nullptr);
    CHECK(find_field_of_flag(options.fields, "no-protect-vcs") != nullptr);
    CHECK(find_field_of_flag(options.fields, "no-read-only") == nullptr);
    CHECK(find_field_of_flag(options.fields, "targets") == nullptr);
  }

  TEST_CASE("[A-16] relative paths count from their file, and are refused where there is none") {
    const TempDir dir;
    const Options options;
    const std::string root = dir.make_directory("r");
    CHECK(options.text("", {{"root", "r"}}, dir.root()) == "{\"root\":[\"" + root + "\"]}");
    CHECK(options.text("", {{"root", "r"}}) ==
          "2: --root at 0 is relative; write it absolute: the working directory of a harness is "
          "not yours");
    const std::string file = dir.write("s.json", R"({"root": ["./r"]})");
    CHECK(options.text("", {{"settings", file}}) ==
          "{\"root\":[\"" + root + "\"],\"settings\":\"" + file + "\"}");
    CHECK(options.text(R"({"root": ["no/such/place"]})", {}) ==
          "78: \"root\" in /etc/c.json at 0: there is no directory /etc/no/such/place");
  }

  TEST_CASE("links are resolved, and the operator's spelling is kept beside") {
    const TempDir dir;
    const Options options;
    const std::string real = dir.make_directory("real");
    std::filesystem::create_directory_symlink(real, dir.path("link"));
    const auto given = options.merge("", {{"root", dir.path("link")}, {"root", real}});
    REQUIRE(given);
    CHECK(write_tree(given->values) == "{\"root\":[\"" + real + "\",\"" + real + "\"]}");
    REQUIRE(given->spelled.size() == 1);
    CHECK(given->spelled[0] ==
          std::pair(pointer_to(pointer_to("", "root"), "0"), dir.path("link")));
  }

  TEST_CASE("a wrong value is reported with what the operator wrote") {
    const Options options;
    CHECK(options.text("", {{"undo-keep", "10001"}}).starts_with("2: --undo-keep "));
    CHECK(
        options.text(R"({"undo_keep": -1})", {}).starts_with("78: \"undo_keep\" in /etc/c.json "));
    CHECK(options.text(R"({"targets": {"a": {"port": "x"}}})", {})
              .starts_with("78: \"targets\" in /etc/c.json at a.port "));
    CHECK(options.text(R"({"undo_kep": 1})", {}) ==
          "78: \"undo_kep\" in /etc/c.json is no option of it; did you mean \"undo_keep\"?");
    CHECK(options.text("", {{"name", "too long"}}).find("too long") == std::string::npos);
  }

  TEST_CASE("what is missing and what excludes each other is named by its flag") {
    const TempDir dir;
    const Options options;
    CHECK(find_missing(options.fields, tree("{}")) == "--root is missing");
    CHECK(find_missing(options.fields, tree(R"({"root": []})")).empty());
    const auto missing_of = [](std::string_view required) {
      std::string schema =
          R"({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type":
          "string", "x-packhost": {"positional": 1}}, "c": {"type": "object"}}, "required": )";
      return find_missing(read_fields(tree(schema.append(required) + "}")), Node::object());
    };
    CHECK(missing_of(R"(["a", "b"])") == "--a and B are missing");
    CHECK(missing_of(R"(["a", "b", "c"])") ==
          "--a, B and \"c\" (in a file named by --config) are missing");
    const auto given = options.merge("", {{"root", dir.root()}, {"workspace", "w"}});
    REQUIRE(given);
    CHECK(find_exclusion(options.fields, *given) ==
          "--workspace and --root cannot be given together");
  }
}

TEST_SUITE("cli/secrets") {
  TEST_CASE("[A-16] a secret on the command line is a reference, never the secret itself") {
    const Options options;
    const std::string refused = options.text("", {{"token", "hunter2"}});
    CHECK(refused == "2: --token must be given as @env:NAME, @file:PATH or @fd:N: a secret on the "
                     "command line is visible in the process list");
    CHECK(options.text("", {{"token", "@env:T"}}) == R"({"token":"@env:T"})");
    CHECK(options.text(R"({"token": "literal"})", {}) == R"({"token":"literal"})");
    CHECK(options.text(R"({"token": "@fd:5"})", {}) ==
          "78: \"token\" in /etc/c.json: @fd: is for the command line alone");
  }

  TEST_CASE("references are read, one line ending is removed, and sources are remembered") {
    const TempDir dir;
    const Options options;
    const std::string file = dir.write("secret", "from file\r\n");
    const auto environment =
        support::PrivateEnvironment::for_test_of({"TOKEN=from env\n\n", "EMPTY="});
    auto given = options.merge(R"({"targets": {"a": {"password": "literal"}}})",
                               {{"token", "@env:TOKEN"}, {"password-file", file}});
    REQUIRE(given);
    Node values = given->values;
    const auto sources = read_secrets(options.schema, *given, values, environment);
    REQUIRE(sources);
    CHECK(values.find_string("token") == "from env\n");
    CHECK(values.find_string("password_file") == "from file");
    REQUIRE(sources->size() == 3);
    CHECK((*sources)[0].pointer == "/targets/a/password");
    CHECK((*sources)[0].fixed == "literal");
    CHECK((*sources)[1].fixed == "from env\n");
    CHECK((*sources)[2].file == file);
    CHECK((*sources)[2].fixed.empty());
    const std::string shown = write_tree(hide_secrets(options.schema, given->values));
    CHECK(shown.find("literal") == std::string::npos);
    CHECK(shown.find(R"x("token":"(secret)")x") != std::string::npos);
  }

  TEST_CASE("an empty, missing or unfit secret stops the start and is not shown") {
    const TempDir dir;
    const Options options;
    const auto environment = support::PrivateEnvironment::for_test_of({"EMPTY=", "SHORT=ab"});
    const auto refusal = [&](const std::vector<GivenFlag> &flags) {
      auto given = options.merge("", flags);
      REQUIRE(given);
      Node values = given->values;
      const auto read = read_secrets(options.schema, *given, values, environment);
      return read ? std::string("accepted") : read.error().message;
    };
    CHECK(refusal({{"token", "@env:EMPTY"}}) == "--token: the variable EMPTY is empty or not set");
    CHECK(refusal({{"password-env", "NONE"}}) ==
          "--password-env: the variable NONE is empty or not set");
    CHECK(refusal({{"token", "@file:" + dir.write("e", "\n")}}) == "--token: the secret is empty");
    CHECK(refusal({{"token", "@file:" + dir.write("b", "\xff\xfe")}}) ==
          "--token: the secret is not UTF-8 text without NUL");
    CHECK(refusal({{"token", "@file:/nowhere/x"}}) ==
          "--token: /nowhere/x cannot be read (no such file or directory)");
    const std::string unfit = refusal({{"token", "@env:SHORT"}});
    CHECK(unfit.starts_with("--token: the secret "));
    CHECK(unfit.find("ab") == std::string::npos);
  }

  TEST_CASE("plan does not see secrets, and cannot set one") {
    const Options options;
    auto given =
        options.merge(R"({"targets": {"a": {"port": 1, "password": "p"}}, "token": "t"})", {});
    REQUIRE(given);
    SecretReferences references = take_out_secrets(options.schema, given->values);
    CHECK(write_tree(given->values) == R"({"targets":{"a":{"port":1}}})");
    Node completed = given->values;
    CHECK(put_back_secrets(options.schema, completed, references));
    CHECK(write_tree(completed) == R"({"targets":{"a":{"port":1,"password":"p"}},"token":"t"})");
    CHECK(!put_back_secrets(options.schema, completed, {}));
  }

  TEST_CASE("the content of a file stands in its path's place") {
    const TempDir dir;
    const Options options;
    auto given = options.merge("", {{"certificate", dir.write("c.pem", "PEM\n")}});
    REQUIRE(given);
    Node values = given->values;
    REQUIRE(read_secrets(options.schema, *given, values, support::PrivateEnvironment()));
    CHECK(write_tree(values) == R"({"certificate":"PEM\n"})");
  }
}
