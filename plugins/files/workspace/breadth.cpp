// SPDX-License-Identifier: MIT
// See breadth.hpp.
#include "plugins/files/workspace/breadth.hpp"

#include <algorithm>
#include <array>

namespace packhost::files {

namespace {

constexpr std::array<std::string_view, 15> kSystem{"/bin",   "/boot",  "/dev", "/etc",  "/lib",
                                                   "/lib32", "/lib64", "/opt", "/proc", "/run",
                                                   "/sbin",  "/sys",   "/usr", "/var",  "/libx32"};

bool is_system(std::string_view root) {
  return std::any_of(kSystem.begin(), kSystem.end(),
                     [root](std::string_view directory) { return root == directory; });
}

/// By the usual places, and by the registry, which lies in its account's home unless told
/// otherwise.
bool is_home(std::string_view root, std::string_view data_directory) {
  constexpr std::string_view kHomes = "/home/";
  const bool is_below_homes = root.substr(0, kHomes.size()) == kHomes &&
                              root.find('/', kHomes.size()) == std::string_view::npos;
  return root == "/root" || root == "/home" || is_below_homes || is_inside(data_directory, root);
}

} // namespace

bool is_inside(std::string_view inner, std::string_view outer) {
  if (outer == "/") return inner.size() > 1 && inner.front() == '/';
  return inner.size() > outer.size() && inner.substr(0, outer.size()) == outer &&
         inner[outer.size()] == '/';
}

std::string describe_breadth(std::string_view root, std::string_view data_directory) {
  if (root == "/")
    return "it is the whole file system: everything this account may read is open to whoever is "
           "served it";
  if (is_system(root))
    return "it is a directory of the system: settings and perhaps secrets of this machine are open "
           "to whoever is served it";
  if (is_home(root, data_directory))
    return "it is a home directory or holds one: keys, passwords and mail in it are open to "
           "whoever "
           "is served it";
  return {};
}

} // namespace packhost::files
