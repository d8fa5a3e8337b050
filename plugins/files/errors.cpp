// SPDX-License-Identifier: MIT
// See errors.hpp.
#include "plugins/files/errors.hpp"

#include <array>
#include <cassert>

namespace packhost::files {

namespace {

constexpr std::array kRows{
    ErrorRow{ErrorCode::invalid_argument, "INVALID_ARGUMENT", false, PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::invalid_path, "INVALID_PATH", false, PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::path_outside_workspace, "PATH_OUTSIDE_WORKSPACE", false, PACKHOST_E_DENIED},
    ErrorRow{ErrorCode::reserved_path, "RESERVED_PATH", false, PACKHOST_E_DENIED},
    ErrorRow{ErrorCode::not_found, "NOT_FOUND", false, PACKHOST_E_NOT_FOUND},
    ErrorRow{ErrorCode::not_a_file, "NOT_A_FILE", false, PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::not_a_directory, "NOT_A_DIRECTORY", false, PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::not_a_regular_file, "NOT_A_REGULAR_FILE", false, PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::crosses_mount, "CROSSES_MOUNT", false, PACKHOST_E_DENIED},
    ErrorRow{ErrorCode::binary_content_refused, "BINARY_CONTENT_REFUSED", false,
             PACKHOST_E_UNSUPPORTED},
    ErrorRow{ErrorCode::unsupported_encoding, "UNSUPPORTED_ENCODING", false,
             PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::encoding_error, "ENCODING_ERROR", false, PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::limit_exceeded, "LIMIT_EXCEEDED", false, PACKHOST_E_LIMIT},
    ErrorRow{ErrorCode::line_out_of_range, "LINE_OUT_OF_RANGE", false, PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::invalid_pattern, "INVALID_PATTERN", false, PACKHOST_E_INVALID_ARGS},
    ErrorRow{ErrorCode::pattern_too_expensive, "PATTERN_TOO_EXPENSIVE", false, PACKHOST_E_LIMIT},
    ErrorRow{ErrorCode::workspace_not_found, "WORKSPACE_NOT_FOUND", false, PACKHOST_E_NOT_FOUND},
    ErrorRow{ErrorCode::workspace_exists, "ALREADY_EXISTS", false, PACKHOST_E_CONFLICT},
    ErrorRow{ErrorCode::workspace_root_changed, "WORKSPACE_ROOT_CHANGED", false,
             PACKHOST_E_CONFLICT},
    ErrorRow{ErrorCode::workspace_busy, "WORKSPACE_BUSY", true, PACKHOST_E_CONFLICT},
    ErrorRow{ErrorCode::state_unavailable, "STATE_UNAVAILABLE", false, PACKHOST_E_IO},
    ErrorRow{ErrorCode::permission_denied, "PERMISSION_DENIED", false, PACKHOST_E_DENIED},
    ErrorRow{ErrorCode::read_only_filesystem, "READ_ONLY_FILESYSTEM", false, PACKHOST_E_DENIED},
    ErrorRow{ErrorCode::no_space, "NO_SPACE", true, PACKHOST_E_IO},
    ErrorRow{ErrorCode::io_error, "IO_ERROR", false, PACKHOST_E_IO},
    ErrorRow{ErrorCode::cancelled, "CANCELLED", true, PACKHOST_E_CANCELLED},
    ErrorRow{ErrorCode::internal, "INTERNAL", false, PACKHOST_E_INTERNAL},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].code) != i) return false;
  }
  return kRows.size() == static_cast<std::size_t>(ErrorCode::internal) + 1;
}

static_assert(is_in_order());

void append_key(std::string &details, std::string_view key) {
  if (!details.empty()) details += ',';
  kit::json::append_string(details, key);
  details += ':';
}

} // namespace

std::span<const ErrorRow> error_rows() {
  return kRows;
}

const ErrorRow &row_of(ErrorCode code) {
  return kRows[static_cast<std::size_t>(code)];
}

Failure Failure::with(std::string_view key, std::string_view text) && {
  append_key(details, key);
  kit::json::append_string(details, text);
  return std::move(*this);
}

Failure Failure::with(std::string_view key, const char *text) && {
  return std::move(*this).with(key, std::string_view(text));
}

Failure Failure::with(std::string_view key, std::uint64_t number) && {
  append_key(details, key);
  details += std::to_string(number);
  return std::move(*this);
}

