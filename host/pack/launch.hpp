// SPDX-License-Identifier: MIT
// One pack as the launch line wants it: everything that is known, checked and resolved before any
// of its code runs. Made by the command line's side (host/cli), used by Instance. Plain data.
#pragma once

#include "sdk/contract/manifest.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::pack {

/// Limits of a launch; every one can only be lowered by the operator. Sources: abi.md section 4.5,
/// protocol.md section 1.
struct Limits {
  std::size_t max_line_bytes = std::size_t{64} * 1024 * 1024; // one line in
  std::size_t max_out_line_bytes = std::size_t{8} * 1024 * 1024;
  std::size_t max_result_bytes = std::size_t{4} * 1024 * 1024; // lowers what manifests ask for
  std::size_t max_args_bytes = std::size_t{64} * 1024 * 1024;
  std::size_t max_calls = 128;
  std::size_t max_call_line_bytes =
      std::size_t{256} * 1024 * 1024; // lines of the calls in flight together
  std::uint64_t max_timeout_ms = 3'605'000;
  std::uint64_t grace_ms = 2'000;
};

/// Which tools a client is shown and may call. Names as the client sees them.
struct ToolSelection {
  std::vector<std::string> only; // --tools; empty: all
  std::vector<std::string> hide; // --hide-tools
  bool read_only = false;        // --read-only: only tools with readOnlyHint true
};

/// Where packhost.secret/1 reads one secret option again.
struct SecretSource {
  std::string pointer; // JSON pointer into the options
  std::string file;    // path; empty: `fixed` is the value for the life of the process
  std::string fixed;
};

/// A program packhost.process/1 may start.
struct GrantedProgram {
  std::string name;    // as in the manifest's "exec" list
  std::string program; // absolute path
  std::string argv0;   // the operator's spelling
  std::vector<std::string> args_template;
  bool has_template = false;
  std::vector<std::string> environment; // NAME=value
};

/// One directory of the pack (packhost.dirs/1).
struct PackDirectory {
  std::string which; // "data", "state", "cache", "tmp"
  std::string path;  // absolute, or "~/..." below the account's home; made (0700) when first asked
                     // for if may_write; empty for "tmp", which is made for the launch
  bool may_write = false;
};

struct PackLaunch {
  explicit PackLaunch(contract::AcceptedManifest accepted) : manifest(std::move(accepted)) {}

  std::string alias;      // the pack's name, or what the operator called this instance
  std::string shown_file; // "kv.so": the name in refusals
  std::string load_path;  // absolute path, or /proc/self/fd/N for a pinned copy
  kit::UniqueFd pinned;   // the sealed copy, when pinned
  contract::AcceptedManifest
      manifest;             // with the slots ${tool_prefix}, ${alias}, ${scheme} filled in
  std::string raw_manifest; // as it stands in the file: what the entry must equal
  std::string tool_prefix;
  std::string scheme;  // ${scheme}
  std::string options; // the object for open(), secrets inside: zeroed after open() returned
  std::vector<SecretSource> secrets;
  std::vector<std::string> endpoints; // granted, byte-equal form
  std::vector<GrantedProgram> programs;
  std::vector<PackDirectory> directories;
  std::string hidden_tool_options;      // the options object without secrets, for hide_when
  std::vector<std::string> environment; // granted names that exist
  std::vector<std::string> permissions; // one line each, as --explain shows them
};

/// A pack that will not serve, with the sentence that says why (without "packhost: " in front).
struct RefusedPack {
  std::string alias;
  std::string reason;
};

} // namespace packhost::pack
