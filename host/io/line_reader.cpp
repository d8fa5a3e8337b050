// SPDX-License-Identifier: MIT
// See line_reader.hpp.
#include "host/io/line_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <poll.h>
#include <unistd.h>

namespace packhost::io {

namespace {

constexpr std::size_t kSmallBuffer = std::size_t{8} * 1024;  // each page touched costs at the start
constexpr std::size_t kFirstBuffer = std::size_t{64} * 1024; // from the first read that fills it
constexpr std::size_t kKeptBuffer = std::size_t{1024} * 1024; // a larger one goes after its line
constexpr std::size_t kStartKept = 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

} // namespace

LineReader::LineReader(int fd, std::size_t max_line_bytes)
    : fd_(fd), max_line_bytes_(max_line_bytes) {
  buffer_.resize(kSmallBuffer);
}

LineEvent LineReader::next() {
  while (true) {
    if (std::optional<LineEvent> event = take()) return std::move(*event);
    if (!fill()) return LineEvent{LineEvent::Kind::end, {}};
  }
}

bool LineReader::has_line() {
  // Blank lines count: the worst that follows is one more look.
  return find_end();
}

bool LineReader::find_end() {
  if (has_end_) return true;
  if (scanned_ >= end_) return false;
  const void *found = std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_);
  if (found == nullptr) {
    scanned_ = end_;
    return false;
  }
  line_end_ = static_cast<std::size_t>(static_cast<const char *>(found) - buffer_.data());
  has_end_ = true;
  return true;
}

std::optional<LineEvent> LineReader::take() {
  while (true) {
    if (is_first_ && end_ - begin_ >= kByteOrderMark.size()) {
      is_first_ = false;
      if (std::string_view(buffer_).substr(begin_, 3) == kByteOrderMark) {
        begin_ += 3;
        if (scanned_ < begin_) scanned_ = begin_;
      }
    }
    if (!find_end()) {
      if (is_skipping_) {
        begin_ = scanned_ = end_; // nothing of it is kept
      } else if (end_ - begin_ >
                 max_line_bytes_ + 1) { // + 1: a CR may still turn out to be its end
        start_skipping();
      }
      return std::nullopt;
    }
    const std::size_t length = line_end_ - begin_;
    if (is_skipping_) {
      is_skipping_ = false;
      has_end_ = false;
      begin_ = scanned_ = line_end_ + 1;
      return LineEvent{LineEvent::Kind::oversize, std::move(skipped_start_)};
    }
    is_first_ = false;
    std::size_t without_cr = length;
    if (without_cr > 0 && buffer_[begin_ + without_cr - 1] == '\r') --without_cr;
    if (without_cr > max_line_bytes_) {
      LineEvent event{LineEvent::Kind::oversize,
                      buffer_.substr(begin_, std::min(length, kStartKept))};
      has_end_ = false;
      begin_ = scanned_ = line_end_ + 1;
      return event;
    }
    const std::string_view line = std::string_view(buffer_).substr(begin_, without_cr);
    if (is_blank(line)) {
      has_end_ = false;
      begin_ = scanned_ = line_end_ + 1;
      continue;
    }
    return LineEvent{LineEvent::Kind::line, cut_line(without_cr)};
  }
}

std::string LineReader::cut_line(std::size_t length) {
  std::string line;
  const std::size_t next = line_end_ + 1;
  if (length > kKeptBuffer) {
    // A large line leaves with the buffer it stands in: no second copy of up to 64 MiB.
    std::string rest(kFirstBuffer > end_ - next ? kFirstBuffer : end_ - next, '\0');
    std::memcpy(rest.data(), buffer_.data() + next, end_ - next);
    line = std::move(buffer_);
    line.resize(begin_ + length);
    line.erase(0, begin_);
    end_ -= next;
    begin_ = 0;
    buffer_ = std::move(rest);
  } else {
    line.assign(buffer_, begin_, length);
    begin_ = next;
  }
  scanned_ = begin_;
  has_end_ = false;
  return line;
}

void LineReader::start_skipping() {
  is_skipping_ = true;
  skipped_start_ = buffer_.substr(begin_, kStartKept);
  buffer_ = std::string(kFirstBuffer, '\0');
  begin_ = end_ = scanned_ = 0;
}

bool LineReader::fill() {
  if (begin_ == end_) {
    if (end_ == buffer_.size() && end_ < kFirstBuffer) buffer_.resize(kFirstBuffer);
    begin_ = end_ = scanned_ = 0;
    if (buffer_.size() > kKeptBuffer) buffer_ = std::string(kFirstBuffer, '\0');
  }
  if (end_ == buffer_.size()) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      scanned_ -= begin_;
      begin_ = 0;
    } else {
      const std::size_t wanted = std::max(kFirstBuffer, buffer_.size() + buffer_.size() / 2);
      const std::size_t most = max_line_bytes_ + kFirstBuffer;
      buffer_.resize(wanted < most || buffer_.size() >= most ? wanted : most);
    }
  }
  while (true) {
    const ssize_t count = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
    if (count > 0) {
      end_ += static_cast<std::size_t>(count);
      return true;
    }
    if (count == 0) return false;
    if (errno == EAGAIN) { // the client gave us a non-blocking descriptor
      pollfd ready{fd_, POLLIN, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
}

} // namespace packhost::io
