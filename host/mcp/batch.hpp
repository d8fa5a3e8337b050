// SPDX-License-Identifier: MIT
// The answers of one batch: gathered until the last is there, then one array in one line.
#pragma once

#include "host/rpc/reply_once.hpp"
#include "host/support/annotated_mutex.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace packhost::mcp {

/// Owns itself until every answer that add() announced has come and close() was called.
class Batch final : public rpc::AnswerSink {
public:
  [[nodiscard]] static Batch &open(rpc::AnswerSink &out);

  /// One more answer will come, by send().
  Batch &add();
  /// ... and is this error.
  void error(int code, std::string_view message, const rpc::Id &id);
  /// No more elements. The batch may be gone when this returns.
  void close();

  void send(std::string text, bool may_wait, std::function<void()> after) override;

private:
  explicit Batch(rpc::AnswerSink &out) : out_(out) {}

  void settle(std::string text, bool may_wait, std::function<void()> after);

  rpc::AnswerSink &out_;
  support::Mutex mutex_;
  std::shared_ptr<Batch> self_ PACKHOST_GUARDED_BY(mutex_);
  std::string answers_ PACKHOST_GUARDED_BY(mutex_);
  std::size_t awaited_ PACKHOST_GUARDED_BY(mutex_) = 1; // one for close()
};

} // namespace packhost::mcp
