// SPDX-License-Identifier: MIT
// Reads /proc/self for what a pack may not touch, and diverts descriptor 1.
#include "sdk/testing/watch.hpp"

#include "sdk/kit/result.hpp"

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace packhost::testing {

void Violations::add(std::string sentence) {
  const std::lock_guard lock(mutex_);
  sentences_.push_back(std::move(sentence));
}

std::vector<std::string> Violations::all() {
  const std::lock_guard lock(mutex_);
  shown_ = sentences_.size();
  return sentences_;
}

std::vector<std::string> Violations::unread() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> rest(sentences_.begin() + static_cast<std::ptrdiff_t>(shown_),
                                sentences_.end());
  shown_ = sentences_.size();
  return rest;
}

// ---- process state ------------------------------------------------------------------------------

namespace {

/// Read, not set: umask() cannot be asked without changing it for a moment.
mode_t current_umask() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kName = "Umask:";
    if (line.starts_with(kName))
      return static_cast<mode_t>(std::strtoul(line.c_str() + kName.size(), nullptr, 8));
  }
  return 0;
}

bool is_same(const struct sigaction &a, const struct sigaction &b) {
  // The C library sets this one by itself when a disposition is put back.
  constexpr int kRestorer = 0x04000000;
  return a.sa_handler == b.sa_handler && (a.sa_flags | kRestorer) == (b.sa_flags | kRestorer);
}

std::vector<int> numbers_in(const char *folder) {
  std::vector<int> numbers;
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

} // namespace

ProcessState ProcessState::now() {
  ProcessState state;
  std::error_code ignored;
  state.working_dir_ = std::filesystem::current_path(ignored).string();
  state.umask_ = current_umask();
  state.locale_ = std::setlocale(LC_ALL, nullptr); // NOLINT(concurrency-mt-unsafe): only asks
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};

    if (sigaction(number, nullptr, &action) == 0) state.signals_.emplace_back(number, action);
  }
  return state;
}

std::vector<std::string> ProcessState::changes_since(const ProcessState &earlier) const {
  std::vector<std::string> changes;
  if (working_dir_ != earlier.working_dir_) {
    changes.push_back(
        fmt::format("the working directory ({}, now {})", earlier.working_dir_, working_dir_));
  }
  if (umask_ != earlier.umask_) {
    changes.push_back(fmt::format("the umask ({:04o}, now {:04o})", earlier.umask_, umask_));
  }
  if (locale_ != earlier.locale_) {
    changes.push_back(fmt::format("the locale ({}, now {})", earlier.locale_, locale_));
  }
  for (std::size_t i = 0; i < signals_.size() && i < earlier.signals_.size(); ++i) {
    if (is_same(signals_[i].second, earlier.signals_[i].second)) continue;
    changes.push_back(fmt::format("the disposition of signal {}", signals_[i].first));
  }
  return changes;
}

void ProcessState::restore() const {
  std::error_code ignored;
  std::filesystem::current_path(working_dir_, ignored);
  umask(umask_);
  std::setlocale(LC_ALL, locale_.c_str()); // NOLINT(concurrency-mt-unsafe): puts it back
  const ProcessState current = now();
  for (std::size_t i = 0; i < signals_.size() && i < current.signals_.size(); ++i) {
    const auto &[number, action] = signals_[i];
    if (!is_same(action, current.signals_[i].second)) sigaction(number, &action, nullptr);
  }
}

std::vector<int> open_descriptors() {
  std::vector<int> numbers = numbers_in("/proc/self/fd");
  // The one that read the list is closed by now.
  std::erase_if(numbers, [](int fd) { return fcntl(fd, F_GETFD) < 0; });
  return numbers;
}

std::string describe_descriptor(int fd) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored).string();
}

std::vector<int> running_threads() {
  return numbers_in("/proc/self/task");
}

// ---- descriptor 1 -------------------------------------------------------------------------------

namespace {

// Descriptor 1 belongs to the process, and so does what is known about it: every harness of the
// process shares this one record.
struct Diverted {
  std::mutex mutex;
  int windows = 0;
  int saved = -1;
  int memory = -1;
};

Diverted &diverted() {
  static Diverted the_one;
  return the_one;
}

std::string take_all(int fd) {
  std::string out;
  char buffer[4096];
  off_t offset = 0;
  for (ssize_t got = 1; got > 0; offset += got) {
    got = pread(fd, buffer, sizeof(buffer), offset);
    if (got > 0) out.append(buffer, static_cast<std::size_t>(got));
  }
  return out;
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

} // namespace

OutputWindow::OutputWindow(Violations &violations, std::string who)
    : violations_(violations), who_(std::move(who)) {
  Diverted &output = diverted();
  const std::lock_guard lock(output.mutex);
  if (output.windows++ > 0) return;
  std::fflush(stdout);
  output.memory = memfd_create("packhost-testing-output", MFD_CLOEXEC);
  output.saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (output.memory >= 0 && output.saved >= 0) dup2(output.memory, STDOUT_FILENO);
}

OutputWindow::~OutputWindow() {
  std::string came;
  {
    Diverted &output = diverted();
    const std::lock_guard lock(output.mutex);
    if (--output.windows > 0) return;
    std::fflush(stdout);
    if (output.memory >= 0 && output.saved >= 0) {
      came = take_all(output.memory);
      dup2(output.saved, STDOUT_FILENO);
      write_all(output.saved, came);
    }
    if (output.memory >= 0) close(output.memory);
    if (output.saved >= 0) close(output.saved);
    output.memory = output.saved = -1;
  }
  if (!came.empty()) {
    violations_.add(fmt::format("{}: wrote {} bytes to descriptor 1", who_, came.size()));
  }
}

} // namespace packhost::testing
