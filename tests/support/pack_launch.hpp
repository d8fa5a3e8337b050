// SPDX-License-Identifier: MIT
// A pack of the build as a launch would hand it to the host: probed and accepted, without options.
#pragma once

#include "host/pack/launch.hpp"
#include "sdk/contract/elf.hpp"
#include "sdk/contract/manifest.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace packhost::test {

/// `file` is an absolute path. Throws if it is no pack.
inline pack::PackLaunch make_launch(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  kit::Result<contract::ElfFacts> facts = contract::read_elf(bytes);
  if (!facts) throw std::runtime_error(facts.error().message);
  kit::Result<contract::AcceptedManifest> manifest = contract::parse_manifest(facts->manifest);
  if (!manifest) throw std::runtime_error(manifest.error().message);
  pack::PackLaunch launch(std::move(*manifest));
  launch.alias = launch.manifest->name;
  launch.shown_file = launch.alias + ".so";
  launch.load_path = file;
  launch.raw_manifest = facts->manifest;
  launch.tool_prefix = launch.manifest->tool_prefix.value_or(launch.alias + "_");
  launch.scheme = launch.alias;
  launch.options = "{}";
  launch.hidden_tool_options = "{}";
  return launch;
}

} // namespace packhost::test
