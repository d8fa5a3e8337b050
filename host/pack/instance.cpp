// SPDX-License-Identifier: MIT
// See instance.hpp.
#include "host/pack/instance.hpp"

#include "host/pack/loader.hpp"
#include "host/support/log.hpp"
#include "host/support/signals.hpp"
#include "host/support/thread.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <string.h>

namespace json = packhost::kit::json;

namespace packhost::pack {

namespace {

constexpr std::uint32_t kLogLinesPerSecond = 200;
constexpr std::chrono::milliseconds kWaitForList{250}; // at the end
constexpr std::size_t kMaxPackCalls = 128;
constexpr std::size_t kMaxOpenError = 500;

thread_local bool t_is_host_thread = false;
// Where a call that ends on this thread puts those that got its room; null outside Instance::run().
thread_local std::vector<std::shared_ptr<PackCall>> *t_following = nullptr;

bool uses(const contract::Manifest &manifest, std::string_view interface) {
  const auto &names = manifest.uses_interfaces;
  return std::find(names.begin(), names.end(), interface) != names.end() ||
         std::find(manifest.requires_interfaces.begin(), manifest.requires_interfaces.end(),
                   interface) != manifest.requires_interfaces.end();
}

std::size_t index_of(std::uint32_t which) {
  return which == PACKHOST_CHANGED_TOOLS ? 0 : which == PACKHOST_CHANGED_RESOURCES ? 1 : 2;
}

/// Whether the contract takes what a catalog gave.
kit::Status check_list(std::uint32_t which, std::string_view list,
                       const contract::Manifest &manifest) {
  if (which == PACKHOST_CHANGED_TOOLS) {
    auto parsed = contract::parse_tool_list(list, manifest);
    return parsed ? kit::Status() : kit::Status(kit::pass_on(parsed));
  }
  if (which == PACKHOST_CHANGED_RESOURCES) {
    auto parsed = contract::parse_resource_list(list);
    return parsed ? kit::Status() : kit::Status(kit::pass_on(parsed));
  }
  auto parsed = contract::parse_prompt_list(list);
  return parsed ? kit::Status() : kit::Status(kit::pass_on(parsed));
}

struct Sunk {
  std::string text;
  int count = 0;
};

void sink_text(void *context, packhost_str text) {
  auto *sunk = static_cast<Sunk *>(context);
  ++sunk->count;
  if (text.len > 0) sunk->text.assign(text.ptr, text.len);
}

std::string_view status_text(packhost_status status) {
  switch (status) {
  case PACKHOST_E_CONFIG:
    return "configuration";
  case PACKHOST_E_DENIED:
    return "denied";
  case PACKHOST_E_NOT_FOUND:
    return "not found";
  case PACKHOST_E_IO:
    return "input or output";
  case PACKHOST_E_UNAVAILABLE:
    return "unavailable";
  case PACKHOST_E_NOMEM:
    return "out of memory";
  case PACKHOST_E_INVALID_ARGS:
    return "invalid options";
  default:
    return "internal error";
  }
}

} // namespace

Instance::Instance(PackLaunch launch, InstanceObserver *observer)
    : launch_(std::move(launch)), observer_(observer),
      room_(manifest().concurrency.parallel
                ? std::min<std::size_t>(manifest().concurrency.max, kMaxPackCalls)
                : 1),
      paces_(manifest().tools.size()), services_(launch_) {
  host_data_.services = &services_;
  host_data_.instance = this;
  fill_host_table(host_);
  host_.host_data = &host_data_;
  host_data_.cancel_fd = [](packhost_call *handle) -> std::int32_t {
    const HeldCall call = find_call(handle);
    return call ? call->cancel_descriptor() : -1;
  };
}

Instance::~Instance() {
  services_.close();
}

bool Instance::is_host_thread() {
  return t_is_host_thread;
}

void Instance::mark_host_thread() {
  t_is_host_thread = true;
}

std::string_view Instance::result_size_key() const {
  return manifest().result_size ? std::string_view(manifest().result_size->key)
                                : std::string_view();
}

support::Pace *Instance::pace_of(std::string_view tool) {
  const std::vector<contract::ToolEntry> &tools = manifest().tools;
  for (std::size_t i = 0; i < tools.size(); ++i)
    if (tools[i].name == tool) return &paces_[i];
  return nullptr;
}

// ---- opening
// -------------------------------------------------------------------------------------

void Instance::open_later() {
  {
    support::Lock lock(mutex_);
    if (std::exchange(has_begun_, true)) return;
    open_deadline_ = kit::Deadline::after(std::chrono::milliseconds(manifest().open_timeout_ms));
  }
  if (!support::start_detached_thread([this] {
        mark_host_thread();
        (void)open();
      }))
    refuse(fmt::format("pack \"{}\" refused to start: no thread to open it on.", alias()));
}

kit::Deadline Instance::open_deadline() const {
  support::Lock lock(mutex_);
  return has_begun_ && state_ == State::opening ? open_deadline_ : kit::Deadline();
}

kit::Status Instance::open() {
  kit::Status opened = open_pack();
  if (!opened) {
    refuse(opened.error().message);
    return opened;
  }
  {
    support::Lock lock(mutex_);
    if (state_ != State::opening) { // it overran: what it opened is left behind
      return kit::fail(kit::Code::config, "{}", refusal_);
    }
  }
  read_about();
  read_lists();
  {
    support::Lock lock(mutex_);
    state_ = State::open;
  }
  if (observer_ != nullptr) observer_->on_opened(*this);
  is_settled_.store(true, std::memory_order_release);
  std::vector<std::shared_ptr<PackCall>> following;
  {
    support::Lock lock(mutex_);
    is_ready_ = true;
    is_decided_.store(true, std::memory_order_release);
    changed_.notify_all();
    while (std::shared_ptr<PackCall> next = take_next()) following.push_back(std::move(next));
  }
  for (std::shared_ptr<PackCall> &call : following) {
    turns_->post([this, held = std::move(call)](support::OffTurn) { run_with_room(held); });
  }
  support::log(support::LogLevel::info, "pack.opened", {{"pack", std::string(alias())}});
  return {};
}

kit::Status Instance::open_pack() {
  kit::Result<const packhost_entry *> loaded = [&] {
    const support::RunningCode running(alias(), "loading");
    return load_pack(launch_);
  }();
  if (!loaded) return kit::pass_on(loaded);
  entry_ = *loaded;
  packhost_status status = PACKHOST_E_INTERNAL;
  {
    support::Lock control(control_mutex_);
    const support::RunningCode running(alias(), "open");
    status =
        entry_->open(&host_, packhost_str{launch_.options.data(), launch_.options.size()}, &pack_);
  }
  ::explicit_bzero(launch_.options.data(), launch_.options.size()); // secrets stood in it
  launch_.options.clear();
  if (status == PACKHOST_OK && pack_ != nullptr) return {};
  support::Lock lock(mutex_);
  const std::string why = open_error_.empty() ? "no reason given" : open_error_;
  return kit::fail(kit::Code::config, "pack \"{}\" refused to start: {} ({}).", alias(), why,
                   status_text(status));
}

void Instance::refuse(std::string reason) {
  std::deque<std::shared_ptr<PackCall>> waiting;
  {
    support::Lock lock(mutex_);
    if (state_ != State::opening) return;
    state_ = State::refused;
    is_decided_.store(true, std::memory_order_release);
    refusal_ = std::move(reason);
    waiting.swap(queue_);
    changed_.notify_all();
  }
  if (observer_ != nullptr) observer_->on_opened(*this);
  is_settled_.store(true, std::memory_order_release);
  for (const std::shared_ptr<PackCall> &call : waiting)
    call->end_outside(PACKHOST_E_UNAVAILABLE, unavailable_text(), true);
}

void Instance::refuse_late_open() {
  refuse(fmt::format("pack \"{}\" refused to start: open did not end within {} ms.", alias(),
                     manifest().open_timeout_ms));
}

void Instance::read_about() {
  const bool wants_about = uses(manifest(), PACKHOST_IFACE_ABOUT);
  const bool wants_catalog = uses(manifest(), PACKHOST_IFACE_CATALOG);
  if (entry_->get_interface == nullptr || (!wants_about && !wants_catalog)) return;
  const support::RunningCode running(alias(), "about");
  if (wants_catalog)
    catalog_ =
        static_cast<const packhost_catalog *>(entry_->get_interface(pack_, PACKHOST_IFACE_CATALOG));
  if (!wants_about) return;
  const auto *about =
      static_cast<const packhost_about *>(entry_->get_interface(pack_, PACKHOST_IFACE_ABOUT));
  if (about == nullptr || !PACKHOST_HAS(about, about)) return;
  Sunk sunk;
  const packhost_status status = about->about(pack_, sink_text, &sunk);
  About read;
  std::string_view fault;
  if (status != PACKHOST_OK || sunk.count != 1) {
    fault = "it gave no answer";
  } else if (!json::check(sunk.text) || !json::Value(sunk.text).is(json::Kind::object)) {
    fault = "its answer is no JSON object";
  } else {
    const json::Object members{json::Value(sunk.text)};
    const json::Value title = members.find("title");
    const json::Value instructions = members.find("instructions");
    read.has_title = title.is(json::Kind::string);
    read.has_instructions = instructions.is(json::Kind::string);
    if (read.has_title) read.title = title.string();
    if (read.has_instructions) read.instructions = instructions.string();
    if (read.instructions.size() > manifest().instructions_max_bytes)
      fault = "its instructions are longer than instructions_max_bytes";
  }
  if (!fault.empty()) {
    support::log(support::LogLevel::warn, "pack.about_ignored",
                 {{"pack", launch_.alias}, {"reason", std::string(fault)}});
    return;
  }
  support::Lock lock(mutex_);
  about_ = std::move(read);
}

void Instance::read_lists() {
  const std::pair<bool, std::uint32_t> lists[] = {
      {manifest().dynamic_tools, PACKHOST_CHANGED_TOOLS},
      {manifest().dynamic_resources, PACKHOST_CHANGED_RESOURCES},
      {manifest().dynamic_prompts, PACKHOST_CHANGED_PROMPTS}};
  for (const auto &[is_dynamic, which] : lists) {
    if (!is_dynamic) continue;
    if (const kit::Status read = read_list(which, support::OffTurn::no_stream()); !read)
      support::log(support::LogLevel::warn, "catalog.refused",
                   {{"pack", launch_.alias}, {"reason", read.error().message}});
  }
}

kit::Status Instance::read_list(std::uint32_t which, support::OffTurn /*off_turn*/) {
  if (catalog_ == nullptr || !PACKHOST_HAS(catalog_, list))
    return kit::fail(kit::Code::unsupported, "pack '{}' offers no catalog", alias());
  Sunk sunk;
  packhost_status status = PACKHOST_E_UNAVAILABLE;
  {
    support::Lock one(list_mutex_);
    if (!start_listing()) return kit::fail(kit::Code::unavailable, "pack '{}' has ended", alias());
    const support::RunningCode running(alias(), "list");
    status = catalog_->list(pack_, which, sink_text, &sunk);
    end_listing();
  }
  if (status != PACKHOST_OK || sunk.count != 1)
    return kit::fail(kit::Code::misuse, "the catalog of pack '{}' gave no list", alias());
  if (!json::check(sunk.text) || !json::Value(sunk.text).is(json::Kind::array))
    return kit::fail(kit::Code::misuse, "the catalog of pack '{}' gave no JSON array", alias());
  if (kit::Status accepted = check_list(which, sunk.text, manifest()); !accepted) return accepted;
  support::Lock lock(mutex_);
  lists_[index_of(which)] = std::move(sunk.text);
  return {};
}

bool Instance::start_listing() {
  support::Lock lock(mutex_);
  is_listing_ = state_ != State::closed;
  return is_listing_;
}

void Instance::end_listing() {
  support::Lock lock(mutex_);
  is_listing_ = false;
  changed_.notify_all();
}

Instance::State Instance::state() const {
  support::Lock lock(mutex_);
  return state_;
}

std::string Instance::refusal() const {
  support::Lock lock(mutex_);
  return refusal_;
}

bool Instance::is_described() const {
  if (!uses(manifest(), PACKHOST_IFACE_ABOUT) && !uses(manifest(), PACKHOST_IFACE_CATALOG))
    return true;
  support::Lock lock(mutex_);
  return is_ready_ || state_ == State::refused;
}

bool Instance::wait_described(kit::Deadline deadline) {
  while (!is_described()) {
    support::Lock lock(mutex_);
    if (is_ready_ || state_ == State::refused) return true;
    if (deadline.has_passed()) return false;
    changed_.wait_for(lock, std::chrono::milliseconds(deadline.poll_ms()));
  }
  return true;
}

void Instance::wait_ready(kit::Deadline deadline) {
  support::Lock lock(mutex_);
  while (!is_ready_ && state_ == State::opening && !deadline.has_passed())
    changed_.wait_for(lock, std::chrono::milliseconds(deadline.poll_ms()));
}

About Instance::about() const {
  support::Lock lock(mutex_);
  return about_;
}

std::string Instance::list(std::uint32_t which) const {
  support::Lock lock(mutex_);
  return lists_[index_of(which)];
}

std::string Instance::unavailable_text() const {
  support::Lock lock(mutex_);
  return refusal_.empty() ? fmt::format("pack '{}' is not available", launch_.alias)
                          : fmt::format("pack '{}' is not available: {}", launch_.alias, refusal_);
}

// ---- calls
// ---------------------------------------------------------------------------------------

bool Instance::has_room_for(const PackCall &call) const {
  if (!is_ready_ || is_exclusive_running_) return false;
  return call.request().is_exclusive ? running_ == 0 : running_ < room_;
}

std::shared_ptr<PackCall> Instance::take_next() {
  if (queue_.empty() || !has_room_for(*queue_.front())) return nullptr;
  std::shared_ptr<PackCall> next = std::move(queue_.front());
  queue_.pop_front();
  ++running_;
  is_exclusive_running_ = next->request().is_exclusive;
  return next;
}

void Instance::run(std::shared_ptr<PackCall> call) {
  {
    support::Lock lock(mutex_);
    if (state_ == State::refused || state_ == State::closed) {
      lock.unlock();
      call->end_outside(PACKHOST_E_UNAVAILABLE, unavailable_text(), is_host_thread());
      return;
    }
    if (queue_.empty() && has_room_for(*call)) { // most often
      ++running_;
      is_exclusive_running_ = call->request().is_exclusive;
    } else {
      call->note_waits();
      queue_.push_back(std::move(call));
      call = take_next();
    }
  }
  if (call != nullptr) run_with_room(std::move(call));
}

void Instance::run_with_room(std::shared_ptr<PackCall> call) {
  mark_host_thread();
  std::vector<std::shared_ptr<PackCall>> following;
  std::vector<std::shared_ptr<PackCall>> *outer = std::exchange(t_following, &following);
  for (std::size_t next = 0; call != nullptr; ++next) {
    if (call->is_cancelled()) {
      call->end_outside(PACKHOST_E_CANCELLED, {}, true);
      leave(*call, true);
    } else {
      call->enter(*entry_, pack_);
    }
    call = next < following.size() ? std::move(following[next]) : nullptr;
  }
  t_following = outer;
}

void Instance::leave(const PackCall &call, bool on_host_thread) {
  std::vector<std::shared_ptr<PackCall>> next;
  {
    support::Lock lock(mutex_);
    --running_;
    if (call.request().is_exclusive) is_exclusive_running_ = false;
    while (std::shared_ptr<PackCall> one = take_next()) next.push_back(std::move(one));
    if (running_ == 0 && queue_.empty()) changed_.notify_all();
  }
  for (std::shared_ptr<PackCall> &one : next) {
    if (on_host_thread && t_following != nullptr && t_following->size() < kMaxPackCalls) {
      t_following->push_back(std::move(one));
    } else if (turns_ != nullptr) {
      turns_->post([this, held = std::move(one)](support::OffTurn) { run_with_room(held); });
    }
  }
}

void Instance::drop_queued(const std::shared_ptr<PackCall> &call) {
  {
    support::Lock lock(mutex_);
    const auto found = std::find(queue_.begin(), queue_.end(), call);
    if (found == queue_.end()) return;
    queue_.erase(found);
  }
  call->end_outside(PACKHOST_E_CANCELLED, {}, true);
}

std::size_t Instance::count_calls() const {
  support::Lock lock(mutex_);
  return running_ + queue_.size();
}

packhost_status Instance::call_entry(const packhost_entry &entry, packhost_pack *pack,
                                     packhost_call *handle,
                                     const packhost_request &request) noexcept {
  return entry.call(pack, handle, &request);
}

void Instance::call_cancel(packhost_call *handle) noexcept {
  if (entry_ == nullptr || entry_->cancel == nullptr) return;
  support::Lock control(control_mutex_);
  if (state() != State::open) return; // shut down meanwhile
  const support::RunningCode running(alias(), "cancel");
  entry_->cancel(pack_, handle);
}

void Instance::shutdown() {
  {
    support::Lock lock(mutex_);
    if (state_ != State::open) return;
    state_ = State::closed;
    const kit::Deadline deadline = kit::Deadline::after(kWaitForList);
    while (is_listing_ && !deadline.has_passed())
      changed_.wait_for(lock, std::chrono::milliseconds(deadline.poll_ms()));
    if (is_listing_) return; // left behind, as calls that do not end are
  }
  {
    support::Lock control(control_mutex_);
    const support::RunningCode running(alias(), "shutdown");
    entry_->shutdown(pack_);
  }
  services_.close();
}

void Instance::set_open_error(std::string_view message) {
  support::Lock lock(mutex_);
  open_error_ = kit::utf8::repair(message);
  open_error_.resize(kit::utf8::clip(open_error_, kMaxOpenError).size());
  for (char &c : open_error_)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
}

bool Instance::may_log() {
  const std::int64_t second = kit::Deadline::now_ns() / 1'000'000'000;
  support::Lock lock(mutex_);
  if (second != log_second_) {
    log_second_ = second;
    log_lines_ = 0;
  }
  return ++log_lines_ <= kLogLinesPerSecond;
}

} // namespace packhost::pack
