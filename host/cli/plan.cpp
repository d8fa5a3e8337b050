// SPDX-License-Identifier: MIT
// Runs a pack's `plan` in a throw-away process.
#include "host/cli/plan.hpp"

#include "host/cli/json_tree.hpp"
#include "host/cli/output.hpp"
#include "host/cli/paths.hpp"
#include "host/pack/host_data.hpp"
#include "host/pack/instance.hpp"
#include "host/pack/loader.hpp"
#include "host/pack/services.hpp"
#include "sdk/kit/deadline.hpp"
#include "sdk/kit/errno_text.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/unique_fd.hpp"
#include "sdk/kit/utf8.hpp"

#include <packhost/packhost.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace packhost::cli {

using kit::Code;

namespace {

constexpr std::size_t kMaxReason = 2000;

/// What the host's functions find in the child.
struct PlanData : pack::HostData {
  std::string reason; // set_open_error
  std::string json;   // what the sink got
  int sinks = 0;
};

std::string_view view(packhost_str text) {
  return text.len == 0 ? std::string_view() : std::string_view(text.ptr, text.len);
}

PlanData *data_of(const packhost_host *host) {
  return static_cast<PlanData *>(static_cast<pack::HostData *>(host->host_data));
}

const void *plan_interface(const packhost_host * /*host*/, const char *id) noexcept {
  return std::string_view(id) == PACKHOST_IFACE_DIRS ? pack::PackServices::find_interface(id)
                                                     : nullptr;
}

void plan_error(const packhost_host *host, packhost_str message) noexcept {
  data_of(host)->reason = kit::utf8::clip(kit::utf8::repair(view(message)), kMaxReason);
}

void plan_sink(void *context, packhost_str json) noexcept {
  auto *data = static_cast<PlanData *>(context);
  ++data->sinks;
  if (json.len <= kMaxPlanBytes) data->json = view(json);
}

/// RETURNS: 'K' and the options, or 'E' and the reason.
std::string ask_pack(pack::PackLaunch &launch) {
  // This is the child: its copy of the launch is nobody else's.
  pack::Instance instance(std::move(launch), nullptr);
  auto entry = pack::load_pack(instance.launch());
  if (!entry) return "E" + entry.error().message;
  if ((*entry)->plan == nullptr) return "Eits manifest has a plan, the pack itself has none";
  pack::PackServices services(instance.launch());
  PlanData data;
  data.services = &services;
  data.instance = &instance;
  packhost_host host{};
  pack::fill_host_table(host);
  host.host_data = static_cast<pack::HostData *>(&data);
  host.get_interface = plan_interface;
  host.set_open_error = plan_error;
  const std::string &text = instance.launch().options;
  const packhost_status status =
      (*entry)->plan(&host, packhost_str{text.data(), text.size()}, plan_sink, &data);
  if (status != PACKHOST_OK)
    return "E" + (data.reason.empty() ? fmt::format("its plan failed with status {}", status)
                                      : data.reason);
  if (data.sinks != 1 || data.json.empty())
    return "Eits plan did not answer with one options object";
  return "K" + data.json;
}

/// Nothing of the parent's but stderr, the answer's pipe and a pinned copy.
void drop_descriptors(const pack::PackLaunch &launch, int answer) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) ::dup2(null, 0);
  ::dup2(2, 1);
  const int pinned = launch.pinned.get();
  const int low = pinned >= 0 && pinned < answer ? pinned : answer;
  const int high = pinned > answer ? pinned : answer;
  ::close_range(3, static_cast<unsigned>(low) - 1, 0);
  if (high > low + 1)
    ::close_range(static_cast<unsigned>(low) + 1, static_cast<unsigned>(high) - 1, 0);
  ::close_range(static_cast<unsigned>(high) + 1, ~0U, 0);
}

[[noreturn]] void run_child(pack::PackLaunch &launch, int answer, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  drop_descriptors(launch, answer);
  ::_exit(write_all(answer, ask_pack(launch)) == 0 ? 0 : 1);
}

/// What the child says until it closes its end. Nothing if it took too long.
std::optional<std::string> read_answer(int fd) {
  const kit::Deadline deadline = kit::Deadline::after(std::chrono::seconds(kPlanSeconds));
  std::string answer;
  std::array<char, 16384> room{};
  while (true) {
    pollfd ready{fd, POLLIN, 0};
    const int count = ::poll(&ready, 1, deadline.poll_ms());
    if (count == 0) return std::nullopt;
    if (count < 0) continue; // EINTR
    const ssize_t got = ::read(fd, room.data(), room.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return answer;
    answer.append(room.data(), static_cast<std::size_t>(got));
    if (answer.size() > kMaxPlanBytes + kMaxReason) return std::nullopt;
  }
}

int reap(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

} // namespace

kit::Result<std::string> run_plan(pack::PackLaunch &launch) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return kit::fail(Code::config, "its plan cannot be run ({})", kit::errno_text(errno));
  const kit::UniqueFd from_child(ends[0]);
  kit::UniqueFd to_parent(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    return kit::fail(Code::config, "its plan cannot be run ({})", kit::errno_text(errno));
  if (child == 0) run_child(launch, to_parent.get(), parent);
  to_parent.reset();
  const std::optional<std::string> answer = read_answer(from_child.get());
  if (!answer) ::kill(child, SIGKILL);
  const int status = reap(child);
  if (!answer)
    return kit::fail(Code::config, "its plan did not end within {} s, or answered too much",
                     kPlanSeconds);
  if (answer->empty())
    return kit::fail(Code::config, "its plan stopped unexpectedly ({} {})",
                     WIFSIGNALED(status) ? "signal" : "status",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  if (answer->front() != 'K') return kit::fail(Code::config, "{}", answer->substr(1));
  std::string options = answer->substr(1);
  if (!kit::json::check(options, kit::json::Limits{kMaxTreeDepth}))
    return kit::fail(Code::config, "its plan answered with something else than JSON");
  return options;
}

} // namespace packhost::cli
