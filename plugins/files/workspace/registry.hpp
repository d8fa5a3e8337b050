// SPDX-License-Identifier: MIT
// The operator's list of named workspaces: registry.json in the pack's data directory. Serving only
// reads it; the operator's commands change it under a lock. The format is described in README.md.
#pragma once

#include "plugins/files/errors.hpp"
#include "plugins/files/workspace/registry_lock.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::files {

struct RegisteredWorkspace {
  std::string id;
  std::string name;
  std::string root; // canonical
  std::string created_at;
  std::string other; // members this version does not know: `,"key":value` each
};

struct Registry {
  std::optional<std::string> default_name;
  std::vector<RegisteredWorkspace> workspaces;
  std::string other; // as above

  /// By exact id, else by exact name. Borrowed.
  [[nodiscard]] const RegisteredWorkspace *find(std::string_view name_or_id) const;
};

/// 1 to 64 letters, digits, ".", "_" and "-", the first a letter or digit.
[[nodiscard]] bool is_workspace_name(std::string_view name);

/// "ws_" and a ULID of now.
[[nodiscard]] std::string make_workspace_id();

/// Whether the root is a directory now.
[[nodiscard]] bool is_available(const RegisteredWorkspace &workspace);

/// `data_fd`: the pack's data directory; -1 or no file there: an empty registry. Fails with
/// STATE_UNAVAILABLE for what cannot be read or has a format this version does not know.
[[nodiscard]] Outcome<Registry> read_registry(int data_fd);

/// The file's text and back.
[[nodiscard]] Outcome<Registry> parse_registry(std::string_view text);
/// One workspace a line.
[[nodiscard]] std::string encode_registry(const Registry &registry);

/// Holds the registry's lock from begin() to its death.
class RegistryEdit {
public:
  /// Waits for the lock, ten seconds at most, then reads. `notice` is told what it waits for. Fails
  /// with STATE_UNAVAILABLE or WORKSPACE_BUSY.
  [[nodiscard]] static Outcome<RegistryEdit> begin(int data_fd, const WaitNotice &notice);

  Registry registry;

  [[nodiscard]] Outcome<void> save() const;

private:
  int data_fd_ = -1;
  kit::UniqueFd lock_;
};

} // namespace packhost::files
