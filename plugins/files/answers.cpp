// SPDX-License-Identifier: MIT
// See answers.hpp.
#include "plugins/files/answers.hpp"

#include <array>
#include <ctime>

namespace packhost::files {

namespace {

/// Room for the envelope of a result around the document.
constexpr std::uint64_t kAround = 8'192;

/// Bytes of `text` as a JSON string, and of that string inside another one.
struct Cost {
  std::uint64_t once = 0;
  std::uint64_t twice = 0;
};

Cost cost_of(std::string_view text) {
  Cost cost;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte == '"' || byte == '\\') {
      cost.once += 2;
      cost.twice += 4;
    } else if (byte >= 0x20) {
      ++cost.once;
      ++cost.twice;
    } else if (byte == '\n' || byte == '\r' || byte == '\t' || byte == '\b' || byte == '\f') {
      cost.once += 2;
      cost.twice += 3;
    } else {
      cost.once += 6;
      cost.twice += 7;
    }
  }
  return cost;
}

} // namespace

Document::Document(std::size_t reserve) {
  text_.reserve(reserve);
  text_ = R"({"ok":true,"result":)";
  writer_.begin_object();
}

Answer Document::finish(std::uint64_t items) {
  writer_.end_object();
  text_ += '}';
  return {std::move(text_), items};
}

bool Budget::fits_text(std::string_view text, std::uint64_t written) const {
  if (written > part_bytes) return false;
  // Each byte that escaping added is at most three in the second place.
  const std::uint64_t added = written - std::min<std::uint64_t>(written, text.size());
  if (2 * written + 2 * added <= line_bytes) return true;
  const Cost cost = cost_of(text);
  return cost.once + cost.twice <= line_bytes;
}

bool Budget::fits_json(std::string_view json) const {
  return json.size() <= part_bytes && json.size() + kit::json::escaped_size(json) <= line_bytes;
}

void Budget::spend(std::string_view json) {
  part_bytes -= std::min<std::uint64_t>(part_bytes, json.size());
  line_bytes -= std::min<std::uint64_t>(line_bytes, json.size() + kit::json::escaped_size(json));
}

Budget budget_of(const Call &call) {
  Budget budget;
  budget.part_bytes = std::min(budget.part_bytes, call.request().max_result_bytes);
  budget.part_bytes -= std::min(budget.part_bytes, kAround);
  budget.line_bytes -= 2 * kAround;
  return budget;
}

void answer(Call &call, Outcome<Answer> outcome) {
  if (outcome && outcome->document.size() > call.request().max_result_bytes) {
    outcome = refuse(limit_exceeded("max_result_bytes",
                                    static_cast<std::int64_t>(outcome->document.size()),
                                    call.request().max_result_bytes));
  }
  if (outcome) {
    call.items(outcome->items);
    call.json(std::move(outcome->document));
    return;
  }
  if (outcome.error().code == ErrorCode::cancelled)
    throw Error(PACKHOST_E_CANCELLED, outcome.error().message);
  call.json(encode_failure(outcome.error()));
  call.failed();
}

void throw_failure(const Failure &failure) {
  throw Error(row_of(failure.code).status, operator_text(failure),
              failure.details.empty() ? std::string() : "{" + failure.details + "}");
}

Stop stop_of(const Call &call) {
  return [&call] { return call.cancelled(); };
}

std::string format_time(const struct timespec &time) {
  struct tm parts {};

  ::gmtime_r(&time.tv_sec, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     time.tv_nsec / 1'000'000);
}

std::string format_mode(mode_t mode) {
  return fmt::format("{:04o}", mode & 07777U);
}

std::string encode_base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::array<unsigned, 3> group{};
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < count; ++i) group[i] = static_cast<unsigned char>(bytes[at + i]);
    const unsigned word = group[0] << 16U | group[1] << 8U | group[2];
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? kLetters[word >> (18U - 6U * i) & 63U] : '=';
  }
  return text;
}

} // namespace packhost::files
