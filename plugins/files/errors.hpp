// SPDX-License-Identifier: MIT
// This pack's failures: one table of codes, and a Failure that carries what the document of section
// "failures" in README.md shows. to_status() is the one conversion to the ABI's statuses.
#pragma once

#include "sdk/kit/json.hpp"
#include "sdk/kit/result.hpp"
#include "sdk/kit/rooted_dir.hpp"

#include <packhost/packhost.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace packhost::files {

enum class ErrorCode : std::uint8_t {
  invalid_argument,
  invalid_path,
  path_outside_workspace,
  reserved_path,
  not_found,
  not_a_file,
  not_a_directory,
  not_a_regular_file,
  crosses_mount,
  binary_content_refused,
  unsupported_encoding,
  encoding_error,
  limit_exceeded,
  line_out_of_range,
  invalid_pattern,
  pattern_too_expensive,
  workspace_not_found,
  workspace_exists,
  workspace_root_changed,
  workspace_busy,
  state_unavailable,
  permission_denied,
  read_only_filesystem,
  no_space,
  io_error,
  cancelled,
  internal
};

struct ErrorRow {
  ErrorCode code;
  std::string_view word; // what clients see
  bool retryable;
  packhost_status status; // for operator commands
};

/// Every code, in the order of ErrorCode.
[[nodiscard]] std::span<const ErrorRow> error_rows();

/// The row of a code. Lives as long as the program.
[[nodiscard]] const ErrorRow &row_of(ErrorCode code);

/// Why a call failed. Texts never hold the root, the home, errno texts or other workspaces' names,
/// but for `detail`.
struct Failure {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string details;           // members of the details object, joined by commas, without braces
  std::optional<bool> retryable; // where it differs from the table
  std::string detail; // which file, why, what to do: for the operator, never for a client

  /// Adds a member to the details.
  [[nodiscard]] Failure with(std::string_view key, std::string_view text) &&;
  [[nodiscard]] Failure with(std::string_view key, const char *text) &&;
  [[nodiscard]] Failure with(std::string_view key, std::uint64_t number) &&;
  [[nodiscard]] Failure with_raw(std::string_view key, std::string_view json) &&;
  [[nodiscard]] Failure transient() &&;

  /// Sets the detail.
  template <typename... Args>
  [[nodiscard]] Failure for_operator(fmt::format_string<Args...> text, Args &&...args) && {
    detail = fmt::format(text, std::forward<Args>(args)...);
    return std::move(*this);
  }
};

template <typename T>
using Outcome = kit::Result<T, Failure>;

[[nodiscard]] inline tl::unexpected<Failure> refuse(Failure &&failure) {
  return tl::unexpected<Failure>(std::move(failure));
}

template <typename... Args>
[[nodiscard]] Failure failure(ErrorCode code, fmt::format_string<Args...> text, Args &&...args) {
  return Failure{code, fmt::format(text, std::forward<Args>(args)...), {}, {}, {}};
}

/// {"ok":false,"error":{...}}
[[nodiscard]] std::string encode_failure(const Failure &failure);
/// Only the error object.
void append_error(std::string &out, const Failure &failure);

/// Message and detail as one sentence for a terminal, without a full stop.
[[nodiscard]] std::string operator_text(const Failure &failure);

/// What a fault of the kernel or of the walk is to a caller who asked for `path`.
[[nodiscard]] Failure failure_of(kit::PathFault fault, std::string_view path);

/// INVALID_ARGUMENT for arguments that do not fit.
[[nodiscard]] Failure failure_of(const kit::json::ArgumentFault &fault);

/// A request above a limit of this pack.
[[nodiscard]] Failure limit_exceeded(std::string_view limit, std::int64_t requested,
                                     std::uint64_t maximum);

/// INVALID_ARGUMENT with what is wrong and what would be right.
[[nodiscard]] Failure invalid_argument(std::string_view argument, std::string_view reason,
                                       std::string_view expected);

} // namespace packhost::files
