// SPDX-License-Identifier: MIT
// packhost.net/1. Names are resolved on a thread of their own, since getaddrinfo() knows neither
// deadlines nor cancellation.
#include "host/pack/net_service.hpp"

#include "host/pack/host_data.hpp"
#include "host/pack/services.hpp"
#include "host/support/thread.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace packhost::pack {

using kit::Code;

namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

struct HostPort {
  std::string host;
  std::string port;
};

/// "host:port" or "[v6]:port".
std::optional<HostPort> split_endpoint(std::string_view endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == endpoint.size())
    return std::nullopt;
  std::string_view host = endpoint.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return HostPort{std::string(host), std::string(endpoint.substr(colon + 1))};
}

/// What one resolving thread and its asker share: the asker may have gone by the time it is done.
struct Resolution {
  HostPort target;
  kit::UniqueFd done; // eventfd, readable once `error` and `addresses` stand
  int error = EAI_FAIL;
  std::vector<Address> addresses;
};

void look_up(Resolution &resolution, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo *found = nullptr;
  resolution.error =
      ::getaddrinfo(resolution.target.host.c_str(), resolution.target.port.c_str(), &hints, &found);
  if (resolution.error != 0) return;
  for (const addrinfo *each = found; each != nullptr; each = each->ai_next) {
    Address address;
    if (each->ai_addrlen > sizeof address.storage) continue;
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.size = each->ai_addrlen;
    resolution.addresses.push_back(address);
  }
  ::freeaddrinfo(found);
}

/// Waits until `fd` is ready. RETURNS an error for the deadline and for a cancelled call.
kit::Status wait_for(int fd, short events, kit::Deadline deadline, int cancel_fd) {
  while (true) {
    pollfd waits[2] = {{fd, events, 0}, {cancel_fd, POLLIN, 0}};
    const int count = ::poll(waits, cancel_fd >= 0 ? 2 : 1, deadline.poll_ms());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return kit::fail(Code::io, "cannot wait for the connection");
    if (waits[1].revents != 0) return kit::fail(Code::cancelled, "cancelled");
    if (waits[0].revents != 0) return {};
    if (deadline.has_passed()) return kit::fail(Code::deadline, "no connection in time");
  }
}

kit::Result<std::vector<Address>> resolve(const HostPort &target, kit::Deadline deadline,
                                          int cancel_fd) {
  auto shared = std::make_shared<Resolution>(); // owners: this function and the resolving thread
  shared->target = target;
  look_up(*shared, AI_NUMERICHOST | AI_NUMERICSERV);
  if (shared->error == 0) return std::move(shared->addresses);
  shared->done.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!shared->done.is_open()) return kit::fail(Code::unavailable, "no descriptor to wait with");
  const bool started = support::start_detached_thread([shared] {
    look_up(*shared, 0);
    const std::uint64_t one = 1;
    (void)!::write(shared->done.get(), &one, sizeof one);
  });
  if (!started) return kit::fail(Code::unavailable, "no thread to resolve the name on");
  if (auto waited = wait_for(shared->done.get(), POLLIN, deadline, cancel_fd); !waited)
    return pass_on(waited);
  // The eventfd's read orders what the other thread wrote before this.
  std::uint64_t count = 0;
  (void)!::read(shared->done.get(), &count, sizeof count);
  if (shared->error != 0) return kit::fail(Code::unavailable, "the name cannot be resolved");
  return std::move(shared->addresses);
}

kit::Result<kit::UniqueFd> connect_to(const Address &address, kit::Deadline deadline,
                                      int cancel_fd) {
  kit::UniqueFd socket(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return kit::fail(Code::unavailable, "no socket");
  int result = -1;
  do {
    result =
        ::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address.storage), address.size);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EINPROGRESS)
    return kit::fail(Code::unavailable, "the endpoint does not answer");
  if (result != 0) {
    if (auto waited = wait_for(socket.get(), POLLOUT, deadline, cancel_fd); !waited)
      return pass_on(waited);
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0)
      return kit::fail(Code::unavailable, "the endpoint does not answer");
  }
  if (address.storage.ss_family != AF_UNIX) {
    const int on = 1;
    (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return socket;
}

kit::Result<Address> unix_address(std::string_view path) {
  Address address;
  sockaddr_un name{};
  if (path.empty() || path.front() != '/' || path.size() >= sizeof name.sun_path)
    return kit::fail(Code::unavailable, "the path of the socket is too long or not absolute");
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  std::memcpy(&address.storage, &name, sizeof name);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

packhost_status status_of(Code code) {
  if (code == Code::denied) return PACKHOST_E_DENIED;
  if (code == Code::deadline) return PACKHOST_E_DEADLINE;
  if (code == Code::cancelled) return PACKHOST_E_CANCELLED;
  return code == Code::io ? PACKHOST_E_IO : PACKHOST_E_UNAVAILABLE;
}

packhost_status net_connect(const packhost_host *host, packhost_str endpoint,
                            std::uint64_t deadline_ns, packhost_call *cancel_with,
                            std::int32_t *out_fd) noexcept {
  try {
    PackServices *services = find_services(host);
    if (services == nullptr || out_fd == nullptr || endpoint.len == 0) return PACKHOST_E_MISUSE;
    const auto *data = static_cast<const HostData *>(host->host_data);
    const int cancel_fd =
        cancel_with != nullptr && data->cancel_fd != nullptr ? data->cancel_fd(cancel_with) : -1;
    auto socket = services->net().connect(std::string_view(endpoint.ptr, endpoint.len),
                                          kit::Deadline::at_ns(deadline_ns), cancel_fd);
    if (!socket) return status_of(socket.error().code);
    *out_fd = socket->release();
    return PACKHOST_OK;
  } catch (const std::exception &) {
    return PACKHOST_E_NOMEM;
  }
}

} // namespace

NetService::NetService(const PackLaunch &launch) : launch_(launch) {}

kit::Result<kit::UniqueFd> NetService::connect(std::string_view endpoint, kit::Deadline deadline,
                                               int cancel_fd) const {
  if (std::find(launch_.endpoints.begin(), launch_.endpoints.end(), endpoint) ==
      launch_.endpoints.end())
    return kit::fail(Code::denied, "endpoint \"{}\" is not among the {} granted to {}", endpoint,
                     launch_.endpoints.size(), launch_.alias);
  static constexpr std::string_view kUnix = "unix:";
  if (endpoint.starts_with(kUnix)) {
    auto address = unix_address(endpoint.substr(kUnix.size()));
    if (!address) return pass_on(address);
    return connect_to(*address, deadline, cancel_fd);
  }
  const std::optional<HostPort> target = split_endpoint(endpoint);
  if (!target) return kit::fail(Code::unavailable, "not an endpoint: host:port");
  auto addresses = resolve(*target, deadline, cancel_fd);
  if (!addresses) return pass_on(addresses);
  kit::Result<kit::UniqueFd> last = kit::fail(Code::unavailable, "the name has no address");
  for (const Address &address : *addresses) {
    last = connect_to(address, deadline, cancel_fd);
    const bool goes_on = !last && last.error().code == Code::unavailable;
    if (!goes_on) return last;
  }
  return last;
}

const packhost_net *NetService::table() {
  static constexpr packhost_net kTable{sizeof(packhost_net), 0, net_connect};
  return &kTable;
}

} // namespace packhost::pack
