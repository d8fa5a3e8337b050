// SPDX-License-Identifier: MIT
// What a command writes for its reader: to a private copy of standard output, so that what a pack
// prints ends on stderr and never between.
#pragma once

#include "sdk/kit/unique_fd.hpp"

#include <string_view>

namespace packhost::cli {

class Output {
public:
  /// Standard output as it is.
  Output() = default;

  /// Takes standard output away from everybody else: descriptor 1 is stderr from now on, and
  /// descriptor 0 is empty. Before any code of a pack runs.
  void make_private();

  /// Writes all of it. RETURNS: false if the reader is gone or the disk is full.
  bool write(std::string_view text) const;

private:
  kit::UniqueFd own_;
};

/// `packhost: MESSAGE` on stderr. RETURNS: `exit_code`.
int report_error(std::string_view message, int exit_code);

} // namespace packhost::cli
