// SPDX-License-Identifier: MIT
// Finds a pack's file and probes it: permissions, ELF, manifest, ABI, interfaces. Runs nothing of
// the pack. Every refusal is a whole sentence that begins with `cannot load NAME.so: `.
#pragma once

#include "sdk/contract/manifest.hpp"
#include "sdk/kit/result.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::cli {

/// A pack that was probed.
struct PackFile {
  std::string shown_file; // "kv.so"
  std::string path;       // where it lies, links resolved
  std::string load_path;  // path, or /proc/self/fd/N of the copy
  kit::UniqueFd copy;     // sealed; open if it was asked for
  std::string sha256;     // if it was asked for
  std::string runpath;    // DT_RUNPATH or DT_RPATH
  std::string raw_manifest;
  contract::AcceptedManifest manifest; // slots not filled in
};

enum class ProbeUse : std::uint8_t {
  plain,
  digest, // with the SHA-256 of the file
  copy    // read once into a sealed memory file; the digest is of that copy
};

/// Where a pack lies: `pack` itself if it has a slash in it, else NAME.so in `pack_dir`, else in
/// the pack directory at its place relative to the executable, else in a build tree. Code::config.
[[nodiscard]] kit::Result<std::string> find_pack_path(const std::string &pack,
                                                      const std::string &pack_dir,
                                                      const std::string &relative_to);

/// Probes the file at an absolute path.
[[nodiscard]] kit::Result<PackFile> probe_pack(const std::string &path, ProbeUse use);

/// The manifest with ${tool_prefix}, ${alias}, ${scheme} and ${SCHEME} filled in.
[[nodiscard]] kit::Result<contract::AcceptedManifest>
fill_slots(const PackFile &file, std::string_view tool_prefix, std::string_view alias);

/// ${scheme}: the prefix without its trailing underscore, or the alias when the prefix is empty.
[[nodiscard]] std::string scheme_of(std::string_view tool_prefix, std::string_view alias);

/// The directories that are searched when no --pack-dir is given, as they stand for this
/// executable: the installed one, then that of a build tree.
struct PackPlaces {
  std::string installed;  // holds NAME.so
  std::string build_tree; // holds NAME/NAME.so
};

/// Code::config if the executable's own place cannot be found.
[[nodiscard]] kit::Result<PackPlaces> find_pack_places();

/// Pack files that were found: name and path of each.
using FoundPacks = std::vector<std::pair<std::string, std::string>>;

/// The packs in `pack_dir`, or in both places where that is empty, in the order of their names; of
/// equal names the one that --pack NAME would take. Code::invalid_args for a `pack_dir` that cannot
/// be read, Code::config as above.
[[nodiscard]] kit::Result<FoundPacks> find_packs(const std::string &pack_dir);

/// Borrowed from `packs`.
[[nodiscard]] std::vector<std::string_view> names_of(const FoundPacks &packs);

} // namespace packhost::cli
