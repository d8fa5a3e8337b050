// SPDX-License-Identifier: MIT
// Reads what a pack's file says about itself without running any of it: the manifest section and
// the properties that abi.md asks for. Input is foreign: every offset is checked.
#pragma once

#include "sdk/kit/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::contract {

/// What stands in one ELF file. Texts are copies.
struct ElfFacts {
  std::string machine;                      // "x86_64", "aarch64" ...; "machine 0x.." where unknown
  bool is_native = false;                   // same machine, class and byte order as this program
  std::string manifest;                     // without the trailing NUL of the literal
  std::vector<std::string> defined_symbols; // dynamic, defined, global, weak or unique
  std::string rpath;                        // DT_RPATH
  std::string runpath;                      // DT_RUNPATH
  std::uint64_t init_functions = 0;         // run while it is loaded (DT_INIT_ARRAY)
  bool has_text_relocations = false;
  bool has_executable_stack = false;
  bool binds_now = false;
  bool has_relro = false;
};

/// Reads `file` (the whole file, mapped or read). A fault is Code::config with a message that fits
/// behind "cannot load NAME: ": `not a tool pack (no .packhost.manifest section)`, `built for
/// aarch64, this host is x86_64`, `the manifest is 300000 bytes; the limit is 262144` ...
[[nodiscard]] kit::Result<ElfFacts> read_elf(std::string_view file);

/// Machine name of this program, as in ElfFacts::machine.
[[nodiscard]] std::string_view native_machine();

inline constexpr std::size_t kMaxManifestBytes = 262144; // abi.md section 7.1

} // namespace packhost::contract
