// SPDX-License-Identifier: MIT
// packhost.secret/1.
#include "host/pack/secret_service.hpp"

#include "host/pack/services.hpp"
#include "sdk/kit/unique_fd.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace packhost::pack {

using kit::Code;

namespace {

constexpr std::size_t kMaxSecretBytes = 1024U * 1024;

kit::Result<std::string> read_file(const std::string &path) {
  const kit::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));

  struct stat facts {};

  if (!file.is_open() || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return kit::fail(Code::io, "the file of the secret cannot be read");
  std::string text(kMaxSecretBytes + 1 < static_cast<std::size_t>(facts.st_size) + 1
                       ? kMaxSecretBytes + 1
                       : static_cast<std::size_t>(facts.st_size) + 1,
                   '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return kit::fail(Code::io, "the file of the secret cannot be read");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  // A full buffer: the file grew while it was read, or is above the limit.
  if (have == text.size()) return kit::fail(Code::io, "the file of the secret is too long");
  text.resize(have);
  return text;
}

packhost_status read_secret(const packhost_host *host, packhost_str option,
                            void (*sink)(void *sink_ctx, packhost_str secret),
                            void *sink_ctx) noexcept {
  try {
    PackServices *services = find_services(host);
    if (services == nullptr || sink == nullptr || option.len == 0) return PACKHOST_E_MISUSE;
    auto secret = services->secrets().read(std::string_view(option.ptr, option.len));
    if (!secret)
      return secret.error().code == Code::not_found ? PACKHOST_E_NOT_FOUND : PACKHOST_E_IO;
    sink(sink_ctx, packhost_str{secret->data(), secret->size()});
    ::explicit_bzero(secret->data(), secret->size());
    return PACKHOST_OK;
  } catch (const std::exception &) {
    return PACKHOST_E_NOMEM;
  }
}

} // namespace

SecretService::SecretService(const PackLaunch &launch) : launch_(launch) {}

kit::Result<std::string> SecretService::read(std::string_view pointer) const {
  const auto source =
      std::find_if(launch_.secrets.begin(), launch_.secrets.end(),
                   [pointer](const SecretSource &each) { return each.pointer == pointer; });
  if (source == launch_.secrets.end())
    return kit::fail(Code::not_found, "there is no secret option '{}'", pointer);
  if (source->file.empty()) return source->fixed;
  auto text = read_file(source->file);
  if (!text) return text;
  if (text->ends_with('\n')) text->pop_back();
  if (text->ends_with('\r')) text->pop_back();
  if (text->empty()) return kit::fail(Code::io, "the secret is empty");
  return text;
}

const packhost_secret *SecretService::table() {
  static constexpr packhost_secret kTable{sizeof(packhost_secret), 0, read_secret};
  return &kTable;
}

} // namespace packhost::pack
