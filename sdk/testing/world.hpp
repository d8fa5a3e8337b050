// SPDX-License-Identifier: MIT
// The surroundings of a pack under test: its directories, endpoints with scripted peers, programs
// it may start, and secrets; behind packhost.dirs/1, net/1, process/1 and secret/1.
#pragma once

#include "sdk/kit/unique_fd.hpp"

#include <packhost/testing.hpp>

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace packhost::testing {

class World {
public:
  /// Makes the directories. Fails with std::runtime_error when there is no room for them.
  explicit World(const Setup &setup);
  World(const World &) = delete;
  World &operator=(const World &) = delete;
  /// stop(), then removes the directories.
  ~World();

  /// The interface struct, or nullptr for an id that is not one of the four.
  [[nodiscard]] static const void *find_interface(std::string_view id);

  [[nodiscard]] std::string directory(std::string_view which) const;
  void set_secret(const std::string &pointer, std::string bytes);

  /// Ends every child and waits for every peer script.
  void stop();

  // What the interfaces do.
  packhost_status connect(std::string_view endpoint, std::int32_t *out_fd);
  packhost_status spawn(std::string_view name, const packhost_str *args, std::size_t n_args,
                        packhost_child *out);
  packhost_status send_signal(std::uint64_t child_id, std::int32_t signal);
  packhost_status wait_status(std::uint64_t child_id, std::int32_t *out_status);
  packhost_status read_secret(std::string_view pointer, void (*sink)(void *, packhost_str),
                              void *sink_ctx);
  [[nodiscard]] std::int32_t dir_fd(std::string_view which) const;

private:
  struct Child {
    std::uint64_t id = 0;
    pid_t pid = -1;
    kit::UniqueFd exit_fd;
    bool has_ended = false;
    int status = 0;
  };

  struct Peer {
    kit::UniqueFd end; // closed by stop(); the script's thread only shuts it down
    std::thread script;
  };

  Child *find_child(std::uint64_t id); // REQUIRES: mutex_ held
  static void reap(Child &child, int flags);

  const Setup setup_;
  std::string base_;
  std::map<std::string, kit::UniqueFd, std::less<>> directories_;
  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> secrets_; // guarded, as what follows
  std::list<Child> children_;
  std::list<Peer> peers_;
};

} // namespace packhost::testing
