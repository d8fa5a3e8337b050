// SPDX-License-Identifier: MIT
// Reading one open file in one go: hash, size, lines and the wanted part of its text, all of the
// same bytes, in bounded memory whatever the file's size.
#pragma once

#include "plugins/files/errors.hpp"
#include "plugins/files/text_model.hpp"
#include "sdk/kit/lines.hpp"
#include "sdk/kit/rooted_dir.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace packhost::files {

/// True once the work is to be given up.
using Stop = std::function<bool()>;

/// Collects lines first..last of UTF-8 text that comes in pieces, up to a number of bytes.
class LineCapture {
public:
  LineCapture() = default;
  LineCapture(std::uint64_t first, std::optional<std::uint64_t> last, std::size_t max_bytes);

  /// `is_kept`: the piece lives as long as what was captured is needed, so it need not be copied.
  void feed(std::string_view piece, char terminator, bool is_kept);

  /// Everything captured, at most max_bytes + 1 bytes.
  [[nodiscard]] std::string_view text() const { return kept_.empty() ? text_ : kept_; }

  /// Bytes of the wanted lines, captured or not.
  [[nodiscard]] std::uint64_t wanted_bytes() const { return wanted_bytes_; }

  /// Bytes of the first wanted line with its end.
  [[nodiscard]] std::uint64_t first_line_bytes() const { return first_line_bytes_; }

private:
  std::uint64_t first_ = 1;
  std::optional<std::uint64_t> last_;
  std::size_t max_bytes_ = 0;
  std::uint64_t line_ = 1; // of the next byte
  std::uint64_t wanted_bytes_ = 0;
  std::uint64_t first_line_bytes_ = 0;
  bool first_line_done_ = false;
  std::string text_;
  std::string_view kept_; // in place of text_
};

struct ScanWishes {
  bool hash = true;
  bool go_on_after_fault = false; // to hash what is no text
  std::optional<NamedEncoding> named;
  bool capture = false;
  std::uint64_t first_line = 1;
  std::optional<std::uint64_t> last_line;
  std::size_t max_bytes = 0;
};

struct ScannedFile {
  std::unique_ptr<char[]> bytes; // of a file read in one piece: what was captured may lie here
  std::uint64_t size_bytes = 0;
  std::string hash; // "sha256:..." or empty
  std::optional<TextFault> fault;
  Encoding encoding = Encoding::utf8;
  bool has_bom = false;
  kit::LineCounter lines;
  LineCapture capture;
};

/// Reads the file from its start to its end. If it changed meanwhile it is read again, three times
/// in all, then the failure is retryable. A fault of the text is part of the value.
[[nodiscard]] Outcome<ScannedFile> scan_file(const kit::OpenFile &file, const ScanWishes &wishes,
                                             std::uint64_t max_hash_bytes, std::string_view path,
                                             const Stop &stop);

/// The refusal for a file that is no text, or not in the encoding that was named.
[[nodiscard]] Failure failure_of(const TextFault &fault, std::optional<NamedEncoding> named,
                                 std::string_view path);

} // namespace packhost::files
