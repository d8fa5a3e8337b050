// SPDX-License-Identifier: MIT
// fork, a pipe for the findings, and a time limit. Each finding is a letter, its length and its
// text.
#include "sdk/testing/fresh_process.hpp"

#include "sdk/kit/deadline.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// Only in sanitized builds; prints what leaked and tells whether anything did. The name is theirs.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
extern "C" int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

namespace packhost::testing {

namespace {

void put(int fd, char kind, const std::string &text) {
  std::string record(1, kind);
  record += std::to_string(text.size()) + " " + text;
  for (std::size_t at = 0; at < record.size();) {
    const ssize_t written = write(fd, record.data() + at, record.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

[[noreturn]] void be_the_child(const std::function<Findings()> &check, int out) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  Findings findings;
  try {
    findings = check();
  } catch (const std::exception &error) {
    findings.problems.emplace_back(error.what());
  }
  if (__lsan_do_recoverable_leak_check != nullptr && __lsan_do_recoverable_leak_check() != 0) {
    findings.problems.emplace_back("memory leaked; the report stands above");
  }
  for (const std::string &problem : findings.problems) put(out, 'P', problem);
  for (const std::string &note : findings.notes) put(out, 'N', note);
  put(out, 'E', "");
  _exit(0);
}

/// Reads what the child says. RETURNS: false when the time was over first.
bool read_all(int fd, kit::Deadline until, std::string &out) {
  for (;;) {
    pollfd ready{fd, POLLIN, 0};
    const int n = poll(&ready, 1, until.poll_ms());
    if (n == 0) return false;
    if (n < 0 && errno != EINTR) return true;
    if (n < 0) continue;
    char buffer[4096];
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got <= 0) return true;
    out.append(buffer, static_cast<std::size_t>(got));
  }
}

/// RETURNS: true when the child said that it came to its end.
bool parse_records(const std::string &said, Findings &findings) {
  std::size_t at = 0;
  while (at < said.size()) {
    const char kind = said[at];
    if (kind == 'E') return true;
    const std::size_t blank = said.find(' ', at);
    if (blank == std::string::npos) return false;
    const std::size_t length = std::stoul(said.substr(at + 1, blank - at - 1));
    auto &list = kind == 'P' ? findings.problems : findings.notes;
    list.push_back(said.substr(blank + 1, length));
    at = blank + 1 + length;
  }
  return false;
}

} // namespace

Findings run_in_fresh_process(const std::function<Findings()> &check, int limit_ms) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {{"no pipe for the check"}, {}};
  const kit::UniqueFd in(ends[0]);
  kit::UniqueFd out(ends[1]);
  std::fflush(nullptr); // or the child prints what waits here a second time
  const pid_t child = fork();
  if (child < 0) return {{"no process for the check"}, {}};
  if (child == 0) be_the_child(check, out.get());
  out.reset();

  std::string said;
  const auto limit = std::chrono::milliseconds(limit_ms);
  const bool in_time = read_all(in.get(), kit::Deadline::after(limit), said);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Findings findings;
  const bool came_to_its_end = parse_records(said, findings);
  if (!in_time) {
    findings.problems.push_back("did not end within " + std::to_string(limit_ms / 1000) + " s");
  } else if (WIFSIGNALED(status)) {
    findings.problems.push_back("the process ended by signal " + std::to_string(WTERMSIG(status)) +
                                " (" + sigabbrev_np(WTERMSIG(status)) + ")");
  } else if (!came_to_its_end) {
    findings.problems.push_back("the process ended early with status " +
                                std::to_string(WEXITSTATUS(status)));
  }
  return findings;
}

} // namespace packhost::testing
