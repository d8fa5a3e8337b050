// SPDX-License-Identifier: MIT
// Starts one program. Between fork and exec only async-signal-safe functions are called: other
// threads of the host may hold any lock.
#include "host/pack/spawn.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace packhost::pack {

using kit::Code;

namespace {

struct Pipe {
  kit::UniqueFd read;
  kit::UniqueFd write;
};

bool make_pipe(Pipe &pipe) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  pipe.read.reset(ends[0]);
  pipe.write.reset(ends[1]);
  return true;
}

/// Everything the child needs, prepared before fork.
struct ChildPlan {
  const char *program;
  char *const *argv;
  char *const *environment;
  int input;
  int output;
  int errors;
  int failure; // errno of what did not work is written here
  pid_t parent;
};

[[noreturn]] void become_program(const ChildPlan &plan) {
  const auto give_up = [&plan] {
    const int error = errno;
    (void)!::write(plan.failure, &error, sizeof error);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up();
  if (::getppid() != plan.parent) ::_exit(127); // the host ended meanwhile

  struct sigaction plain {};

  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &plain, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.errors, 2) < 0)
    give_up();
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execve(plan.program, plan.argv, plan.environment);
  give_up();
  ::_exit(127);
}

std::vector<char *> pointers(const std::vector<std::string> &texts) {
  std::vector<char *> out;
  out.reserve(texts.size() + 1);
  for (const std::string &text : texts)
    out.push_back(const_cast<char *>(text.c_str())); // execve() takes char* and changes nothing
  out.push_back(nullptr);
  return out;
}

/// errno of the child, or 0 once it has become the program.
int read_failure(int fd) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(fd, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

std::string_view describe(int error) {
  if (error == ENOENT) return "no such program";
  if (error == EACCES || error == EPERM) return "permission denied";
  if (error == ENOEXEC) return "not a program";
  return "it cannot be executed";
}

} // namespace

kit::Result<Spawned> spawn_program(const SpawnRequest &request) {
  Pipe output;
  Pipe errors;
  Pipe failure;
  const kit::UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null.is_open() || !make_pipe(output) || !make_pipe(errors) || !make_pipe(failure))
    return kit::fail(Code::io, "no descriptors for the program");
  const std::vector<char *> argv = pointers(request.argv);
  const std::vector<char *> environment = pointers(request.environment);
  const ChildPlan plan{
      request.program.c_str(), argv.data(),        environment.data(),  null.get(),
      output.write.get(),      errors.write.get(), failure.write.get(), ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) return kit::fail(Code::io, "no process for the program");
  if (pid == 0) become_program(plan);
  ::setpgid(pid, pid); // also here: a signal to the group may come before the child has run
  failure.write.reset();
  const int error = read_failure(failure.read.get());
  Spawned spawned;
  spawned.pid = pid;
  if (error == 0) spawned.exit_fd.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (error != 0 || !spawned.exit_fd.is_open()) {
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return kit::fail(Code::io, "the program cannot be started ({})", describe(error));
  }
  spawned.stdout_fd = std::move(output.read);
  spawned.stderr_fd = std::move(errors.read);
  ::fcntl(spawned.stdout_fd.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(spawned.stderr_fd.get(), F_SETFL, O_NONBLOCK);
  return spawned;
}

} // namespace packhost::pack
