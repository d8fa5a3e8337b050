// SPDX-License-Identifier: MIT
// See text_file.hpp.
#include "plugins/files/text_file.hpp"

#include "sdk/kit/sha256.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <unistd.h>

namespace packhost::files {

namespace {

/// Large enough for the NUL window, small enough to stay in a cache between hashing and decoding.
constexpr std::size_t kChunk = std::size_t{256} * 1024;
constexpr int kTries = 3;
/// Files that do not know their size are read this far.
constexpr std::uint64_t kMaxUnsized = std::uint64_t{1} << 30;

enum class PassFault : std::uint8_t { io, cancelled, hash, endless };

/// One pass over a file.
class Pass {
public:
  Pass(const kit::OpenFile &file, const struct stat &status, const ScanWishes &wishes,
       bool with_hash, const Stop &stop)
      : fd_(file.fd.get()), expected_(static_cast<std::uint64_t>(status.st_size)), wishes_(wishes),
        with_hash_(with_hash), stop_(stop) {}

  kit::Result<ScannedFile, PassFault> run(char terminator) {
    result_ = {};
    if (wishes_.capture)
      result_.capture = LineCapture(wishes_.first_line, wishes_.last_line, wishes_.max_bytes);
    std::optional<kit::Sha256> digest;
    if (with_hash_) {
      kit::Result<kit::Sha256> begun = kit::Sha256::begin();
      if (!begun) return tl::unexpected(PassFault::hash);
      digest = std::move(*begun);
    }
    const std::size_t room = room_for_one_piece();
    const std::size_t capacity = room + 8; // what a cut character leaves, in front
    if (buffer_ == nullptr) buffer_ = std::make_unique_for_overwrite<char[]>(capacity);
    std::size_t carried = 0;
    bool is_first = true;
    for (;;) {
      kit::Result<std::size_t, PassFault> got = fill(buffer_.get() + carried, room);
      if (!got) return kit::pass_on(got);
      if (digest) digest->update({buffer_.get() + carried, *got});
      carried = take({buffer_.get(), carried + *got}, is_first, terminator);
      is_first = false;
      if (at_end_) break;
      if (result_.fault && !wishes_.go_on_after_fault) return std::move(result_);
      if (stop_()) return tl::unexpected(PassFault::cancelled);
    }
    if (digest) result_.hash = "sha256:" + digest->hex();
    return std::move(result_);
  }

  /// Where captured text may lie.
  [[nodiscard]] std::unique_ptr<char[]> take_buffer() { return std::move(buffer_); }

private:
  /// A file not much larger than what is returned is read whole, and its text never copied; other
  /// large files come in pieces.
  [[nodiscard]] std::size_t room_for_one_piece() const {
    if (expected_ == 0) return kNulWindow;
    const std::size_t most = wishes_.capture ? 2 * std::max(kChunk, wishes_.max_bytes) : kChunk;
    return expected_ < most ? expected_ + 1 : kChunk;
  }

  /// Fills `room` bytes unless the file ends before.
  kit::Result<std::size_t, PassFault> fill(char *into, std::size_t room) {
    std::size_t filled = 0;
    while (filled < room) {
      const ssize_t got =
          ::pread(fd_, into + filled, room - filled, static_cast<off_t>(result_.size_bytes));
      if (got < 0) {
        if (errno == EINTR) continue;
        return tl::unexpected(PassFault::io);
      }
      filled += static_cast<std::size_t>(got);
      result_.size_bytes += static_cast<std::uint64_t>(got);
      // A file that tells its size ends there; one that says 0 is read until it gives nothing.
      at_end_ = got == 0 || (expected_ > 0 && result_.size_bytes == expected_ && filled < room);
      if (at_end_) break;
      if (expected_ > 0 ? result_.size_bytes > expected_ : result_.size_bytes > kMaxUnsized)
        return tl::unexpected(PassFault::endless);
    }
    return filled;
  }

  /// RETURNS: how many bytes are carried over, moved to the front of the buffer.
  std::size_t take(std::string_view bytes, bool is_first, char terminator) {
    if (result_.fault) return 0;
    if (is_first) {
      kit::Result<Decoder, TextFault> begun = Decoder::begin(bytes, wishes_.named);
      if (!begun) {
        result_.fault = begun.error();
        return 0;
      }
      decoder_ = std::move(*begun);
      result_.encoding = decoder_.encoding();
      result_.has_bom = decoder_.has_bom();
    }
    kit::Result<Decoder::Piece, TextFault> piece = decoder_.decode(bytes, at_end_);
    if (!piece) {
      result_.fault = piece.error();
      return 0;
    }
    result_.lines.feed(piece->text);
    const bool is_kept = is_first && at_end_ && decoder_.encoding() == Encoding::utf8;
    if (wishes_.capture) result_.capture.feed(piece->text, terminator, is_kept);
    const std::size_t left = bytes.size() - std::min(bytes.size(), piece->consumed);
    std::memmove(buffer_.get(), bytes.data() + (bytes.size() - left), left);
    return left;
  }

