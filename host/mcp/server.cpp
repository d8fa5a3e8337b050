// SPDX-License-Identifier: MIT
// See server.hpp. This file is the walk of a request: line, message, ruling, row, handler. The
// control thread is in server_control.cpp.
#include "host/mcp/server.hpp"

#include "host/mcp/batch.hpp"
#include "host/mcp/call_answer.hpp"
#include "host/mcp/encode.hpp"
#include "host/rpc/error_codes.hpp"
#include "host/support/log.hpp"
#include "host/support/signals.hpp"

#include <utility>

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

// While a thread holds the turn and another whole line waits, its answers may stay gathered.
thread_local bool t_gathers = false;

constexpr std::chrono::milliseconds kWaitForOpen{200};

// One reader, the watcher, and room for jobs: cancellations, lists, queued lines.
constexpr std::size_t kOtherThreads = 8;

std::size_t count_threads(const std::vector<pack::PackLaunch> &packs, std::size_t max_calls) {
  std::size_t inside = 0;
  for (const pack::PackLaunch &launch : packs)
    inside += launch.manifest->concurrency.parallel ? launch.manifest->concurrency.max : 1;
  return (inside < max_calls ? inside : max_calls) + kOtherThreads;
}

/// The members of _meta; none if it is no object. `params` are those of the message.
json::Object find_meta(const rpc::Message &message, const Params &params) {
  const json::Value value = params.find("_meta");
  if (!value.is(json::Kind::object)) return json::Object(json::Value());
  const std::span<const json::Outline::Entry> entries = message.inside_params;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].value.data() == value.text().data())
      return json::Object(value, json::Outline::inside(entries, i));
  return json::Object(value);
}

/// A member's own members; none if it is no object.
json::Object find_object(const Params &params, std::string_view name) {
  const json::Value value = params.find(name);
  return json::Object(value.is(json::Kind::object) ? value : json::Value());
}

Capabilities read_capabilities(const std::vector<std::unique_ptr<pack::Instance>> &instances) {
  Capabilities found;
  for (const std::unique_ptr<pack::Instance> &instance : instances) {
    const contract::Manifest &manifest = instance->manifest();
    found.tools = found.tools || !manifest.tools.empty();
    found.resources = found.resources || !manifest.resources.empty() ||
                      !manifest.templates.empty() || manifest.dynamic_resources;
    found.prompts = found.prompts || !manifest.prompts.empty() || manifest.dynamic_prompts;
    found.logging = found.logging || !manifest.log_events.empty();
    for (const contract::ResourceEntry &entry : manifest.resources)
      found.resource_subscriptions = found.resource_subscriptions || entry.subscribe;
    for (const contract::ResourceEntry &entry : manifest.templates) {
      found.resource_subscriptions = found.resource_subscriptions || entry.subscribe;
      found.completions = found.completions || !entry.complete.empty();
    }
    for (const contract::PromptEntry &entry : manifest.prompts)
      found.completions = found.completions || !entry.complete.empty();
  }
  return found;
}

} // namespace

Server::Server(ServerSetup setup)
    : limits_(setup.limits), selection_(std::move(setup.selection)), log_bytes_(setup.log_bytes),
      fail_on_load_error_(setup.fail_on_load_error), refused_(std::move(setup.refused)),
      end_process_(std::move(setup.end_process)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      parent_(static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0))), in_fd_(setup.in_fd),
      out_fd_(setup.out.get()),
      inflight_({limits_.max_calls, limits_.max_call_line_bytes, limits_.grace_ms}),
      reader_(setup.in_fd, limits_.max_line_bytes),
      writer_(std::move(setup.out), support::stop_descriptor()),
      turns_([this](support::ReadTurn &turn) { read_turn(turn); }, [this] { writer_.flush(); },
             count_threads(setup.packs, limits_.max_calls)) {
  for (pack::PackLaunch &launch : setup.packs)
    instances_.push_back(std::make_unique<pack::Instance>(std::move(launch), this));
  for (const std::unique_ptr<pack::Instance> &instance : instances_) instance->use_turns(&turns_);
  capabilities_ = read_capabilities(instances_);
  server_info_ = encode_server_info(revisions().back(), {});
  rebuild_registry();
}

Server::~Server() {
  turns_.end();
}

// ---- reading
// -------------------------------------------------------------------------------------

void Server::read_turn(support::ReadTurn &turn) {
  pack::Instance::mark_host_thread();
  while (!is_stopping_.load(std::memory_order_relaxed)) {
    t_gathers = false;
    if (writer_.wants_flush() && (!reader_.has_line() || writer_.is_flush_due()) &&
        !writer_.flush())
      support::request_stop(); // nobody listens
    io::LineEvent event = reader_.next();
    if (event.kind == io::LineEvent::Kind::end) {
      has_input_ended_.store(true, std::memory_order_release);
      wake_control();
      return;
    }
    t_gathers = reader_.has_line();
    if (event.kind == io::LineEvent::Kind::oversize)
      on_oversize(event.bytes);
    else
      on_line(event.bytes, turn);
    if (!turn.take_back()) { // somebody else reads now
      t_gathers = false;
      writer_.flush();
      return;
    }
  }
}

