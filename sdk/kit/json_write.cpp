// SPDX-License-Identifier: MIT
// Writing JSON: strings, values, the compact form and the canonical form of abi.md section 4.8.
#include "sdk/kit/chunk16.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/json_scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <deque>

namespace packhost::kit::json {

namespace {

/// The letters of short escapes; 0: the byte has none. No byte beyond the backslash is escaped.
constexpr std::array<char, '\\' + 1> kShortEscapes = [] {
  std::array<char, '\\' + 1> letters{};
  letters['"'] = '"';
  letters['\\'] = '\\';
  letters['\b'] = 'b';
  letters['\f'] = 'f';
  letters['\n'] = 'n';
  letters['\r'] = 'r';
  letters['\t'] = 't';
  return letters;
}();

/// REQUIRES: needs_escape(byte).
char short_escape(char byte) {
  return kShortEscapes[static_cast<unsigned char>(byte)];
}

bool needs_escape(char byte) {
  return byte == '"' || byte == '\\' || static_cast<unsigned char>(byte) < 0x20;
}

/// Writes the escape of one byte. RETURNS: where the next goes.
char *write_escape(char *to, char byte) {
  *to++ = '\\';
  const char letter = short_escape(byte);
  if (letter != 0) {
    *to++ = letter;
    return to;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(byte);
  *to++ = 'u';
  *to++ = '0';
  *to++ = '0';
  *to++ = kDigits[code >> 4U];
  *to++ = kDigits[code & 0x0FU];
  return to;
}

ByteMask escapes_in(const Chunk16 &chunk) {
  return chunk.equal_to('"') | chunk.equal_to('\\') | chunk.at_most(0x1F);
}

/// REQUIRES: room for the escaped text and 16 bytes more. RETURNS: the end of what was written.
char *write_escaped(char *to, std::string_view text) {
  constexpr std::ptrdiff_t kStep = Chunk16::kSize;
  const char *from = text.data();
  const char *const end = from + text.size();
  while (end - from >= 2 * kStep) { // a store behind an escape reads into the next chunk
    const Chunk16 chunk(from);
    chunk.store(to);
    const char *const next = from + kStep;
    for (ByteMask stops = escapes_in(chunk); stops != 0; stops &= stops - 1) {
      const char *const stop = next - kStep + first_of(stops);
      to = write_escape(to + (stop - from), *stop);
      from = stop + 1;
      Chunk16(from).store(to);
    }
    to += next - from;
    from = next;
  }
  if (end - from >= kStep) {
    const Chunk16 chunk(from);
    const ByteMask stops = escapes_in(chunk);
    const std::size_t plain = stops == 0 ? Chunk16::kSize : first_of(stops);
    chunk.store(to);
    from += plain;
    to += plain;
  }
  for (; from != end; ++from) {
    if (needs_escape(*from)) {
      to = write_escape(to, *from);
    } else {
      *to++ = *from;
    }
  }
  return to;
}

/// Bytes that are escaped at a time. A string cannot grow without being filled with zeros first, so
/// they go through a buffer that stays in the nearest cache: half the memory traffic of a large
/// text.
constexpr std::size_t kEscapeStep = 2048;
constexpr std::size_t kShortText = 64;
constexpr std::size_t kLongestEscape = 6;

/// Where the next white space outside strings stands; the size if there is none. REQUIRES: `at` is
/// outside a string.
std::size_t find_space(std::string_view checked, std::size_t at) {
  while (at < checked.size()) {
    if (checked.size() - at >= Chunk16::kSize) {
      const Chunk16 chunk(checked.data() + at);
      const ByteMask stops = chunk.equal_to('"') | chunk.at_most(' ');
      if (stops == 0) {
        at += Chunk16::kSize;
        continue;
      }
      at += first_of(stops);
    }
    if (checked[at] == '"')
      at += string_size(checked.substr(at));
    else if (is_space(checked[at]))
      break;
    else
      ++at;
  }
  return at < checked.size() ? at : checked.size();
}

template <typename Number>
void append_number(std::string &out, Number number) {
  std::array<char, 32> digits{};
  const std::to_chars_result result =
      std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

} // namespace

std::size_t escaped_size(std::string_view text) {
  const std::size_t chunks = text.size() / Chunk16::kSize;
  std::size_t size = text.size() + Chunk16::count_escapes(text.data(), chunks);
  for (const char byte : text.substr(chunks * Chunk16::kSize))
    if (needs_escape(byte)) size += short_escape(byte) != 0 ? 1U : 5U;
  return size;
}

void append_escaped(std::string &out, std::string_view text) {
  __attribute__((uninitialized)) char buffer[kEscapeStep * kLongestEscape + Chunk16::kSize];
  while (!text.empty()) {
    const std::string_view step = text.substr(0, kEscapeStep);
    out.append(buffer, write_escaped(buffer, step));
    text.remove_prefix(step.size());
  }
}

void append_string(std::string &out, std::string_view text) {
  if (text.size() <= kShortText) {
    __attribute__((uninitialized)) char buffer[kShortText * kLongestEscape + 2 + Chunk16::kSize];
    buffer[0] = '"';
    char *end = write_escaped(buffer + 1, text);
    *end++ = '"';
    out.append(buffer, end);
    return;
  }
  out.push_back('"');
  append_escaped(out, text);
  out.push_back('"');
}

void append_compact(std::string &out, std::string_view checked) {
  out.reserve(out.size() + checked.size());
  for (std::size_t run = 0; run < checked.size();) {
    const std::size_t space = find_space(checked, run);
    out.append(checked.substr(run, space - run));
    for (run = space; run < checked.size() && is_space(checked[run]);) ++run;
  }
}

// ---- the canonical form

namespace {

/// Written from the inside out: the members of an object are written in the order they come and put
/// in order when it ends, which most objects are already.
class Canonical {
public:
  explicit Canonical(std::string_view checked) : tokens_(checked) {}

  std::string write();

private:
  struct Member {
    std::string_view key; // unescaped
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  struct Container {
    std::size_t begin = 0;        // in out_, behind the bracket
    std::size_t first_member = 0; // in members_
    bool is_object = false;
  };

  void begin_value();
  void begin_member(std::string_view spelled);
  void end_object();
  void append_spelled_string(std::string_view spelled);

  Tokens tokens_;
  std::string out_;
  std::vector<Container> open_;
  std::vector<Member> members_;  // of all open objects
  std::deque<std::string> keys_; // those with escapes
};

void Canonical::append_spelled_string(std::string_view spelled) {
  if (spelled.find('\\') == std::string_view::npos) {
    out_.append(spelled);
    return;
  }
  std::string characters;
  append_unescaped(characters, spelled);
  append_string(out_, characters);
}

/// The comma before an element.
void Canonical::begin_value() {
  if (open_.empty() || open_.back().is_object) return;
  if (out_.size() > open_.back().begin) out_.push_back(',');
}

void Canonical::begin_member(std::string_view spelled) {
  if (members_.size() > open_.back().first_member) {
    members_.back().end = out_.size();
    out_.push_back(',');
  }
  std::string_view key = spelled.substr(1, spelled.size() - 2);
  if (key.find('\\') != std::string_view::npos) {
    append_unescaped(keys_.emplace_back(), spelled);
    key = keys_.back();
  }
  members_.push_back({key, out_.size(), 0});
  append_spelled_string(spelled);
  out_.push_back(':');
}

void Canonical::end_object() {
  const Container object = open_.back();
  const auto first = members_.begin() + static_cast<std::ptrdiff_t>(object.first_member);
  if (first != members_.end()) members_.back().end = out_.size();
  const auto out_of_order = [](const Member &a, const Member &b) { return a.key >= b.key; };
  if (std::adjacent_find(first, members_.end(), out_of_order) != members_.end()) {
    std::stable_sort(first, members_.end(),
                     [](const Member &a, const Member &b) { return a.key < b.key; });
    std::string ordered;
    ordered.reserve(out_.size() - object.begin);
    for (auto each = first; each != members_.end(); ++each) {
      const auto next = each + 1;
      if (next != members_.end() && next->key == each->key) continue; // the last one counts
      if (!ordered.empty()) ordered.push_back(',');
      ordered.append(out_, each->begin, each->end - each->begin);
    }
    out_.resize(object.begin);
    out_.append(ordered);
  }
  members_.erase(first, members_.end());
  out_.push_back('}');
  open_.pop_back();
}

std::string Canonical::write() {
  for (;;) {
    const Token token = tokens_.next();
    switch (token.kind) {
    case TokenKind::end:
      return std::move(out_);
    case TokenKind::begin_object:
    case TokenKind::begin_array:
      begin_value();
      out_.append(token.text);
      open_.push_back({out_.size(), members_.size(), token.kind == TokenKind::begin_object});
      break;
    case TokenKind::end_object:
      end_object();
      break;
    case TokenKind::end_array:
      out_.push_back(']');
      open_.pop_back();
      break;
    case TokenKind::key:
      begin_member(token.text);
      break;
    case TokenKind::string:
      begin_value();
      append_spelled_string(token.text);
      break;
    case TokenKind::number:
    case TokenKind::literal:
      begin_value();
      out_.append(token.text);
      break;
    }
  }
}

} // namespace

std::string canonical(std::string_view checked) {
  return Canonical(checked).write();
}

// ---- the writer

void Writer::before_value() {
  if (needs_comma_) out_.push_back(',');
  needs_comma_ = true;
}

Writer &Writer::begin_object() {
  before_value();
  out_.push_back('{');
  needs_comma_ = false;
  return *this;
}

Writer &Writer::end_object() {
  assert(!out_.empty() && out_.back() != ',' && out_.back() != ':');
  out_.push_back('}');
  needs_comma_ = true;
  return *this;
}

Writer &Writer::begin_array() {
  before_value();
  out_.push_back('[');
  needs_comma_ = false;
  return *this;
}

Writer &Writer::end_array() {
  assert(!out_.empty() && out_.back() != ',' && out_.back() != ':');
  out_.push_back(']');
  needs_comma_ = true;
  return *this;
}

Writer &Writer::key(std::string_view name) {
  before_value();
  append_string(out_, name);
  out_.push_back(':');
  needs_comma_ = false;
  return *this;
}

Writer &Writer::string(std::string_view text) {
  before_value();
  append_string(out_, text);
  return *this;
}

Writer &Writer::integer(std::int64_t number) {
  before_value();
  append_number(out_, number);
  return *this;
}

Writer &Writer::unsigned_integer(std::uint64_t number) {
  before_value();
  append_number(out_, number);
  return *this;
}

Writer &Writer::number(double number) {
  assert(std::isfinite(number));
  before_value();
  append_number(out_, number);
  return *this;
}

Writer &Writer::boolean(bool value) {
  before_value();
  out_.append(value ? "true" : "false");
  return *this;
}

Writer &Writer::null() {
  before_value();
  out_.append("null");
  return *this;
}

Writer &Writer::raw(std::string_view json) {
  assert(!json.empty());
  before_value();
  out_.append(json);
  return *this;
}

} // namespace packhost::kit::json
