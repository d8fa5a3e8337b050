// SPDX-License-Identifier: MIT
// packhost.process/1.
#include "host/pack/process_service.hpp"

#include "host/pack/services.hpp"
#include "host/pack/spawn.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <optional>

#include <pthread.h>
#include <sys/wait.h>

namespace packhost::pack {

using kit::Code;

namespace {

/// In a template: any one argument.
constexpr std::string_view kAnyArgument = "${arg}";

packhost_status status_of(Code code) {
  if (code == Code::denied) return PACKHOST_E_DENIED;
  if (code == Code::not_found) return PACKHOST_E_NOT_FOUND;
  if (code == Code::limit) return PACKHOST_E_LIMIT;
  if (code == Code::invalid_args) return PACKHOST_E_INVALID_ARGS;
  if (code == Code::unavailable) return PACKHOST_E_UNAVAILABLE;
  return PACKHOST_E_IO;
}

packhost_status process_spawn(const packhost_host *host, packhost_str exec_name,
                              const packhost_str *args, std::size_t n_args,
                              packhost_child *out) noexcept {
  try {
    PackServices *services = find_services(host);
    if (services == nullptr || out == nullptr || exec_name.len == 0 ||
        (args == nullptr && n_args > 0))
      return PACKHOST_E_MISUSE;
    if (n_args > ProcessService::kMaxArgs) return PACKHOST_E_LIMIT;
    std::vector<std::string> copies;
    for (std::size_t i = 0; i < n_args; ++i)
      copies.emplace_back(args[i].len == 0 ? "" : args[i].ptr, args[i].len);
    auto child = services->process().spawn(std::string_view(exec_name.ptr, exec_name.len), copies);
    if (!child) return status_of(child.error().code);
    *out = *child;
    return PACKHOST_OK;
  } catch (const std::exception &) {
    return PACKHOST_E_NOMEM;
  }
}

packhost_status process_signal(const packhost_host *host, std::uint64_t child_id,
                               std::int32_t number) noexcept {
  try {
    PackServices *services = find_services(host);
    if (services == nullptr) return PACKHOST_E_MISUSE;
    const auto sent = services->process().signal(child_id, number);
    return sent ? PACKHOST_OK : status_of(sent.error().code);
  } catch (const std::exception &) {
    return PACKHOST_E_NOMEM;
  }
}

packhost_status process_wait_status(const packhost_host *host, std::uint64_t child_id,
                                    std::int32_t *out_status) noexcept {
  try {
    PackServices *services = find_services(host);
    if (services == nullptr || out_status == nullptr) return PACKHOST_E_MISUSE;
    const auto status = services->process().wait_status(child_id);
    if (!status) return status_of(status.error().code);
    *out_status = *status;
    return PACKHOST_OK;
  } catch (const std::exception &) {
    return PACKHOST_E_NOMEM;
  }
}

} // namespace

ProcessService::ProcessService(const PackLaunch &launch) : launch_(launch) {}

const GrantedProgram *ProcessService::find_program(std::string_view name) const {
  const auto program =
      std::find_if(launch_.programs.begin(), launch_.programs.end(),
                   [name](const GrantedProgram &each) { return each.name == name; });
  return program == launch_.programs.end() ? nullptr : &*program;
}

kit::Status ProcessService::check_args(const GrantedProgram &program,
                                       std::span<const std::string> args) const {
  std::size_t bytes = 0;
  for (const std::string &arg : args) {
    bytes += arg.size();
    if (arg.find('\0') != std::string::npos)
      return kit::fail(Code::invalid_args, "an argument holds a NUL");
  }
  if (args.size() > kMaxArgs || bytes > kMaxArgBytes)
    return kit::fail(Code::limit, "at most {} arguments of {} bytes in all", kMaxArgs,
                     kMaxArgBytes);
  if (!program.has_template) return {};
  const std::vector<std::string> &wanted = program.args_template;
  const bool fits = std::equal(args.begin(), args.end(), wanted.begin(), wanted.end(),
                               [](const std::string &arg, const std::string &pattern) {
                                 return pattern == kAnyArgument || pattern == arg;
                               });
  if (!fits)
    return kit::fail(Code::denied, "the arguments do not fit what is granted for '{}'",
                     program.name);
  return {};
}

// ---- the forking thread ----------------------------------------------------------------------

void ProcessService::run_forker() {
  support::Lock lock(mutex_);
  while (!is_closed_) {
    if (!job_) {
      changed_.wait(lock);
      continue;
    }
    const std::function<void()> job = std::move(job_);
    job_ = nullptr;
    lock.unlock();
    job();
    lock.lock();
    is_job_done_ = true;
    changed_.notify_all();
  }
}

bool ProcessService::run_on_forker(std::function<void()> job) {
  support::Lock lock(mutex_);
  while (is_busy_ && !is_closed_) changed_.wait(lock);
  if (is_closed_) return false;
  if (!forker_.is_started) forker_ = support::start_thread([this] { run_forker(); });
  if (!forker_.is_started) return false;
  is_busy_ = true;
  is_job_done_ = false;
  job_ = std::move(job);
  changed_.notify_all();
  // The thread does not end between taking a job and finishing it, so this wait has an end.
  while (!is_job_done_ && !(is_closed_ && job_)) changed_.wait(lock);
  const bool is_done = is_job_done_;
  job_ = nullptr;
  is_busy_ = false;
  changed_.notify_all();
  return is_done;
}

// ---- children ----------------------------------------------------------------------------------

kit::Result<packhost_child> ProcessService::spawn(std::string_view name,
                                                  std::span<const std::string> args) {
  const GrantedProgram *program = find_program(name);
  if (program == nullptr)
    return kit::fail(Code::denied, "the program '{}' is not granted to {}", name, launch_.alias);
  if (auto checked = check_args(*program, args); !checked) return pass_on(checked);
  {
    const support::Lock lock(mutex_);
    if (children_.size() >= kMaxChildren) forget_ended();
    if (children_.size() >= kMaxChildren)
      return kit::fail(Code::limit, "at most {} programs at once", kMaxChildren);
  }
  SpawnRequest request;
  request.program = program->program;
  request.argv.push_back(program->argv0.empty() ? program->program : program->argv0);
  request.argv.insert(request.argv.end(), args.begin(), args.end());
  request.environment = program->environment;
  kit::Result<Spawned> spawned = kit::fail(Code::io, "the program cannot be started");
  if (!run_on_forker([&request, &spawned] { spawned = spawn_program(request); }))
    return kit::fail(Code::unavailable, "the host is ending");
  if (!spawned) return pass_on(spawned);
  const support::Lock lock(mutex_);
  packhost_child out{};
  out.struct_size = sizeof out;
  out.pid = spawned->pid;
  out.id = next_id_++;
  out.exit_fd = spawned->exit_fd.get();
  children_.push_back({out.id, spawned->pid, std::move(spawned->exit_fd), false, 0});
  out.stdout_fd = spawned->stdout_fd.release();
  out.stderr_fd = spawned->stderr_fd.release();
  return out;
}

kit::Status ProcessService::signal(std::uint64_t child_id, int signal) {
  if (signal != SIGTERM && signal != SIGKILL)
    return kit::fail(Code::invalid_args, "only SIGTERM and SIGKILL");
  const support::Lock lock(mutex_);
  for (const Child &child : children_) {
    if (child.id != child_id) continue;
    ::kill(-child.pid, signal);
    return {};
  }
  return kit::fail(Code::not_found, "no such child");
}

kit::Result<int> ProcessService::wait_status(std::uint64_t child_id) {
  const support::Lock lock(mutex_);
  for (Child &child : children_) {
    if (child.id != child_id) continue;
    if (child.has_ended) return child.status;
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
      return kit::fail(Code::unavailable, "it still runs");
    child.has_ended = true;
    // As waitpid() gives it, without taking the zombie away.
    child.status = info.si_code == CLD_EXITED
                       ? (info.si_status & 0xFF) << 8
                       : info.si_status | (info.si_code == CLD_DUMPED ? 0x80 : 0);
    return child.status;
  }
  return kit::fail(Code::not_found, "no such child");
}

void ProcessService::forget_ended() {
  std::erase_if(children_, [](const Child &child) {
    if (!child.has_ended) return false;
    ::kill(-child.pid, SIGKILL); // what is left of its group
    ::waitpid(child.pid, nullptr, 0);
    return true;
  });
}

void ProcessService::close() {
  std::optional<support::ThreadHandle> forker;
  {
    const support::Lock lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
    if (forker_.is_started) forker = forker_;
    forker_.is_started = false;
  }
  if (forker) ::pthread_join(forker->id, nullptr);
  const support::Lock lock(mutex_);
  for (const Child &child : children_) {
    ::kill(-child.pid, SIGKILL);
    while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  children_.clear();
}

const packhost_process *ProcessService::table() {
  static constexpr packhost_process kTable{sizeof(packhost_process), 0, process_spawn,
                                           process_signal, process_wait_status};
  return &kTable;
}

} // namespace packhost::pack
