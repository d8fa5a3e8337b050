// SPDX-License-Identifier: MIT
// See file_searcher.hpp. A block is everything up to the last line end in the buffer; what is
// behind it moves to the front. Line ends become LF in the buffer, which is ours to change.
#include "plugins/files/file_searcher.hpp"

#include "plugins/files/text_model.hpp"
#include "sdk/kit/lines.hpp"
#include "sdk/kit/unique_fd.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace packhost::files {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
/// Larger ones are given back after the file that needed them.
constexpr std::size_t kKeptBytes = std::size_t{1024} * 1024;

} // namespace

FileSearcher::FileSearcher(const Pattern &pattern, Options options)
    : pattern_(pattern), options_(options) {
  reserve(kBufferBytes);
}

void FileSearcher::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  std::unique_ptr<char[]> larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (used_ > 0) std::memcpy(larger.get(), buffer_.get(), used_);
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

void FileSearcher::start_file() {
  if (capacity_ > kKeptBytes) {
    buffer_ = std::make_unique_for_overwrite<char[]>(kBufferBytes);
    capacity_ = kBufferBytes;
  }
  used_ = 0;
  at_end_ = false;
  is_first_block_ = true;
  has_cr_ = false;
  has_high_ = false;
  has_lf_ = false;
  form_ = Form::plain;
  line_ = 1;
}

FileFindings FileSearcher::search_at(int directory_fd, const char *name) {
  FileFindings findings;
  const kit::UniqueFd fd(
      ::openat(directory_fd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC));

  struct stat status {};

  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) {
    findings.verdict = FileVerdict::unreadable;
    return findings;
  }
  if (!S_ISREG(status.st_mode)) {
    findings.verdict = FileVerdict::special;
    return findings;
  }
  return search(fd.get(), static_cast<std::uint64_t>(status.st_size));
}

FileFindings FileSearcher::search(int fd, std::uint64_t size_bytes) {
  FileFindings findings;
  if (size_bytes > options_.max_file_bytes) {
    findings.verdict = FileVerdict::too_large;
    return findings;
  }
  start_file();
  // Lines around a hit must lie in the same block.
  const bool whole = options_.context_lines > 0;
  for (;;) {
    if (!read_more(fd, size_bytes, findings)) break;
    if ((whole || form_ == Form::utf16) && !at_end_) continue;
    if (!take_block(findings) || at_end_ || findings.hits.size() >= options_.max_hits) break;
  }
  if (findings.verdict != FileVerdict::searched) findings.hits.clear();
  return findings;
}

/// Fills the buffer. False: the verdict is no.
bool FileSearcher::read_more(int fd, std::uint64_t size_bytes, FileFindings &findings) {
  if (used_ == capacity_) reserve(capacity_ * 2);
  const std::size_t before = used_;
  while (used_ < capacity_ && !at_end_) {
    const ssize_t got = ::read(fd, buffer_.get() + used_, capacity_ - used_);
    if (got < 0) {
      if (errno == EINTR) continue;
      findings.verdict = FileVerdict::unreadable;
      return false;
    }
    used_ += static_cast<std::size_t>(got);
    findings.bytes += static_cast<std::uint64_t>(got);
    at_end_ = got == 0 || (size_bytes > 0 && findings.bytes >= size_bytes && used_ < capacity_);
    if (findings.bytes > options_.max_file_bytes) {
      findings.verdict = FileVerdict::too_large;
      return false;
    }
  }
  const std::string_view fresh(buffer_.get() + before, used_ - before);
  if (before == 0 && is_first_block_) {
    const kit::Result<Decoder, TextFault> decoder =
        Decoder::begin(fresh.substr(0, 4), std::nullopt);
    if (!decoder) {
      findings.verdict = FileVerdict::binary;
      return false;
    }
    if (decoder->encoding() != Encoding::utf8) form_ = Form::utf16;
  }
  if (form_ == Form::utf16) return true;
  const ByteTraits traits = traits_of(fresh);
  has_cr_ |= traits.has_cr;
  has_high_ |= traits.has_high;
  if (traits.has_nul) {
    findings.verdict = FileVerdict::binary;
    return false;
  }
  return true;
}

/// Searches what can be searched of the buffer. False: the verdict is no.
bool FileSearcher::take_block(FileFindings &findings) {
  if (form_ == Form::utf16) {
    findings.verdict = search_utf16(findings);
    return false;
  }
  std::size_t length = used_;
  if (!at_end_) {
    const void *const last = ::memrchr(buffer_.get(), '\n', used_);
    if (last == nullptr) return true; // a line longer than the buffer
    length = static_cast<std::size_t>(static_cast<const char *>(last) - buffer_.get()) + 1;
  }
  const std::size_t taken = length;
  if (has_high_ && !kit::utf8::is_valid({buffer_.get(), length})) {
    findings.verdict = FileVerdict::binary;
    return false;
  }
  if (has_cr_) end_lines_by_lf(length);
  std::string_view text(buffer_.get(), length);
  if (is_first_block_ && text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  has_lf_ = true;
  is_first_block_ = false;
  search_lines(text, pattern_, line_, options_.context_lines, options_.max_hits, findings.hits);
  if (at_end_) return true;
  line_ += kit::count_byte(text, '\n');
  std::memmove(buffer_.get(), buffer_.get() + taken, used_ - taken);
  used_ -= taken;
  return true;
}

/// CRLF becomes LF; in a file without any LF, CR does.
void FileSearcher::end_lines_by_lf(std::size_t &length) {
  char *const text = buffer_.get();
  const bool is_cr_only = at_end_ && !has_lf_ && std::memchr(text, '\n', length) == nullptr;
  if (is_cr_only) {
    std::replace(text, text + length, '\r', '\n');
    return;
  }
  char *write = text;
  const char *read = text;
  const char *const end = text + length;
  while (read < end) {
    const auto left = static_cast<std::size_t>(end - read);
    const auto *const found = static_cast<const char *>(std::memchr(read, '\r', left));
    const char *const stop = found == nullptr ? end : found;
    const auto run = static_cast<std::size_t>(stop - read);
    if (write != read) std::memmove(write, read, run);
    write += run;
    read = stop;
    if (read == end) break;
    if (read + 1 < end && read[1] == '\n') ++read; // the CR goes
    *write++ = *read++;
  }
  length = static_cast<std::size_t>(write - text);
}

FileVerdict FileSearcher::search_utf16(FileFindings &findings) {
  const std::string_view bytes(buffer_.get(), used_);
  kit::Result<Decoder, TextFault> decoder =
      Decoder::begin(bytes.substr(0, kNulWindow), std::nullopt);
  if (!decoder) return FileVerdict::binary;
  const kit::Result<Decoder::Piece, TextFault> piece = decoder->decode(bytes, true);
  if (!piece) return FileVerdict::binary;
  std::string text(piece->text);
  used_ = 0;
  reserve(text.size());
  std::memcpy(buffer_.get(), text.data(), text.size());
  std::size_t length = text.size();
  if (text.find('\r') != std::string::npos) end_lines_by_lf(length);
  search_lines({buffer_.get(), length}, pattern_, 1, options_.context_lines, options_.max_hits,
               findings.hits);
  return FileVerdict::searched;
}

} // namespace packhost::files
