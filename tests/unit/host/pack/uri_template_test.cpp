// SPDX-License-Identifier: MIT
// Which URIs a template stands for.
#include "host/pack/registry.hpp"
#include "host/pack/uri_template.hpp"

#include <doctest/doctest.h>

#include <string>

using packhost::pack::UriTemplate;

TEST_SUITE("pack/uri_template") {
  TEST_CASE("a variable is one segment, never empty, never a slash") {
    const UriTemplate city("pack://w/{city}");
    CHECK(city.matches("pack://w/Bern"));
    CHECK(city.matches("pack://w/%2e%2e"));
    CHECK_FALSE(city.matches("pack://w/"));
    CHECK_FALSE(city.matches("pack://w/a/b"));
    CHECK_FALSE(city.matches("pack://w/a?b"));
    CHECK_FALSE(city.matches("other://w/a"));
    CHECK(city.variables() == std::vector<std::string>{"city"});
  }

  TEST_CASE("a reserved variable takes slashes") {
    const UriTemplate file("files://{workspace}/{+path}");
    CHECK(file.matches("files://w/a/b/c"));
    CHECK_FALSE(file.matches("files://w/"));
    CHECK_FALSE(file.matches("files:///a"));
  }

  TEST_CASE("literals around and between variables hold") {
    const UriTemplate range("x://{a}-{b}.txt");
    CHECK(range.matches("x://1-2.txt"));
    CHECK(range.matches("x://1-2-3.txt"));
    CHECK_FALSE(range.matches("x://12.txt"));
    CHECK_FALSE(range.matches("x://1-2.txt.bak"));
    CHECK(UriTemplate("plain://x").matches("plain://x"));
  }

  TEST_CASE("matching many variables against a long text that does not fit ends") {
    std::string text = "x://";
    for (int i = 0; i < 30; ++i) text += "{+v" + std::to_string(i) + "}a";
    CHECK_FALSE(UriTemplate(text).matches("x://" + std::string(2'000, 'a') + "b"));
  }

  TEST_CASE("two spellings of one URI compare equal") {
    using packhost::pack::normalise_uri;
    CHECK(normalise_uri("x://a%7eb%2f%C3%a9") == "x://a~b%2F%C3%A9");
    CHECK(normalise_uri("x://%zz%4") == "x://%zz%4");
  }
}
