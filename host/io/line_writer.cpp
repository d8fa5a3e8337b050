// SPDX-License-Identifier: MIT
// See line_writer.hpp.
#include "host/io/line_writer.hpp"

#include "sdk/kit/deadline.hpp"

#include <cerrno>
#include <climits>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace packhost::io {

namespace {

constexpr std::size_t kGatherBytes = std::size_t{64} * 1024;
constexpr std::int64_t kGatherNs = 200'000;

/// A pipe or terminal is opened anew so that O_NONBLOCK does not reach others who hold the same
/// description. Not possible everywhere (a socket, a descriptor of another user): nothing then.
kit::UniqueFd reopen_nonblocking(int fd) {
  char path[32];
  std::size_t at = 0;
  for (const char c : std::string_view("/proc/self/fd/")) path[at++] = c;
  const std::string number = std::to_string(fd);
  for (const char c : number) path[at++] = c;
  path[at] = '\0';
  return kit::UniqueFd(::open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_APPEND));
}

} // namespace

LineWriter::LineWriter(kit::UniqueFd out, int stop_fd) : out_(std::move(out)), stop_fd_(stop_fd) {
  struct stat info {};

  if (::fstat(out_.get(), &info) != 0) return;
  is_socket_ = S_ISSOCK(info.st_mode);
  if (S_ISFIFO(info.st_mode)) {
    kit::UniqueFd again = reopen_nonblocking(out_.get());
    if (again.is_open()) {
      out_ = std::move(again);
      is_nonblocking_ = true;
    }
  } else if (S_ISREG(info.st_mode)) {
    is_nonblocking_ = true; // never waits for a reader
  }
}

bool LineWriter::write_line(std::string text, Flush flush, const Commit &commit) {
  text += '\n';
  support::Lock lock(mutex_);
  if (commit && !commit()) return false;
  if (is_broken_) return false;
  if (flush == Flush::later && gathered_.size() + text.size() <= kGatherBytes) {
    if (gathered_.empty()) oldest_ns_ = kit::Deadline::now_ns();
    gathered_ += text;
    wants_flush_.store(true, std::memory_order_relaxed);
    return true;
  }
  if (gathered_.empty()) return write_all(text);
  if (text.size() < kGatherBytes) {
    gathered_ += text;
    return flush_locked();
  }
  return flush_locked() && write_all(text);
}

void LineWriter::queue_line(std::string text, Commit commit, std::function<void()> after) {
  support::Lock lock(queue_mutex_);
  queue_.push_back(Queued{std::move(text), std::move(commit), std::move(after)});
}

void LineWriter::flush_queued() {
  while (true) {
    Queued next;
    {
      support::Lock lock(queue_mutex_);
      if (queue_.empty()) break;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    write_line(std::move(next.text), Flush::now, next.commit);
    if (next.after) next.after();
  }
  flush();
}

bool LineWriter::flush() {
  support::Lock lock(mutex_);
  return flush_locked();
}

bool LineWriter::flush_locked() {
  if (gathered_.empty()) return !is_broken_;
  const bool done = write_all(gathered_);
  gathered_.clear(); // its memory stays for the next ones: at most a line above the 64 KiB
  wants_flush_.store(is_broken_, std::memory_order_relaxed);
  return done;
}

bool LineWriter::is_flush_due() {
  support::Lock lock(mutex_);
  return !gathered_.empty() &&
         (gathered_.size() >= kGatherBytes || kit::Deadline::now_ns() - oldest_ns_ >= kGatherNs);
}

bool LineWriter::has_gathered() {
  support::Lock lock(mutex_);
  return !gathered_.empty();
}

bool LineWriter::is_broken() {
  support::Lock lock(mutex_);
  return is_broken_;
}

bool LineWriter::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    if (is_broken_) return false;
    ssize_t written = 0;
    if (is_socket_) {
      written = ::send(out_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (is_nonblocking_) {
      written = ::write(out_.get(), bytes.data(), bytes.size());
    } else if (wait_writable()) {
      // What poll() promised room for: PIPE_BUF bytes cannot block.
      written =
          ::write(out_.get(), bytes.data(), bytes.size() < PIPE_BUF ? bytes.size() : PIPE_BUF);
    } else {
      written = -1;
      errno = EPIPE;
    }
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      if (!wait_writable()) is_broken_ = true;
    } else if (written < 0 && errno != EINTR) {
      if (errno != EPIPE && errno != ECONNRESET)
        write_error_.store(errno, std::memory_order_relaxed);
      is_broken_ = true;
    }
  }
  if (is_broken_) wants_flush_.store(true, std::memory_order_relaxed);
  return !is_broken_;
}

bool LineWriter::wait_writable() {
  waits_since_ns_.store(kit::Deadline::now_ns(), std::memory_order_relaxed);
  const bool is_writable = poll_writable();
  waits_since_ns_.store(0, std::memory_order_relaxed);
  return is_writable;
}

bool LineWriter::poll_writable() {
  while (true) {
    pollfd waits[2] = {{out_.get(), POLLOUT, 0}, {stop_fd_, POLLIN, 0}};
    const int count = ::poll(waits, stop_fd_ >= 0 ? 2 : 1, -1);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if ((waits[0].revents & (POLLERR | POLLNVAL)) != 0) return false;
    if ((waits[0].revents & (POLLOUT | POLLHUP)) != 0) return true;
    if (stop_fd_ >= 0 && waits[1].revents != 0) return false;
  }
}

} // namespace packhost::io
