// SPDX-License-Identifier: MIT
// What text is to this pack: which bytes are text, in which encoding, decoded strictly to UTF-8 in
// pieces. Reading files with it is text_file.hpp's business, lines are sdk/kit/lines.hpp's.
#pragma once

#include "sdk/kit/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace packhost::files {

enum class Encoding : std::uint8_t { utf8, utf16_le, utf16_be, latin1, windows1252, ascii };

/// As results report it: "utf-8", "utf-16-le" ...
[[nodiscard]] std::string_view name_of(Encoding encoding);

/// An encoding a caller named. With `bom_decides` ("utf-16") the byte order mark picks the order.
struct NamedEncoding {
  Encoding encoding = Encoding::utf8;
  bool bom_decides = false;
};

/// Case does not matter, "_" is "-", a few aliases are known. Nothing for others.
[[nodiscard]] std::optional<NamedEncoding> parse_encoding(std::string_view name);

/// The names callers may use, as a JSON array.
[[nodiscard]] std::string_view supported_encodings_json();

enum class TextReason : std::uint8_t { nul_byte, undecodable, utf32 };

/// "nul_byte", "undecodable" or "utf-32".
[[nodiscard]] std::string_view name_of(TextReason reason);

/// Why bytes are no text: detected (no encoding was named), or bytes that do not fit the named one.
struct TextFault {
  TextReason reason = TextReason::undecodable;
  std::uint64_t offset = 0; // from the start of the file
};

/// NUL bytes count up to here, and in what is returned.
constexpr std::size_t kNulWindow = std::size_t{64} * 1024;

/// Decodes one file's bytes, piece after piece, to UTF-8 without a byte order mark.
class Decoder {
public:
  /// `head`: the first kNulWindow bytes of the file, or all of it if it is shorter.
  [[nodiscard]] static kit::Result<Decoder, TextFault> begin(std::string_view head,
                                                             std::optional<NamedEncoding> named);

  [[nodiscard]] Encoding encoding() const { return encoding_; }

  [[nodiscard]] bool has_bom() const { return bom_bytes_ > 0; }

  struct Piece {
    std::string_view text; // valid until the next decode() and while the bytes live
    std::size_t consumed;  // bytes used; the rest is to come again in front of the next piece
  };

  /// Pieces come in order, the first from the start of the file. `is_last`: nothing follows.
  [[nodiscard]] kit::Result<Piece, TextFault> decode(std::string_view bytes, bool is_last);

private:
  [[nodiscard]] kit::Result<std::size_t, TextFault> decode_utf16(std::string_view bytes,
                                                                 bool is_last);
  [[nodiscard]] kit::Result<std::size_t, TextFault> decode_bytes(std::string_view bytes);

  Encoding encoding_ = Encoding::utf8;
  std::size_t bom_bytes_ = 0;
  bool at_start_ = true;
  std::uint64_t offset_ = 0; // of the next byte in the file
  std::string scratch_;
};

/// What one look over bytes tells.
struct ByteTraits {
  bool has_nul = false;
  bool has_high = false; // any byte above 0x7f
  bool has_cr = false;
};

/// One vectorised pass.
[[nodiscard]] ByteTraits traits_of(std::string_view bytes);

} // namespace packhost::files