  int fd_;
  std::uint64_t expected_;
  const ScanWishes &wishes_;
  bool with_hash_;
  const Stop &stop_;
  std::unique_ptr<char[]> buffer_;
  bool at_end_ = false;
  Decoder decoder_;
  ScannedFile result_;
};

bool is_same(const struct stat &before, const struct stat &after, std::uint64_t read_bytes) {
  return before.st_size == after.st_size && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
         before.st_mtim.tv_nsec == after.st_mtim.tv_nsec &&
         (before.st_size == 0 || read_bytes == static_cast<std::uint64_t>(before.st_size));
}

Failure failure_of_pass(PassFault fault, std::string_view path) {
  if (fault == PassFault::cancelled)
    return failure(ErrorCode::cancelled, "The call was cancelled").with("path", path);
  if (fault == PassFault::hash)
    return failure(ErrorCode::internal, "The digest library is not available");
  return failure(ErrorCode::io_error, "The file cannot be read").with("path", path).transient();
}

} // namespace

LineCapture::LineCapture(std::uint64_t first, std::optional<std::uint64_t> last,
                         std::size_t max_bytes)
    : first_(first), last_(last), max_bytes_(max_bytes) {}

void LineCapture::feed(std::string_view piece, char terminator, bool is_kept) {
  if (piece.empty() || (last_ && line_ > *last_)) return;
  if (line_ < first_) {
    const std::uint64_t ends = kit::count_byte(piece, terminator);
    if (line_ + ends < first_) {
      line_ += ends;
      return;
    }
    const std::optional<std::size_t> start = kit::find_after(piece, terminator, first_ - line_);
    piece.remove_prefix(start.value_or(piece.size()));
    line_ = first_;
  }
  if (last_) {
    const std::uint64_t ends = kit::count_byte(piece, terminator);
    if (line_ + ends > *last_) {
      const std::optional<std::size_t> end = kit::find_after(piece, terminator, *last_ - line_ + 1);
      piece = piece.substr(0, end.value_or(piece.size()));
      line_ = *last_ + 1;
    } else {
      line_ += ends;
    }
  }
  wanted_bytes_ += piece.size();
  if (!first_line_done_) {
    const std::size_t end = piece.find(terminator);
    first_line_done_ = end != std::string_view::npos;
    first_line_bytes_ += first_line_done_ ? end + 1 : piece.size();
  }
  const std::size_t room = max_bytes_ + 1 - std::min(max_bytes_ + 1, text_.size());
  if (is_kept) {
    kept_ = piece.substr(0, room);
    return;
  }
  // Grown once: a text of many pieces would be copied at each step.
  if (text_.size() + std::min(room, piece.size()) > text_.capacity()) text_.reserve(max_bytes_ + 1);
  text_.append(piece.substr(0, room));
}

Outcome<ScannedFile> scan_file(const kit::OpenFile &file, const ScanWishes &wishes,
                               std::uint64_t max_hash_bytes, std::string_view path,
                               const Stop &stop) {
  struct stat before = file.status;
  for (int tries = 0; tries < kTries; ++tries) {
    const bool with_hash =
        wishes.hash && static_cast<std::uint64_t>(before.st_size) <= max_hash_bytes;
    ScanWishes these = wishes;
    these.go_on_after_fault = wishes.go_on_after_fault && with_hash; // else nothing needs the rest
    Pass pass(file, before, these, with_hash, stop);
    kit::Result<ScannedFile, PassFault> scanned = pass.run('\n');
    const bool needs_cr =
        scanned && wishes.capture && !scanned->fault && scanned->lines.terminator() == '\r';
    if (needs_cr) scanned = pass.run('\r');
    if (scanned) scanned->bytes = pass.take_buffer();
    if (!scanned && scanned.error() != PassFault::endless)
      return refuse(failure_of_pass(scanned.error(), path));

    struct stat after {};

    if (::fstat(file.fd.get(), &after) != 0) return refuse(failure_of_pass(PassFault::io, path));
    const bool was_cut = scanned && scanned->fault && !these.go_on_after_fault;
    if (scanned &&
        is_same(before, after,
                was_cut ? static_cast<std::uint64_t>(before.st_size) : scanned->size_bytes))
      return std::move(*scanned);
    before = after;
  }
  return refuse(failure(ErrorCode::io_error, "The file changed each time it was read")
                    .with("path", path)
                    .with("recovery", "Repeat the call when the file is at rest.")
                    .transient());
}

Failure failure_of(const TextFault &fault, std::optional<NamedEncoding> named,
                   std::string_view path) {
  if (named) {
    return failure(ErrorCode::encoding_error, "The byte at {} is no {}", fault.offset,
                   name_of(named->encoding))
        .with("path", path)
        .with("offset", fault.offset)
        .with("encoding", name_of(named->encoding));
  }
  return failure(ErrorCode::binary_content_refused, "This file is not text")
      .with("path", path)
      .with("reason", name_of(fault.reason))
      .with("offset", fault.offset)
      .with("recovery", "Name an 'encoding' if you know that the bytes are text in it.");
}

} // namespace packhost::files
