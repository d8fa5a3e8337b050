// SPDX-License-Identifier: MIT
// From a tool's outcome to the parts of a call: one JSON document, {"ok":true,"result":{...}} or
// the failure's. The host repeats it as text.
#pragma once

#include "plugins/files/errors.hpp"
#include "plugins/files/text_file.hpp"
#include "sdk/kit/json.hpp"

#include <packhost/pack.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/stat.h>

namespace packhost::files {

/// A finished document and how many items it holds.
struct Answer {
  std::string document;
  std::uint64_t items = 0;
};

/// The document of a success while it is written: result() is inside the result's braces.
class Document {
public:
  explicit Document(std::size_t reserve = 512);
  Document(const Document &) = delete;
  Document &operator=(const Document &) = delete;

  [[nodiscard]] kit::json::Writer &result() { return writer_; }

  [[nodiscard]] std::string &text() { return text_; }

  [[nodiscard]] Answer finish(std::uint64_t items);

private:
  std::string text_;
  kit::json::Writer writer_{text_};
};

/// What one answer may weigh: the part itself, and the line in which it stands twice, the second
/// time escaped.
struct Budget {
  std::uint64_t part_bytes = 4'194'304;
  std::uint64_t line_bytes = 8'388'608;

  /// Whether `text`, which took `written` bytes with all that stands around it, fits into what is
  /// left. Fast for ordinary text.
  [[nodiscard]] bool fits_text(std::string_view text, std::uint64_t written) const;

  /// Whether a finished piece of a document fits.
  [[nodiscard]] bool fits_json(std::string_view json) const;

  /// Takes a finished piece off.
  void spend(std::string_view json);
};

/// For one call, with room kept for what stands around.
[[nodiscard]] Budget budget_of(const Call &call);

/// Adds the parts and says how the call ends. A cancelled call ends as such.
void answer(Call &call, Outcome<Answer> outcome);

/// For operator commands: a failure leaves as an Error with the status of its code.
[[noreturn]] void throw_failure(const Failure &failure);

/// Asks the call. REQUIRES: the call outlives it.
[[nodiscard]] Stop stop_of(const Call &call);

/// RFC 3339 in UTC with milliseconds.
[[nodiscard]] std::string format_time(const struct timespec &time);

/// "0644"
[[nodiscard]] std::string format_mode(mode_t mode);

/// With padding, without line breaks.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

} // namespace packhost::files
