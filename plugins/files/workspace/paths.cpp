// SPDX-License-Identifier: MIT
// See paths.hpp.
#include "plugins/files/workspace/paths.hpp"

#include <algorithm>
#include <vector>

namespace packhost::files {

namespace {

tl::unexpected<Failure> invalid(std::string_view spelled, std::string_view reason,
                                std::string_view message) {
  return refuse(
      failure(ErrorCode::invalid_path, "{}", message).with("path", spelled).with("reason", reason));
}

} // namespace

Outcome<CallerPath> parse_path(std::string_view spelled, const kit::RootedDir &root) {
  if (spelled.empty()) return invalid(spelled, "empty", "The path is empty");
  if (spelled.find('\0') != std::string_view::npos)
    return invalid(spelled.substr(0, spelled.find('\0')), "nul", "A path holds no NUL character");
  if (spelled.size() > kMaxPathBytes)
    return invalid(spelled.substr(0, 64), "too_long", "A path has at most 4,095 bytes");
  CallerPath path;
  path.spelled = spelled;
  path.must_be_directory = spelled.back() == '/';
  const bool is_absolute = spelled.front() == '/';
  std::vector<std::string_view> parts;
  for (std::string_view rest = spelled; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (parts.empty() && !is_absolute)
        return refuse(failure_of(kit::PathFault::outside, spelled));
      if (!parts.empty()) parts.pop_back();
      continue;
    }
    if (part.size() > kMaxComponentBytes)
      return invalid(spelled, "too_long", "A component of a path has at most 255 bytes");
    parts.push_back(part);
  }
  std::string normal;
  for (const std::string_view part : parts) {
    if (is_absolute || !normal.empty()) normal += '/';
    normal += part;
  }
  if (is_absolute) {
    if (normal.empty()) normal = "/";
    const std::optional<std::string_view> inside = root.strip_root(normal);
    if (!inside) return refuse(failure_of(kit::PathFault::outside, spelled));
    normal = std::string(*inside);
  }
  const auto depth = static_cast<std::size_t>(std::count(normal.begin(), normal.end(), '/')) + 1;
  if (depth > kMaxComponents)
    return invalid(spelled, "too_deep", "A path has at most 128 components");
  path.relative = std::move(normal);
  return path;
}

std::string join(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty()) path += '/';
  path += name;
  return path;
}

std::string_view parent_of(std::string_view relative) {
  const std::size_t slash = relative.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : relative.substr(0, slash);
}

std::string_view last_of(std::string_view relative) {
  const std::size_t slash = relative.rfind('/');
  return slash == std::string_view::npos ? relative : relative.substr(slash + 1);
}

std::string_view first_of(std::string_view relative) {
  return relative.substr(0, std::min(relative.find('/'), relative.size()));
}

} // namespace packhost::files
