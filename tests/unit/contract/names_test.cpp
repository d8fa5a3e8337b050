// SPDX-License-Identifier: MIT
// The forms of names and URIs.
#include "sdk/contract/names.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace packhost::contract {

namespace {

std::string variables_of(std::string_view text) {
  std::vector<std::string> variables;
  if (!is_uri_template(text, variables)) return "none";
  std::string result;
  for (const std::string &variable : variables) result += variable + " ";
  return result;
}

} // namespace

TEST_SUITE("contract/names") {
  TEST_CASE("versions are semantic versions") {
    for (const char *text :
         {"0.0.0", "1.2.3", "10.20.30-rc.1+build.05", "1.0.0-alpha-x", "1.0.0+a-b"}) {
      CAPTURE(text);
      CHECK(is_version(text));
    }
    for (const char *text : {"", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.03", "1.2.3-", "1.2.3-01",
                             "1.2.3+", "1.2.3-a..b", "v1.2.3", "1.2.x", "1.2.", "1.2.3 "}) {
      CAPTURE(text);
      CHECK_FALSE(is_version(text));
    }
  }

  TEST_CASE("URIs are absolute, with escapes that are whole, and may hold the host's slots") {
    for (const char *text : {"demo://a", "demo:a", "${scheme}://x/${alias}", "https://h/p?q=1#f",
                             "demo://a%20b", "a+b-c.d://x"}) {
      CAPTURE(text);
      CHECK(is_uri(text));
    }
    for (const char *text :
         {"", "demo", "demo:", "//host/x", "Demo://x", "1a://x", "demo://a b", "demo://a%2",
          "demo://a%zz", "demo://{x}", "demo://\xC3\xA4", "${other}://x"}) {
      CAPTURE(text);
      CHECK_FALSE(is_uri(text));
    }
    CHECK(scheme_of("demo://a:b") == "demo");
    CHECK(without_slots("${tool_prefix}a${alias}${scheme}") == "xaxx");
  }

  TEST_CASE("templates are those of RFC 6570") {
    CHECK(variables_of("demo://{a}") == "a ");
    CHECK(variables_of("demo://{a}/{+path}{?x,y*}{#z:12}") == "a path x y z ");
    CHECK(variables_of("${scheme}://{id}") == "id ");
    for (const char *text :
         {"demo://a", "demo://{}", "demo://{a", "demo://a}", "demo://{=a}", "demo://{a,}",
          "demo://{a:0}", "demo://{a:x}", "demo://{{a}}", "{a}://b", "demo://{a b}"}) {
      CAPTURE(text);
      CHECK(variables_of(text) == "none");
    }
  }

  TEST_CASE("names of packs, tools, options, interfaces, events and variables") {
    CHECK(is_pack_name("kb"));
    CHECK_FALSE(is_pack_name("kb_2"));
    CHECK_FALSE(is_pack_name("help"));
    CHECK(is_tool_prefix(""));
    CHECK(is_tool_prefix("kv_"));
    CHECK_FALSE(is_tool_prefix("_"));
    CHECK_FALSE(is_tool_prefix(std::string(33, 'a') + "_"));
    CHECK(is_option_name("read_only"));
    CHECK_FALSE(is_option_name("r"));
    CHECK(is_interface_id("packhost.net/1"));
    CHECK_FALSE(is_interface_id("net/1"));
    CHECK_FALSE(is_interface_id("packhost.net/0"));
    CHECK(is_event_name("edit_applied"));
    CHECK_FALSE(is_event_name("edit."));
    CHECK(is_command_name("workspace add"));
    CHECK_FALSE(is_command_name("workspace  add"));
    CHECK(is_variable_name("${SCHEME}_URL"));
    CHECK_FALSE(is_variable_name("1A"));
    CHECK(is_timestamp("2025-01-12T15:00:58.123+02:00"));
    CHECK_FALSE(is_timestamp("2025-01-12"));
    CHECK_FALSE(is_timestamp("2025-01-12T15:00:58.Z"));
    CHECK(is_mime("text/markdown"));
    CHECK_FALSE(is_mime("text/"));
  }
}

} // namespace packhost::contract
