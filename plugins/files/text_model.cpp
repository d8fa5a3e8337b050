// SPDX-License-Identifier: MIT
// See text_model.hpp.
#include "plugins/files/text_model.hpp"

#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <array>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace packhost::files {

namespace {

struct NameRow {
  std::string_view name;
  NamedEncoding encoding;
};

constexpr std::array kNames{
    NameRow{"utf-8", {Encoding::utf8, false}},
    NameRow{"utf8", {Encoding::utf8, false}},
    NameRow{"utf-8-sig", {Encoding::utf8, false}},
    NameRow{"utf-16", {Encoding::utf16_le, true}},
    NameRow{"utf-16-le", {Encoding::utf16_le, false}},
    NameRow{"utf-16-be", {Encoding::utf16_be, false}},
    NameRow{"latin-1", {Encoding::latin1, false}},
    NameRow{"iso-8859-1", {Encoding::latin1, false}},
    NameRow{"windows-1252", {Encoding::windows1252, false}},
    NameRow{"cp1252", {Encoding::windows1252, false}},
    NameRow{"ascii", {Encoding::ascii, false}},
};

/// 0x80 to 0x9f of windows-1252; 0: not a character.
constexpr std::array<char16_t, 32> kWindows1252{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

using namespace std::string_view_literals;

constexpr std::string_view kUtf8Bom = "\xEF\xBB\xBF"sv;
constexpr std::string_view kUtf16LeBom = "\xFF\xFE"sv;
constexpr std::string_view kUtf16BeBom = "\xFE\xFF"sv;
constexpr std::string_view kUtf32LeBom = "\xFF\xFE\x00\x00"sv;
constexpr std::string_view kUtf32BeBom = "\x00\x00\xFE\xFF"sv;

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}

bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

} // namespace

std::string_view name_of(Encoding encoding) {
  switch (encoding) {
  case Encoding::utf8:
    return "utf-8";
  case Encoding::utf16_le:
    return "utf-16-le";
  case Encoding::utf16_be:
    return "utf-16-be";
  case Encoding::latin1:
    return "latin-1";
  case Encoding::windows1252:
    return "windows-1252";
  case Encoding::ascii:
    return "ascii";
  }
  return "utf-8";
}

std::optional<NamedEncoding> parse_encoding(std::string_view name) {
  std::string folded;
  for (const char letter : name.substr(0, 32)) {
    if (letter == '_')
      folded += '-';
    else
      folded += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter);
  }
  for (const NameRow &row : kNames) {
    if (row.name == folded && name.size() == folded.size()) return row.encoding;
  }
  return std::nullopt;
}

std::string_view supported_encodings_json() {
  return R"(["utf-8","utf-8-sig","utf-16","utf-16-le","utf-16-be","latin-1","windows-1252","ascii"])";
}

std::string_view name_of(TextReason reason) {
  switch (reason) {
  case TextReason::nul_byte:
    return "nul_byte";
  case TextReason::undecodable:
    return "undecodable";
  case TextReason::utf32:
    return "utf-32";
  }
  return "undecodable";
}

kit::Result<Decoder, TextFault> Decoder::begin(std::string_view head,
                                               std::optional<NamedEncoding> named) {
  Decoder decoder;
  if (named) {
    decoder.encoding_ = named->encoding;
    const bool is_utf16 =
        named->encoding == Encoding::utf16_le || named->encoding == Encoding::utf16_be;
    if (named->encoding == Encoding::utf8 && starts_with(head, kUtf8Bom)) decoder.bom_bytes_ = 3;
    if (is_utf16 && named->bom_decides && starts_with(head, kUtf16BeBom))
      decoder.encoding_ = Encoding::utf16_be;
    const std::string_view bom =
        decoder.encoding_ == Encoding::utf16_be ? kUtf16BeBom : kUtf16LeBom;
    if (is_utf16 && starts_with(head, bom)) decoder.bom_bytes_ = 2;
    return decoder;
  }
  if (starts_with(head, kUtf32LeBom) || starts_with(head, kUtf32BeBom))
    return tl::unexpected(TextFault{TextReason::utf32, 0});
  if (starts_with(head, kUtf8Bom)) {
    decoder.bom_bytes_ = 3;
  } else if (starts_with(head, kUtf16LeBom)) {
    decoder.encoding_ = Encoding::utf16_le;
    decoder.bom_bytes_ = 2;
    return decoder;
  } else if (starts_with(head, kUtf16BeBom)) {
    decoder.encoding_ = Encoding::utf16_be;
    decoder.bom_bytes_ = 2;
    return decoder;
  }
  const std::size_t nul = head.substr(0, kNulWindow).find('\0');
  if (nul != std::string_view::npos) return tl::unexpected(TextFault{TextReason::nul_byte, nul});
  return decoder;
}

