// SPDX-License-Identifier: MIT
// The start of a server as one list of calls, in the order of sandbox.md section 6. Confinement
// (steps 6, 8 and 9 there) has its one empty place between two of them.
#include "host/cli/serve.hpp"

#include "host/cli/launch_line.hpp"
#include "host/cli/output.hpp"
#include "host/cli/resolve.hpp"
#include "host/mcp/server.hpp"
#include "host/support/heap.hpp"
#include "host/support/log.hpp"
#include "host/support/signals.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace packhost::cli {

namespace {

/// Descriptors that a word of the command line names: nothing is parsed yet, so any word counts.
std::vector<int> find_named_descriptors(const Invocation &invocation) {
  constexpr std::string_view kMark = "@fd:";
  std::vector<int> named;
  for (const std::string_view word : invocation.words) {
    const std::size_t at = word.find(kMark);
    if (at == std::string_view::npos) continue;
    int number = -1;
    const char *end = word.data() + word.size();
    const auto [rest, fault] = std::from_chars(word.data() + at + kMark.size(), end, number);
    if (fault == std::errc() && rest == end && number > 2) named.push_back(number);
  }
  return named;
}

void close_others(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned from = 3;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (number > from) ::syscall(SYS_close_range, from, number - 1, 0);
    from = std::max(from, number + 1);
  }
  ::syscall(SYS_close_range, from, ~0U, 0);
}

/// stderr may be a pipe that nobody reads, and what a pack prints must not wait for a reader: an
/// open file description of our own can be made non-blocking without touching the launcher's.
/// Sockets cannot be opened this way and stay as they are.
void use_own_stderr() {
  const kit::UniqueFd own(
      ::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_APPEND));
  if (own.is_open()) ::dup2(own.get(), STDERR_FILENO);
}

int print_explanation(const Launch &launch, const Resolved &resolved, int out) {
  const int error = write_all(out, explain(launch, resolved));
  return error == 0 ? 0 : report_unwritten(error, 0);
}

bool has_one_thread() {
  // The kernel counts: "Threads:" of /proc/self/status would do as well, but is text.
  const kit::UniqueFd tasks(::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!tasks.is_open()) return true; // no /proc: nothing can be said
  char entries[1024];
  const long bytes = ::syscall(SYS_getdents64, tasks.get(), entries, sizeof entries);
  int count = 0;
  for (long at = 0; at < bytes;) {
    unsigned short length = 0;
    std::copy_n(entries + at + 16, sizeof length, reinterpret_cast<char *>(&length));
    ++count;
    at += length;
  }
  return count <= 3; // ".", ".." and one task
}

} // namespace

ProtocolStream move_protocol(const Invocation &invocation) {
  ProtocolStream stream;
  stream.in.reset(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  stream.out.reset(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  // A launcher may have closed some of the three: the next descriptor opened must not take a place.
  while (true) {
    const int filler = ::open("/dev/null", O_RDWR); // stays open where it fills 0, 1 or 2
    if (filler > STDERR_FILENO) ::close(filler);
    if (filler < 0 || filler > STDERR_FILENO) break;
  }
  const kit::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(null.get(), STDIN_FILENO);
  use_own_stderr();
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  std::vector<int> kept = find_named_descriptors(invocation);
  if (stream.in.is_open()) kept.push_back(stream.in.get());
  if (stream.out.is_open()) kept.push_back(stream.out.get());
  if (null.is_open()) kept.push_back(null.get());
  close_others(std::move(kept));
  return stream;
}

int serve(const Invocation &invocation, support::PrivateEnvironment environment,
          ProtocolStream stream) {
  support::set_up_heap();
  support::install_signal_handlers();

  // Step 3 to 5: command line, manifests, options, secrets, permissions.
  kit::Result<Launch> launch = parse_launch(invocation.words);
  if (!launch) return report_error(launch.error());
  support::set_log_level(launch->host.log_level);
  if (launch->packs.empty())
    return report_error("no pack is named; add --pack NAME (\"packhost packs\" lists them)", 2);
  if (!stream.in.is_open() || !stream.out.is_open())
    return report_error("standard input or output is closed; there is nobody to serve", 78);
  kit::Result<Resolved> resolved = resolve(*launch, Situation{environment});
  if (!resolved) return report_error(resolved.error());
  if (const std::optional<int> stop = report_refusals(launch->host, *resolved)) return *stop;
  if (launch->host.explain) return print_explanation(*launch, *resolved, stream.out.get());
  environment.put_back(resolved->granted_environment);
  environment.wipe();

  // Step 7: one thread, so that what confines the process would confine all of it.
  if (!has_one_thread())
    return report_error("internal error: a thread runs before packs are loaded", 70);
  // Confinement goes here: helper, limits, Landlock, seccomp, self-test.

  // Step 10 to 12: threads, the protocol, the packs.
  mcp::ServerSetup setup;
  setup.in_fd = stream.in.get();
  setup.out = std::move(stream.out);
  setup.limits = launch->host.limits;
  setup.selection = launch->host.tools;
  setup.log_bytes = launch->host.log_bytes;
  setup.fail_on_load_error = launch->host.fail_on_load_error;
  setup.packs = std::move(resolved->packs);
  setup.refused = std::move(resolved->refused);
  mcp::Server *running = nullptr;
  setup.end_process = [&running](int code) {
    if (const int error = running->write_error(); error != 0) code = report_unwritten(error, code);
    ::_exit(code); // threads may still be inside packs; no destructor runs under them
  };
  mcp::Server server(std::move(setup));
  running = &server;
  return server.run();
}

} // namespace packhost::cli
