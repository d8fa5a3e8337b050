// SPDX-License-Identifier: MIT
// One request, one response: a class, not a convention.
#pragma once

#include "host/rpc/message.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace packhost::rpc {

/// Where the text of a response goes: the stream, or the batch it belongs to. Outlives every reply.
class AnswerSink {
public:
  virtual ~AnswerSink() = default;

  /// `text` is a whole response without line end; empty: none is due (a dropped request).
  /// `may_wait` is false on threads of packs. `after` (may be empty) runs once the text is out or
  /// given up.
  virtual void send(std::string text, bool may_wait, std::function<void()> after) = 0;
};

/// Movable, not copyable. Destroyed unanswered, it answers with an internal error; a second answer
/// is an error of the host: asserted, and dropped.
class ReplyOnce {
public:
  ReplyOnce(AnswerSink &sink, Id id) : sink_(&sink), id_(std::move(id)) {}

  ReplyOnce(ReplyOnce &&other) noexcept
      : sink_(std::exchange(other.sink_, nullptr)), id_(std::move(other.id_)) {}

  ReplyOnce &operator=(ReplyOnce &&) = delete;
  ~ReplyOnce();

  [[nodiscard]] const Id &id() const { return id_; }

  /// `object` is an encoded result object.
  void result(std::string_view object);
  void error(int code, std::string_view message, std::string_view data = {});
  /// A whole response, already encoded with this id.
  void response(std::string text, bool may_wait = true, std::function<void()> after = {});
  /// The client cancelled this request: no answer is due.
  void drop();

private:
  AnswerSink *sink_; // null once answered or moved from
  Id id_;
};

} // namespace packhost::rpc
