// SPDX-License-Identifier: MIT
// One pack on its way from the words of an operator to a PackLaunch, step by step; the same steps
// serve `serve`, `call` and operator commands. A failure with Code::invalid_args is about words
// (exit 2); with Code::config it refuses this pack alone, and its message is the refusal as
// printed, without "packhost: ".
#pragma once

#include "host/cli/launch_line.hpp"
#include "host/cli/option_schema.hpp"
#include "host/cli/option_values.hpp"
#include "host/cli/pack_file.hpp"
#include "host/cli/secrets.hpp"
#include "host/pack/launch.hpp"
#include "host/support/environment.hpp"
#include "sdk/kit/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace packhost::cli {

/// What a command adds to the words of its pack.
struct ExtraWords {
  std::vector<FlagSpec> flags;    // besides the pack's own
  std::vector<GivenFlag> given;   // those of them that were found
  std::vector<std::string> words; // free ones
};

class PackWork {
public:
  /// Finds and probes. `directory`: what a relative path counts from; empty: refused.
  [[nodiscard]] static kit::Result<PackWork> probe(const PackWords &words, const HostOptions &host,
                                                   std::string directory);

  /// The name of this instance and the pack's fields: known once probed.
  [[nodiscard]] const std::string &alias() const { return alias_; }

  [[nodiscard]] const std::string &shown_file() const { return file_.shown_file; }

  [[nodiscard]] const contract::Manifest &manifest() const { return *file_.manifest; }

  [[nodiscard]] const std::vector<Field> &fields() const { return fields_; }

  [[nodiscard]] const std::string &tool_prefix() const { return tool_prefix_; }

  /// Parses the words behind the pack. Without `extra`, free words are refused. Checks
  /// --tool-prefix and --pack-sha256.
  [[nodiscard]] kit::Status read_words(ExtraWords *extra);

  /// True if --help stood among the words.
  [[nodiscard]] bool wants_help() const { return wants_help_; }

  /// Puts all sources together and checks them; runs plan where it is needed. `is_serving`:
  /// required options must be there.
  [[nodiscard]] kit::Status complete_options(const Launch &launch, bool is_serving);

  /// Reads secrets, works out permissions (`command_permissions` in place of the manifest's, where
  /// not null), and hands over the launch. REQUIRES: all packs' plans have run. Uses the work up.
  [[nodiscard]] kit::Result<pack::PackLaunch> finish(const support::PrivateEnvironment &environment,
                                                     const Node *command_permissions = nullptr,
                                                     const Node *arguments = nullptr);

private:
  explicit PackWork(PackFile file) : file_(std::move(file)) {}

  [[nodiscard]] kit::Status take_own_flags(ParsedWords parsed, ExtraWords *extra);
  [[nodiscard]] kit::Status check_pin(const std::string &wanted) const;
  [[nodiscard]] kit::Status set_prefix(const std::string &prefix);
  [[nodiscard]] kit::Status plan();
  [[nodiscard]] kit::Result<Node> fill_defaults();
  [[nodiscard]] pack::PackLaunch start_launch();
  [[nodiscard]] std::string encode_options(Node values) const;
  [[nodiscard]] kit::Status refuse(kit::Status failed) const;

  PackFile file_;
  std::string directory_;
  std::vector<std::string> words_;
  std::string alias_;
  std::string tool_prefix_;
  Node schema_;
  std::vector<Field> fields_;
  std::vector<GivenFlag> flags_;
  bool wants_help_ = false;
  GivenOptions given_;
  std::string data_override_;
};

/// The words of a refusal: as it is if it names the file, else `pack "kv" refused to start: WHY
/// (configuration).`
[[nodiscard]] std::string refusal_text(std::string_view alias, std::string_view why);

} // namespace packhost::cli
