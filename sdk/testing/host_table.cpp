// SPDX-License-Identifier: MIT
// The packhost_host that packs under test get.
#include "sdk/kit/utf8.hpp"
#include "sdk/testing/call.hpp"
#include "sdk/testing/harness.hpp"

#include <algorithm>

namespace packhost::testing {

namespace {

using State = Running::State;

Harness::Impl &impl_of(const packhost_host *host) {
  return *static_cast<Harness::Impl *>(host->host_data);
}

std::string_view view(packhost_str text) {
  return text.len == 0 ? std::string_view() : std::string_view(text.ptr, text.len);
}

bool contains(const std::vector<std::string> &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void expect_open(Harness::Impl &impl, const char *what) {
  if (!impl.accepts_calls_to_host) {
    impl.violations.add(std::string(what) + " after shutdown() returned");
  }
}

const void *get_interface(const packhost_host *host, const char *id) noexcept {
  Harness::Impl &impl = impl_of(host);
  expect_open(impl, "get_interface");
  const contract::Manifest &manifest = *impl.manifest;
  const bool is_declared =
      contains(manifest.uses_interfaces, id) || contains(manifest.requires_interfaces, id);
  if (!is_declared) {
    impl.violations.add("asks for the interface \"" + std::string(id) +
                        "\", which its manifest names neither in \"uses\" nor in \"requires\"");
  }
  return World::find_interface(id);
}

bool is_field_key(std::string_view key) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !key.empty() && key.size() <= 32 && key[0] >= 'a' && key[0] <= 'z' &&
         std::all_of(key.begin(), key.end(), fits);
}

std::string field_text(const packhost_field &field) {
  switch (field.type) {
  case PACKHOST_FIELD_STR:
    return std::string(view(field.str));
  case PACKHOST_FIELD_I64:
    return std::to_string(field.i64);
  case PACKHOST_FIELD_F64:
    return std::to_string(field.f64);
  case PACKHOST_FIELD_BOOL:
    return field.i64 != 0 ? "true" : "false";
  default:
    return "";
  }
}

void log(const packhost_host *host, std::int32_t level, packhost_str event,
         const packhost_field *fields, std::size_t n_fields) noexcept {
  Harness::Impl &impl = impl_of(host);
  expect_open(impl, "log");
  LogLine line{level, std::string(view(event)), {}};
  if (level < PACKHOST_LOG_DEBUG || level > PACKHOST_LOG_ERROR) {
    impl.violations.add("log with the unknown level " + std::to_string(level));
  }
  if (!contains(impl.manifest->log_events, line.event)) {
    impl.violations.add("logs the event '" + line.event +
                        "', which its manifest does not name in \"log_events\"");
  }
  for (std::size_t i = 0; i < n_fields; ++i) {
    const std::string_view key = view(fields[i].key);
    if (!is_field_key(key)) {
      impl.violations.add("logs a field with the key '" + std::string(key) +
                          "', which does not match ^[a-z][a-z0-9_]{0,31}$");
    }
    line.fields.emplace_back(key, field_text(fields[i]));
  }
  const std::lock_guard lock(impl.mutex);
  impl.log.push_back(std::move(line));
}

void notify_changed(const packhost_host *host, std::uint32_t bits) noexcept {
  Harness::Impl &impl = impl_of(host);
  expect_open(impl, "notify_changed");
  const std::lock_guard lock(impl.mutex);
  impl.changed |= bits;
}

void notify_resource(const packhost_host *host, packhost_str uri) noexcept {
  Harness::Impl &impl = impl_of(host);
  expect_open(impl, "notify_resource");
  const std::lock_guard lock(impl.mutex);
  impl.changed_uris.emplace_back(view(uri));
}

void set_open_error(const packhost_host *host, packhost_str message) noexcept {
  Harness::Impl &impl = impl_of(host);
  if (impl.is_open || !impl.accepts_calls_to_host) {
    impl.violations.add("set_open_error outside of open() and plan()");
  }
  const std::lock_guard lock(impl.mutex);
  impl.open_error = view(message);
}

std::int32_t call_cancelled(const packhost_call *call) noexcept {
  return State::of(call).is_cancelled() ? 1 : 0;
}

std::int32_t call_cancel_fd(packhost_call *call) noexcept {
  return State::of(call).descriptor();
}

void call_progress(packhost_call *call, double done, double total, packhost_str message) noexcept {
  State::of(call).report_progress(done, total, message);
}

packhost_status call_add(packhost_call *call, const packhost_part *part) noexcept {
  return State::of(call).add(*part);
}

packhost_status call_append(packhost_call *call, const void *bytes, std::size_t len) noexcept {
  return State::of(call).append(bytes, len);
}

void call_reset(packhost_call *call) noexcept {
  State::of(call).reset();
}

void call_set_error(packhost_call *call, packhost_str message, packhost_str details) noexcept {
  State::of(call).set_error(message, details);
}

void call_set_items(packhost_call *call, std::uint64_t items) noexcept {
  State::of(call).set_items(items);
}

void call_set_data(packhost_call *call, void *data) noexcept {
  State::of(call).set_data(data);
}

void *call_data(const packhost_call *call) noexcept {
  return State::of(call).data();
}

void call_complete(packhost_call *call, packhost_status status) noexcept {
  State::of(call).complete(status);
}

} // namespace

void fill_host_table(packhost_host &host, Harness::Impl &impl) {
  host.struct_size = static_cast<std::uint32_t>(sizeof(host));
  host.abi_major = PACKHOST_ABI_MAJOR;
  host.abi_minor = PACKHOST_ABI_MINOR;
  host.host_data = &impl;
  host.get_interface = &get_interface;
  host.log = &log;
  host.notify_changed = &notify_changed;
  host.notify_resource = &notify_resource;
  host.set_open_error = &set_open_error;
  host.call_cancelled = &call_cancelled;
  host.call_cancel_fd = &call_cancel_fd;
  host.call_progress = &call_progress;
  host.call_add = &call_add;
  host.call_append = &call_append;
  host.call_reset = &call_reset;
  host.call_set_error = &call_set_error;
  host.call_set_items = &call_set_items;
  host.call_set_data = &call_set_data;
  host.call_data = &call_data;
  host.call_complete = &call_complete;
}

} // namespace packhost::testing