Failure Failure::with_raw(std::string_view key, std::string_view json) && {
  append_key(details, key);
  details += json;
  return std::move(*this);
}

Failure Failure::transient() && {
  retryable = true;
  return std::move(*this);
}

void append_error(std::string &out, const Failure &failure) {
  const ErrorRow &row = row_of(failure.code);
  kit::json::Writer writer(out);
  writer.begin_object();
  writer.string("code", row.word).string("message", failure.message);
  writer.boolean("retryable", failure.retryable.value_or(row.retryable));
  writer.raw("details", "{" + failure.details + "}");
  writer.end_object();
}

std::string encode_failure(const Failure &failure) {
  std::string document = R"({"ok":false,"error":)";
  append_error(document, failure);
  document += '}';
  return document;
}

std::string operator_text(const Failure &failure) {
  std::string text = failure.message;
  if (!text.empty() && text.front() >= 'A' && text.front() <= 'Z') text.front() += 'a' - 'A';
  return failure.detail.empty() ? text : text + ": " + failure.detail;
}

Failure failure_of(kit::PathFault fault, std::string_view path) {
  using kit::PathFault;
  switch (fault) {
  case PathFault::outside:
    return failure(ErrorCode::path_outside_workspace, "The path leads out of the workspace")
        .with("path", path)
        .with("recovery", "Name a path inside the workspace, relative to its root.");
  case PathFault::not_found:
    return failure(ErrorCode::not_found, "Nothing is at this path")
        .with("path", path)
        .with("recovery", "List the parent directory to see what is there.");
  case PathFault::not_a_directory:
    return failure(ErrorCode::not_a_directory, "A file stands where a directory is needed")
        .with("path", path);
  case PathFault::not_regular:
    return failure(ErrorCode::not_a_regular_file, "This is no regular file").with("path", path);
  case PathFault::symlink_loop:
    return failure(ErrorCode::invalid_path, "The path runs in a loop of symbolic links")
        .with("path", path)
        .with("reason", "symlink_loop");
  case PathFault::too_long:
    return failure(ErrorCode::invalid_path,
                   "A path has at most 4,095 bytes and 255 in each component")
        .with("path", path)
        .with("reason", "too_long");
  case PathFault::denied:
    return failure(ErrorCode::permission_denied, "The file system does not permit this")
        .with("path", path);
  case PathFault::crosses_mount:
    return failure(ErrorCode::crosses_mount, "The path lies on another mount").with("path", path);
  case PathFault::changed:
    return failure(ErrorCode::io_error, "The path was replaced while it was looked at")
        .with("path", path)
        .with("recovery", "Repeat the call.")
        .transient();
  case PathFault::read_only:
    return failure(ErrorCode::read_only_filesystem, "The file system is read-only")
        .with("path", path);
  case PathFault::no_space:
    return failure(ErrorCode::no_space, "No space is left").with("path", path);
  case PathFault::io:
    break;
  }
  return failure(ErrorCode::io_error, "The path cannot be read").with("path", path).transient();
}

Failure failure_of(const kit::json::ArgumentFault &fault) {
  return invalid_argument(fault.argument, fault.reason, fault.expected);
}

Failure invalid_argument(std::string_view argument, std::string_view reason,
                         std::string_view expected) {
  // Reasons are predicates ("must be a string"), but for this one.
  const std::string_view verb = reason == "unknown property" ? "is an " : "";
  Failure result = argument.empty()
                       ? failure(ErrorCode::invalid_argument, "The arguments {}", reason)
                       : failure(ErrorCode::invalid_argument, "'{}' {}{}", argument, verb, reason);
  if (!argument.empty()) result = std::move(result).with("argument", argument);
  result = std::move(result).with("reason", reason);
  if (!expected.empty()) result = std::move(result).with("expected", expected);
  return result;
}

Failure limit_exceeded(std::string_view limit, std::int64_t requested, std::uint64_t maximum) {
  return failure(ErrorCode::limit_exceeded, "'{}' is {}; the limit is {}", limit, requested,
                 maximum)
      .with("limit", limit)
      .with_raw("requested", std::to_string(requested))
      .with("maximum", maximum)
      .with("recovery", fmt::format("Ask for at most {}.", maximum));
}

} // namespace packhost::files