kit::Result<Decoder::Piece, TextFault> Decoder::decode(std::string_view bytes, bool is_last) {
  std::size_t skipped = 0;
  if (at_start_) {
    skipped = bom_bytes_;
    at_start_ = false;
    offset_ += skipped;
    bytes.remove_prefix(std::min(skipped, bytes.size()));
  }
  if (encoding_ == Encoding::utf8) {
    std::size_t used = bytes.size();
    if (const std::optional<std::size_t> bad = kit::utf8::find_invalid(bytes)) {
      // A character may be cut by the end of the piece; a wrong one shows when more has come.
      if (is_last || *bad + 3 < bytes.size())
        return tl::unexpected(TextFault{TextReason::undecodable, offset_ + *bad});
      used = *bad;
    }
    offset_ += used;
    return Piece{bytes.substr(0, used), skipped + used};
  }
  scratch_.clear();
  const bool is_utf16 = encoding_ == Encoding::utf16_le || encoding_ == Encoding::utf16_be;
  kit::Result<std::size_t, TextFault> used =
      is_utf16 ? decode_utf16(bytes, is_last) : decode_bytes(bytes);
  if (!used) return kit::pass_on(used);
  offset_ += *used;
  return Piece{scratch_, skipped + *used};
}

kit::Result<std::size_t, TextFault> Decoder::decode_utf16(std::string_view bytes, bool is_last) {
  const auto unit_at = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return encoding_ == Encoding::utf16_le ? static_cast<std::uint32_t>(first | second << 8)
                                           : static_cast<std::uint32_t>(first << 8 | second);
  };
  scratch_.reserve(bytes.size() * 3 / 2);
  std::size_t at = 0;
  while (bytes.size() - at >= 2) {
    const std::uint32_t unit = unit_at(at);
    if (is_low_surrogate(unit))
      return tl::unexpected(TextFault{TextReason::undecodable, offset_ + at});
    if (!is_high_surrogate(unit)) {
      kit::utf8::append(scratch_, static_cast<char32_t>(unit));
      at += 2;
      continue;
    }
    if (bytes.size() - at < 4) break;
    const std::uint32_t low = unit_at(at + 2);
    if (!is_low_surrogate(low))
      return tl::unexpected(TextFault{TextReason::undecodable, offset_ + at});
    kit::utf8::append(scratch_,
                      static_cast<char32_t>(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)));
    at += 4;
  }
  if (is_last && at != bytes.size())
    return tl::unexpected(TextFault{TextReason::undecodable, offset_ + at});
  return at;
}

kit::Result<std::size_t, TextFault> Decoder::decode_bytes(std::string_view bytes) {
  scratch_.reserve(bytes.size() * 3 / 2);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    char32_t point = byte;
    if (byte >= 0x80) {
      if (encoding_ == Encoding::windows1252 && byte < 0xA0) point = kWindows1252[byte - 0x80U];
      if (encoding_ == Encoding::ascii || point == 0)
        return tl::unexpected(TextFault{TextReason::undecodable, offset_ + at});
    }
    kit::utf8::append(scratch_, point);
  }
  return bytes.size();
}

ByteTraits traits_of(std::string_view bytes) {
  ByteTraits traits;
  const char *at = bytes.data();
  const char *const end = at + bytes.size();
#ifdef __SSE2__
  const __m128i zero = _mm_setzero_si128();
  const __m128i carriage = _mm_set1_epi8('\r');
  __m128i high = zero;
  __m128i least = _mm_set1_epi8(-1);
  __m128i cr = zero;
  for (; end - at >= 16; at += 16) {
    const __m128i chunk = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
    high = _mm_or_si128(high, chunk);
    least = _mm_min_epu8(least, chunk);
    cr = _mm_or_si128(cr, _mm_cmpeq_epi8(chunk, carriage));
  }
  traits.has_high = _mm_movemask_epi8(high) != 0;
  traits.has_nul = _mm_movemask_epi8(_mm_cmpeq_epi8(least, zero)) != 0;
  traits.has_cr = _mm_movemask_epi8(cr) != 0;
#endif
  for (; at != end; ++at) {
    traits.has_high |= static_cast<unsigned char>(*at) >= 0x80;
    traits.has_nul |= *at == '\0';
    traits.has_cr |= *at == '\r';
  }
  return traits;
}

} // namespace packhost::files
