// SPDX-License-Identifier: MIT
// Edit distance (optimal string alignment: neighbours may be swapped) over three rows.
#include "sdk/kit/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace packhost::kit {

namespace {

constexpr std::size_t kMaxWordBytes = 64;

using Row = std::array<std::size_t, kMaxWordBytes + 1>;

/// The distance, or anything above `limit` if it is above that.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return gap;
  Row before_last{};
  Row last{};
  Row row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t smallest = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
      smallest = std::min(smallest, row[j]);
    }
    if (smallest > limit) return smallest;
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

} // namespace

std::optional<std::string_view> find_nearest(std::string_view word,
                                             std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kMaxWordBytes) return std::nullopt;
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string_view> nearest;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kMaxWordBytes) continue;
    const std::size_t found = distance(word, candidate, limit);
    if (found > limit || (nearest && found == limit)) continue;
    nearest = candidate;
    limit = found;
    if (found == 0) break;
  }
  return nearest;
}

} // namespace packhost::kit
