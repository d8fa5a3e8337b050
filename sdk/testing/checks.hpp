// SPDX-License-Identifier: MIT
// What packhost-check asks of a pack: a list of named checks, each to be run in a fresh process.
#pragma once

#include "sdk/contract/elf.hpp"
#include "sdk/contract/manifest.hpp"
#include "sdk/testing/fresh_process.hpp"
#include "sdk/testing/samples.hpp"

#include <packhost/testing.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace packhost::testing {

/// The pack under test and what is known of it without running any of its code.
struct Subject {
  std::string file;
  std::string bytes;   // of the file
  std::string options; // for open()
  SampleStyle style;   // paths that samples may name
  std::optional<contract::ElfFacts> facts;
  std::optional<contract::AcceptedManifest> manifest;
};

struct Check {
  std::string name;
  std::function<Findings()> run;
};

/// The checks that need no code of the pack: the file's ELF properties, its permissions, its
/// manifest. Fills in subject.facts and subject.manifest. They are cheap and run no foreign code,
/// so at once.
[[nodiscard]] std::vector<std::pair<std::string, Findings>> check_file(Subject &subject);

/// Everything else. REQUIRES: subject.manifest; subject outlives the checks.
[[nodiscard]] std::vector<Check> list_checks(const Subject &subject);

} // namespace packhost::testing
