// SPDX-License-Identifier: MIT
// Names that look the same: equal under Unicode normalisation or case folding, not byte for byte.
// The only file that names utf8proc.
#pragma once

#include "sdk/kit/unique_fd.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace packhost::files {

/// NFC of a name. REQUIRES: valid UTF-8. Unchanged where the library refuses it.
[[nodiscard]] std::string to_nfc(std::string_view name);

/// Case folding of the NFC form.
[[nodiscard]] std::string fold_name(std::string_view name);

/// The one entry of `directory` that equals `name` under NFC; failing that, under case folding.
/// Nothing if there is none, more than one, or the name itself. Looks at 20,000 entries at most.
[[nodiscard]] std::optional<std::string> find_equivalent_name(kit::UniqueFd directory,
                                                              std::string_view name);

} // namespace packhost::files
