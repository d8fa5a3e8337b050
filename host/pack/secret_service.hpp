// SPDX-License-Identifier: MIT
// packhost.secret/1: a secret option as it is now, so that rotated credentials work without a
// restart.
#pragma once

#include "host/pack/launch.hpp"
#include "sdk/kit/result.hpp"

#include <packhost/packhost.h>

#include <string>
#include <string_view>

namespace packhost::pack {

/// Thread-safe: holds nothing that changes.
class SecretService {
public:
  /// `launch` is borrowed for the life of this object.
  explicit SecretService(const PackLaunch &launch);

  /// The secret at a JSON pointer: files are read again. Code::not_found, or Code::io for a file
  /// that cannot be read or is empty now. The caller wipes it.
  [[nodiscard]] kit::Result<std::string> read(std::string_view pointer) const;

  [[nodiscard]] static const packhost_secret *table();

private:
  const PackLaunch &launch_;
};

} // namespace packhost::pack
