// SPDX-License-Identifier: MIT
// The optional host interfaces of one pack.
#include "host/pack/services.hpp"

#include "host/pack/dirs_service.hpp"
#include "host/pack/host_data.hpp"
#include "host/pack/net_service.hpp"
#include "host/pack/process_service.hpp"
#include "host/pack/secret_service.hpp"

namespace packhost::pack {

PackServices::PackServices(const PackLaunch &launch)
    : dirs_(std::make_unique<DirsService>(launch)), net_(std::make_unique<NetService>(launch)),
      process_(std::make_unique<ProcessService>(launch)),
      secrets_(std::make_unique<SecretService>(launch)) {}

PackServices::~PackServices() = default;

const void *PackServices::find_interface(std::string_view id) {
  if (id == PACKHOST_IFACE_NET) return NetService::table();
  if (id == PACKHOST_IFACE_PROCESS) return ProcessService::table();
  if (id == PACKHOST_IFACE_SECRET) return SecretService::table();
  if (id == PACKHOST_IFACE_DIRS) return DirsService::table();
  return nullptr;
}

void PackServices::close() {
  process_->close();
  dirs_->close();
}

PackServices *find_services(const packhost_host *host) {
  if (host == nullptr || host->host_data == nullptr) return nullptr;
  return static_cast<const HostData *>(host->host_data)->services;
}

} // namespace packhost::pack
