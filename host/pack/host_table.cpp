// SPDX-License-Identifier: MIT
// The C functions packs receive. Each is noexcept and turns whatever goes wrong into a status or a
// log line: one of the three walls of the host.
#include "host/pack/call.hpp"
#include "host/pack/instance.hpp"
#include "host/support/log.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

namespace packhost::pack {

namespace {

constexpr std::size_t kMaxLogField = 256;
constexpr std::size_t kMaxLogFields = 32;

std::string_view view(packhost_str text) {
  return text.len == 0 ? std::string_view() : std::string_view(text.ptr, text.len);
}

/// The wall: what a function of the host throws (out of memory) stays here.
template <typename Result, typename Body>
Result guarded(Result otherwise, Body body) noexcept {
  try {
    return body();
  } catch (...) { // NOLINT(bugprone-empty-catch): the C side learns of it by the status
    support::log(support::LogLevel::error, "host.exception");
    return otherwise;
  }
}

Instance *instance_of(const packhost_host *host) {
  return static_cast<Instance *>(static_cast<HostData *>(host->host_data)->instance);
}

const void *get_interface(const packhost_host * /*host*/, const char *id) noexcept {
  return guarded<const void *>(nullptr, [&] { return PackServices::find_interface(id); });
}

std::string clean(std::string_view text) {
  std::string out = kit::utf8::repair(text);
  out.resize(kit::utf8::clip(out, kMaxLogField).size());
  std::erase_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  return out;
}

void add_field(std::vector<support::LogField> &fields, kit::json::Writer &data,
               const packhost_field &field) {
  const std::string_view key = view(field.key);
  std::string text;
  switch (field.type) {
  case PACKHOST_FIELD_STR:
    text = clean(view(field.str));
    data.string(key, text);
    break;
  case PACKHOST_FIELD_I64:
    text = std::to_string(field.i64);
    data.integer(key, field.i64);
    break;
  case PACKHOST_FIELD_F64:
    text = fmt::format("{}", field.f64);
    if (std::isfinite(field.f64))
      data.key(key).number(field.f64);
    else
      data.string(key, text);
    break;
  case PACKHOST_FIELD_BOOL:
    text = field.i64 != 0 ? "true" : "false";
    data.boolean(key, field.i64 != 0);
    break;
  default:
    return;
  }
  fields.push_back({key, std::move(text)});
}

bool is_field_key(std::string_view key) {
  if (key.empty() || key.size() > 32 || key[0] < 'a' || key[0] > 'z') return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

support::LogLevel host_level(std::int32_t level) {
  if (level <= PACKHOST_LOG_DEBUG) return support::LogLevel::debug;
  if (level <= PACKHOST_LOG_NOTICE) return support::LogLevel::info;
  return level == PACKHOST_LOG_WARNING ? support::LogLevel::warn : support::LogLevel::error;
}

void log_event(Instance &instance, std::int32_t level, std::string_view event,
               const packhost_field *fields, std::size_t count) {
  const std::vector<std::string> &declared = instance.manifest().log_events;
  if (std::find(declared.begin(), declared.end(), event) == declared.end() || !instance.may_log())
    return; // undeclared, or too many this second: dropped
  std::vector<support::LogField> shown;
  std::string data;
  kit::json::Writer writer(data);
  writer.begin_object().string("event", event);
  for (std::size_t i = 0; i < count && i < kMaxLogFields; ++i)
    if (is_field_key(view(fields[i].key))) add_field(shown, writer, fields[i]);
  writer.end_object();
  support::log(host_level(level), fmt::format("{}.{}", instance.alias(), event), shown);
  if (instance.observer() != nullptr) instance.observer()->on_log(instance, level, data);
}

void host_log(const packhost_host *host, std::int32_t level, packhost_str event,
              const packhost_field *fields, std::size_t count) noexcept {
  guarded(0, [&] {
    log_event(*instance_of(host), level, view(event), fields, count);
    return 0;
  });
}

void notify_changed(const packhost_host *host, std::uint32_t bits) noexcept {
  guarded(0, [&] {
    Instance *instance = instance_of(host);
    if (instance->observer() != nullptr) instance->observer()->on_changed(*instance, bits);
    return 0;
  });
}

void notify_resource(const packhost_host *host, packhost_str uri) noexcept {
  guarded(0, [&] {
    Instance *instance = instance_of(host);
    if (instance->observer() != nullptr && kit::utf8::is_valid(view(uri)))
      instance->observer()->on_resource_changed(*instance, view(uri));
    return 0;
  });
}

void set_open_error(const packhost_host *host, packhost_str message) noexcept {
  guarded(0, [&] {
    instance_of(host)->set_open_error(view(message));
    return 0;
  });
}

std::int32_t call_cancelled(const packhost_call *handle) noexcept {
  return guarded<std::int32_t>(1, [&] {
    const HeldCall call = find_call(handle);
    return !call || call->is_cancelled_or_late() ? 1 : 0;
  });
}

std::int32_t call_cancel_fd(packhost_call *handle) noexcept {
  return guarded<std::int32_t>(-1, [&] {
    const HeldCall call = find_call(handle);
    return call ? call->cancel_descriptor() : -1;
  });
}

void call_progress(packhost_call *handle, double done, double total,
                   packhost_str message) noexcept {
  guarded(0, [&] {
    if (const HeldCall call = find_call(handle)) call->progress(done, total, view(message));
    return 0;
  });
}

packhost_status call_add(packhost_call *handle, const packhost_part *part) noexcept {
  return guarded<packhost_status>(PACKHOST_E_NOMEM, [&]() -> packhost_status {
    if (part == nullptr) return PACKHOST_E_MISUSE;
    if (const HeldCall call = find_call(handle)) return call->add(*part);
    const PartData released(part->data); // handed over all the same
    return PACKHOST_E_MISUSE;
  });
}

packhost_status call_append(packhost_call *handle, const void *bytes, std::size_t length) noexcept {
  return guarded<packhost_status>(PACKHOST_E_NOMEM, [&]() -> packhost_status {
    const HeldCall call = find_call(handle);
    if (!call || (bytes == nullptr && length > 0)) return PACKHOST_E_MISUSE;
    return call->append(length == 0 ? std::string_view()
                                    : std::string_view(static_cast<const char *>(bytes), length));
  });
}

void call_reset(packhost_call *handle) noexcept {
  guarded(0, [&] {
    if (const HeldCall call = find_call(handle)) call->reset();
    return 0;
  });
}

void call_set_error(packhost_call *handle, packhost_str message, packhost_str details) noexcept {
  guarded(0, [&] {
    if (const HeldCall call = find_call(handle)) call->set_error(view(message), view(details));
    return 0;
  });
}

void call_set_items(packhost_call *handle, std::uint64_t items) noexcept {
  guarded(0, [&] {
    if (const HeldCall call = find_call(handle)) call->set_items(items);
    return 0;
  });
}

void call_set_data(packhost_call *handle, void *data) noexcept {
  guarded(0, [&] {
    if (const HeldCall call = find_call(handle)) call->set_data(data);
    return 0;
  });
}

void *call_data(const packhost_call *handle) noexcept {
  return guarded<void *>(nullptr, [&]() -> void * {
    const HeldCall call = find_call(handle);
    return call ? call->data() : nullptr;
  });
}

void call_complete(packhost_call *handle, packhost_status status) noexcept {
  guarded(0, [&] {
    if (const HeldCall call = find_call(handle))
      call->complete(status);
    else
      support::log(support::LogLevel::warn, "pack.misuse",
                   {{"what", "a call was completed that is over"}});
    return 0;
  });
}

} // namespace

void fill_host_table(packhost_host &table) {
  table.struct_size = sizeof table;
  table.abi_major = PACKHOST_ABI_MAJOR;
  table.abi_minor = PACKHOST_ABI_MINOR;
  table.get_interface = get_interface;
  table.log = host_log;
  table.notify_changed = notify_changed;
  table.notify_resource = notify_resource;
  table.set_open_error = set_open_error;
  table.call_cancelled = call_cancelled;
  table.call_cancel_fd = call_cancel_fd;
  table.call_progress = call_progress;
  table.call_add = call_add;
  table.call_append = call_append;
  table.call_reset = call_reset;
  table.call_set_error = call_set_error;
  table.call_set_items = call_set_items;
  table.call_set_data = call_set_data;
  table.call_data = call_data;
  table.call_complete = call_complete;
}

} // namespace packhost::pack
