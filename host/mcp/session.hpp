// SPDX-License-Identifier: MIT
// Which revision rules a request: the one negotiated by initialize, or the one the request itself
// names. Legacy state stands here and nowhere else; a request that names its revision reads none.
#pragma once

#include "host/mcp/revision.hpp"
#include "host/rpc/message.hpp"
#include "host/support/annotated_mutex.hpp"
#include "sdk/kit/json.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace packhost::mcp {

/// Log levels of the protocol, rising. -1: no such level.
[[nodiscard]] int find_log_level(std::string_view name);
[[nodiscard]] std::string_view log_level_name(int level);

/// How a request is to be served.
struct Ruling {
  enum class Kind : std::uint8_t {
    per_request, // the request names its revision
    handshake,   // initialize
    session,     // under the negotiated revision
    ping_only,   // a ping before any initialize
    refused      // answer `code`, `message`, `data`
  };
  Kind kind = Kind::refused;
  const Revision *revision = nullptr;
  int code = 0;
  std::string message;
  std::string data; // encoded, or empty
};

/// The state of the legacy session of one stream. Any thread.
class Session {
public:
  /// Classifies a request (protocol.md section 3). `meta` holds the members of _meta, none if it is
  /// no object. REQUIRES: message.id exists.
  [[nodiscard]] Ruling rule(const rpc::Message &message, const kit::json::Object &meta) const;

  /// A fresh session: subscriptions and level cleared.
  void begin(const Revision &revision);
  void set_initialized();

  /// The negotiated revision; null before initialize.
  [[nodiscard]] const Revision *revision() const {
    return revision_.load(std::memory_order_acquire);
  }

  /// True once change notifications may be sent.
  [[nodiscard]] bool is_initialized() const;

  void set_log_level(int level);
  /// True if a message of this level was asked for.
  [[nodiscard]] bool wants_log(int level) const;

  /// False if there are too many.
  [[nodiscard]] bool subscribe(const std::string &uri);
  void unsubscribe(const std::string &uri);
  /// The subscribed URI that `uri` is, or stands below; empty: none.
  [[nodiscard]] bool is_subscribed(std::string_view uri) const;

private:
  std::atomic<const Revision *> revision_{nullptr}; // each request reads it
  mutable support::Mutex mutex_;
  bool is_initialized_ PACKHOST_GUARDED_BY(mutex_) = false;
  int log_level_ PACKHOST_GUARDED_BY(mutex_) = -1; // -1: none asked for
  std::set<std::string, std::less<>> subscriptions_ PACKHOST_GUARDED_BY(mutex_);
};

/// True if `uri` is one of `uris` or stands below one (behind a slash).
[[nodiscard]] bool is_covered(const std::set<std::string, std::less<>> &uris, std::string_view uri);

} // namespace packhost::mcp
