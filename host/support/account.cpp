// SPDX-License-Identifier: MIT
// The account's home directory, from the user database.
#include "host/support/account.hpp"

#include <cerrno>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace packhost::support {

namespace {

kit::Result<std::string> look_up_home() {
  std::vector<char> room(4096);

  struct passwd entry {};
  struct passwd *found = nullptr;
  int error = ::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found);
  while (error == ERANGE && room.size() < 1024U * 1024) {
    room.resize(room.size() * 2);
    error = ::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found);
  }
  if (error != 0 || found == nullptr || found->pw_dir == nullptr || *found->pw_dir != '/')
    return kit::fail(kit::Code::config,
                     "needs a home directory, and the user database has none for user {}",
                     ::geteuid());
  std::string home = found->pw_dir;
  while (home.size() > 1 && home.back() == '/') home.pop_back();
  return home;
}

} // namespace

kit::Result<std::string> find_home() {
  static const kit::Result<std::string> home = look_up_home();
  return home;
}

} // namespace packhost::support
