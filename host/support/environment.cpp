// SPDX-License-Identifier: MIT
// The environment of the launch, taken into a private copy and cleared in the process itself.
#include "host/support/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace packhost::support {

namespace {

void overwrite(char *bytes, std::size_t count) {
  // volatile: the writes must survive although nobody reads them again
  volatile char *byte = bytes;
  for (std::size_t i = 0; i < count; ++i) byte[i] = 0;
}

} // namespace

PrivateEnvironment::~PrivateEnvironment() {
  wipe();
}

PrivateEnvironment PrivateEnvironment::take() {
  PrivateEnvironment copy;
  for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    copy.entries_.emplace_back(*entry);
    overwrite(*entry, std::strlen(*entry));
  }
  ::clearenv();
  return copy;
}

PrivateEnvironment PrivateEnvironment::for_test_of(std::vector<std::string> entries) {
  PrivateEnvironment copy;
  copy.entries_ = std::move(entries);
  return copy;
}

std::optional<std::string_view> PrivateEnvironment::find(std::string_view name) const {
  for (const std::string &entry : entries_) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return std::string_view(entry).substr(name.size() + 1);
  }
  return std::nullopt;
}

void PrivateEnvironment::put_back(const std::vector<std::string> &names) const {
  for (const std::string &name : names) {
    if (is_loader_variable(name)) continue;
    if (const auto value = find(name)) ::setenv(name.c_str(), std::string(*value).c_str(), 1);
  }
}

void PrivateEnvironment::wipe() {
  for (std::string &entry : entries_) overwrite(entry.data(), entry.size());
  entries_.clear();
}

bool is_loader_variable(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kPrefixes{"LD_",     "GCONV_PATH",  "OPENSSL_",
                                                             "GLIBC_",  "MALLOC_",     "LOCPATH",
                                                             "NLSPATH", "HOSTALIASES", "RESOLV_"};
  static constexpr std::array<std::string_view, 5> kNames{"SSL_CERT_FILE", "SSL_CERT_DIR",
                                                          "GETCONF_DIR", "LOCALDOMAIN", "TZDIR"};
  const auto starts = [name](std::string_view prefix) { return name.starts_with(prefix); };
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), starts) ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

} // namespace packhost::support
