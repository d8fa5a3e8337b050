// SPDX-License-Identifier: MIT
// Temporary directories, socket pairs and children for packs under test.
#include "sdk/testing/world.hpp"

#include "sdk/testing/harness.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace packhost::testing {

namespace {

constexpr std::string_view kDirectories[] = {"data", "state", "cache", "tmp"};

std::string make_base() {
  const char *tmp = std::getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody sets it here
  std::string base = std::string(tmp == nullptr ? "/tmp" : tmp) + "/packhost-testing-XXXXXX";
  if (mkdtemp(base.data()) == nullptr) {
    throw std::runtime_error("cannot make a temporary directory: " +
                             std::generic_category().message(errno));
  }
  return base;
}

World &world_of(const packhost_host *host) {
  return static_cast<Harness::Impl *>(host->host_data)->world;
}

std::string_view view(packhost_str text) {
  return text.len == 0 ? std::string_view() : std::string_view(text.ptr, text.len);
}

// ---- the four interfaces
// ---------------------------------------------------------------------------

packhost_status net_connect(const packhost_host *host, packhost_str endpoint, std::uint64_t,
                            packhost_call *, std::int32_t *out_fd) {
  return world_of(host).connect(view(endpoint), out_fd);
}

packhost_status process_spawn(const packhost_host *host, packhost_str name,
                              const packhost_str *args, size_t n_args, packhost_child *out) {
  return world_of(host).spawn(view(name), args, n_args, out);
}

packhost_status process_signal(const packhost_host *host, std::uint64_t id, std::int32_t signal) {
  return world_of(host).send_signal(id, signal);
}

packhost_status process_wait(const packhost_host *host, std::uint64_t id, std::int32_t *status) {
  return world_of(host).wait_status(id, status);
}

packhost_status secret_read(const packhost_host *host, packhost_str option,
                            void (*sink)(void *, packhost_str), void *sink_ctx) {
  return world_of(host).read_secret(view(option), sink, sink_ctx);
}

std::int32_t dirs_fd(const packhost_host *host, const char *which) {
  return world_of(host).dir_fd(which);
}

constexpr packhost_net kNet{sizeof(packhost_net), 0, &net_connect};
constexpr packhost_process kProcess{sizeof(packhost_process), 0, &process_spawn, &process_signal,
                                    &process_wait};
constexpr packhost_secret kSecret{sizeof(packhost_secret), 0, &secret_read};
constexpr packhost_dirs kDirs{sizeof(packhost_dirs), 0, &dirs_fd};

} // namespace

const void *World::find_interface(std::string_view id) {
  if (id == PACKHOST_IFACE_NET) return &kNet;
  if (id == PACKHOST_IFACE_PROCESS) return &kProcess;
  if (id == PACKHOST_IFACE_SECRET) return &kSecret;
  if (id == PACKHOST_IFACE_DIRS) return &kDirs;
  return nullptr;
}

// ---- directories and secrets
// -----------------------------------------------------------------------

World::World(const Setup &setup)
    : setup_(setup), base_(make_base()), secrets_(setup.secrets.begin(), setup.secrets.end()) {
  for (const std::string_view which : kDirectories) {
    const std::string path = directory(which);
    std::filesystem::create_directory(path);
    directories_.emplace(which,
                         kit::UniqueFd(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)));
  }
}

World::~World() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(base_, ignored);
}

std::string World::directory(std::string_view which) const {
  return base_ + "/" + std::string(which);
}

std::int32_t World::dir_fd(std::string_view which) const {
  const auto at = directories_.find(which);
  return at == directories_.end() ? -1 : at->second.get();
}

void World::set_secret(const std::string &pointer, std::string bytes) {
  const std::lock_guard lock(mutex_);
  secrets_[pointer] = std::move(bytes);
}

packhost_status World::read_secret(std::string_view pointer, void (*sink)(void *, packhost_str),
                                   void *sink_ctx) {
  std::string bytes;
  {
    const std::lock_guard lock(mutex_);
    const auto at = secrets_.find(pointer);
    if (at == secrets_.end()) return PACKHOST_E_NOT_FOUND;
    bytes = at->second;
  }
  sink(sink_ctx, {bytes.data(), bytes.size()});
  return PACKHOST_OK;
}

// ---- connections
// -----------------------------------------------------------------------------------

