// SPDX-License-Identifier: MIT
// What packhost_host::host_data points to: how a C function that a pack calls finds the objects of
// the host that belong to this pack.
#pragma once

#include <packhost/packhost.h>

#include <cstdint>

namespace packhost::pack {

class PackServices;

/// One per open pack; lives from before open() until after shutdown() returned.
struct HostData {
  PackServices *services = nullptr;
  void *instance = nullptr; // the Instance, for the functions of host_table.cpp
  /// The cancel descriptor of a call, or -1; nullptr while no call can run (plan).
  std::int32_t (*cancel_fd)(packhost_call *) = nullptr;
};

} // namespace packhost::pack
