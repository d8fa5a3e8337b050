// SPDX-License-Identifier: MIT
// The pack as the host sees it: one object per open, a member function per tool and command. The
// members stand in tools/.
#pragma once

#include "plugins/files/answers.hpp"
#include "plugins/files/options.hpp"
#include "plugins/files/workspace/registry.hpp"
#include "plugins/files/workspace/workspace.hpp"

#include <packhost/pack.hpp>

#include <optional>
#include <string>

namespace packhost::files {

class Files : public Pack {
public:
  explicit Files(Open &open);

  /// Chooses among the registered workspaces; run before anything is served.
  static std::string plan(Open &open);

private:
  void workspace_list(Call &call);
  void workspace_info(Call &call);
  void file_read(Call &call);
  void file_read_many(Call &call);
  void directory_list(Call &call);
  void file_info(Call &call);
  void file_search(Call &call);
  void content_search(Call &call);

  void command_add(Call &call);
  void command_list(Call &call);
  void command_remove(Call &call);
  void command_default(Call &call);

  /// The served workspace. A pack opened for a command has none.
  [[nodiscard]] Outcome<const Workspace *> workspace() const;

  /// The pack's data directory or -1. Asked anew: it may be made while the pack is open.
  [[nodiscard]] int data_fd() const;

  Host host_;
  Settings settings_;
  std::optional<Workspace> workspace_;
};

} // namespace packhost::files
