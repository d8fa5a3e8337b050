// SPDX-License-Identifier: MIT
// Secret options and file contents: read where their references say, after plan and before
// confinement. What is read is never shown, logged or part of a message.
#pragma once

#include "host/cli/option_values.hpp"
#include "host/pack/launch.hpp"
#include "host/support/environment.hpp"
#include "sdk/kit/result.hpp"

#include <string>
#include <utility>
#include <vector>

namespace packhost::cli {

/// Secret references taken out of the options, as (pointer, reference).
using SecretReferences = std::vector<std::pair<std::string, Node>>;

/// Takes every value that is a secret's reference out of `values`. A list of secrets is taken out
/// whole.
[[nodiscard]] SecretReferences take_out_secrets(const Node &schema, Node &values);

/// Puts them back. RETURNS: false if a secret is there already that was not taken out.
[[nodiscard]] bool put_back_secrets(const Node &schema, Node &values, SecretReferences references);

/// The values with "(secret)" in each secret's place, for people.
[[nodiscard]] Node hide_secrets(const Node &schema, const Node &values);

/// Replaces references by what they name, and paths of file contents by the contents. `given` gives
/// the words for messages. Code::config.
[[nodiscard]] kit::Result<std::vector<pack::SecretSource>>
read_secrets(const Node &schema, const GivenOptions &given, Node &values,
             const support::PrivateEnvironment &environment);

inline constexpr std::size_t kMaxSecretBytes = 1024U * 1024;

} // namespace packhost::cli
