// SPDX-License-Identifier: MIT
// The one pass that decides whether a text is JSON: grammar, UTF-8, depth and the range of numbers,
// with the exact offset of the first fault. A loop over a stack of bits, so nesting costs one bit.
// Also the two repairs that protocol.md asks for before a line is parsed.
#include "sdk/kit/chunk16.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/json_scan.hpp"
#include "sdk/kit/utf8.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>

namespace packhost::kit::json {

namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

/// Value of four hex digits, or nothing.
std::optional<std::uint32_t> hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  const std::from_chars_result result = std::from_chars(text.data(), text.data() + 4, value, 16);
  // from_chars takes no sign for unsigned numbers and stops at the first other character.
  if (result.ec != std::errc{} || result.ptr != text.data() + 4) return std::nullopt;
  return value;
}

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}

bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

/// The unit of `\uXXXX` at the start of text, or nothing.
std::optional<std::uint32_t> escaped_unit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  return hex4(text.substr(2));
}

/// One bit for each open container: set for an object.
class Nesting {
public:
  [[nodiscard]] std::size_t depth() const { return depth_; }

  void push(bool is_object) {
    const std::size_t word = depth_ / 64;
    if (word >= first_.size() && word - first_.size() == more_.size()) more_.push_back(0);
    std::uint64_t &bits = word < first_.size() ? first_[word] : more_[word - first_.size()];
    const std::uint64_t bit = std::uint64_t{1} << (depth_ % 64);
    bits = is_object ? bits | bit : bits & ~bit;
    ++depth_;
  }

  void pop() {
    assert(depth_ > 0);
    --depth_;
  }

  /// REQUIRES: depth() > 0.
  [[nodiscard]] bool in_object() const {
    const std::size_t word = (depth_ - 1) / 64;
    const std::uint64_t bits = word < first_.size() ? first_[word] : more_[word - first_.size()];
    return ((bits >> ((depth_ - 1) % 64)) & 1U) != 0;
  }

private:
  std::size_t depth_ = 0;
  std::array<std::uint64_t, 8> first_{}; // the 512 levels of protocol.md
  std::vector<std::uint64_t> more_;      // for whoever allows more
};

} // namespace

/// Notes members while a text is checked.
class OutlineWriter {
public:
  explicit OutlineWriter(Outline *outline) : outline_(outline) {}

  void key(std::size_t depth, const char *begin, const char *end) {
    if (outline_ == nullptr || depth > Outline::kMaxDepth) return;
    if (outline_->count_ == Outline::kMaxMembers) {
      outline_->is_whole_ = false;
      outline_ = nullptr;
      return;
    }
    Outline::Entry &entry = outline_->entries_[outline_->count_];
    entry.key = {begin, static_cast<std::size_t>(end - begin)};
    entry.depth = depth;
    open_[depth - 1] = outline_->count_++;
  }

  void begin_value(std::size_t depth, const char *at) {
    if (outline_ != nullptr && depth - 1 < Outline::kMaxDepth) begin_[depth - 1] = at;
  }

  /// REQUIRES: the value is a member.
  void end_value(std::size_t depth, const char *at) {
    if (outline_ == nullptr || depth > Outline::kMaxDepth) return;
    const char *const begin = begin_[depth - 1];
    outline_->entries_[open_[depth - 1]].value = {begin, static_cast<std::size_t>(at - begin)};
  }

private:
  Outline *outline_;
  std::array<std::size_t, Outline::kMaxDepth> open_{};
  std::array<const char *, Outline::kMaxDepth> begin_{};
};

namespace {

class Checker {
public:
  Checker(std::string_view text, std::size_t max_depth, Outline *outline)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()),
        max_depth_(max_depth), outline_(outline) {}

  Result<void, ParseFault> run();

  /// Of what run() went over.
  [[nodiscard]] bool is_compact() const { return is_compact_; }

private:
  enum class Step : std::uint8_t { value, done, fault };

  Step value();
  Step after_value();
  Step open(bool is_object);
  bool key();
  bool string();
  bool escape();
  bool number();
  bool is_in_range(const char *number, const char *point, const char *exponent) const;
  bool literal(std::string_view word);

  void skip_space() {
    if (at_ == end_ || !is_space(*at_)) return;
    is_compact_ = false;
    while (at_ != end_ && is_space(*at_)) ++at_;
  }

  [[nodiscard]] bool sees(char byte) const { return at_ != end_ && *at_ == byte; }

  [[nodiscard]] std::string_view rest() const {
    return {at_, static_cast<std::size_t>(end_ - at_)};
  }

