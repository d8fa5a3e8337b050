// SPDX-License-Identifier: MIT
// UTF-8 by the table of well-formed sequences in the Unicode Standard (chapter 3, table 3-7).
#include "sdk/kit/utf8.hpp"

#include "sdk/kit/chunk16.hpp"

#include <cassert>

namespace packhost::kit::utf8 {

namespace {

/// What may follow a lead byte.
struct Lead {
  std::size_t length = 0; // of the whole sequence; 0: no lead byte
  unsigned char second_min = 0x80;
  unsigned char second_max = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF}; // below: overlong
  if (byte == 0xED) return {3, 0x80, 0x9F}; // above: surrogates
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F}; // above: beyond U+10FFFF
  return {};
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// How many bytes at the start are the beginning of a valid sequence (all of it if whole).
std::size_t valid_part(std::string_view bytes, const Lead &lead) {
  if (lead.length <= 1) return lead.length;
  if (bytes.size() < 2) return 1;
  const unsigned char second = static_cast<unsigned char>(bytes[1]);
  if (second < lead.second_min || second > lead.second_max) return 1;
  std::size_t length = 2;
  while (length < lead.length && length < bytes.size() && is_continuation(bytes[length])) ++length;
  return length;
}

} // namespace

std::size_t general_sequence_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const Lead lead = lead_of(static_cast<unsigned char>(bytes[0]));
  return valid_part(bytes, lead) == lead.length ? lead.length : 0;
}

std::optional<std::size_t> find_invalid(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    while (bytes.size() - at >= Chunk16::kSize) {
      const ByteMask high = Chunk16(bytes.data() + at).high();
      if (high != 0) {
        at += first_of(high);
        break;
      }
      at += Chunk16::kSize;
    }
    // A run of other than ASCII, or the rest.
    while (at < bytes.size()) {
      const bool is_ascii = static_cast<unsigned char>(bytes[at]) < 0x80;
      if (is_ascii && bytes.size() - at >= Chunk16::kSize) break;
      const std::size_t length = is_ascii ? 1 : sequence_length(bytes.substr(at));
      if (length == 0) return at;
      at += length;
    }
  }
  return std::nullopt;
}

std::string_view clip(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && is_continuation(text[end])) --end;
  return text.substr(0, end);
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += is_continuation(byte) ? 0U : 1U;
  return count;
}

std::string repair(std::string_view bytes, std::size_t *replaced) {
  std::string result;
  result.reserve(bytes.size());
  std::size_t count = 0;
  while (!bytes.empty()) {
    const std::optional<std::size_t> bad = find_invalid(bytes);
    result.append(bytes.substr(0, bad.value_or(bytes.size())));
    if (!bad) break;
    bytes.remove_prefix(*bad);
    // One replacement for each maximal part of a sequence, as the Unicode Standard recommends.
    const std::size_t part = valid_part(bytes, lead_of(static_cast<unsigned char>(bytes[0])));
    bytes.remove_prefix(part == 0 ? 1 : part);
    result.append("\xEF\xBF\xBD");
    ++count;
  }
  if (replaced != nullptr) *replaced = count;
  return result;
}

void append(std::string &out, char32_t code_point) {
  assert(code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF));
  const auto push = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xC0U | (code_point >> 6U));
    push(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    push(0xE0U | (code_point >> 12U));
    push(0x80U | ((code_point >> 6U) & 0x3FU));
    push(0x80U | (code_point & 0x3FU));
  } else {
    push(0xF0U | (code_point >> 18U));
    push(0x80U | ((code_point >> 12U) & 0x3FU));
    push(0x80U | ((code_point >> 6U) & 0x3FU));
    push(0x80U | (code_point & 0x3FU));
  }
}

} // namespace packhost::kit::utf8
