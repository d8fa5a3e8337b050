// SPDX-License-Identifier: MIT
// The folder of good and bad manifests: each bad one is refused with the words in the file beside
// it, which name the line, the path and the rule.
#include "sdk/contract/manifest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace packhost::contract {

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> manifests_in(const char *folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry &entry : fs::directory_iterator(fs::path(MANIFESTS) / folder)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The refusal of one bad manifest must be the first line of the file beside it.
void check_refused(const fs::path &path) {
  INFO(path.filename().string());
  const std::string beside = read_file(fs::path(path).replace_extension(".expected"));
  const kit::Result<AcceptedManifest> result = parse_manifest(read_file(path));
  const std::string got = result ? std::string("accepted") : result.error().message;
  CHECK(got == beside.substr(0, beside.find('\n')));
}

} // namespace

TEST_SUITE("contract/manifest") {
  TEST_CASE("good manifests are accepted, with a warning for what this host does not know") {
    REQUIRE(manifests_in("good").size() >= 6);
    for (const fs::path &path : manifests_in("good")) {
      INFO(path.filename().string());
      const kit::Result<AcceptedManifest> result = parse_manifest(read_file(path));
      const std::string outcome = result ? std::string("accepted") : result.error().message;
      CHECK(outcome == "accepted");
      if (!result) continue;
      std::string warnings;
      for (const std::string &warning : (*result)->warnings) warnings += warning + "\n";
      CHECK(warnings == read_file(fs::path(path).replace_extension(".warnings")));
    }
  }

  TEST_CASE("bad manifests are refused with line, path and rule") {
    REQUIRE(manifests_in("bad").size() > 100);
    for (const fs::path &path : manifests_in("bad")) check_refused(path);
  }

  TEST_CASE("[A-27] each rule of the narrow profile refuses with tool, property and rule named") {
    std::size_t count = 0;
    for (const fs::path &path : manifests_in("bad")) {
      if (!path.filename().string().starts_with("narrow_")) continue;
      check_refused(path);
      ++count;
    }
    // Three keywords at the root, properties, items, inner objects, type lists, null defaults,
    // descriptions (outer and inner), annotations and the four hints.
    CHECK(count == 15);
  }

  TEST_CASE("[P-94] a $schema, known or not, is refused at the probe with a clear message") {
    for (const char *name : {"schema_dollar_schema", "schema_dollar_schema_unknown"}) {
      check_refused(fs::path(MANIFESTS) / "bad" / (std::string(name) + ".json"));
    }
  }

  TEST_CASE("[P-95] any reference, local or not, is refused at the probe") {
    for (const char *name : {"schema_ref", "schema_ref_local", "schema_defs"}) {
      check_refused(fs::path(MANIFESTS) / "bad" / (std::string(name) + ".json"));
    }
  }
}

} // namespace packhost::contract