packhost_status World::connect(std::string_view endpoint, std::int32_t *out_fd) {
  const auto peer = setup_.peers.find(std::string(endpoint));
  if (peer == setup_.peers.end()) return PACKHOST_E_DENIED;
  if (!peer->second) return PACKHOST_E_UNAVAILABLE;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return PACKHOST_E_IO;
  fcntl(pair[0], F_SETFL, O_NONBLOCK);
  const std::lock_guard lock(mutex_);
  peers_.push_back({kit::UniqueFd(pair[1]), std::thread([script = peer->second, end = pair[1]] {
                      script(end);
                      shutdown(end, SHUT_RDWR);
                    })});
  *out_fd = pair[0];
  return PACKHOST_OK;
}

// ---- programs
// --------------------------------------------------------------------------------------

packhost_status World::spawn(std::string_view name, const packhost_str *args, std::size_t n_args,
                             packhost_child *out) {
  const auto program = setup_.programs.find(std::string(name));
  if (program == setup_.programs.end() || n_args > 1024) return PACKHOST_E_DENIED;
  std::vector<std::string> words{program->second};
  for (std::size_t i = 0; i < n_args; ++i) words.emplace_back(view(args[i]));
  std::vector<char *> argv;
  argv.reserve(words.size() + 1);
  for (std::string &word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  int out_pipe[2];
  int err_pipe[2];
  if (pipe2(out_pipe, O_CLOEXEC) != 0) return PACKHOST_E_IO;
  kit::UniqueFd out_read(out_pipe[0]);
  const kit::UniqueFd out_write(out_pipe[1]);
  if (pipe2(err_pipe, O_CLOEXEC) != 0) return PACKHOST_E_IO;
  kit::UniqueFd err_read(err_pipe[0]);
  const kit::UniqueFd err_write(err_pipe[1]);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out_write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_write.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  char *environment[] = {nullptr};
  Child child;
  const int fault = posix_spawn(&child.pid, program->second.c_str(), &actions, &attributes,
                                argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (fault != 0) return fault == ENOENT ? PACKHOST_E_NOT_FOUND : PACKHOST_E_IO;

  child.exit_fd.reset(static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0)));
  fcntl(out_read.get(), F_SETFL, O_NONBLOCK);
  fcntl(err_read.get(), F_SETFL, O_NONBLOCK);
  const std::lock_guard lock(mutex_);
  child.id = children_.size() + 1;
  out->pid = child.pid;
  out->id = child.id;
  out->stdout_fd = out_read.release();
  out->stderr_fd = err_read.release();
  out->exit_fd = child.exit_fd.get();
  children_.push_back(std::move(child));
  return PACKHOST_OK;
}

World::Child *World::find_child(std::uint64_t id) {
  for (Child &child : children_) {
    if (child.id == id) return &child;
  }
  return nullptr;
}

void World::reap(Child &child, int flags) {
  if (child.has_ended) return;
  int status = 0;
  if (waitpid(child.pid, &status, flags) == child.pid) {
    child.has_ended = true;
    child.status = status;
  }
}

packhost_status World::send_signal(std::uint64_t child_id, std::int32_t signal) {
  if (signal != SIGTERM && signal != SIGKILL) return PACKHOST_E_INVALID_ARGS;
  const std::lock_guard lock(mutex_);
  Child *child = find_child(child_id);
  if (child == nullptr) return PACKHOST_E_NOT_FOUND;
  if (!child->has_ended) kill(-child->pid, signal);
  return PACKHOST_OK;
}

packhost_status World::wait_status(std::uint64_t child_id, std::int32_t *out_status) {
  const std::lock_guard lock(mutex_);
  Child *child = find_child(child_id);
  if (child == nullptr) return PACKHOST_E_NOT_FOUND;
  reap(*child, WNOHANG);
  if (!child->has_ended) return PACKHOST_E_UNAVAILABLE;
  *out_status = child->status;
  return PACKHOST_OK;
}

void World::stop() {
  std::list<Peer> peers;
  {
    const std::lock_guard lock(mutex_);
    for (Child &child : children_) {
      reap(child, WNOHANG);
      if (!child.has_ended) kill(-child.pid, SIGKILL);
      reap(child, 0);
    }
    children_.clear();
    peers.swap(peers_);
  }
  for (Peer &peer : peers) {
    shutdown(peer.end.get(), SHUT_RDWR); // a script that still reads finds the end
    peer.script.join();
  }
}

} // namespace packhost::testing
