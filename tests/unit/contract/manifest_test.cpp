// SPDX-License-Identifier: MIT
// What an accepted manifest holds, the lists of a catalog, and the refusals of ABI and interfaces.
#include "sdk/contract/manifest.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace packhost::contract {

namespace {

std::string read_good(const char *name) {
  std::ifstream file(std::string(MANIFESTS) + "/good/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Manifest accepted(const std::string &text) {
  kit::Result<AcceptedManifest> result = parse_manifest(text);
  if (!result) FAIL(result.error().message);
  return **result;
}

template <typename T>
std::string message_of(const kit::Result<T> &result) {
  return result ? std::string("accepted") : result.error().message;
}

constexpr std::string_view kHints =
    R"("annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false})";

std::string tool_text(std::string_view name) {
  return fmt::format(
      R"({{"name":"{}","description":"d","input":{{"type":"object","properties":{{}}}},{}}})", name,
      kHints);
}

} // namespace

TEST_SUITE("contract/manifest") {
  TEST_CASE("every member of a full manifest arrives") {
    const std::string text = read_good("full.json");
    const Manifest manifest = accepted(text);
    CHECK(manifest.text == text);
    CHECK(manifest.name == "demo");
    CHECK(manifest.version == "1.2.0-rc.1+b5");
    CHECK(manifest.abi_major == 1);
    CHECK(manifest.needs_minor == 0);
    CHECK(manifest.requires_interfaces == std::vector<std::string>{"packhost.dirs/1"});
    CHECK(manifest.uses_interfaces.size() == 2);
    CHECK(manifest.concurrency.parallel);
    CHECK(manifest.concurrency.max == 4);
    CHECK(manifest.dynamic_tools);
    CHECK(manifest.dynamic_resources);
    CHECK_FALSE(manifest.dynamic_prompts);
    CHECK(manifest.plan.wanted);
    CHECK(manifest.plan.unless_given == std::vector<std::string>{"root"});
    CHECK(manifest.open_timeout_ms == 30'000);
    CHECK(manifest.instructions_max_bytes == 4'096);
    CHECK(manifest.tool_prefix == "");
    CHECK(manifest.pack_checks_input);
    CHECK(
        manifest.error_shape ==
        R"({"error":{"code":"${code}","message":"demo: ${message}","retryable":"${retryable}","effects":"${effects}"}})");
    REQUIRE(manifest.error_codes.size() == 2);
    CHECK(manifest.error_codes[0] == std::pair<std::string, std::string>("deadline", "timeout"));
    REQUIRE(manifest.result_size);
    CHECK(manifest.result_size->key == "io.example/result-size");
    CHECK(manifest.result_size->max_bytes == 4'194'304);
    CHECK(manifest.result_size->over_read == "too large to read");
    CHECK(manifest.limits == R"({"memory_mb":256,"open_files":64,"threads":8})");
    CHECK(manifest.log_events == std::vector<std::string>{"edit_applied", "journal.pruned"});
    CHECK(manifest.schemes == std::vector<std::string>{"demo", "${scheme}"});
  }

  TEST_CASE("tools, resources, prompts and commands arrive with their parts") {
    const Manifest manifest = accepted(read_good("full.json"));
    REQUIRE(manifest.tools.size() == 2);
    const ToolEntry &tool = manifest.tools[0];
    CHECK(tool.name == "edit");
    CHECK(tool.annotations.destructive);
    CHECK_FALSE(tool.annotations.open_world);
    CHECK(tool.limits.timeout_ms == 10'000);
    CHECK(tool.limits.max_args_bytes == 67'108'864);
    CHECK(tool.exclusive);
    CHECK_FALSE(tool.pack_checks_input);
    REQUIRE(tool.hide_when);
    CHECK(tool.hide_when->option == "read_only");
    CHECK(tool.hide_when->is == "true");
    CHECK(tool.meta == R"({"com.example/x":1})");
    CHECK(tool.icons.starts_with("[{\"src\":"));
    CHECK(manifest.tools[1].pack_checks_input);
    CHECK(manifest.tools[1].limits.max_result_bytes == 1'048'576);
    REQUIRE(manifest.resources.size() == 1);
    CHECK(manifest.resources[0].subscribe);
    REQUIRE(manifest.templates.size() == 2);
    CHECK(manifest.templates[0].complete == std::vector<std::string>{"space"});
    REQUIRE(manifest.prompts.size() == 1);
    REQUIRE(manifest.prompts[0].arguments.size() == 2);
    CHECK(manifest.prompts[0].arguments[0].required);
    REQUIRE(manifest.commands.size() == 1);
    CHECK(manifest.commands[0].name == "space add");
    CHECK_FALSE(manifest.commands[0].dry_run);
    CHECK(manifest.commands[0].grants == R"({"fs":[{"path":"${args.path}","access":"write"}]})");
  }

  TEST_CASE("what a manifest leaves out has the defaults of the document") {
    const Manifest manifest = accepted(read_good("minimal.json"));
    CHECK_FALSE(manifest.concurrency.parallel);
    CHECK(manifest.concurrency.max == 1);
    CHECK(manifest.open_timeout_ms == 5'000);
    CHECK(manifest.instructions_max_bytes == 1'500);
    CHECK_FALSE(manifest.tool_prefix);
    CHECK_FALSE(manifest.plan.wanted);
    CHECK(manifest.schemes == std::vector<std::string>{"demo"});
    CHECK(manifest.options == R"({"type":"object","properties":{},"additionalProperties":false})");
    CHECK(accepted(read_good("many_at_once.json")).concurrency.max == 128);
    CHECK(accepted(read_good("other_abi.json")).abi_major == 2);
    CHECK(accepted(read_good("other_abi.json")).needs_minor == 7);
  }

  TEST_CASE("[I-5] a manifest above its limit is refused before it is parsed") {
    CHECK(message_of(parse_manifest(std::string(262'145, '['))) ==
          "the manifest is 262145 bytes; the limit is 262144");
    CHECK(message_of(parse_manifest(std::string(262'144, '['))) ==
          "manifest line 1: is nested deeper than 512");
    CHECK(message_of(parse_manifest("{\n\"a\": \"\xFF\"}")) == "manifest line 2: is not UTF-8");
    CHECK(message_of(parse_manifest("")) == "manifest line 1: is not JSON");
  }

  TEST_CASE("[A-15] a catalog may change declared tools and not invent any") {
    const Manifest declared = accepted(fmt::format(
        R"({{"manifest":1,"name":"demo","version":"1.0.0","abi":"1.0","tools":[{},{}]}})",
        tool_text("one"), tool_text("two")));
    const kit::Result<std::vector<ToolEntry>> fewer =
        parse_tool_list("[" + tool_text("two") + "]", declared);
    REQUIRE(fewer);
    CHECK(fewer->size() == 1);
    CHECK(message_of(parse_tool_list("[" + tool_text("three") + "]", declared)) ==
          "tools[0]: the manifest has no tool \"three\"");
    CHECK(message_of(parse_tool_list("[" + tool_text("one") + "," + tool_text("one") + "]",
                                     declared)) == "tools[1]: \"one\" stands twice");
    CHECK(message_of(parse_tool_list("{}", declared)) == "tools: must be an array");
    CHECK(message_of(parse_tool_list("[", declared)) == "is not JSON");
  }

  TEST_CASE("lists of resources tell templates by their braces, not by the host's slots") {
    const kit::Result<ResourceLists> lists = parse_resource_list(
        R"([{"uri":"${scheme}://a","name":"a"},{"uri":"demo://{id}","name":"b"}])");
    REQUIRE(lists);
    CHECK(lists->resources.size() == 1);
    CHECK(lists->templates.size() == 1);
    CHECK(message_of(parse_resource_list(R"([{"uri":"demo://a"}])")) ==
          "resources[0]: \"name\" is missing");
    const kit::Result<std::vector<PromptEntry>> prompts =
        parse_prompt_list(R"([{"name":"p","arguments":[{"name":"a"}]}])");
    REQUIRE(prompts);
    CHECK(prompts->at(0).arguments.size() == 1);
    CHECK(message_of(parse_prompt_list("[1]")) == "prompts[0]: must be an object");
  }

  TEST_CASE("[A-2] the ABI refusals name both sides and the fix, word for word") {
    CHECK(message_of(check_abi(2, 0, 1, 3)) ==
          "it was made for pack ABI 2 (needs 2.0); this packhost speaks 1.0 to 1.3. Use a newer "
          "packhost, or a build of the pack for ABI 1");
    CHECK(message_of(check_abi(1, 5, 1, 3)) ==
          "it needs pack ABI 1.5; this packhost speaks 1.0 to 1.3. Upgrade packhost to a version "
          "that has ABI 1.5");
    CHECK(message_of(check_abi(1, 1, 1, 0)) ==
          "it needs pack ABI 1.1; this packhost speaks 1.0. Upgrade packhost to a version that has "
          "ABI 1.1");
    CHECK(message_of(check_abi(1, 3, 1, 3)) == "accepted");
    CHECK(message_of(check_abi(1, 0, 1, 0)) == "accepted");
  }

  TEST_CASE("[A-2] a required interface that the host lacks is refused with what it offers") {
    Manifest manifest;
    manifest.requires_interfaces = {"packhost.net/1", "packhost.catalog/1", "packhost.about/1"};
    CHECK(message_of(check_requires(manifest)) == "accepted");
    manifest.requires_interfaces = {"packhost.net/2"};
    CHECK(message_of(check_requires(manifest)) ==
          "it requires the interface \"packhost.net/2\"; this packhost offers \"packhost.net/1\"");
    manifest.requires_interfaces = {"packhost.client/1"};
    CHECK(message_of(check_requires(manifest)) ==
          "it requires the interface \"packhost.client/1\"; this packhost offers "
          "\"packhost.net/1\", \"packhost.process/1\", \"packhost.secret/1\", \"packhost.dirs/1\"");
  }

  TEST_CASE("[A-25] META keys carry a reverse-DNS prefix that is not reserved") {
    for (const char *key :
         {"com.example/name", "io.example/result-size", "a.b-c.d/x_y.z", "org.x/1"}) {
      CAPTURE(key);
      CHECK(is_meta_key(key));
    }
    for (const char *key :
         {"name", "example/name", "com.mcp/x", "io.modelcontextprotocol/x", "com.mcp.tools/x",
          "com.example/", "/x", "com..x/y", "com.-x/y", "1com.x/y", "com.x/-y", "com.x/y z", ""}) {
      CAPTURE(key);
      CHECK_FALSE(is_meta_key(key));
    }
    CHECK(is_meta_key("com.example.mcp/x")); // only the second label is reserved
  }
}

} // namespace packhost::contract
