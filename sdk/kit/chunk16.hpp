// SPDX-License-Identifier: MIT
// Sixteen bytes looked at in one step: which of them are this or that. SSE2 where the machine has
// it (every x86-64), a plain loop elsewhere, so that the scanners above are written once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#else
#include <cstring>
#endif

namespace packhost::kit {

/// One bit for each byte of a chunk, the lowest for the first.
using ByteMask = std::uint32_t;

/// Index of the first byte in the mask. REQUIRES: mask != 0.
[[nodiscard]] inline std::size_t first_of(ByteMask mask) {
  return static_cast<std::size_t>(std::countr_zero(mask));
}

class Chunk16 {
public:
  static constexpr std::size_t kSize = 16;

#if defined(__SSE2__)

  /// REQUIRES: 16 readable bytes.
  explicit Chunk16(const char *bytes)
      : bytes_(_mm_loadu_si128(static_cast<const __m128i *>(static_cast<const void *>(bytes)))) {}

  [[nodiscard]] ByteMask equal_to(char byte) const {
    return mask(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(byte)));
  }

  /// Bytes, taken as unsigned, of at most `limit`.
  [[nodiscard]] ByteMask at_most(unsigned char limit) const {
    const __m128i limits = _mm_set1_epi8(static_cast<char>(limit));
    return mask(_mm_cmpeq_epi8(_mm_min_epu8(bytes_, limits), bytes_));
  }

  /// Bytes of 0x80 and above.
  [[nodiscard]] ByteMask high() const {
    return mask(bytes_);
  }

  /// How many bytes of `count` chunks at `bytes` a JSON string needs beyond one each: 1 for a
  /// quote, a backslash and a control with a short escape, 5 for other controls. REQUIRES: 16 *
  /// count readable bytes.
  [[nodiscard]] static std::size_t count_escapes(const char *bytes, std::size_t count) {
    const __m128i zero = _mm_setzero_si128();
    __m128i total = zero; // two 64-bit sums
    while (count > 0) {
      const std::size_t most = count < kSums ? count : kSums;
      __m128i ones = zero; // a sum a byte: at most 255 chunks, or 51 where one may add 5
      for (std::size_t i = 0; i < most; ++i, bytes += kSize) {
        const __m128i chunk =
            _mm_loadu_si128(static_cast<const __m128i *>(static_cast<const void *>(bytes)));
        const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(chunk, _mm_set1_epi8(0x1F)), chunk);
        const __m128i stops = _mm_or_si128(_mm_cmpeq_epi8(chunk, _mm_set1_epi8('"')),
                                           _mm_cmpeq_epi8(chunk, _mm_set1_epi8('\\')));
        const __m128i from_backspace = _mm_sub_epi8(chunk, _mm_set1_epi8('\b'));
        const __m128i shorts = _mm_andnot_si128( // \b \t \n \f \r: 8 to 13 but 11
            _mm_cmpeq_epi8(chunk, _mm_set1_epi8('\v')),
            _mm_cmpeq_epi8(_mm_min_epu8(from_backspace, _mm_set1_epi8(5)), from_backspace));
        const __m128i longs = _mm_andnot_si128(shorts, controls);
        ones = _mm_sub_epi8(ones, _mm_or_si128(stops, controls));
        ones = _mm_add_epi8(ones, _mm_and_si128(longs, _mm_set1_epi8(4)));
      }
      total = _mm_add_epi64(total, _mm_sad_epu8(ones, zero));
      count -= most;
    }
    return static_cast<std::size_t>(_mm_cvtsi128_si64(total)) +
           static_cast<std::size_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(total, total)));
  }

  /// The chunk with bit 0x20 set in each byte: turns `[` into `{` and `]` into `}`.
  [[nodiscard]] Chunk16 folded() const {
    return Chunk16(_mm_or_si128(bytes_, _mm_set1_epi8(0x20)));
  }

  /// REQUIRES: 16 writable bytes.
  void store(char *bytes) const {
    _mm_storeu_si128(static_cast<__m128i *>(static_cast<void *>(bytes)), bytes_);
  }

private:
  static constexpr std::size_t kSums = 51; // 51 * 5 = 255

  explicit Chunk16(__m128i bytes) : bytes_(bytes) {}

  static ByteMask mask(__m128i bytes) {
    return static_cast<ByteMask>(_mm_movemask_epi8(bytes));
  }

  __m128i bytes_;

#else

  explicit Chunk16(const char *bytes) {
    std::memcpy(bytes_, bytes, kSize);
  }

  [[nodiscard]] ByteMask equal_to(char byte) const {
    return mask([byte](unsigned char each) { return each == static_cast<unsigned char>(byte); });
  }

  [[nodiscard]] ByteMask at_most(unsigned char limit) const {
    return mask([limit](unsigned char each) { return each <= limit; });
  }

  [[nodiscard]] ByteMask high() const {
    return mask([](unsigned char each) { return each >= 0x80; });
  }

  [[nodiscard]] static std::size_t count_escapes(const char *bytes, std::size_t count) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kSize * count; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      const bool is_short = byte >= '\b' && byte <= '\r' && byte != '\v';
      if (byte == '"' || byte == '\\' || is_short)
        ++sum;
      else if (byte < 0x20)
        sum += 5;
    }
    return sum;
  }

  [[nodiscard]] Chunk16 folded() const {
    Chunk16 result = *this;
    for (unsigned char &each : result.bytes_) each = static_cast<unsigned char>(each | 0x20U);
    return result;
  }

  void store(char *bytes) const {
    std::memcpy(bytes, bytes_, kSize);
  }

private:
  template <typename Is>
  ByteMask mask(Is is) const {
    ByteMask result = 0;
    for (std::size_t i = 0; i < kSize; ++i) {
      if (is(bytes_[i])) result |= ByteMask{1} << i;
    }
    return result;
  }

  unsigned char bytes_[kSize];
#endif
};

} // namespace packhost::kit
