// SPDX-License-Identifier: MIT
// The options this pack is opened with, as the host has checked and completed them.
#pragma once

#include "sdk/kit/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::files {

/// What calls may ask for and use up. Every one is an option of the same name.
struct Limits {
  std::uint64_t max_read_bytes = 1'048'576;
  std::uint64_t max_read_many_bytes = 3'145'728;
  std::uint64_t max_search_results = 200;
  std::uint64_t max_directory_entries = 1'000;
  std::uint64_t max_recursion_depth = 64;
  std::uint64_t max_hash_bytes = std::uint64_t{4} << 30;
  std::uint64_t max_search_file_bytes = 16'777'216;
  std::uint64_t search_time_ms = 20'000;
  std::uint64_t search_bytes = std::uint64_t{4} << 30;
};

struct LimitRow {
  std::string_view name;
  std::uint64_t Limits::*member;
};

/// Every limit with its name.
[[nodiscard]] const std::vector<LimitRow> &limit_rows();

struct Settings {
  std::string root;      // absolute, links resolved; empty: none was chosen
  std::string spelled;   // the operator's spelling of it where that differs
  std::string workspace; // id of the registered workspace the root belongs to; empty: transient
  std::string version;   // of the pack
  bool allow_mounts = true;
  Limits limits;
};

/// REQUIRES: options went through the host's check against the manifest.
[[nodiscard]] kit::Result<Settings> parse_settings(std::string_view options);

} // namespace packhost::files
