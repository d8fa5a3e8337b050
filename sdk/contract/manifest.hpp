// SPDX-License-Identifier: MIT
// A pack's manifest as plain data. parse_manifest() is the only way to make an AcceptedManifest,
// and loading a pack takes one: no code of a pack runs before its manifest was accepted.
#pragma once

#include "sdk/kit/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::contract {

/// {"option": "read_only", "is": true}
struct Condition {
  std::string option;
  std::string is; // the JSON value, compact
};

struct ToolLimits {
  std::uint32_t timeout_ms = 60'000;          // 1 to 3,605,000
  std::uint64_t max_result_bytes = 1'048'576; // 1 to 4 MiB
  std::uint64_t max_args_bytes = 4'194'304;   // 1 to 64 MiB
};

struct ToolAnnotations {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
};

/// Members that hold JSON are compact checked text; empty: absent.
struct ToolEntry {
  std::string name; // without prefix
  std::string title;
  std::string description;
  std::string input;  // schema, as written
  std::string output; // schema or empty
  ToolAnnotations annotations;
  std::string icons; // JSON array or empty
  std::string meta;  // JSON object or empty
  ToolLimits limits;
  bool exclusive = false;
  bool pack_checks_input = false;
  std::optional<Condition> hide_when;
};

struct ResourceEntry { // and template: uri is then an RFC 6570 template
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime;
  std::string annotations; // JSON object or empty
  std::string meta;        // JSON object or empty
  bool subscribe = false;
  std::vector<std::string> complete; // templates only
};

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

struct PromptEntry {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  std::vector<std::string> complete;
};

struct CommandEntry {
  std::string name; // "workspace add"
  std::string summary;
  std::string input;       // schema
  std::string permissions; // JSON object or empty
  std::string grants;      // JSON object or empty
  bool dry_run = true;     // false: refuses --dry-run
};

struct ResultSize {
  std::string key;
  std::uint64_t max_bytes = 0;
  std::string over;
  std::string over_read;
};

struct Concurrency {
  bool parallel = false; // false: serial
  std::uint32_t max = 1; // 1 to 128
};

struct Plan {
  bool wanted = false;
  std::vector<std::string> unless_given; // option names; empty: always
};

/// Everything a manifest says. Slots (${tool_prefix} ...) are not filled in here.
struct Manifest {
  std::string text; // as it stands in the file
  std::string name;
  std::string version;
  std::string title;
  std::string license;
  std::string homepage;
  std::uint32_t abi_major = 1;
  std::uint32_t needs_minor = 0;
  std::vector<std::string> requires_interfaces;
  std::vector<std::string> uses_interfaces;
  Concurrency concurrency;
  bool dynamic_tools = false;
  bool dynamic_resources = false;
  bool dynamic_prompts = false;
  Plan plan;
  std::uint32_t open_timeout_ms = 5'000; // at most 30,000
  std::string instructions;
  std::uint32_t instructions_max_bytes = 1'500; // at most 4,096
  std::optional<std::string> tool_prefix;       // absent: name + "_"
  bool pack_checks_input = false;
  std::string error_shape; // JSON template or empty
  std::vector<std::pair<std::string, std::string>>
      error_codes; // status in lower case -> the pack's word
  std::optional<ResultSize> result_size;
  std::vector<ToolEntry> tools;
  std::vector<ResourceEntry> resources;
  std::vector<ResourceEntry> templates;
  std::vector<std::string> schemes; // default: the name
  std::vector<PromptEntry> prompts;
  std::string
      options; // schema; default {"type":"object","properties":{},"additionalProperties":false}
  std::string permissions; // JSON object or empty
  std::string limits;      // JSON object or empty
  std::vector<CommandEntry> commands;
  std::vector<std::string> log_events;
  std::vector<std::string> warnings; // unknown top-level members and the like, one sentence each
};

/// A manifest that passed every check. Only parse_manifest() makes one.
class AcceptedManifest {
public:
  [[nodiscard]] const Manifest &operator*() const { return manifest_; }

  [[nodiscard]] const Manifest *operator->() const { return &manifest_; }

private:
  friend kit::Result<AcceptedManifest> parse_manifest(std::string_view text);

  explicit AcceptedManifest(Manifest manifest) : manifest_(std::move(manifest)) {}

  Manifest manifest_;
};

/// Checks and reads a manifest. A fault is Code::config; its message fits behind "cannot load NAME:
/// " and names the line, the field and the rule: `manifest line 14: tools[2].input:
/// "exclusiveMinimum" is not in the schema subset packs may use`. ABI numbers are read, not judged
/// (check_abi() does that).
[[nodiscard]] kit::Result<AcceptedManifest> parse_manifest(std::string_view text);

/// The list "tools" as packhost.catalog/1 gives it: entries in manifest form. A fault names the
/// entry. Tool names must stand in `declared`.
[[nodiscard]] kit::Result<std::vector<ToolEntry>> parse_tool_list(std::string_view json,
                                                                  const Manifest &declared);

/// The list "resources", told apart: a URI with braces is a template's.
struct ResourceLists {
  std::vector<ResourceEntry> resources;
  std::vector<ResourceEntry> templates;
};

/// Its entries in manifest form. A fault names the entry.
[[nodiscard]] kit::Result<ResourceLists> parse_resource_list(std::string_view json);
/// The list "prompts", in the same way.
[[nodiscard]] kit::Result<std::vector<PromptEntry>> parse_prompt_list(std::string_view json);

/// The refusal of abi.md section 6.3 if a host of `host_major`.0 to .`host_minor` cannot take what
/// the manifest asks for, or lacks an interface it requires. The message fits behind "cannot load
/// NAME: ".
[[nodiscard]] kit::Status check_abi(std::uint32_t pack_major, std::uint32_t needs_minor,
                                    std::uint32_t host_major, std::uint32_t host_minor);
/// Interfaces of the pack itself (packhost.catalog/1, packhost.about/1) in `requires` are no
/// concern of the host.
[[nodiscard]] kit::Status check_requires(const Manifest &manifest);

/// Key rule of a META part and of "meta": `prefix/name` with a reverse-DNS prefix whose second
/// label is neither `mcp` nor `modelcontextprotocol`.
[[nodiscard]] bool is_meta_key(std::string_view key);

} // namespace packhost::contract
