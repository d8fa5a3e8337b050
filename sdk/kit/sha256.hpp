// SPDX-License-Identifier: MIT
// SHA-256. The only file of the kit that names OpenSSL for hashing; libcrypto is opened by soname
// at the first use, since linking it costs several milliseconds of every start.
#pragma once

#include "sdk/kit/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace packhost::kit {

/// A running digest. Movable. One thread at a time.
class Sha256 {
public:
  /// Fails with Code::internal if libcrypto cannot be opened.
  [[nodiscard]] static Result<Sha256> begin();
  Sha256(Sha256 &&other) noexcept;
  Sha256 &operator=(Sha256 &&other) noexcept;
  ~Sha256();

  void update(std::string_view bytes);

  /// 64 lower-case hex digits. Ends the digest: nothing may follow.
  [[nodiscard]] std::string hex();

private:
  explicit Sha256(void *context) : context_(context) {}

  void *context_ = nullptr; // EVP_MD_CTX
};

/// Digest of one run of bytes as 64 lower-case hex digits.
[[nodiscard]] Result<std::string> sha256_hex(std::string_view bytes);

} // namespace packhost::kit
