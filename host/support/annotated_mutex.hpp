// SPDX-License-Identifier: MIT
// std::mutex with clang's thread-safety annotations, so that "this member needs that lock" is
// checked by the compiler (-Wthread-safety). Empty under gcc.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define PACKHOST_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define PACKHOST_THREAD_ATTRIBUTE(x)
#endif
#define PACKHOST_GUARDED_BY(x) PACKHOST_THREAD_ATTRIBUTE(guarded_by(x))
#define PACKHOST_REQUIRES(x) PACKHOST_THREAD_ATTRIBUTE(requires_capability(x))
#define PACKHOST_EXCLUDES(x) PACKHOST_THREAD_ATTRIBUTE(locks_excluded(x))

namespace packhost::support {

class PACKHOST_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
public:
  void lock() PACKHOST_THREAD_ATTRIBUTE(acquire_capability()) { mutex_.lock(); }

  bool try_lock() PACKHOST_THREAD_ATTRIBUTE(try_acquire_capability(true)) {
    return mutex_.try_lock();
  }

  void unlock() PACKHOST_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }

private:
  std::mutex mutex_;
};

/// Holds a Mutex for its own life; may be let go of and taken again in between.
class PACKHOST_THREAD_ATTRIBUTE(scoped_lockable) Lock {
public:
  explicit Lock(Mutex &mutex) PACKHOST_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }

  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

  ~Lock() PACKHOST_THREAD_ATTRIBUTE(release_capability()) {
    if (held_) mutex_.unlock();
  }

  void lock() PACKHOST_THREAD_ATTRIBUTE(acquire_capability()) {
    mutex_.lock();
    held_ = true;
  }

  void unlock() PACKHOST_THREAD_ATTRIBUTE(release_capability()) {
    held_ = false;
    mutex_.unlock();
  }

private:
  Mutex &mutex_;
  bool held_ = true;
};

using ConditionVariable = std::condition_variable_any;

} // namespace packhost::support
