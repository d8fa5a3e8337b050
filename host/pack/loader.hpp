// SPDX-License-Identifier: MIT
// Loads a pack's object, the first moment at which code of the pack runs, and checks its entry
// against the manifest that was accepted before (abi.md section 11). The only file that names
// Boost.DLL. A loaded object is never unloaded.
#pragma once

#include "host/pack/launch.hpp"
#include "sdk/kit/result.hpp"

#include <packhost/packhost.h>

#include <string>
#include <string_view>

namespace packhost::pack {

/// The pack's entry, which lives as long as the process. The launch holds an AcceptedManifest, so
/// no pack is loaded before its manifest was accepted (I-3). A fault is Code::config; its message
/// is a whole refusal without "packhost: " in front: `cannot load kv.so: undefined symbol: ...`.
[[nodiscard]] kit::Result<const packhost_entry *> load_pack(const PackLaunch &launch);

/// The checks of a loaded entry, apart from loading: ABI numbers, sizes, the functions that must be
/// there, and the manifest byte by byte. `raw_manifest` is the text as it stood in the file.
[[nodiscard]] kit::Status check_entry(const packhost_entry &entry, std::string_view shown_file,
                                      std::string_view raw_manifest);

} // namespace packhost::pack