  bool fail(Fault fault) { return fail_at(fault, at_); }

  bool fail_at(Fault fault, const char *where) {
    fault_ = {fault, static_cast<std::size_t>(where - begin_)};
    return false;
  }

  const char *begin_;
  const char *at_;
  const char *end_;
  std::size_t max_depth_;
  Nesting nesting_;
  OutlineWriter outline_;
  bool is_compact_ = true;
  ParseFault fault_;
};

Result<void, ParseFault> Checker::run() {
  Step step = Step::value;
  while (step == Step::value) {
    step = value();
    if (step == Step::done) step = after_value();
  }
  if (step == Step::fault) return tl::unexpected<ParseFault>(fault_);
  return {};
}

/// Reads one value, or opens one that has members (then another value comes).
Checker::Step Checker::value() {
  skip_space();
  outline_.begin_value(nesting_.depth(), at_);
  bool is_good = false;
  if (at_ == end_) {
    is_good = fail(Fault::syntax);
  } else if (*at_ == '{' || *at_ == '[') {
    return open(*at_ == '{');
  } else if (*at_ == '"') {
    is_good = string();
  } else if (*at_ == '-' || is_digit(*at_)) {
    is_good = number();
  } else {
    is_good = literal("true") || literal("false") || literal("null") || fail(Fault::syntax);
  }
  return is_good ? Step::done : Step::fault;
}

Checker::Step Checker::open(bool is_object) {
  if (nesting_.depth() >= max_depth_) {
    fail(Fault::depth);
    return Step::fault;
  }
  ++at_;
  skip_space();
  if (sees(is_object ? '}' : ']')) {
    ++at_;
    return Step::done;
  }
  nesting_.push(is_object);
  if (is_object && !key()) return Step::fault;
  return Step::value;
}

/// Closes containers until another value comes or the text is done.
Checker::Step Checker::after_value() {
  for (;;) {
    const char *const value_end = at_;
    skip_space();
    if (nesting_.depth() == 0) {
      if (at_ == end_) return Step::done;
      break;
    }
    const bool in_object = nesting_.in_object();
    if (in_object) outline_.end_value(nesting_.depth(), value_end);
    if (sees(',')) {
      ++at_;
      skip_space();
      if (in_object && !key()) return Step::fault;
      return Step::value;
    }
    if (!sees(in_object ? '}' : ']')) break;
    ++at_;
    nesting_.pop();
  }
  fail(Fault::syntax);
  return Step::fault;
}

bool Checker::key() {
  if (!sees('"')) return fail(Fault::syntax);
  const char *const key = at_;
  if (!string()) return false;
  outline_.key(nesting_.depth(), key, at_);
  skip_space();
  if (!sees(':')) return fail(Fault::syntax);
  ++at_;
  return true;
}

bool Checker::string() {
  ++at_;
  for (;;) {
    while (static_cast<std::size_t>(end_ - at_) >= Chunk16::kSize) {
      const Chunk16 chunk(at_);
      const ByteMask stops =
          chunk.equal_to('"') | chunk.equal_to('\\') | chunk.at_most(0x1F) | chunk.high();
      if (stops != 0) {
        at_ += first_of(stops);
        break;
      }
      at_ += Chunk16::kSize;
    }
    if (at_ == end_) return fail(Fault::syntax);
    const unsigned char byte = static_cast<unsigned char>(*at_);
    if (byte == '"') {
      ++at_;
      return true;
    }
    if (byte == '\\') {
      if (!escape()) return false;
    } else if (byte < 0x20) {
      return fail(Fault::syntax);
    } else if (byte < 0x80) {
      ++at_; // near the end of the text, where no chunk fits
    } else {
      while (at_ != end_ && static_cast<unsigned char>(*at_) >= 0x80) {
        const std::size_t length = utf8::sequence_length(rest());
        if (length == 0) return fail(Fault::encoding);
        at_ += length;
      }
    }
  }
}

bool Checker::escape() {
  const std::string_view text = rest();
  if (text.size() < 2) return fail_at(Fault::syntax, end_);
  if (text[1] != 'u') {
    constexpr std::string_view kShort = "\"\\/bfnrt";
    if (kShort.find(text[1]) == std::string_view::npos) return fail(Fault::syntax);
    at_ += 2;
    return true;
  }
  const std::optional<std::uint32_t> unit = escaped_unit(text);
  if (!unit) return fail(Fault::syntax);
  if (is_low_surrogate(*unit)) return fail(Fault::encoding);
  if (!is_high_surrogate(*unit)) {
    at_ += 6;
    return true;
  }
  const std::optional<std::uint32_t> second = escaped_unit(text.substr(6));
  if (!second || !is_low_surrogate(*second)) return fail(Fault::encoding);
  at_ += 12;
  return true;
}

