// SPDX-License-Identifier: MIT
// packhost.dirs/1.
#include "host/pack/dirs_service.hpp"

#include "host/pack/services.hpp"
#include "host/support/account.hpp"
#include "host/support/log.hpp"
#include "sdk/kit/errno_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace packhost::pack {

namespace {

/// Makes a directory and its parents, each 0700 whatever the umask is. What exists stays as it is.
bool make_directory(const std::string &path) {
  if (::mkdir(path.c_str(), 0700) == 0) return ::chmod(path.c_str(), 0700) == 0;
  if (errno == EEXIST) return true;
  const std::size_t slash = path.rfind('/');
  if (errno != ENOENT || slash == 0 || slash == std::string::npos) return false;
  if (!make_directory(path.substr(0, slash))) return false;
  return (::mkdir(path.c_str(), 0700) == 0 && ::chmod(path.c_str(), 0700) == 0) || errno == EEXIST;
}

/// A directory of its own for this launch.
std::string make_launch_directory(const std::string &pack) {
  std::string path = "/tmp/packhost-" + pack + "-XXXXXX";
  return ::mkdtemp(path.data()) != nullptr ? path : std::string();
}

std::int32_t dir_fd(const packhost_host *host, const char *which) noexcept {
  try {
    PackServices *services = find_services(host);
    return services == nullptr || which == nullptr ? -1 : services->dirs().find_directory(which);
  } catch (const std::exception &) { // out of memory: the pack learns that there is none
    return -1;
  }
}

} // namespace

DirsService::DirsService(const PackLaunch &launch) : launch_(launch) {}

int DirsService::find_directory(std::string_view which) {
  const auto granted =
      std::find_if(launch_.directories.begin(), launch_.directories.end(),
                   [which](const PackDirectory &each) { return each.which == which; });
  if (granted == launch_.directories.end()) return -1;
  const support::Lock lock(mutex_);
  for (const Open &open : open_)
    if (open.which == which) return open.fd.get();
  std::string path = granted->path;
  if (path.starts_with("~/")) {
    const auto home = support::find_home();
    if (!home) return report(which, path, "found", home.error().message);
    path.replace(0, 1, *home == "/" ? "" : *home);
  }
  if (path.empty()) {
    path = make_launch_directory(launch_.manifest->name);
    if (path.empty()) return report(which, "in /tmp", "made", kit::errno_text(errno));
  } else if (granted->may_write && !make_directory(path)) {
    return report(which, path, "made", kit::errno_text(errno));
  }
  kit::UniqueFd fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) {
    if (errno == ENOENT && !granted->may_write) return -1; // asked again it may be there
    return report(which, path, "opened", kit::errno_text(errno));
  }
  open_.push_back({std::string(which), std::move(path), std::move(fd)});
  return open_.back().fd.get();
}

int DirsService::report(std::string_view which, std::string_view path, std::string_view what,
                        std::string_view reason) {
  if (std::find(reported_.begin(), reported_.end(), which) == reported_.end()) {
    reported_.emplace_back(which);
    support::print_line(fmt::format("packhost: pack \"{}\": its {} directory {} cannot be {} ({}).",
                                    launch_.alias, which, path, what, reason));
  }
  return -1;
}

void DirsService::close() {
  const support::Lock lock(mutex_);
  for (const Open &open : open_) {
    if (open.which != "tmp") continue;
    std::error_code ignored; // what cannot be removed stays for whoever tidies /tmp
    std::filesystem::remove_all(open.path, ignored);
  }
  std::erase_if(open_, [](const Open &open) { return open.which == "tmp"; });
}

const packhost_dirs *DirsService::table() {
  static constexpr packhost_dirs kTable{sizeof(packhost_dirs), 0, dir_fd};
  return &kTable;
}

} // namespace packhost::pack
