// SPDX-License-Identifier: MIT
// See batch.hpp.
#include "host/mcp/batch.hpp"

#include <utility>

namespace packhost::mcp {

Batch &Batch::open(rpc::AnswerSink &out) {
  std::shared_ptr<Batch> batch(new Batch(out)); // NOLINT: the constructor is private
  Batch &reference = *batch;
  support::Lock lock(reference.mutex_);
  reference.self_ = std::move(batch);
  return reference;
}

Batch &Batch::add() {
  support::Lock lock(mutex_);
  ++awaited_;
  return *this;
}

void Batch::error(int code, std::string_view message, const rpc::Id &id) {
  settle(rpc::encode_error(id, code, message), true, {});
}

void Batch::close() {
  settle({}, true, {});
}

void Batch::send(std::string text, bool may_wait, std::function<void()> after) {
  settle(std::move(text), may_wait, std::move(after));
}

void Batch::settle(std::string text, bool may_wait, std::function<void()> after) {
  std::shared_ptr<Batch> last; // dies after the lock
  std::string line;
  {
    support::Lock lock(mutex_);
    if (!text.empty()) answers_.append(answers_.empty() ? "[" : ",").append(text);
    if (--awaited_ == 0) {
      last = std::move(self_);
      if (!answers_.empty()) line = std::move(answers_) + "]";
    }
  }
  if (!line.empty()) out_.send(std::move(line), may_wait, {});
  if (after) after();
}

} // namespace packhost::mcp
