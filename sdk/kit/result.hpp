// SPDX-License-Identifier: MIT
// How a function says "this can fail": a value or an Error.
//
// The only file that names tl::expected. When the compiler brings std::expected, this file changes
// and no other does.
#pragma once

#include <fmt/format.h>
#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace packhost::kit {

/// One name per failure status of packhost.h, in the same order, so that the conversion at the
/// border is one small table (E_TOOL has none: its parts are the answer).
enum class Code : std::uint8_t {
  invalid_args,
  not_found,
  denied,
  conflict,
  cancelled,
  deadline,
  limit,
  io,
  unavailable,
  unsupported,
  config,
  no_memory,
  misuse,
  internal
};

struct Error {
  Code code = Code::internal;
  std::string message; // for a model or a person: what failed, on what, what to do next
  std::string detail;  // for the log only: errno text, library text, host paths
};

/// A T or an E. A dropped Result does not compile under -Werror.
template <typename T, typename E = Error>
class [[nodiscard]] Result : public tl::expected<T, E> {
public:
  using Base = tl::expected<T, E>;
  using Base::Base;

  // NOLINTNEXTLINE(google-explicit-constructor): map(), and_then() convert back
  Result(Base base) : Base(std::move(base)) {}
};

using Status = Result<void>;

/// An Error with a formatted message.
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail(Code code, fmt::format_string<Args...> text,
                                         Args &&...args) {
  return tl::unexpected<Error>(Error{code, fmt::format(text, std::forward<Args>(args)...), {}});
}

/// Hands the failure of one Result to another. REQUIRES: `failed` holds no value. Leaves it moved
/// from.
template <typename T, typename E>
[[nodiscard]] tl::unexpected<E> pass_on(Result<T, E> &failed) {
  return tl::unexpected<E>(std::move(failed.error()));
}

} // namespace packhost::kit
