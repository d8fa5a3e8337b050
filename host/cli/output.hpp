// SPDX-License-Identifier: MIT
// What a command writes for its reader: to a private copy of standard output, so that what a pack
// prints ends on stderr and never between.
#pragma once

#include "sdk/kit/result.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <string>
#include <string_view>

namespace packhost::cli {

class Output {
public:
  /// Standard output as it is.
  Output() = default;

  /// Takes standard output away from everybody else: descriptor 1 is stderr from now on, and
  /// descriptor 0 is empty. Before any code of a pack runs.
  void make_private();

  /// Writes all of it. RETURNS: `code`; when the reader is gone or the disk is full that has been
  /// said on stderr, and a `code` of 0 has become 1.
  [[nodiscard]] int print(std::string_view text, int code = 0) const;

private:
  kit::UniqueFd own_;
};

/// Writes all bytes. RETURNS: 0, or the errno.
[[nodiscard]] int write_all(int fd, std::string_view bytes);

/// `standard output cannot be written (REASON).` on stderr. RETURNS: `code`, or 1 in place of 0.
int report_unwritten(int error, int code);

/// Messages are made without a full stop, refusals of packs with one; what is printed has one, but
/// behind a command that is to be copied.
[[nodiscard]] std::string as_sentence(std::string_view message);

/// `packhost: MESSAGE.` on stderr. RETURNS: `exit_code`.
int report_error(std::string_view message, int exit_code);

/// The same with the exit code of the error.
int report_error(const kit::Error &error);

/// Exit code for a failure of a command line function: abi.md section 5.
[[nodiscard]] int exit_code_for(kit::Code code);

} // namespace packhost::cli