bool Checker::number() {
  const char *const start = at_;
  const auto digits = [this] {
    const char *const first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != first;
  };
  if (*at_ == '-') ++at_;
  if (sees('0')) {
    ++at_;
  } else if (!digits()) {
    return fail(Fault::syntax);
  }
  const char *const point = at_;
  if (sees('.')) {
    ++at_;
    if (!digits()) return fail(Fault::syntax);
  }
  const char *const exponent = at_;
  if (sees('e') || sees('E')) {
    ++at_;
    if (sees('+') || sees('-')) ++at_;
    if (!digits()) return fail(Fault::syntax);
  }
  const bool is_small = exponent == at_ && point - start <= 300;
  if (is_small || is_in_range(start, point, exponent)) return true;
  return fail_at(Fault::number_range, start);
}

/// Whether a double holds the number that ends at at_. `point`: end of its whole digits;
/// `exponent`: end of all its digits.
bool Checker::is_in_range(const char *number, const char *point, const char *exponent) const {
  constexpr std::int64_t kFar = 1'000'000'000; // beyond any number of digits in a text
  std::int64_t power = 0;
  if (exponent != at_) {
    const char *first = exponent + 1;
    if (*first == '+') ++first;
    if (std::from_chars(first, at_, power).ec != std::errc{}) power = *first == '-' ? -kFar : kFar;
    power = power > kFar ? kFar : (power < -kFar ? -kFar : power);
  }
  // Position of the first digit that is not 0, counted from the point: 1 for 5, 0 for 0.5.
  const char *digit = *number == '-' ? number + 1 : number;
  while (digit != exponent && (*digit == '0' || *digit == '.')) ++digit;
  if (digit == exponent) return true; // zero
  const std::int64_t position = digit < point ? point - digit : point + 1 - digit;
  const std::int64_t magnitude = position + power; // the number is below 10^magnitude
  if (magnitude <= 308) return true;
  if (magnitude > 309) return false;
  double value = 0;
  const std::from_chars_result result = std::from_chars(number, at_, value);
  return result.ec == std::errc{} && std::isfinite(value);
}

bool Checker::literal(std::string_view word) {
  if (!rest().starts_with(word)) return false;
  at_ += word.size();
  return true;
}

} // namespace

Result<void, ParseFault> check(std::string_view text, const Limits &limits) {
  return Checker(text, limits.max_depth, nullptr).run();
}

Result<bool, ParseFault> check_form(std::string_view text, const Limits &limits) {
  Checker checker(text, limits.max_depth, nullptr);
  Result<void, ParseFault> checked = checker.run();
  if (!checked) return pass_on(checked);
  return checker.is_compact();
}

Result<void, ParseFault> check(std::string_view text, Outline &outline, const Limits &limits) {
  return Checker(text, limits.max_depth, &outline).run();
}

std::size_t repair_surrogates(std::string &text) {
  std::size_t replaced = 0;
  std::size_t at = 0;
  while ((at = text.find('\\', at)) != std::string::npos) {
    const std::string_view rest = std::string_view(text).substr(at);
    const std::optional<std::uint32_t> unit = escaped_unit(rest);
    if (!unit || !(is_high_surrogate(*unit) || is_low_surrogate(*unit))) {
      at += 2; // an escaped backslash goes with the one before it
      continue;
    }
    const std::optional<std::uint32_t> second = escaped_unit(rest.substr(6));
    if (is_high_surrogate(*unit) && second && is_low_surrogate(*second)) {
      at += 12;
      continue;
    }
    text.replace(at + 2, 4, "fffd");
    ++replaced;
    at += 6;
  }
  return replaced;
}

void blank_number(std::string &text, std::size_t offset) {
  constexpr std::string_view kStandIn = "1e308"; // no number beyond a double is shorter
  std::size_t end = offset;
  while (end < text.size() && (is_digit(text[end]) || std::strchr("+-.eE", text[end]) != nullptr) &&
         text[end] != '\0') {
    ++end;
  }
  assert(end - offset >= kStandIn.size());
  if (end - offset < kStandIn.size()) return;
  text.replace(offset, kStandIn.size(), kStandIn);
  for (std::size_t i = offset + kStandIn.size(); i < end; ++i) text[i] = ' ';
}

} // namespace packhost::kit::json
