// SPDX-License-Identifier: MIT
// ELF files: every offset in them is a stranger's.
#include "sdk/contract/elf.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char *>(data), size);
  const packhost::kit::Result<packhost::contract::ElfFacts> facts =
      packhost::contract::read_elf(file);
  if (!facts && facts.error().message.empty()) std::abort();
  if (facts &&
      (facts->manifest.empty() || facts->manifest.size() > packhost::contract::kMaxManifestBytes)) {
    std::abort();
  }
  return 0;
}
