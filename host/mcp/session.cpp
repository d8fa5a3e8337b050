// SPDX-License-Identifier: MIT
// See session.hpp.
#include "host/mcp/session.hpp"

#include "host/rpc/error_codes.hpp"

#include <array>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
constexpr std::array<std::string_view, 8> kLogLevels{"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};
constexpr std::size_t kMaxSubscriptions = 1'024;

Ruling refuse(int code, std::string message, std::string data = {}) {
  Ruling ruling;
  ruling.code = code;
  ruling.message = std::move(message);
  ruling.data = std::move(data);
  return ruling;
}

/// What is wrong with the envelope of a request that names its revision; empty: nothing.
std::string find_envelope_fault(const json::Object &meta) {
  const auto fault = [](std::string_view key, std::string_view rule) {
    return std::string("Invalid params: _meta[\"").append(key).append("\"] ").append(rule);
  };
  if (!meta.find(kVersionKey).is(json::Kind::string))
    return fault(kVersionKey, "must be a string, for example \"2026-07-28\"");
  if (!meta.find(kCapabilitiesKey).is(json::Kind::object))
    return fault(kCapabilitiesKey, "must be an object; {} will do");
  const json::Value info = meta.find(kClientInfoKey);
  if (!info.exists()) return {};
  if (!info.is(json::Kind::object)) return fault(kClientInfoKey, "must be an object");
  const json::Object members(info);
  if (!members.find("name").is(json::Kind::string) ||
      !members.find("version").is(json::Kind::string))
    return fault(kClientInfoKey, "must have string members name and version");
  return {};
}

Ruling rule_per_request(const json::Object &meta) {
  if (std::string fault = find_envelope_fault(meta); !fault.empty())
    return refuse(rpc::kInvalidParams, std::move(fault));
  const json::Value version = meta.find(kVersionKey);
  const Revision *revision = find_request_revision(version.string());
  if (revision == nullptr) {
    std::string data = R"({"supported":)";
    data.append(supported_versions()).append(R"(,"requested":)").append(version.text());
    return refuse(rpc::kUnsupportedVersion, "Unsupported protocol version", data + "}");
  }
  Ruling ruling;
  ruling.kind = Ruling::Kind::per_request;
  ruling.revision = revision;
  return ruling;
}

} // namespace

int find_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kLogLevels.size(); ++i)
    if (kLogLevels[i] == name) return static_cast<int>(i);
  return -1;
}

std::string_view log_level_name(int level) {
  return kLogLevels.at(static_cast<std::size_t>(level));
}

Ruling Session::rule(const rpc::Message &message, const json::Object &meta) const {
  const bool has_claim = meta.find(kVersionKey).exists();
  const bool is_initialize = message.method == "initialize";
  if (has_claim && !(is_initialize && !find_envelope_fault(meta).empty()))
    return rule_per_request(meta);
  if (message.method == "server/discover" || message.method == "subscriptions/listen" ||
      (!is_initialize &&
       (meta.find(kCapabilitiesKey).exists() || meta.find(kClientInfoKey).exists())))
    return rule_per_request(meta); // refused, with what is missing
  Ruling ruling;
  ruling.revision = revision();
  if (is_initialize) {
    ruling.kind = Ruling::Kind::handshake;
  } else if (ruling.revision != nullptr) {
    ruling.kind = Ruling::Kind::session;
  } else if (message.method == "ping") {
    ruling.kind = Ruling::Kind::ping_only;
    ruling.revision = &latest_handshake_revision();
  } else {
    return refuse(rpc::kInvalidParams,
                  "Invalid params: no session and no protocol version; send initialize first, or "
                  "_meta[\"io.modelcontextprotocol/protocolVersion\"] with the request");
  }
  return ruling;
}

void Session::begin(const Revision &revision) {
  support::Lock lock(mutex_);
  revision_.store(&revision, std::memory_order_release);
  is_initialized_ = false;
  log_level_ = -1;
  subscriptions_.clear();
}

void Session::set_initialized() {
  support::Lock lock(mutex_);
  is_initialized_ = revision() != nullptr;
}

bool Session::is_initialized() const {
  support::Lock lock(mutex_);
  return is_initialized_;
}

void Session::set_log_level(int level) {
  support::Lock lock(mutex_);
  log_level_ = level;
}

bool Session::wants_log(int level) const {
  support::Lock lock(mutex_);
  return revision() != nullptr && log_level_ >= 0 && level >= log_level_;
}

bool Session::subscribe(const std::string &uri) {
  support::Lock lock(mutex_);
  if (subscriptions_.size() >= kMaxSubscriptions && !subscriptions_.contains(uri)) return false;
  subscriptions_.insert(uri);
  return true;
}

void Session::unsubscribe(const std::string &uri) {
  support::Lock lock(mutex_);
  subscriptions_.erase(uri);
}

bool Session::is_subscribed(std::string_view uri) const {
  support::Lock lock(mutex_);
  return is_initialized_ && is_covered(subscriptions_, uri);
}

bool is_covered(const std::set<std::string, std::less<>> &uris, std::string_view uri) {
  if (uris.find(uri) != uris.end()) return true;
  for (std::size_t slash = uri.rfind('/'); slash != std::string_view::npos && slash > 0;
       slash = uri.rfind('/', slash - 1))
    if (uris.find(uri.substr(0, slash)) != uris.end()) return true;
  return false;
}

} // namespace packhost::mcp
