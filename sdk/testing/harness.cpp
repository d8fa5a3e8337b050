// SPDX-License-Identifier: MIT
// Harness and Running of packhost/testing.hpp; the life of the pack is in life.cpp.
#include "sdk/testing/harness.hpp"

#include "sdk/testing/call.hpp"

#include <cstdio>

namespace packhost::testing {

// ---- Running ------------------------------------------------------------------------------------

void Running::cancel() {
  state_->cancel();
}

bool Running::finished() const {
  return state_->finished();
}

Result Running::wait() {
  return state_->wait();
}

// ---- Harness ------------------------------------------------------------------------------------

Harness::Harness(const std::string &file, Setup setup)
    : impl_(std::make_unique<Impl>(load_pack_file(file), std::move(setup))) {
  impl_->open();
}

Harness::Harness(const packhost_entry &entry, Setup setup)
    : impl_(std::make_unique<Impl>(accept_entry(entry), std::move(setup))) {
  impl_->open();
}

Harness::~Harness() {
  const bool is_over = impl_->close();
  for (const std::string &sentence : impl_->violations.unread()) {
    std::fprintf(stderr, "packhost harness: pack \"%s\": %s\n", impl_->manifest->name.c_str(),
                 sentence.c_str());
  }
  // A call() that never returned still uses it: better lost than freed under its feet.
  if (!is_over) static_cast<void>(impl_.release());
}

Running Harness::start(std::uint32_t kind, std::string_view name, std::string_view args,
                       const CallSetup &setup) {
  auto state = std::make_shared<Running::State>(*impl_, kind, name, args, setup);
  impl_->calls.push_back(state);
  state->start();
  return Running(std::move(state));
}

Result Harness::tool(std::string_view name, std::string_view args, const CallSetup &setup) {
  return start(PACKHOST_CALL_TOOL, name, args, setup).wait();
}

Result Harness::resource(std::string_view uri, const CallSetup &setup) {
  return start(PACKHOST_CALL_RESOURCE_READ, uri, "{}", setup).wait();
}

Result Harness::prompt(std::string_view name, std::string_view args, const CallSetup &setup) {
  return start(PACKHOST_CALL_PROMPT, name, args, setup).wait();
}

Result Harness::complete(std::string_view name, std::string_view args, const CallSetup &setup) {
  return start(PACKHOST_CALL_COMPLETE, name, args, setup).wait();
}

Result Harness::command(std::string_view name, std::string_view args, bool dry_run) {
  CallSetup setup;
  setup.flags = 0;
  if (dry_run) setup.flags |= PACKHOST_REQ_DRY_RUN;
  return start(PACKHOST_CALL_COMMAND, name, args, setup).wait();
}

std::string Harness::about() const {
  return impl_->about_text;
}

std::string Harness::catalog(std::uint32_t which) {
  return impl_->ask_catalog(which);
}

void Harness::advance(std::int64_t ms) {
  std::int64_t now = 0;
  {
    const std::lock_guard lock(impl_->mutex);
    now = impl_->now_ns += ms * 1'000'000;
  }
  for (const auto &call : impl_->calls) call->cancel_if_passed(now);
}

std::string Harness::with_defaults() const {
  return impl_->options;
}

std::string Harness::directory(std::string_view which) const {
  return impl_->world.directory(which);
}

void Harness::set_secret(const std::string &pointer, std::string bytes) {
  impl_->world.set_secret(pointer, std::move(bytes));
}

std::vector<LogLine> Harness::log() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->log;
}

std::uint32_t Harness::changed() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->changed;
}

std::vector<std::string> Harness::changed_resources() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->changed_uris;
}

void Harness::close() {
  static_cast<void>(impl_->close());
}

std::vector<std::string> Harness::violations() const {
  return impl_->violations.all();
}

} // namespace packhost::testing
