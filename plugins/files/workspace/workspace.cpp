// SPDX-License-Identifier: MIT
// See workspace.hpp.
#include "plugins/files/workspace/workspace.hpp"

#include "plugins/files/names.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace packhost::files {

namespace {

constexpr std::array<std::string_view, 2> kStateNames{".packhost", ".filekeeper"};
constexpr std::string_view kTemporaryStart = ".phtmp-";
constexpr int kRaces = 32;

bool equals_without_case(std::string_view one, std::string_view other) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [lower](char a, char b) { return lower(a) == lower(b); });
}

bool is_state_name(std::string_view name) {
  return std::find(kStateNames.begin(), kStateNames.end(), name) != kStateNames.end();
}

bool is_temporary(std::string_view name) {
  return name.substr(0, kTemporaryStart.size()) == kTemporaryStart;
}

/// Whether `path` is `prefix` or lies below it.
bool is_at_or_below(std::string_view path, std::string_view prefix) {
  return path.substr(0, prefix.size()) == prefix &&
         (path.size() == prefix.size() || path[prefix.size()] == '/');
}

std::optional<kit::FileId> id_at(int dir, const std::string &name) {
  struct stat status {};

  if (::fstatat(dir, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return kit::id_of(status);
}

Failure reserved_failure(std::string_view spelled, std::string_view reason) {
  return failure(ErrorCode::reserved_path, "This name is reserved")
      .with("path", spelled)
      .with("reason", reason);
}

Failure kind_failure(const struct stat &status, std::string_view spelled) {
  if (S_ISDIR(status.st_mode)) {
    return failure(ErrorCode::not_a_file, "A directory is at this path")
        .with("path", spelled)
        .with("kind", "directory")
        .with("recovery", "Use directory_list to see what it holds.");
  }
  return failure(ErrorCode::not_a_regular_file, "This is no regular file")
      .with("path", spelled)
      .with("kind", "other");
}

} // namespace

kit::Result<Workspace> Workspace::open(const Settings &settings, int home_fd, bool walk_by_hand) {
  std::vector<std::string> spellings;
  if (!settings.spelled.empty()) spellings.push_back(settings.spelled);
  kit::RootedDir::Options options;
  options.walk_by_hand = walk_by_hand;
  options.stay_on_mount = !settings.allow_mounts;
  kit::Result<kit::RootedDir> root =
      kit::RootedDir::open(settings.root, std::move(spellings), options);
  if (!root) {
    tl::unexpected<kit::Error> refused =
        kit::fail(kit::Code::config, "the workspace root '{}' cannot be opened as a directory",
                  settings.root);
    refused.value().detail = std::move(root.error().detail);
    return refused;
  }
  Workspace workspace(std::move(*root));
  workspace.stays_on_mount_ = options.stay_on_mount;
  if (home_fd >= 0) {
    std::array<char, PATH_MAX> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(home_fd);
    const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
    if (length > 0) {
      const std::string_view home(path.data(), static_cast<std::size_t>(length));
      if (const auto inside = workspace.root_.strip_root(home)) workspace.home_ = *inside;
    }
  }
  return workspace;
}

Outcome<void> Workspace::check_in_place() const {
  if (root_.is_in_place()) return {};
  return refuse(
      failure(ErrorCode::workspace_root_changed, "The workspace's directory was moved or replaced")
          .with("recovery", "Ask the operator to start the server again."));
}

std::optional<Failure> Workspace::reserved(std::string_view relative,
                                           std::string_view spelled) const {
  if (is_state_name(first_of(relative))) return reserved_failure(spelled, "state");
  if (!home_.empty() && is_at_or_below(relative, home_)) return reserved_failure(spelled, "state");
  for (std::string_view rest = relative; !rest.empty();) {
    const std::string_view part = first_of(rest);
    if (is_temporary(part)) return reserved_failure(spelled, "temporary");
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return std::nullopt;
}

/// By device and inode: the way led through a reserved directory, however that was spelled.
bool Workspace::passes_reserved(const kit::Located &place) const {
  std::vector<kit::FileId> reached = place.passed;
  const std::string first(first_of(place.path));
  const bool looks_alike =
      std::any_of(kStateNames.begin(), kStateNames.end(),
                  [&](std::string_view name) { return equals_without_case(first, name); });
  if (looks_alike) {
    if (const auto id = id_at(root_.fd(), first)) reached.push_back(*id);
  }
  if (reached.empty()) return false;
  std::vector<kit::FileId> forbidden;
  for (const std::string_view name : kStateNames) {
    if (const auto id = id_at(root_.fd(), std::string(name))) forbidden.push_back(*id);
  }
  if (!home_.empty()) {
    if (const auto id = id_at(root_.fd(), home_)) forbidden.push_back(*id);
  }
  return std::any_of(reached.begin(), reached.end(), [&](const kit::FileId &id) {
    return std::find(forbidden.begin(), forbidden.end(), id) != forbidden.end();
  });
}

Outcome<Place> Workspace::find(std::string_view spelled, LastLink last) const {
  if (Outcome<void> in_place = check_in_place(); !in_place) return kit::pass_on(in_place);
  Outcome<CallerPath> path = parse_path(spelled, root_);
  if (!path) return kit::pass_on(path);
  if (std::optional<Failure> refused = reserved(path->relative, spelled))
    return refuse(std::move(*refused));
  if (path->must_be_directory) last = LastLink::follow;
  kit::Result<kit::Located, kit::PathFault> at = root_.locate(path->relative, last);
  for (int tries = 1; !at && at.error() == kit::PathFault::changed && tries < kRaces; ++tries)
    at = root_.locate(path->relative, last);
  if (!at) {
    if (at.error() == kit::PathFault::not_found) return refuse(not_found(*path));
    return refuse(failure_of(at.error(), spelled));
  }
  if (std::optional<Failure> refused = reserved(at->path, spelled))
    return refuse(std::move(*refused));
  if (passes_reserved(*at)) return refuse(reserved_failure(spelled, "state"));
  return Place{std::move(*path), std::move(*at)};
}

Outcome<OpenedFile> Workspace::open_file(std::string_view spelled) const {
  if (Outcome<void> in_place = check_in_place(); !in_place) return kit::pass_on(in_place);
  Outcome<CallerPath> path = parse_path(spelled, root_);
  if (!path) return kit::pass_on(path);
  if (std::optional<Failure> refused = reserved(path->relative, spelled))
    return refuse(std::move(*refused));
  const bool looks_reserved =
      std::any_of(kStateNames.begin(), kStateNames.end(), [&](std::string_view name) {
        return equals_without_case(first_of(path->relative), name);
      });
  if (!path->must_be_directory && !looks_reserved) {
    if (std::optional<kit::OpenFile> file = root_.open_plain_file(path->relative))
      return OpenedFile{std::move(*file), std::move(*path)};
  }
  for (int tries = 1;; ++tries) {
    Outcome<Place> place = find(spelled, LastLink::follow);
    if (!place) return kit::pass_on(place);
    if (!S_ISREG(place->at.status.st_mode)) return refuse(kind_failure(place->at.status, spelled));
    if (place->asked.must_be_directory) {
      return refuse(failure(ErrorCode::not_a_file, "A path that ends in '/' names a directory")
                        .with("path", spelled)
                        .with("kind", "file")
                        .with("recovery", "Leave the final '/' out."));
    }
    kit::Result<kit::OpenFile, kit::PathFault> file = root_.open_regular(place->at);
    if (file) return OpenedFile{std::move(*file), std::move(place->asked)};
    if (file.error() != kit::PathFault::changed || tries >= kRaces)
      return refuse(failure_of(file.error(), spelled));
  }
}

Outcome<kit::UniqueFd> Workspace::open_directory(const Place &place) const {
  kit::Result<kit::UniqueFd, kit::PathFault> dir = root_.open_directory(place.at);
  if (dir) return std::move(*dir);
  Failure refused = failure_of(dir.error(), place.asked.spelled);
  if (dir.error() == kit::PathFault::not_a_directory)
    refused = std::move(refused).with("kind", S_ISREG(place.at.status.st_mode) ? "file" : "other");
  return refuse(std::move(refused));
}

std::string Workspace::shown(std::string_view relative) const {
  if (root_.canonical_path() == "/") return "/" + std::string(relative);
  return relative.empty() ? "." : std::string(relative);
}

bool Workspace::hides(std::string_view directory, std::string_view name) const {
  if (name.empty() || name.front() != '.') {
    // Only the home directory can have any other name.
    return !home_.empty() && home_.size() == directory.size() + name.size() + !directory.empty() &&
           join(directory, name) == home_;
  }
  if (directory.empty() && is_state_name(name)) return true;
  if (is_temporary(name)) return true;
  return !home_.empty() && join(directory, name) == home_;
}

Workspace::Link Workspace::look_at_link(int parent_fd, const std::string &name,
                                        const std::string &link_path) const {
  Link link;
  std::array<char, PATH_MAX> buffer{};
  const ssize_t length = ::readlinkat(parent_fd, name.c_str(), buffer.data(), buffer.size());
  if (length < 0) return link;
  link.text.assign(buffer.data(), static_cast<std::size_t>(length));
  if (!link.text.empty() && link.text.front() == '/') {
    link.is_absolute = true;
    if (const std::optional<std::string_view> inside = root_.strip_root(link.text))
      link.text = inside->empty() ? "." : std::string(*inside);
  }
  const kit::Result<kit::Located, kit::PathFault> end = root_.locate(link_path, LastLink::follow);
  link.leads_outside = !end && end.error() == kit::PathFault::outside;
  if (end && !reserved(end->path, {}) && !passes_reserved(*end)) link.end = end->path;
  return link;
}

Failure Workspace::not_found(const CallerPath &path) const {
  Failure result = failure_of(kit::PathFault::not_found, path.spelled);
  // The first component that is missing, and what its directory holds under an equivalent name.
  std::string_view rest = path.relative;
  std::string directory;
  while (!rest.empty()) {
    const std::string_view part = first_of(rest);
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::string here = join(directory, part);
    if (const auto at = root_.locate(here, LastLink::follow); at) {
      if (passes_reserved(*at)) return result;
      directory = here;
      continue;
    }
    const auto parent = root_.locate(directory, LastLink::follow);
    if (!parent) return result;
    kit::Result<kit::UniqueFd, kit::PathFault> listing = root_.open_directory(*parent);
    if (!listing) return result;
    const std::optional<std::string> similar = find_equivalent_name(std::move(*listing), part);
    if (!similar || hides(directory, *similar)) return result;
    const std::string suggestion =
        rest.empty() ? join(directory, *similar) : join(join(directory, *similar), rest);
    if (!root_.locate(suggestion, LastLink::keep)) return result;
    return std::move(result).with("did_you_mean", shown(suggestion));
  }
  return result;
}

} // namespace packhost::files
