// SPDX-License-Identifier: MIT
// packhost.dirs/1: the directories that belong to a pack, made when they are first written.
#pragma once

#include "host/pack/launch.hpp"
#include "host/support/annotated_mutex.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <packhost/packhost.h>

#include <string>
#include <string_view>
#include <vector>

namespace packhost::pack {

/// Thread-safe.
class DirsService {
public:
  /// `launch` is borrowed for the life of this object.
  explicit DirsService(const PackLaunch &launch);

  /// An O_PATH descriptor that this object owns, or -1: not granted, or not there and only to be
  /// read. A directory that may be written is made (0700), its parents as well. What else stands in
  /// the way is told the operator, once a directory: the pack sees only the -1.
  [[nodiscard]] int find_directory(std::string_view which);

  /// Removes ${tmp} with what is in it.
  void close();

  [[nodiscard]] static const packhost_dirs *table();

private:
  struct Open {
    std::string which;
    std::string path;
    kit::UniqueFd fd;
  };

  int report(std::string_view which, std::string_view path, std::string_view what,
             std::string_view reason) PACKHOST_REQUIRES(mutex_);

  const PackLaunch &launch_;
  support::Mutex mutex_;
  std::vector<Open> open_ PACKHOST_GUARDED_BY(mutex_);
  std::vector<std::string> reported_ PACKHOST_GUARDED_BY(mutex_);
};

} // namespace packhost::pack
