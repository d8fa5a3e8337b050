// SPDX-License-Identifier: MIT
// The environment of the launch, taken into a private copy when the process starts and cleared in
// the process itself: packs and libraries see only the names that were granted. See sandbox.md
// section 6, step 2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::support {

/// The copy. One owner, made once by main(). Not thread-safe: used while the process has one
/// thread.
class PrivateEnvironment {
public:
  PrivateEnvironment() = default;
  PrivateEnvironment(PrivateEnvironment &&) noexcept = default;
  PrivateEnvironment &operator=(PrivateEnvironment &&) noexcept = default;
  PrivateEnvironment(const PrivateEnvironment &) = delete;
  PrivateEnvironment &operator=(const PrivateEnvironment &) = delete;
  ~PrivateEnvironment();

  /// Copies the process's environment, clears it, and overwrites the block the kernel made (which
  /// /proc/PID/environ goes on showing).
  /// REQUIRES: one thread, and nobody keeps a pointer that getenv() gave.
  [[nodiscard]] static PrivateEnvironment take();

  /// For tests: a copy made of `NAME=value` texts; the process's environment stays as it is.
  [[nodiscard]] static PrivateEnvironment for_test_of(std::vector<std::string> entries);

  /// The value of a variable. Borrowed until wipe().
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;

  /// Puts the named variables back into the process's environment, those that exist. Names that
  /// steer the loader or a library (LD_*, GCONV_PATH, OPENSSL_* ...) are never put back.
  void put_back(const std::vector<std::string> &names) const;

  /// Overwrites and forgets every value.
  void wipe();

private:
  std::vector<std::string> entries_; // NAME=value
};

/// True for names that change what code is loaded or how libraries behave; no manifest is granted
/// one.
[[nodiscard]] bool is_loader_variable(std::string_view name);

} // namespace packhost::support
