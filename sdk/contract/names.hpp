// SPDX-License-Identifier: MIT
// The forms of the names, versions and URIs a manifest holds (abi.md section 7.3). Predicates only;
// what is refused, and how, is the reader's business.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace packhost::contract {

/// `^[a-z][a-z0-9]{0,11}$` and no reserved first word.
[[nodiscard]] bool is_pack_name(std::string_view text);
[[nodiscard]] bool is_reserved_word(std::string_view text);
/// `^[a-z][a-z0-9_]{0,35}$`
[[nodiscard]] bool is_tool_name(std::string_view text);
/// `^([a-z][a-z0-9_]{0,31}_)?$`
[[nodiscard]] bool is_tool_prefix(std::string_view text);
/// `^[a-z][a-z0-9_]*$`, two characters at least.
[[nodiscard]] bool is_option_name(std::string_view text);
/// The host's own words after a `--pack`, and its member of the options object.
[[nodiscard]] bool is_reserved_option(std::string_view text);
/// A semantic version: `1.2.3`, `1.0.0-rc.1+build`.
[[nodiscard]] bool is_version(std::string_view text);
/// `packhost.net/1`
[[nodiscard]] bool is_interface_id(std::string_view text);
/// `^[a-z][a-z0-9_.]{0,63}$`, no dot at the end: what a pack logs.
[[nodiscard]] bool is_event_name(std::string_view text);
/// Words of `[a-z][a-z0-9-]*`, one space between them.
[[nodiscard]] bool is_command_name(std::string_view text);
/// `^[A-Za-z0-9_.-]{1,64}$`: prompts and their arguments.
[[nodiscard]] bool is_prompt_name(std::string_view text);
/// `type/subtype`, parameters allowed.
[[nodiscard]] bool is_mime(std::string_view text);
/// An environment variable; `${SCHEME}`, `${TOOL_PREFIX}` and `${ALIAS}` may stand in it.
[[nodiscard]] bool is_variable_name(std::string_view text);
/// `2025-01-12T15:00:58Z`: date, time and zone.
[[nodiscard]] bool is_timestamp(std::string_view text);

/// A text in which `${tool_prefix}`, `${alias}` and `${scheme}` became a letter each, for checks of
/// form before the host has filled them in.
[[nodiscard]] std::string without_slots(std::string_view text);

/// A URI scheme, slots allowed.
[[nodiscard]] bool is_scheme(std::string_view text);
/// What stands before the first colon, as written.
[[nodiscard]] std::string_view scheme_of(std::string_view uri);
/// An absolute URI (RFC 3986), slots allowed.
[[nodiscard]] bool is_uri(std::string_view text);

/// An RFC 6570 template that makes absolute URIs, slots allowed. RETURNS false if it is none;
/// `variables` then holds what was read.
[[nodiscard]] bool is_uri_template(std::string_view text, std::vector<std::string> &variables);

} // namespace packhost::contract
