// SPDX-License-Identifier: MIT
// The checks of packhost-check that read the file and run none of its code.
#include "sdk/testing/checks.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace packhost::testing {

namespace {

constexpr char kSymbol[] = "packhost_pack_v1";

bool leads_into_origin(const std::string &path) {
  return path.empty() || path.rfind("$ORIGIN", 0) == 0 || path.rfind("${ORIGIN}", 0) == 0;
}

Findings check_object(const contract::ElfFacts &facts) {
  Findings found;
  if (facts.init_functions > 1) { // every object has one
    found.notes.push_back("runs " + std::to_string(facts.init_functions - 1) +
                          " constructors while it is loaded; a pack has no effects before open()");
  }
  const auto expect = [&](bool holds, const std::string &otherwise) {
    if (!holds) found.problems.push_back(otherwise);
  };
  expect(facts.is_native, "built for " + facts.machine + ", this program is for " +
                              std::string(contract::native_machine()));
  const auto &symbols = facts.defined_symbols;
  expect(std::find(symbols.begin(), symbols.end(), kSymbol) != symbols.end(),
         std::string("does not export ") + kSymbol);
  for (const std::string &symbol : symbols) {
    expect(symbol == kSymbol,
           "exports '" + symbol + "'; link with the version script packhost.map");
  }
  expect(leads_into_origin(facts.rpath), "has a DT_RPATH '" + facts.rpath + "'");
  expect(leads_into_origin(facts.runpath), "has a DT_RUNPATH '" + facts.runpath + "'");
  expect(!facts.has_text_relocations, "has text relocations; compile with -fPIC");
  expect(!facts.has_executable_stack, "asks for an executable stack; link with -Wl,-z,noexecstack");
  expect(facts.binds_now, "binds lazily; link with -Wl,-z,now");
  expect(facts.has_relro, "has no RELRO; link with -Wl,-z,relro");
  return found;
}

Findings check_permissions(const std::string &file) {
  Findings found;

  struct stat facts {};

  if (stat(file.c_str(), &facts) == 0 && (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    found.problems.push_back("group or others may write to it; run: chmod go-w " + file);
  }
  return found;
}

} // namespace

std::vector<std::pair<std::string, Findings>> check_file(Subject &subject) {
  std::vector<std::pair<std::string, Findings>> results;
  results.emplace_back("file: permissions", check_permissions(subject.file));
  kit::Result<contract::ElfFacts> facts = contract::read_elf(subject.bytes);
  if (!facts) {
    results.emplace_back("file: is a tool pack", Findings{{facts.error().message}, {}});
    return results;
  }
  subject.facts = std::move(*facts);
  results.emplace_back("file: is a tool pack", check_object(*subject.facts));

  kit::Result<contract::AcceptedManifest> manifest =
      contract::parse_manifest(subject.facts->manifest);
  Findings manifest_found;
  if (!manifest) {
    manifest_found.problems.push_back(manifest.error().message);
  } else {
    // What a host only warns of is wrong in a pack that is made today.
    manifest_found.problems = (*manifest)->warnings;
    subject.manifest = std::move(*manifest);
  }
  results.emplace_back("manifest: accepted without a warning", std::move(manifest_found));
  return results;
}

} // namespace packhost::testing
