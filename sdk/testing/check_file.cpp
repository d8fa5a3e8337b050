// SPDX-License-Identifier: MIT
// The checks of packhost-check that read the file and run none of its code.
#include "sdk/testing/checks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

namespace packhost::testing {

namespace {

constexpr char kSymbol[] = "packhost_pack_v1";

bool leads_into_origin(const std::string &path) {
  return path.empty() || path.rfind("$ORIGIN", 0) == 0 || path.rfind("${ORIGIN}", 0) == 0;
}

/// A struct of the file at `offset`, or nothing when it does not lie inside.
template <class T>
std::optional<T> read_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

/// How many functions run while the object is loaded, beyond the one that every object has.
/// REQUIRES: read_elf() took the file as native.
std::uint64_t count_constructors(std::string_view file) {
  const std::optional<ElfW(Ehdr)> head = read_at<ElfW(Ehdr)>(file, 0);
  if (!head) return 0;
  for (std::uint64_t i = 0; i < head->e_phnum; ++i) {
    const auto segment = read_at<ElfW(Phdr)>(file, head->e_phoff + i * sizeof(ElfW(Phdr)));
    if (!segment || segment->p_type != PT_DYNAMIC) continue;
    for (std::uint64_t at = 0; at < segment->p_filesz; at += sizeof(ElfW(Dyn))) {
      const auto entry = read_at<ElfW(Dyn)>(file, segment->p_offset + at);
      if (!entry || entry->d_tag == DT_NULL) return 0;
      if (entry->d_tag != DT_INIT_ARRAYSZ) continue;
      const std::uint64_t functions = entry->d_un.d_val / sizeof(void *);
      return functions > 1 ? functions - 1 : 0;
    }
  }
  return 0;
}

Findings check_object(const contract::ElfFacts &facts, std::string_view file) {
  Findings found;
  const std::uint64_t constructors = facts.is_native ? count_constructors(file) : 0;
  if (constructors > 0) {
    found.notes.push_back("runs " + std::to_string(constructors) +
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
  results.emplace_back("file: is a tool pack", check_object(*subject.facts, subject.bytes));

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
