// SPDX-License-Identifier: MIT
// Help texts, generated: of the host from its table of options, of a pack from its manifest.
#pragma once

#include "host/cli/option_schema.hpp"
#include "host/cli/pack_work.hpp"
#include "sdk/contract/manifest.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::cli {

/// `packhost help`: the commands.
[[nodiscard]] std::string overview();

/// Help of one of packhost's own commands, or nothing for a word that is none.
[[nodiscard]] std::string command_help(std::string_view command);

/// The options of a pack behind its --pack.
[[nodiscard]] std::string pack_options_help(const PackWork &pack);

/// `packhost PACK --help`: its commands and the options they share.
[[nodiscard]] std::string pack_help(const PackWork &pack);

/// `packhost PACK COMMAND --help`.
[[nodiscard]] std::string pack_command_help(const PackWork &pack,
                                            const contract::CommandEntry &command);

/// The line of words a command takes: `shelf add NAME [OPTIONS]`.
[[nodiscard]] std::string usage_of(const contract::CommandEntry &command,
                                   const std::vector<Field> &fields);

/// Fields known by their place, in order.
[[nodiscard]] std::vector<const Field *> positional_fields(const std::vector<Field> &fields);

} // namespace packhost::cli
