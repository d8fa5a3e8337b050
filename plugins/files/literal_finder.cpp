// SPDX-License-Identifier: MIT
// See literal_finder.hpp.
#include "plugins/files/literal_finder.hpp"

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace packhost::files {

namespace {

/// Bytes of source code and prose, the most frequent first; what is not here is rarer.
constexpr std::string_view kFrequent =
    " etaoinsrlcdpumfgh_b,.();\n\t0yx1v-=*w/>2k\"&3{}:'j485z6[]79q#ETSRAINCOLDP";

std::size_t rarity(char byte) {
  const std::size_t place = kFrequent.find(byte);
  return place == std::string_view::npos ? kFrequent.size() : place;
}

} // namespace

LiteralFinder::LiteralFinder(std::string wanted) : wanted_(std::move(wanted)) {
  if (wanted_.size() < 2) return;
  std::size_t first = 0;
  for (std::size_t i = 1; i < wanted_.size(); ++i) {
    if (rarity(wanted_[i]) > rarity(wanted_[first])) first = i;
  }
  std::size_t second = first == 0 ? 1 : 0;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (i != first && wanted_[i] != wanted_[first] && rarity(wanted_[i]) > rarity(wanted_[second]))
      second = i;
  }
  rare_ = std::min(first, second);
  other_ = std::max(first, second);
}

bool LiteralFinder::is_at(const char *place) const {
  return std::memcmp(place, wanted_.data(), wanted_.size()) == 0;
}

std::size_t LiteralFinder::find(std::string_view text, std::size_t from) const {
  if (from > text.size() || text.size() - from < wanted_.size()) return std::string_view::npos;
  if (wanted_.size() < 2) return wanted_.empty() ? from : text.find(wanted_.front(), from);
  const char *at = text.data() + from;
  // Starts from `at` up to `last` leave room for all of what is wanted.
  const char *const last = text.data() + (text.size() - wanted_.size());
#ifdef __SSE2__
  const __m128i rare = _mm_set1_epi8(wanted_[rare_]);
  const __m128i other = _mm_set1_epi8(wanted_[other_]);
  const auto load = [](const char *place) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(place));
  };
  const auto both = [&](const char *start) {
    return _mm_and_si128(_mm_cmpeq_epi8(load(start + rare_), rare),
                         _mm_cmpeq_epi8(load(start + other_), other));
  };
  for (; last - at >= 31; at += 32) {
    const __m128i low = both(at);
    const __m128i high = both(at + 16);
    if (_mm_movemask_epi8(_mm_or_si128(low, high)) == 0) continue;
    auto places = static_cast<unsigned>(_mm_movemask_epi8(low)) |
                  static_cast<unsigned>(_mm_movemask_epi8(high)) << 16U;
    for (; places != 0; places &= places - 1) {
      const char *const place = at + __builtin_ctz(places);
      if (is_at(place)) return static_cast<std::size_t>(place - text.data());
    }
  }
#endif
  for (; at <= last; ++at) {
    if (at[rare_] == wanted_[rare_] && is_at(at)) return static_cast<std::size_t>(at - text.data());
  }
  return std::string_view::npos;
}

} // namespace packhost::files
