// SPDX-License-Identifier: MIT
// `packhost call PACK TOOL [JSON | -]`: one tool call from a shell.
#include "host/cli/commands.hpp"
#include "host/cli/help.hpp"
#include "host/cli/launch_line.hpp"
#include "host/cli/one_call.hpp"
#include "host/cli/options.hpp"
#include "host/cli/output.hpp"
#include "host/cli/pack_work.hpp"
#include "host/cli/paths.hpp"
#include "host/cli/resolve.hpp"
#include "host/cli/show_outcome.hpp"
#include "host/cli/suggest.hpp"
#include "host/pack/registry.hpp"
#include "sdk/kit/errno_text.hpp"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

namespace packhost::cli {

using kit::Code;

namespace {

/// Everything that `call` was told.
struct CallLine {
  Launch launch;
  PackWords pack;
};

kit::Result<CallLine> read_line(const Invocation &invocation) {
  CallLine line;
  const std::vector<FlagSpec> flags = host_flags(kUseCall);
  const std::size_t count = count_option_words(invocation.words, flags);
  const std::span<const std::string_view> words(invocation.words);
  auto host = read_host_words(words.first(count), kUseCall, LineUse::shell, line.launch, nullptr);
  if (!host) return pass_on(host);
  if (line.launch.host.help) return line;
  if (count == words.size()) return kit::fail(Code::invalid_args, "call needs PACK and TOOL");
  auto pack = read_pack_word(words[count]);
  if (!pack) return pass_on(pack);
  line.pack = std::move(*pack);
  for (const std::string_view word : words.subspan(count + 1)) line.pack.words.emplace_back(word);
  return line;
}

kit::Result<std::string> read_standard_input(std::size_t limit) {
  std::string text;
  std::string room(65536, '\0');
  while (true) {
    const ssize_t got = ::read(0, room.data(), room.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return kit::fail(Code::invalid_args, "the arguments cannot be read from standard input ({})",
                       kit::errno_text(errno));
    if (got == 0) return text;
    text.append(room.data(), static_cast<std::size_t>(got));
    if (text.size() > limit)
      return kit::fail(Code::invalid_args, "the arguments are longer than {} bytes", limit);
  }
}

kit::Result<std::string> read_arguments(const std::vector<std::string> &words, std::size_t limit) {
  if (words.size() < 2) return std::string("{}");
  auto text = words[1] == "-" ? read_standard_input(limit) : kit::Result<std::string>(words[1]);
  if (!text) return text;
  (void)kit::json::repair_surrogates(*text);
  const auto checked = kit::json::check(*text);
  if (!checked || !kit::json::Value(*text).is(kit::json::Kind::object))
    return kit::fail(Code::invalid_args, "the arguments are no JSON object{}",
                     checked ? std::string() : fmt::format(" (byte {})", checked.error().offset));
  return text;
}

kit::Result<const pack::ToolRow *> find_tool(const pack::Registry &registry,
                                             const std::string &name) {
  const pack::ToolRow *row = registry.find_tool(name);
  if (row == nullptr) {
    std::vector<std::string_view> known;
    for (const pack::ToolRow &each : registry.tools()) known.push_back(each.shown_name);
    return kit::fail(Code::invalid_args, "unknown tool '{}'{}", name,
                     did_you_mean(name, known, "'", "'"));
  }
  if (!row->left_out_by.empty())
    return kit::fail(Code::invalid_args, "unknown tool '{}': {} leaves it out", name,
                     row->left_out_by);
  return row;
}

kit::Result<pack::CallRequest> make_request(const pack::ToolRow &row, const HostOptions &host,
                                            std::string arguments) {
  const std::uint64_t most =
      std::min<std::uint64_t>(row.entry.limits.max_args_bytes, host.limits.max_args_bytes);
  if (arguments.size() > most)
    return kit::fail(Code::invalid_args, "the arguments are {} bytes; the limit is {}",
                     arguments.size(), most);
  if (row.input != nullptr && row.input->compiled() != nullptr) {
    const auto checked = row.input->compiled()->check(arguments);
    if (!checked)
      return kit::fail(Code::invalid_args, "arguments{}: {}", checked.error().pointer,
                       checked.error().rule);
  }
  pack::CallRequest request;
  request.name = row.entry.name;
  set_arguments(request, std::move(arguments));
  request.timeout_ms =
      std::min<std::uint64_t>(row.entry.limits.timeout_ms, host.limits.max_timeout_ms);
  request.max_result_bytes =
      std::min<std::uint64_t>(row.entry.limits.max_result_bytes, host.limits.max_result_bytes);
  request.is_exclusive = row.entry.exclusive;
  request.pace = row.pace;
  return request;
}

/// From the open pack to the exit code.
int call_tool(pack::Instance &instance, const pack::Registry &registry, const HostOptions &host,
              const std::string &tool, std::string arguments, const Output &output) {
  auto row = find_tool(registry, tool);
  if (!row) return report_error(row.error());
  auto request = make_request(**row, host, std::move(arguments));
  if (!request) return report_error(request.error());
  if (auto opened = instance.open(); !opened) return report_error(opened.error());
  const std::uint64_t timeout_ms = request->timeout_ms;
  const OneOutcome outcome = run_one_call(instance, std::move(*request), host.limits.grace_ms);
  const int code = show_outcome(outcome.call, instance.alias(), timeout_ms, host.json, output);
  return end_after_call(instance, outcome, code);
}

} // namespace

int run_call(const Invocation &invocation, const support::PrivateEnvironment &environment) {
  auto line = read_line(invocation);
  if (!line) return report_error(line.error());
  const HostOptions &host = line->launch.host;
  support::set_log_level(host.log_level);
  if (host.help) return Output().print(command_help("call"));
  auto here = working_directory();
  if (!here) return report_error(here.error());
  auto work = PackWork::probe(line->pack, host, *here);
  if (!work) return report_error(work.error());
  ExtraWords extra;
  extra.flags.push_back({"json", false});
  if (auto read = work->read_words(&extra); !read) return report_error(read.error());
  if (work->wants_help())
    return Output().print(command_help("call") + "\n" + pack_options_help(*work));
  if (!extra.given.empty()) line->launch.host.json = true;
  if (extra.words.empty()) return report_error("call needs a TOOL after the pack", 2);
  if (extra.words.size() > 2)
    return report_error(fmt::format("call: unexpected word '{}'", extra.words[2]), 2);
  auto arguments = read_arguments(extra.words, host.limits.max_args_bytes);
  if (!arguments) return report_error(arguments.error());
  if (auto completed = work->complete_options(line->launch, true); !completed)
    return report_error(completed.error());
  auto launch = work->finish(environment);
  if (!launch) return report_error(launch.error());
  environment.put_back(launch->environment);
  Output output;
  output.make_private();
  std::vector<std::unique_ptr<pack::Instance>> instances;
  instances.push_back(std::make_unique<pack::Instance>(std::move(*launch), nullptr));
  const pack::Registry registry(instances, host.tools, 1);
  return call_tool(*instances.front(), registry, host, extra.words.front(), std::move(*arguments),
                   output);
}

} // namespace packhost::cli
