// SPDX-License-Identifier: MIT
// What a pack does with the handle of a call, and the checks of what it added.
#include "sdk/kit/json.hpp"
#include "sdk/kit/utf8.hpp"
#include "sdk/testing/call.hpp"

#include <algorithm>
#include <cstring>

#include <sys/eventfd.h>
#include <unistd.h>

namespace packhost::testing {

namespace json = kit::json;

namespace {

constexpr std::size_t kMaxParts = 256;
constexpr std::size_t kMaxErrorBytes = 2'000;

std::string_view view(packhost_str text) {
  return text.len == 0 ? std::string_view() : std::string_view(text.ptr, text.len);
}

bool is_object(std::string_view text) {
  return json::check(text).has_value() && json::Value(text).is(json::Kind::object);
}

void give_back(const packhost_buf &buffer) {
  if (buffer.release != nullptr) buffer.release(buffer.release_ctx, buffer.ptr, buffer.len);
}

const char *part_word(std::uint32_t type) {
  switch (type) {
  case PACKHOST_PART_TEXT:
    return "TEXT";
  case PACKHOST_PART_JSON:
    return "JSON";
  case PACKHOST_PART_BLOB:
    return "BLOB";
  case PACKHOST_PART_LINK:
    return "LINK";
  case PACKHOST_PART_RESOURCE:
    return "RESOURCE";
  case PACKHOST_PART_META:
    return "META";
  default:
    return "unknown";
  }
}

bool is_text(const Part &part) {
  return part.type == PACKHOST_PART_TEXT ||
         (part.type == PACKHOST_PART_RESOURCE && (part.flags & PACKHOST_PART_IS_TEXT) != 0);
}

} // namespace

bool Running::State::may_touch(const char *what) {
  if (phase_ != Phase::completed && phase_ != Phase::ended) return true;
  violation(std::string(what) + " after the end of the call");
  return false;
}

bool Running::State::is_cancelled() {
  const std::lock_guard lock(mutex_);
  static_cast<void>(may_touch("call_cancelled"));
  return is_cancelled_;
}

int Running::State::descriptor() {
  const std::lock_guard lock(mutex_);
  if (!may_touch("call_cancel_fd")) return -1;
  if (descriptor_ < 0) {
    descriptor_ = eventfd(is_cancelled_ ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
  }
  return descriptor_;
}

void Running::State::report_progress(double done, double total, packhost_str message) {
  const std::lock_guard lock(mutex_);
  if (!may_touch("call_progress")) return;
  if (!result_.progress.empty() && done < result_.progress.back().done) {
    violation("progress went back");
    return;
  }
  if ((request_.flags & PACKHOST_REQ_WANTS_PROGRESS) == 0) return;
  result_.progress.push_back({done, total, std::string(text_of(message, "a progress message"))});
}

std::string_view Running::State::text_of(packhost_str text, const char *what) {
  const std::string_view words = view(text);
  if (!kit::utf8::is_valid(words)) violation(std::string(what) + " that is not UTF-8");
  return words;
}

// ---- parts --------------------------------------------------------------------------------------

packhost_status Running::State::judge_meta(std::string_view object) {
  if (!is_object(object)) {
    violation("a META part that is no JSON object");
    return PACKHOST_E_MISUSE;
  }
  const json::Object members{json::Value(object)};
  for (const json::Member &member : members.members()) {
    const auto &hint = harness_.manifest->result_size;
    const bool is_ours = hint && hint->key == member.key;
    if (contract::is_meta_key(member.key) && !is_ours) continue;
    violation("a META part with the key '" + std::string(member.key) +
              (is_ours ? "', which is the host's" : "', which has no prefix of the pack's own"));
    return PACKHOST_E_MISUSE;
  }
  return PACKHOST_OK;
}

/// What the host would say to this part. REQUIRES: mutex_ held.
packhost_status Running::State::judge(const packhost_part &part, std::string_view data) {
  const auto has_one = [this](std::uint32_t type) {
    return std::any_of(result_.parts.begin(), result_.parts.end(),
                       [type](const Part &other) { return other.type == type; });
  };
  const auto refuse = [this](const std::string &why) {
    violation(why);
    return PACKHOST_E_MISUSE;
  };
  if (part.type < PACKHOST_PART_TEXT || part.type > PACKHOST_PART_META) {
    return refuse("a part of the unknown type " + std::to_string(part.type));
  }
  const std::string word = part_word(part.type);
  for (const packhost_str text : {part.mime, part.uri, part.name, part.annotations}) {
    if (!kit::utf8::is_valid(view(text))) return refuse("a " + word + " part with bytes no UTF-8");
  }
  const bool is_single = part.type == PACKHOST_PART_JSON || part.type == PACKHOST_PART_META;
  if (is_single && has_one(part.type)) return refuse("a second " + word + " part");
  if (part.annotations.len > 0 && !is_object(view(part.annotations))) {
    return refuse("a " + word + " part whose annotations are no JSON object");
  }
  const bool is_link = part.type == PACKHOST_PART_LINK;
  if (is_link && (part.uri.len == 0 || part.name.len == 0)) {
    return refuse("a LINK part without URI or name");
  }
  if (part.type == PACKHOST_PART_RESOURCE && part.uri.len == 0) {
    return refuse("a RESOURCE part without URI");
  }
  if (part.type == PACKHOST_PART_META) return judge_meta(data);
  return PACKHOST_OK;
}

packhost_status Running::State::add(const packhost_part &part) {
  packhost_status status = PACKHOST_E_MISUSE;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t needed = offsetof(packhost_part, data) + sizeof(part.data);
    if (part.struct_size < needed) {
      violation("a part whose struct_size is too small");
      return PACKHOST_E_MISUSE; // not even its data may be read
    }
    const std::string_view data(static_cast<const char *>(part.data.ptr), part.data.len);
    if (may_touch("call_add")) status = judge(part, data);
    const bool fits = data.size() <= request_.max_result_bytes - result_bytes_ &&
                      result_.parts.size() < kMaxParts;
    if (status == PACKHOST_OK && !fits) status = PACKHOST_E_LIMIT;
    if (status == PACKHOST_OK) {
      result_bytes_ += data.size();
      if (part.data.release != nullptr) {
        handed_.push_back({result_.parts.size(), part.data, std::string(data)});
      }
      result_.parts.push_back({part.type, part.flags, std::string(view(part.mime)),
                               std::string(view(part.uri)), std::string(view(part.name)),
                               std::string(view(part.annotations)), std::string(data)});
    }
  }
  if (status != PACKHOST_OK) give_back(part.data);
  return status;
}

packhost_status Running::State::append(const void *bytes, std::size_t len) {
  const std::lock_guard lock(mutex_);
  if (!may_touch("call_append")) return PACKHOST_E_MISUSE;
  if (result_.parts.empty()) {
    violation("call_append before any part");
    return PACKHOST_E_MISUSE;
  }
  Part &last = result_.parts.back();
  if (last.type == PACKHOST_PART_LINK || last.type == PACKHOST_PART_META) {
    violation(std::string("call_append to a ") + part_word(last.type) + " part");
    return PACKHOST_E_MISUSE;
  }
  if (len > request_.max_result_bytes - result_bytes_) return PACKHOST_E_LIMIT;
  result_bytes_ += len;
  if (len > 0) last.data.append(static_cast<const char *>(bytes), len);
  return PACKHOST_OK;
}

void Running::State::reset() {
  std::vector<Handed> dropped;
  {
    const std::lock_guard lock(mutex_);
    if (!may_touch("call_reset")) return;
    result_.parts.clear();
    result_bytes_ = 0;
    dropped.swap(handed_);
  }
  for (const Handed &handed : dropped) give_back(handed.buffer);
}

void Running::State::set_error(packhost_str message, packhost_str details) {
  const std::lock_guard lock(mutex_);
  if (!may_touch("call_set_error")) return;
  const std::string_view words = text_of(message, "an error message");
  result_.error = kit::utf8::is_valid(words) ? kit::utf8::clip(words, kMaxErrorBytes) : "";
  result_.details = view(details);
  if (!result_.details.empty() && !json::check(result_.details)) {
    violation("error details that are no JSON");
  }
}

void Running::State::set_items(std::uint64_t items) {
  const std::lock_guard lock(mutex_);
  if (may_touch("call_set_items")) result_.item_count = items;
}

void Running::State::set_data(void *data) {
  const std::lock_guard lock(mutex_);
  if (may_touch("call_set_data")) data_ = data;
}

void *Running::State::data() {
  const std::lock_guard lock(mutex_);
  return may_touch("call_data") ? data_ : nullptr;
}

// ---- checks at the end --------------------------------------------------------------------------

void Running::State::finish() {
  {
    const std::lock_guard lock(mutex_);
    check_status();
    check_parts();
    check_output();
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  release_all();
  harness_.check_process_state(label_);
}

void Running::State::check_status() {
  const bool is_failure = status_ >= PACKHOST_E_TOOL && status_ < 0;
  const bool was_given_up = status_ == PACKHOST_PENDING && is_given_up_;
  if (status_ == PACKHOST_OK || is_failure || was_given_up) return;
  violation("ended with " + std::to_string(status_) + ", which is no status");
  status_ = PACKHOST_E_MISUSE;
}

void Running::State::check_parts() {
  for (const Part &part : result_.parts) {
    if (is_text(part) && !kit::utf8::is_valid(part.data)) {
      violation(std::string("a ") + part_word(part.type) + " part that is not UTF-8");
    }
    if (part.type == PACKHOST_PART_JSON && !is_object(part.data)) {
      violation("a JSON part that is no JSON object");
    }
  }
  for (const Handed &handed : handed_) {
    const bool is_same =
        handed.buffer.len == 0 ||
        std::memcmp(handed.buffer.ptr, handed.at_add.data(), handed.buffer.len) == 0;
    if (!is_same) violation("changed a buffer after handing it over");
  }
}

void Running::State::check_output() {
  if (status_ != PACKHOST_OK) return;
  const std::string object = result_.json();
  if (request_.kind == PACKHOST_CALL_COMPLETE && !is_object(object)) {
    violation("answered without a JSON part");
  }
  const auto schema = harness_.output_schemas.find(name_);
  if (tool_ == nullptr || schema == harness_.output_schemas.end()) return;
  if (object.empty()) {
    violation("has an output schema and gave no structured result");
    return;
  }
  if (!json::check(object)) return; // said already
  const kit::Result<void, contract::Violation> fits = schema->second.check(object);
  if (!fits) {
    violation("its structured result breaks the output schema at '" + fits.error().pointer +
              "': " + fits.error().rule);
  }
}

void Running::State::release_all() {
  std::vector<Handed> handed;
  {
    const std::lock_guard lock(mutex_);
    handed.swap(handed_);
  }
  for (const Handed &one : handed) give_back(one.buffer);
}

} // namespace packhost::testing
