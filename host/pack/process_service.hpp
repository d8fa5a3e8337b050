// SPDX-License-Identifier: MIT
// packhost.process/1: starts the programs that were granted, and ends them with the host.
#pragma once

#include "host/pack/launch.hpp"
#include "host/support/annotated_mutex.hpp"
#include "host/support/thread.hpp"
#include "sdk/kit/result.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <packhost/packhost.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace packhost::pack {

/// Thread-safe. Children are forked by one thread of this object, since the kernel's parent-death
/// signal is tied to the thread that forked.
class ProcessService {
public:
  /// `launch` is borrowed for the life of this object.
  explicit ProcessService(const PackLaunch &launch);
  ProcessService(const ProcessService &) = delete;
  ProcessService &operator=(const ProcessService &) = delete;

  ~ProcessService() { close(); }

  /// Code::denied: not granted, or arguments beside the template. Code::limit: too many arguments
  /// or children. Code::io: the program cannot be started.
  [[nodiscard]] kit::Result<packhost_child> spawn(std::string_view name,
                                                  std::span<const std::string> args);

  /// To the child's group; SIGTERM or SIGKILL. Code::not_found, Code::invalid_args.
  [[nodiscard]] kit::Status signal(std::uint64_t child_id, int signal);

  /// The wait status of a child that has ended. Code::unavailable while it runs, Code::not_found.
  [[nodiscard]] kit::Result<int> wait_status(std::uint64_t child_id);

  /// Kills every group and ends the forking thread. May be called twice.
  void close();

  [[nodiscard]] static const packhost_process *table();

  static constexpr std::size_t kMaxArgs = 1024;
  static constexpr std::size_t kMaxArgBytes = 64U * 1024;
  static constexpr std::size_t kMaxChildren = 64;

private:
  struct Child {
    std::uint64_t id = 0;
    pid_t pid = -1;
    kit::UniqueFd exit_fd;  // a pidfd
    bool has_ended = false; // the zombie is kept, so that the group's number stays taken
    int status = 0;
  };

  [[nodiscard]] const GrantedProgram *find_program(std::string_view name) const;
  [[nodiscard]] kit::Status check_args(const GrantedProgram &program,
                                       std::span<const std::string> args) const;
  [[nodiscard]] bool run_on_forker(std::function<void()> job);
  void run_forker();
  void forget_ended() PACKHOST_REQUIRES(mutex_);

  const PackLaunch &launch_;
  support::Mutex mutex_;
  support::ConditionVariable changed_;
  std::function<void()> job_ PACKHOST_GUARDED_BY(mutex_); // waits for the forking thread
  bool is_job_done_ PACKHOST_GUARDED_BY(mutex_) = false;
  bool is_busy_ PACKHOST_GUARDED_BY(mutex_) = false; // somebody waits for a job
  bool is_closed_ PACKHOST_GUARDED_BY(mutex_) = false;
  support::ThreadHandle forker_ PACKHOST_GUARDED_BY(mutex_);
  std::vector<Child> children_ PACKHOST_GUARDED_BY(mutex_);
  std::uint64_t next_id_ PACKHOST_GUARDED_BY(mutex_) = 1;
};

} // namespace packhost::pack
