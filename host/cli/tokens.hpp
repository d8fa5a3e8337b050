// SPDX-License-Identifier: MIT
// What the tool list of a pack costs a session: `packhost inspect --tokens`.
#pragma once

#include "host/cli/pack_file.hpp"

#include <string>

namespace packhost::cli {

/// Bytes of each tool and of the answer as sent, and a quarter of that as the estimate of tokens.
/// For people, or one JSON document.
[[nodiscard]] std::string describe_tokens(const PackFile &file, bool as_json);

} // namespace packhost::cli
