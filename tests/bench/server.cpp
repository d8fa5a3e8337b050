// SPDX-License-Identifier: MIT
// Spawning, pipes and /proc. The contract stands in server.hpp.
#include "tests/bench/server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace packhost::bench {

namespace {

constexpr std::size_t kReadBytes = 256 * 1024;

/// The number behind `key` at the start of a line, 0 if there is no such line.
double field_of(const std::string &path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key)) return std::strtod(line.c_str() + key.size(), nullptr);
  }
  return 0;
}

} // namespace

void give_up(const std::string &what) {
  std::fprintf(stderr, "bench_drive: %s\n", what.c_str());
  std::_Exit(1); // pipes close, so servers end
}

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

Server::Server(const std::vector<std::string> &argv) : name_(argv.front()), buffer_(kReadBytes) {
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0) give_up("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words = argv;
  std::vector<char *> pointers;
  for (std::string &word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::string search_path = "PATH=/usr/bin:/bin";
  std::array<char *, 2> environment{search_path.data(), nullptr};
  const int failed =
      posix_spawn(&pid_, name_.c_str(), &actions, &attributes, pointers.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) give_up(name_ + ": " + std::generic_category().message(failed));
  close(to[0]);
  close(from[1]);
  in_ = to[1];
  out_ = from[0];
}

Server::~Server() {
  if (in_ >= 0) close(in_);
  if (out_ >= 0) close(out_);
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

void Server::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(in_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) give_up(name_ + ": does not read: " + std::generic_category().message(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Server::read_some(std::size_t limit) {
  if (begin_ == end_) {
    begin_ = end_ = scanned_ = 0;
  } else if (end_ == buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const std::size_t room = std::min(limit, buffer_.size() - end_);
  // As clients with an event loop do, which most are: they wait for readiness, then read.
  pollfd ready{out_, POLLIN, 0};
  while (poll(&ready, 1, -1) < 0 && errno == EINTR) {
  }
  ssize_t count = -1;
  do {
    count = read(out_, buffer_.data() + end_, room);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) give_up(name_ + ": ended in the middle of the run");
  end_ += static_cast<std::size_t>(count);
}

bool Server::has_line() const {
  return end_ > scanned_ &&
         std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_) != nullptr;
}

std::string_view Server::read_line() {
  for (;;) {
    const char *found = nullptr;
    if (end_ > scanned_) {
      found =
          static_cast<const char *>(std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_));
    }
    if (found != nullptr) {
      const auto stop = static_cast<std::size_t>(found - buffer_.data());
      const std::string_view line(buffer_.data() + begin_, stop - begin_);
      begin_ = scanned_ = stop + 1;
      return line;
    }
    scanned_ = end_;
    read_some(buffer_.size());
  }
}

std::int64_t Server::finish_ns() {
  const std::int64_t start = now_ns();
  close(in_);
  in_ = -1;
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) give_up(name_ + ": lost");
  const std::int64_t took = now_ns() - start;
  pid_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    give_up(name_ + ": did not end with exit status 0");
  }
  return took;
}

std::string Server::proc_path(const char *name) const {
  return "/proc/" + std::to_string(pid_) + "/" + name;
}

double Server::cpu_ns() const {
  double sum = 0;
  for (const auto &task : std::filesystem::directory_iterator(proc_path("task"))) {
    sum += field_of(task.path() / "schedstat", "");
  }
  return sum;
}

double Server::peak_kib() const {
  return field_of(proc_path("status"), "VmHWM:");
}

double Server::threads() const {
  return field_of(proc_path("status"), "Threads:");
}

Memory Server::memory() const {
  Memory sum;
  double shared = 0;
  bool is_shared_object = false;
  std::ifstream file(proc_path("smaps"));
  std::string line;
  const auto number = [&line](std::string_view key) {
    return line.starts_with(key) ? std::strtod(line.c_str() + key.size(), nullptr) : 0.0;
  };
  while (std::getline(file, line)) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos && space > 0 && line[space - 1] != ':') {
      is_shared_object = line.find(".so") != std::string::npos;
      continue;
    }
    sum.rss_kib += number("Rss:");
    sum.anonymous_kib += number("Anonymous:");
    if (is_shared_object) shared += number("Shared_Clean:");
  }
  sum.beside_shared_kib = sum.rss_kib - shared;
  return sum;
}

} // namespace packhost::bench
