// SPDX-License-Identifier: MIT
// The options of one pack from all their sources - defaults, configuration file, options file,
// command line, later wins -, with paths made absolute and their links resolved. See abi.md
// section 8. Secrets stay references here; secrets.cpp reads them.
#pragma once

#include "host/cli/option_schema.hpp"
#include "sdk/kit/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::cli {

/// Where a value came from, as an operator knows it.
struct Origin {
  std::string name;  // of the option
  std::string shown; // `--undo-keep`, or `"undo_keep" in /etc/packhost.json`
  bool is_typed = false;
};

/// Options of one pack without defaults, and what is known about them.
struct GivenOptions {
  Node values = Node::object();
  std::vector<Origin> origins;
  std::vector<std::pair<std::string, std::string>> spelled; // pointer -> the operator's spelling
  std::vector<std::string> final_paths;                     // pointers whose path is rewritten

  [[nodiscard]] bool is_given(std::string_view name) const;
  /// The origin's text for a pointer, or for the whole.
  [[nodiscard]] std::string shown(std::string_view pointer) const;
  /// Code::invalid_args for what was typed, Code::config for what stands in a file.
  [[nodiscard]] kit::Code code_for(std::string_view pointer) const;
};

/// One source in the order they were read. `directory`: what relative paths count from; empty:
/// refused.
struct OptionSource {
  Node values;
  std::string file; // shown in messages; empty: the command line
  std::string directory;
};

/// Turns given flags into a source. Flags that are no field are skipped.
[[nodiscard]] kit::Result<OptionSource> read_typed_options(const std::vector<Field> &fields,
                                                           const std::vector<GivenFlag> &flags,
                                                           std::string directory);

/// Puts the sources together, lowest first, reading the options file that one of them names.
/// `what` is `pack "kb"`. Code::invalid_args or Code::config, with the flag or the file named.
[[nodiscard]] kit::Result<GivenOptions> merge_options(const Node &schema,
                                                      const std::vector<Field> &fields,
                                                      std::vector<OptionSource> sources);

/// Rewrites the path values of `given` that are not final yet. `directory` as in OptionSource.
[[nodiscard]] kit::Status rewrite_paths(const Node &schema, GivenOptions &given,
                                        std::string_view directory);

/// Checks values against the schema, but for `required` at the top (see find_missing) and what
/// stands in a secret's place. The message names the flag or member.
[[nodiscard]] kit::Status check_values(const Node &schema, const GivenOptions &given);

/// What the schema requires and nobody gave, as a sentence: `--root is missing`, `"targets" (in a
/// file named by --config) and NAME are missing`. Empty: none.
[[nodiscard]] std::string find_missing(const std::vector<Field> &fields, const Node &values);

/// The pair of given options that exclude each other, as a sentence; empty: none.
[[nodiscard]] std::string find_exclusion(const std::vector<Field> &fields,
                                         const GivenOptions &given);

/// The text of a value with the schema's defaults filled in.
[[nodiscard]] Node with_schema_defaults(const Node &schema, const Node &values);

} // namespace packhost::cli
