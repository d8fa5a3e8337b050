// SPDX-License-Identifier: MIT
// The life of a pack under test: options, plan, open, what it says about itself, shutdown, and what
// it leaves behind.
#include "sdk/kit/deadline.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/testing/call.hpp"
#include "sdk/testing/harness.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace packhost::testing {

namespace json = kit::json;

namespace {

constexpr std::string_view kReserved = "packhost";

bool contains(const std::vector<std::string> &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_object(std::string_view text) {
  return json::check(text).has_value() && json::Value(text).is(json::Kind::object);
}

/// What a sink of the ABI was given, and how often.
struct Caught {
  int times = 0;
  std::string text;

  static void sink(void *self, packhost_str json) noexcept {
    auto *caught = static_cast<Caught *>(self);
    ++caught->times;
    caught->text.assign(json.len == 0 ? "" : json.ptr, json.len);
  }
};

/// Runs a function of the pack behind a host's wall: what it throws ends the process.
template <class F>
void behind_wall(F &&work) noexcept {
  work();
}

} // namespace

Harness::Impl::Impl(LoadedPack loaded, Setup wanted)
    : setup(std::move(wanted)), manifest(std::move(loaded.manifest)), entry(loaded.entry),
      world(setup), now_ns(kit::Deadline::now_ns()) {
  for (std::string &sentence : loaded.violations) violations.add(std::move(sentence));
  fill_host_table(host, *this);
  compile_schemas();
}

void Harness::Impl::compile_schemas() {
  for (const contract::ToolEntry &tool : manifest->tools) {
    kit::Result<contract::Schema> input = contract::Schema::compile(tool.input);
    if (input) input_schemas.emplace(tool.name, std::move(*input));
    if (tool.output.empty()) continue;
    kit::Result<contract::Schema> output = contract::Schema::compile(tool.output);
    if (output) output_schemas.emplace(tool.name, std::move(*output));
  }
}

const contract::ToolEntry *Harness::Impl::find_tool(std::string_view name) const {
  for (const contract::ToolEntry &tool : manifest->tools) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

// ---- opening ------------------------------------------------------------------------------------

void Harness::Impl::open() {
  complete_options();
  // A thread sanitizer makes a thread of its own beside the first one: it is no leftover of the
  // pack.
  on_other_thread([] {});
  state_at_start = ProcessState::now();
  descriptors_at_start = open_descriptors();
  threads_at_start = running_threads();
  accepts_calls_to_host = true;
  try {
    run_plan();
    call_open();
  } catch (...) {
    accepts_calls_to_host = false;
    throw;
  }
  is_open = true;
  on_other_thread([this] { behind_wall([this] { ask_interfaces(); }); });
  check_process_state("open()");
}

/// As a host: defaults, the schema, and the member "packhost".
void Harness::Impl::complete_options() {
  if (!is_object(setup.options)) {
    throw OpenFailed(PACKHOST_E_CONFIG, "the options are no JSON object");
  }
  const std::string whole = contract::with_defaults(manifest->options, setup.options);
  const kit::Result<contract::Schema> schema = contract::Schema::compile(manifest->options);
  if (!schema) throw OpenFailed(PACKHOST_E_CONFIG, "the options schema: " + schema.error().message);
  const kit::Result<void, contract::Violation> fits = schema->check(whole);
  if (!fits) {
    throw OpenFailed(PACKHOST_E_CONFIG,
                     "the options do not fit: '" + fits.error().pointer + "' " + fits.error().rule);
  }
  const json::Object members{json::Value(whole)};
  options.clear();
  json::Writer out(options);
  out.begin_object();
  for (const json::Member &member : members.members()) {
    if (member.key != kReserved) out.raw(member.key, member.value.text());
  }
  out.key(kReserved).begin_object();
  out.string("tool_prefix", manifest->tool_prefix.value_or(manifest->name + "_"));
  out.string("alias", manifest->name).string("version", manifest->version);
  out.key("spelled").begin_object().end_object();
  out.end_object().end_object();
}

void Harness::Impl::run_plan() {
  const contract::Plan &plan = manifest->plan;
  if (!plan.wanted || entry->plan == nullptr) return;
  const json::Object given{json::Value(setup.options)};
  const auto is_given = [&](const std::string &name) { return given.find(name).exists(); };
  const bool is_spared = !plan.unless_given.empty() &&
                         std::all_of(plan.unless_given.begin(), plan.unless_given.end(), is_given);
  if (is_spared) return;
  Caught completed;
  packhost_status status = PACKHOST_E_INTERNAL;
  {
    const OutputWindow window(violations, "plan()");
    const packhost_str before{options.data(), options.size()};
    on_other_thread([&] {
      behind_wall([&] { status = entry->plan(&host, before, &Caught::sink, &completed); });
    });
  }
  if (status != PACKHOST_OK) throw OpenFailed(status, open_error);
  if (completed.times != 1) {
    violations.add("plan() called its sink " + std::to_string(completed.times) +
                   " times, not once");
  }
  if (!is_object(completed.text)) {
    throw OpenFailed(PACKHOST_E_MISUSE, "plan() gave options that are no JSON object");
  }
  options = completed.text;
}

void Harness::Impl::call_open() {
  packhost_status status = PACKHOST_E_INTERNAL;
  {
    const OutputWindow window(violations, "open()");
    const packhost_str text{options.data(), options.size()};
    on_other_thread([&] { behind_wall([&] { status = entry->open(&host, text, &pack); }); });
  }
  if (status == PACKHOST_OK) return;
  const std::lock_guard lock(mutex);
  if (status > 0)
    violations.add("open() returned " + std::to_string(status) + ", which is no status");
  throw OpenFailed(status, open_error.empty() ? "open() gave no reason" : open_error);
}

void Harness::Impl::ask_interfaces() {
  const auto interface_of_pack = [this](const char *id) -> const void * {
    const bool can_ask = PACKHOST_HAS(entry, get_interface) && entry->get_interface != nullptr;
    const void *found = can_ask ? entry->get_interface(pack, id) : nullptr;
    const bool is_declared = contains(manifest->uses_interfaces, id);
    if (found != nullptr && !is_declared) {
      violations.add("offers \"" + std::string(id) +
                     "\", which its manifest does not name in \"uses\"");
    }
    if (found == nullptr && is_declared) {
      violations.add("does not offer \"" + std::string(id) +
                     "\", which its manifest names in \"uses\"");
    }
    return found;
  };
  const void *about = interface_of_pack(PACKHOST_IFACE_ABOUT);
  if (about != nullptr) ask_about(*static_cast<const packhost_about *>(about));
  catalog = static_cast<const packhost_catalog *>(interface_of_pack(PACKHOST_IFACE_CATALOG));
  const contract::Manifest &said = *manifest;
  for (const auto &[is_dynamic, which] :
       {std::pair(said.dynamic_tools, PACKHOST_CHANGED_TOOLS),
        std::pair(said.dynamic_resources, PACKHOST_CHANGED_RESOURCES),
        std::pair(said.dynamic_prompts, PACKHOST_CHANGED_PROMPTS)}) {
    if (is_dynamic) static_cast<void>(ask_catalog(which));
  }
}

void Harness::Impl::ask_about(const packhost_about &about) {
  Caught said;
  const packhost_status status = about.about(pack, &Caught::sink, &said);
  if (status != PACKHOST_OK) {
    violations.add("about failed with " + std::to_string(status));
    return;
  }
  if (said.times != 1) {
    violations.add("about called its sink " + std::to_string(said.times) + " times, not once");
  }
  if (!is_object(said.text)) {
    violations.add("about gave what is no JSON object");
    return;
  }
  const json::Value instructions = json::Object{json::Value(said.text)}.find("instructions");
  const std::size_t bytes = instructions.is(json::Kind::string) ? instructions.string().size() : 0;
  if (bytes > manifest->instructions_max_bytes) {
    violations.add("about gave instructions of " + std::to_string(bytes) + " bytes; the limit is " +
                   std::to_string(manifest->instructions_max_bytes));
  }
  about_text = said.text;
}

std::string Harness::Impl::ask_catalog(std::uint32_t which) {
  if (catalog == nullptr || !is_open) return "";
  Caught said;
  packhost_status status = PACKHOST_E_INTERNAL;
  on_other_thread(
      [&] { behind_wall([&] { status = catalog->list(pack, which, &Caught::sink, &said); }); });
  if (status != PACKHOST_OK) {
    violations.add("list failed with " + std::to_string(status));
    return "";
  }
  if (said.times != 1) {
    violations.add("list called its sink " + std::to_string(said.times) + " times, not once");
  }
  check_list(which, said.text);
  return said.text;
}

void Harness::Impl::check_list(std::uint32_t which, const std::string &json) {
  std::string fault;
  if (which == PACKHOST_CHANGED_TOOLS) {
    const auto list = contract::parse_tool_list(json, *manifest);
    if (!list) fault = list.error().message;
  } else if (which == PACKHOST_CHANGED_RESOURCES) {
    const auto list = contract::parse_resource_list(json);
    if (!list) fault = list.error().message;
  } else {
    const auto list = contract::parse_prompt_list(json);
    if (!list) fault = list.error().message;
  }
  if (!fault.empty()) violations.add("a list that no host takes: " + fault);
}

// ---- closing ------------------------------------------------------------------------------------

bool Harness::Impl::close() {
  for (const auto &call : calls) call->cancel();
  bool is_over = true;
  for (const auto &call : calls) {
    static_cast<void>(call->wait());
    is_over = call->finished() && is_over;
  }
  if (!is_open || !is_over) return is_over;
  {
    const std::lock_guard lock(control);
    is_open = false;
    const OutputWindow window(violations, "shutdown()");
    on_other_thread([this] { behind_wall([this] { entry->shutdown(pack); }); });
    accepts_calls_to_host = false;
  }
  world.stop();
  check_process_state("shutdown()");
  check_leftovers();
  return true;
}

void Harness::Impl::check_process_state(const std::string &who) {
  const std::lock_guard lock(mutex);
  const std::vector<std::string> changes = ProcessState::now().changes_since(state_at_start);
  for (const std::string &change : changes)
    violations.add(std::string(who).append(": changed ").append(change));
  if (!changes.empty()) state_at_start.restore();
}

void Harness::Impl::check_leftovers() {
  std::vector<int> threads;
  // A joined thread may stand in the list for a moment longer.
  for (int look = 0; look < 50; ++look) {
    threads.clear();
    const std::vector<int> now = running_threads();
    std::set_difference(now.begin(), now.end(), threads_at_start.begin(), threads_at_start.end(),
                        std::back_inserter(threads));
    if (threads.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (!threads.empty()) {
    violations.add("left " + std::to_string(threads.size()) +
                   (threads.size() == 1 ? " thread" : " threads") + " running after shutdown");
  }
  const std::vector<int> now = open_descriptors();
  std::vector<int> left;
  std::set_difference(now.begin(), now.end(), descriptors_at_start.begin(),
                      descriptors_at_start.end(), std::back_inserter(left));
  for (const int fd : left) {
    violations.add("left descriptor " + std::to_string(fd) +
                   " open after shutdown: " + describe_descriptor(fd));
  }
}

} // namespace packhost::testing
