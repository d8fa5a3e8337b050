// SPDX-License-Identifier: MIT
// See lines.hpp.
#include "sdk/kit/lines.hpp"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace packhost::kit {

std::string_view name_of(Newline style) {
  switch (style) {
  case Newline::none:
    return "none";
  case Newline::lf:
    return "lf";
  case Newline::crlf:
    return "crlf";
  case Newline::cr:
    return "cr";
  case Newline::mixed:
    return "mixed";
  }
  return "none";
}

std::size_t count_byte(std::string_view text, char byte) {
  const char *at = text.data();
  const char *const end = at + text.size();
  std::size_t total = 0;
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(byte);
  while (end - at >= 16) {
    // 255 rounds of 16 lanes: a lane of eight bits cannot overflow.
    const std::ptrdiff_t rounds = std::min<std::ptrdiff_t>((end - at) / 16, 255);
    __m128i lanes = _mm_setzero_si128();
    for (std::ptrdiff_t i = 0; i < rounds; ++i, at += 16) {
      const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
      lanes = _mm_sub_epi8(lanes, _mm_cmpeq_epi8(chunk, wanted));
    }
    const __m128i sums = _mm_sad_epu8(lanes, _mm_setzero_si128());
    total += static_cast<std::size_t>(_mm_cvtsi128_si32(sums)) +
             static_cast<std::size_t>(_mm_extract_epi16(sums, 4));
  }
#endif
  return total + static_cast<std::size_t>(std::count(at, end, byte));
}

std::optional<std::size_t> find_after(std::string_view text, char terminator, std::size_t count) {
  std::size_t at = 0;
  while (count > 0) {
    if (at >= text.size()) return std::nullopt;
    // Skip whole blocks while they hold too few to matter.
    constexpr std::size_t kBlock = 4096;
    if (count > kBlock || (count > 64 && text.size() - at > kBlock)) {
      const std::string_view block = text.substr(at, kBlock);
      if (const std::size_t held = count_byte(block, terminator); held < count) {
        count -= held;
        at += block.size();
        continue;
      }
    }
    const std::size_t found = text.find(terminator, at);
    if (found == std::string_view::npos) return std::nullopt;
    at = found + 1;
    --count;
  }
  return at;
}

void LineCounter::feed(std::string_view piece) {
  if (piece.empty()) return;
  lf_ += count_byte(piece, '\n');
  if (last_ == '\r' && piece.front() == '\n') ++crlf_;
  const char *at = piece.data();
  const char *const end = at + piece.size();
  while ((at = static_cast<const char *>(
              std::memchr(at, '\r', static_cast<std::size_t>(end - at)))) != nullptr) {
    ++cr_;
    if (++at == end) break;
    if (*at == '\n') ++crlf_;
  }
  last_ = piece.back();
  empty_ = false;
}

Newline LineCounter::style() const {
  if (lf_ == 0) return cr_ > 0 ? Newline::cr : Newline::none;
  if (crlf_ == 0) return Newline::lf;
  return crlf_ == lf_ ? Newline::crlf : Newline::mixed;
}

bool LineCounter::ends_with_newline() const {
  return !empty_ && last_ == terminator();
}

std::uint64_t LineCounter::count() const {
  if (empty_) return 0;
  const std::uint64_t ends = terminator() == '\n' ? lf_ : cr_;
  return ends + (ends_with_newline() ? 0U : 1U);
}

} // namespace packhost::kit
