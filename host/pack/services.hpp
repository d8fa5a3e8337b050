// SPDX-License-Identifier: MIT
// The optional host interfaces of one pack: packhost.net/1, packhost.process/1, packhost.secret/1
// and packhost.dirs/1, each serving only what the launch grants. The C functions find their way
// back through packhost_host::host_data (host_data.hpp).
#pragma once

#include "host/pack/launch.hpp"

#include <packhost/packhost.h>

#include <memory>
#include <string_view>

namespace packhost::pack {

class DirsService;
class NetService;
class ProcessService;
class SecretService;

/// Thread-safe once constructed. Must outlive the pack's shutdown().
class PackServices {
public:
  /// `launch` is borrowed and must outlive this object. Takes no system resources: those come with
  /// the first use.
  explicit PackServices(const PackLaunch &launch);
  PackServices(const PackServices &) = delete;
  PackServices &operator=(const PackServices &) = delete;
  ~PackServices();

  /// The function table for an interface id, or nullptr for one that this host does not offer.
  /// Tables are static. Any thread.
  [[nodiscard]] static const void *find_interface(std::string_view id);

  /// Ends what the pack left: its children (SIGKILL to their groups) and its ${tmp}. Called once,
  /// after the pack's shutdown(), before _exit.
  void close();

  [[nodiscard]] DirsService &dirs() { return *dirs_; }

  [[nodiscard]] NetService &net() { return *net_; }

  [[nodiscard]] ProcessService &process() { return *process_; }

  [[nodiscard]] SecretService &secrets() { return *secrets_; }

private:
  std::unique_ptr<DirsService> dirs_;
  std::unique_ptr<NetService> net_;
  std::unique_ptr<ProcessService> process_;
  std::unique_ptr<SecretService> secrets_;
};

/// The services of the pack that `host` was handed to. REQUIRES: host_data is a HostData.
[[nodiscard]] PackServices *find_services(const packhost_host *host);

} // namespace packhost::pack
