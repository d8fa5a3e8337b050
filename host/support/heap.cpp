// SPDX-License-Identifier: MIT
// See heap.hpp.
#include "host/support/heap.hpp"

#include <cstddef>

#include <malloc.h>

namespace packhost::support {

namespace {

// 1 MiB of text took 736 faults a call with the defaults, a fifth of its time.
constexpr int kLargestInHeap = 32 * 1024 * 1024; // the most malloc takes
constexpr int kKeptAtTop = 32 * 1024 * 1024;
constexpr std::size_t kKeptIdle = std::size_t{256} * 1024;

} // namespace

void set_up_heap() {
  // Arenas are kept per thread otherwise, and 128 threads would keep 16 of them.
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, kLargestInHeap);
  ::mallopt(M_TRIM_THRESHOLD, kKeptAtTop);
}

void give_back_free_memory() {
  if (::mallinfo2().fordblks > kKeptIdle) ::malloc_trim(0);
}

} // namespace packhost::support
