// SPDX-License-Identifier: MIT
// See read_text.hpp.
#include "plugins/files/tools/read_text.hpp"

#include "plugins/files/text_file.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/lines.hpp"
#include "sdk/kit/utf8.hpp"

#include <cstring>

namespace packhost::files {

namespace {

/// The part of the wanted lines that is returned.
struct KeptText {
  std::string_view text;
  std::uint64_t lines = 0;
  bool truncated = false;
  bool first_line_too_long = false;
};

KeptText keep_whole_lines(std::string_view text, std::uint64_t wanted_bytes, char terminator,
                          std::size_t max_bytes) {
  KeptText kept;
  if (wanted_bytes <= max_bytes && wanted_bytes == text.size()) {
    kept.text = text;
    kept.lines = kit::count_byte(text, terminator);
    if (!text.empty() && text.back() != terminator) ++kept.lines;
    return kept;
  }
  kept.truncated = true;
  const std::string_view head = text.substr(0, max_bytes);
  const std::size_t last = head.rfind(terminator);
  if (last == std::string_view::npos) {
    kept.first_line_too_long = true;
    kept.text = kit::utf8::clip(text, max_bytes);
    kept.lines = 1;
    return kept;
  }
  kept.text = head.substr(0, last + 1);
  kept.lines = kit::count_byte(kept.text, terminator);
  return kept;
}

Failure out_of_range(const ReadRequest &request, std::uint64_t line_count) {
  const auto number = [](const std::optional<std::int64_t> &line) {
    return line ? std::to_string(*line) : std::string("null");
  };
  return failure(ErrorCode::line_out_of_range, "The file has {} line{}", line_count,
                 line_count == 1 ? "" : "s")
      .with("path", request.path)
      .with("line_count", line_count)
      .with_raw("start_line", number(request.start_line))
      .with_raw("end_line", number(request.end_line))
      .with("recovery", "Ask for lines from 1 to line_count.");
}

bool is_outside(const std::optional<std::int64_t> &line, std::uint64_t line_count) {
  return line && (*line < 1 || static_cast<std::uint64_t>(*line) > line_count);
}

void append_result(std::string &out, std::string_view path, const ReadRequest &request,
                   const ScannedFile &file, const KeptText &kept) {
  const std::uint64_t line_count = file.lines.count();
  const auto first = static_cast<std::uint64_t>(request.start_line.value_or(1));
  kit::json::Writer writer(out);
  writer.begin_object();
  writer.string("path", path).string("content", kept.text);
  writer.string("encoding", name_of(file.encoding)).boolean("bom", file.has_bom);
  writer.string("newline", kit::name_of(file.lines.style()));
  writer.boolean("ends_with_newline", file.lines.ends_with_newline());
  if (line_count == 0) {
    writer.null("start_line").null("end_line");
  } else {
    writer.unsigned_integer("start_line", first);
    writer.unsigned_integer("end_line", first + kept.lines - 1);
  }
  writer.unsigned_integer("line_count", line_count);
  writer.unsigned_integer("size_bytes", file.size_bytes);
  if (file.hash.empty())
    writer.null("content_hash");
  else
    writer.string("content_hash", file.hash);
  writer.boolean("truncated", kept.truncated);
  if (!kept.truncated) {
    writer.null("truncation_reason").null("next_start_line");
  } else {
    writer.string("truncation_reason",
                  kept.first_line_too_long ? "line_exceeds_max_bytes" : "max_bytes");
    const std::uint64_t next = first + kept.lines;
    const auto last = static_cast<std::uint64_t>(
        request.end_line.value_or(static_cast<std::int64_t>(line_count)));
    if (next > last)
      writer.null("next_start_line");
    else
      writer.unsigned_integer("next_start_line", next);
    if (kept.first_line_too_long)
      writer.unsigned_integer("line_bytes", file.capture.first_line_bytes());
  }
  writer.end_object();
}

} // namespace

Outcome<void> check_range(const ReadRequest &request) {
  if (request.end_line && *request.end_line >= 1 && request.start_line.value_or(1) >= 1 &&
      *request.end_line < request.start_line.value_or(1)) {
    return refuse(
        invalid_argument("end_line", "lies before start_line", "a line from start_line on"));
  }
  return {};
}

Outcome<std::uint64_t> append_file_text(std::string &out, const Workspace &workspace,
                                        const ReadRequest &request, const Limits &limits,
                                        const Budget &budget, const Stop &stop) {
  Outcome<OpenedFile> opened = workspace.open_file(request.path);
  if (!opened) return kit::pass_on(opened);
  ScanWishes wishes;
  wishes.named = request.named;
  wishes.capture = true;
  if (request.start_line && *request.start_line > 1)
    wishes.first_line = static_cast<std::uint64_t>(*request.start_line);
  if (request.end_line && *request.end_line > 0)
    wishes.last_line = static_cast<std::uint64_t>(*request.end_line);
  wishes.max_bytes = request.max_bytes;
  Outcome<ScannedFile> scanned =
      scan_file(opened->file, wishes, limits.max_hash_bytes, request.path, stop);
  if (!scanned) return kit::pass_on(scanned);
  if (scanned->fault) return refuse(failure_of(*scanned->fault, request.named, request.path));
  const std::string_view text = scanned->capture.text();
  if (!request.named && scanned->encoding == Encoding::utf8 &&
      std::memchr(text.data(), '\0', text.size()) != nullptr) {
    return refuse(failure(ErrorCode::binary_content_refused, "This file is not text")
                      .with("path", request.path)
                      .with("reason", name_of(TextReason::nul_byte)));
  }
  const std::uint64_t line_count = scanned->lines.count();
  if (is_outside(request.start_line, line_count) || is_outside(request.end_line, line_count))
    return refuse(out_of_range(request, line_count));
  const std::string path = workspace.shown(opened->asked.relative);
  const char terminator = scanned->lines.terminator();
  std::size_t max_bytes = request.max_bytes;
  for (const std::size_t before = out.size();;) {
    const KeptText kept =
        keep_whole_lines(text, scanned->capture.wanted_bytes(), terminator, max_bytes);
    out.reserve(before + kept.text.size() + kept.text.size() / 8 + 512);
    append_result(out, path, request, *scanned, kept);
    if (kept.text.empty() || budget.fits_text(kept.text, out.size() - before))
      return kept.text.size();
    // Escapes make this text too long for one answer: less of it.
    out.resize(before);
    max_bytes = kept.text.size() / 2;
  }
}

} // namespace packhost::files
