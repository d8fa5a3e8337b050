// SPDX-License-Identifier: MIT
// A point on the monotonic clock, carried by value. The unit across the ABI is nanoseconds of
// CLOCK_MONOTONIC.
#pragma once

#include <chrono>
#include <cstdint>

namespace packhost::kit {

class Deadline {
public:
  using Clock = std::chrono::steady_clock; // CLOCK_MONOTONIC on Linux

  /// Never.
  Deadline() = default;

  [[nodiscard]] static Deadline after(std::chrono::nanoseconds span) {
    return Deadline(now_ns() + span.count());
  }

  [[nodiscard]] static Deadline at_ns(std::uint64_t monotonic_ns) {
    return monotonic_ns > INT64_MAX ? Deadline()
                                    : Deadline(static_cast<std::int64_t>(monotonic_ns));
  }

  [[nodiscard]] bool is_never() const { return ns_ == INT64_MAX; }

  [[nodiscard]] bool has_passed() const { return !is_never() && now_ns() >= ns_; }

  /// For the ABI: UINT64_MAX when there is none.
  [[nodiscard]] std::uint64_t ns() const {
    return is_never() ? UINT64_MAX : static_cast<std::uint64_t>(ns_);
  }

  /// For poll(): rounded up, -1 for never, 0 when passed.
  [[nodiscard]] int poll_ms() const {
    if (is_never()) return -1;
    const std::int64_t left = ns_ - now_ns();
    if (left <= 0) return 0;
    const std::int64_t ms = (left + 999'999) / 1'000'000;
    return ms > 1'000'000'000 ? 1'000'000'000 : static_cast<int>(ms);
  }

  friend bool operator<(Deadline a, Deadline b) { return a.ns_ < b.ns_; }

  friend bool operator==(Deadline a, Deadline b) { return a.ns_ == b.ns_; }

  [[nodiscard]] static std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
        .count();
  }

private:
  explicit Deadline(std::int64_t ns) : ns_(ns) {}

  std::int64_t ns_ = INT64_MAX;
};

} // namespace packhost::kit