void Server::on_oversize(const std::string &start) {
  send(rpc::encode_error(rpc::find_id_in_start(start), rpc::kInvalidRequest,
                         "Invalid request: the line is longer than " +
                             std::to_string(limits_.max_line_bytes) +
                             " bytes; send less in one message"),
       true, {});
}

void Server::on_line(std::string &line, support::ReadTurn &turn) {
  if (log_bytes_) log_line("in", line);
  json::Outline outline;
  const rpc::Parsed parsed = rpc::parse_line(line, &outline);
  switch (parsed.kind) {
  case rpc::Parsed::Kind::message:
    on_message(parsed.message, line, true, turn, *this);
    break;
  case rpc::Parsed::Kind::batch:
    on_batch(parsed.elements, line, turn);
    break;
  case rpc::Parsed::Kind::refused:
    send(rpc::encode_error(parsed.refusal.id, parsed.refusal.code, parsed.refusal.message), true,
         {});
    break;
  case rpc::Parsed::Kind::ignored:
    break;
  }
}

void Server::on_message(const rpc::Message &message, std::string &line, bool may_take_line,
                        support::ReadTurn &turn, rpc::AnswerSink &sink) {
  if (!message.id.exists())
    on_notification(message);
  else
    on_request(message, line, may_take_line, turn, rpc::ReplyOnce(sink, message.id));
}

void Server::on_request(const rpc::Message &message, std::string &line, bool may_take_line,
                        support::ReadTurn &turn, rpc::ReplyOnce reply) {
  if (support::is_logged(support::LogLevel::debug))
    support::log(support::LogLevel::debug, "request.received",
                 {{"req", message.id.token}, {"method", message.method.substr(0, 64)}});
  const Params params(message.params, message.inside_params);
  const json::Object meta = find_meta(message, params);
  const Ruling ruling = session_.rule(message, meta);
  if (ruling.kind == Ruling::Kind::refused) {
    reply.error(ruling.code, ruling.message, ruling.data);
    return;
  }
  const Revision &revision =
      ruling.revision != nullptr ? *ruling.revision : latest_handshake_revision();
  const MethodRow *row = find_method(message.method, revision);
  if (row == nullptr || !is_declared(row->needs)) {
    reply.error(rpc::kMethodNotFound, "Method not found");
    return;
  }
  if (revision.per_request) {
    const json::Value level = meta.find("io.modelcontextprotocol/logLevel");
    if (level.exists() && (!level.is(json::Kind::string) || find_log_level(level.string()) < 0)) {
      reply.error(
          rpc::kInvalidParams,
          "Invalid params: _meta[\"io.modelcontextprotocol/logLevel\"] must be a log level");
      return;
    }
  }
  json::Value token = meta.find("progressToken");
  if (!rpc::parse_id(token)) token = json::Value(); // a string or an integer, else none
  Context context{*this, revision, line, line.size(), may_take_line, token};
  row->handler(context, params, turn, std::move(reply));
}

void Server::on_notification(const rpc::Message &message) {
  if (message.method == "notifications/cancelled")
    notifications_cancelled(*this, Params(message.params));
  else if (message.method == "notifications/initialized")
    session_.set_initialized();
}

void Server::on_batch(const std::vector<json::Value> &elements, std::string &line,
                      support::ReadTurn &turn) {
  const Revision *revision = session_.revision();
  if (revision == nullptr || !revision->batches || elements.empty()) {
    send(rpc::encode_error({}, rpc::kInvalidRequest,
                           elements.empty() ? "Invalid request: an empty batch"
                                            : "Invalid request: this revision has no batches"),
         true, {});
    return;
  }
  Batch &batch = Batch::open(*this);
  for (const json::Value element : elements) {
    const rpc::Parsed parsed = rpc::parse_element(element);
    if (parsed.kind == rpc::Parsed::Kind::refused) {
      batch.add().error(parsed.refusal.code, parsed.refusal.message, parsed.refusal.id);
    } else if (parsed.kind == rpc::Parsed::Kind::message) {
      const bool is_foreign = !is_in_session(parsed.message);
      if (parsed.message.id.exists()) batch.add();
      if (parsed.message.id.exists() && is_foreign)
        batch.error(rpc::kInvalidRequest, "Invalid request: not in a batch", parsed.message.id);
      else
        on_message(parsed.message, line, false, turn, batch);
    }
  }
  batch.close();
}

bool Server::is_in_session(const rpc::Message &message) const {
  const Params params(message.params);
  return session_.rule(message, find_object(params, "_meta")).kind == Ruling::Kind::session;
}

bool Server::is_declared(Needs needs) const {
  switch (needs) {
  case Needs::nothing:
    return true;
  case Needs::tools:
    return capabilities_.tools;
  case Needs::resources:
    return capabilities_.resources;
  case Needs::resource_subscriptions:
    return capabilities_.resource_subscriptions;
  case Needs::prompts:
    return capabilities_.prompts;
  case Needs::completions:
    return capabilities_.completions;
  case Needs::logging:
    return capabilities_.logging;
  }
  return false;
}

