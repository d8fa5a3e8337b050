// SPDX-License-Identifier: MIT
// packhost.net/1: connects to the endpoints that were granted, and to nothing else.
#pragma once

#include "host/pack/launch.hpp"
#include "sdk/kit/deadline.hpp"
#include "sdk/kit/result.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <packhost/packhost.h>

#include <string_view>

namespace packhost::pack {

/// Thread-safe: holds nothing that changes.
class NetService {
public:
  /// `launch` is borrowed for the life of this object.
  explicit NetService(const PackLaunch &launch);

  /// A connected, non-blocking, close-on-exec stream socket. `cancel_fd` ends the attempt when it
  /// turns readable; -1: none. Code::denied, Code::deadline, Code::cancelled, Code::unavailable.
  [[nodiscard]] kit::Result<kit::UniqueFd> connect(std::string_view endpoint,
                                                   kit::Deadline deadline, int cancel_fd) const;

  [[nodiscard]] static const packhost_net *table();

private:
  const PackLaunch &launch_;
};

} // namespace packhost::pack
