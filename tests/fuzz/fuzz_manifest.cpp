// SPDX-License-Identifier: MIT
// Manifests: whatever comes in is accepted or refused with a sentence.
#include "sdk/contract/manifest.hpp"
#include "sdk/kit/utf8.hpp"

#include <cstdint>
#include <cstdlib>

namespace contract = packhost::contract;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const packhost::kit::Result<contract::AcceptedManifest> manifest = contract::parse_manifest(text);
  if (!manifest) {
    const std::string &message = manifest.error().message;
    const bool is_sentence =
        message.starts_with("manifest line ") || message.starts_with("the manifest is ");
    if (!is_sentence || !packhost::kit::utf8::is_valid(message)) std::abort();
    return 0;
  }
  const contract::Manifest &accepted = **manifest;
  if (accepted.name.empty() || accepted.version.empty() || accepted.tools.size() > 64) std::abort();
  static_cast<void>(contract::check_requires(accepted).has_value());
  static_cast<void>(contract::parse_tool_list(text, accepted).has_value());
  return 0;
}