// ---- calls and answers
// ---------------------------------------------------------------------------

void Server::start_call(pack::Instance &instance, pack::CallRequest request,
                        std::unique_ptr<CallAnswer> answer, std::size_t line_bytes,
                        support::ReadTurn &turn) {
  CallAnswer *listener = answer.get();
  const rpc::Id id = listener->id();
  support::Pace *pace = request.pace;
  const auto call =
      std::make_shared<pack::PackCall>(instance, std::move(request), std::move(answer));
  listener->set_call(call);
  // One owner for both: the listener lives as long as its call.
  const rpc::Inflight::Added added =
      inflight_.add(id, std::shared_ptr<rpc::Work>(call, listener), call->deadline(), line_bytes);
  listener->set_place(added.number);
  want_packs();
  note_activity();
  // Loading takes milliseconds: better read on then than fill the table with calls that wait.
  if (!instance.is_decided()) instance.wait_ready(kit::Deadline::after(kWaitForOpen));
  if (added.is_earliest) wake_control();
  if (pace != nullptr && pace->is_slow()) writer_.flush(); // before a call that is handed over
  support::OffTurn off_turn = turn.pass_on(pace);
  if (turn.is_given_away()) t_gathers = false;
  call->run(off_turn);
}

void Server::send(std::string text, bool may_wait, std::function<void()> after) {
  if (text.empty()) {
    if (after) after();
    return;
  }
  if (log_bytes_) log_line("out", text);
  if (!may_wait) {
    writer_.queue_line(std::move(text), {}, std::move(after));
    turns_.post([this](support::OffTurn) { writer_.flush_queued(); });
    return;
  }
  const auto flush = t_gathers ? io::LineWriter::Flush::later : io::LineWriter::Flush::now;
  if (!writer_.write_line(std::move(text), flush)) support::request_stop(); // nobody listens
  if (after) after();
}

void Server::notify(std::string text, const io::LineWriter::Commit &commit) {
  if (log_bytes_) log_line("out", text);
  if (pack::Instance::is_host_thread()) {
    writer_.write_line(std::move(text), io::LineWriter::Flush::now, commit);
    return;
  }
  writer_.queue_line(std::move(text), commit, {});
  turns_.post([this](support::OffTurn) { writer_.flush_queued(); });
}

void Server::tell_later(std::shared_ptr<pack::PackCall> call) {
  turns_.post([held = std::move(call)](support::OffTurn off_turn) {
    pack::Instance::mark_host_thread();
    held->tell_pack(off_turn);
  });
}

void Server::wait_described(support::ReadTurn &turn) {
  constexpr std::chrono::milliseconds kMostWait{1'000};
  const kit::Deadline deadline = kit::Deadline::after(kMostWait);
  for (const std::unique_ptr<pack::Instance> &instance : instances_) {
    if (instance->is_described()) continue;
    writer_.flush();
    (void)turn.give_away();
    t_gathers = false;
    if (!instance->wait_described(deadline) && instance->note_late())
      support::log(support::LogLevel::warn, "pack.not_described_in_time",
                   {{"pack", std::string(instance->alias())}});
  }
}

std::shared_ptr<const pack::Registry> Server::registry() const {
  support::Lock lock(registry_mutex_);
  return registry_;
}

void Server::rebuild_registry() {
  support::Lock lock(registry_mutex_);
  registry_ = std::make_shared<const pack::Registry>(instances_, selection_, ++generation_);
}

std::string Server::server_title() const {
  if (instances_.size() != 1 || !refused_.empty()) return "Pack host";
  const pack::Instance &only = *instances_.front();
  const pack::About about = only.about();
  if (about.has_title) return about.title;
  return only.manifest().title.empty() ? "Pack host" : only.manifest().title;
}

std::string Server::instructions() const {
  std::string text;
  const auto separate = [&] {
    if (!text.empty()) text += "\n\n";
  };
  for (const std::unique_ptr<pack::Instance> &instance : instances_) {
    if (instance->state() == pack::Instance::State::refused) {
      separate();
      text.append("pack ").append(instance->alias()).append(" is not available: ");
      text.append(instance->refusal());
      continue;
    }
    const pack::About about = instance->about();
    const contract::Manifest &manifest = instance->manifest();
    const std::string &body = about.has_instructions ? about.instructions : manifest.instructions;
    if (body.empty()) continue;
    separate();
    const std::string &title = about.has_title ? about.title : manifest.title;
    text.append("# ").append(title.empty() ? instance->alias() : std::string_view(title));
    text.append("\n").append(body);
  }
  for (const pack::RefusedPack &pack : refused_) {
    separate();
    text.append("pack ").append(pack.alias).append(" is not available: ").append(pack.reason);
  }
  return text;
}

void Server::log_line(std::string_view direction, std::string_view line) const {
  support::log(support::LogLevel::trace, "bytes",
               {{"direction", std::string(direction)}, {"line", std::string(line)}});
}

} // namespace packhost::mcp
