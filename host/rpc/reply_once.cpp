// SPDX-License-Identifier: MIT
// See reply_once.hpp.
#include "host/rpc/reply_once.hpp"

#include "host/rpc/error_codes.hpp"

#include <cassert>

namespace packhost::rpc {

ReplyOnce::~ReplyOnce() {
  if (sink_ != nullptr) error(kInternalError, "Internal error: the request was not answered");
}

void ReplyOnce::result(std::string_view object) {
  response(encode_result(id_, object));
}

void ReplyOnce::error(int code, std::string_view message, std::string_view data) {
  response(encode_error(id_, code, message, data));
}

void ReplyOnce::response(std::string text, bool may_wait, std::function<void()> after) {
  AnswerSink *sink = std::exchange(sink_, nullptr);
  assert(sink != nullptr && "a request was answered twice");
  if (sink != nullptr) sink->send(std::move(text), may_wait, std::move(after));
}

void ReplyOnce::drop() {
  if (AnswerSink *sink = std::exchange(sink_, nullptr)) sink->send({}, false, {});
}

} // namespace packhost::rpc
