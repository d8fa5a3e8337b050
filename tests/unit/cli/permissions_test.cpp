// SPDX-License-Identifier: MIT
// What permissions come to.
#include "host/cli/permissions.hpp"
#include "tests/unit/cli/tree.hpp"

#include <doctest/doctest.h>

using namespace packhost;
using namespace packhost::cli;
using packhost::cli::test::tree;

namespace {

pack::PackLaunch launch_of_some_pack() {
  auto manifest = contract::parse_manifest(
      R"({"manifest": 1, "name": "kv", "version": "1.0.0", "abi": "1.0"})");
  REQUIRE(manifest);
  return pack::PackLaunch(std::move(*manifest));
}

pack::PackLaunch resolved(std::string_view permissions, std::string_view options,
                          std::string_view given) {
  pack::PackLaunch launch = launch_of_some_pack();
  const Node rules = tree(permissions);
  const Node all = tree(options);
  const Node typed = tree(given);
  const std::vector<std::pair<std::string, std::string>> spelled{{"/program", "/bin/server"}};
  const PermissionInput input{rules, all, typed, nullptr, spelled, "/data"};
  const auto environment = support::PrivateEnvironment::for_test_of({"TZ=UTC", "LD_PRELOAD=/x.so"});
  resolve_permissions(input, environment, launch);
  return launch;
}

} // namespace

TEST_SUITE("cli/permissions") {
  TEST_CASE("slots expand arrays and maps, and a slot without a value makes no entry") {
    const Node options = tree(
        R"({"root": ["/a", "/b"], "t": {"x": {"host": "h", "port": 1}, "y": {"host": "::1", "port": 2}, "z": {"host": "n"}}})");
    CHECK(fill_permission_slots("${options.root[*]}", options, nullptr) ==
          std::vector<std::string>{"/a", "/b"});
    CHECK(fill_permission_slots("${options.t.*.host}:${options.t.*.port}", options, nullptr) ==
          std::vector<std::string>{"h:1", "[::1]:2"});
    CHECK(fill_permission_slots("${options.none}", options, nullptr).empty());
    CHECK(fill_permission_slots("plain", options, nullptr) == std::vector<std::string>{"plain"});
    const Node arguments = tree(R"({"path": "/p"})");
    CHECK(fill_permission_slots("${args.path}/x", options, &arguments) ==
          std::vector<std::string>{"/p/x"});
  }

  TEST_CASE("only what was given is granted: no literal, no default") {
    const std::string_view options = R"({"endpoint": ["a:1"], "other": "b:2"})";
    const auto launch = resolved(
        R"({"net": [{"endpoint": "${options.endpoint[*]}"}, {"endpoint": "${options.other}"}, {"endpoint": "c:3"}]})",
        options, R"({"endpoint": ["a:1"]})");
    CHECK(launch.endpoints == std::vector<std::string>{"a:1"});
    CHECK(launch.permissions ==
          std::vector<std::string>{
              "net a:1", "net b:2 (not granted: it stands in the manifest, nobody gave it)",
              "net c:3 (not granted: it stands in the manifest, nobody gave it)"});
  }

  TEST_CASE("conditions on options are decided") {
    const std::string_view rules = R"({"fs": [
      {"path": "${options.root}", "access": "write", "unless": {"option": "read_only", "is": true}},
      {"path": "${options.root}", "access": "read"},
      {"path": "${state}", "access": "write", "when": {"option": "read_only", "is": true}}]})";
    CHECK(resolved(rules, R"({"root": "/r", "read_only": true})", R"({"root": "/r"})")
              .permissions.front() == "fs read /r");
    const auto writable =
        resolved(rules, R"({"root": "/r", "read_only": false})", R"({"root": "/r"})");
    CHECK(writable.permissions == std::vector<std::string>{"fs write /r", "fs read /r"});
    CHECK(writable.directories.empty());
  }

  TEST_CASE(
      "own directories are those of the manifest, and an option may name the data directory") {
    const auto launch = resolved(
        R"({"fs": [{"path": "${data}", "access": "read"}, {"path": "${tmp}", "access": "write"}]})",
        "{}", "{}");
    REQUIRE(launch.directories.size() == 2);
    CHECK(launch.directories[0].which == "data");
    CHECK(launch.directories[0].path == "/data");
    CHECK(!launch.directories[0].may_write);
    CHECK(launch.directories[1].which == "tmp");
    CHECK(launch.directories[1].may_write);
  }

  TEST_CASE("variables that steer the loader are never passed on") {
    const auto launch = resolved(R"({"env": ["TZ", "LD_PRELOAD", "LANG"]})", "{}", "{}");
    CHECK(launch.environment == std::vector<std::string>{"TZ"});
    CHECK(launch.permissions == std::vector<std::string>{"env TZ",
                                                         "env LD_PRELOAD (never passed on)",
                                                         "env LANG (not set)"});
  }

  TEST_CASE("a program takes the operator's spelling as its own name") {
    const auto launch = resolved(
        R"({"env": ["TZ"], "exec": [{"name": "server", "program": "${options.program}", "args": ["--port", "${options.port}", "${arg}"]}]})",
        R"({"program": "/usr/bin/box", "port": 7})", R"({"program": "/usr/bin/box", "port": 7})");
    REQUIRE(launch.programs.size() == 1);
    CHECK(launch.programs[0].program == "/usr/bin/box");
    CHECK(launch.programs[0].argv0 == "/bin/server");
    CHECK(launch.programs[0].args_template == std::vector<std::string>{"--port", "7", "${arg}"});
    CHECK(launch.programs[0].environment == std::vector<std::string>{"TZ=UTC"});
  }
}
