// SPDX-License-Identifier: MIT
// SHA-256 through libcrypto, opened by its soname at the first use (the function types come from
// the header, so a changed prototype does not compile).
#include "sdk/kit/sha256.hpp"

#include <openssl/evp.h>

#include <cassert>
#include <string>
#include <utility>

#include <dlfcn.h>

namespace packhost::kit {

namespace {

struct Crypto {
  decltype(&EVP_MD_CTX_new) make_context = nullptr;
  decltype(&EVP_MD_CTX_free) free_context = nullptr;
  decltype(&EVP_MD_fetch) fetch = nullptr;
  decltype(&EVP_DigestInit_ex) init = nullptr;
  decltype(&EVP_DigestUpdate) update = nullptr;
  decltype(&EVP_DigestFinal_ex) final = nullptr;
  const EVP_MD *sha256 = nullptr; // fetched once: EVP_sha256() looks it up anew for every digest
  std::string problem;            // of the dynamic linker; empty when all is there
};

template <typename Function>
void look_up(void *library, const char *name, Function &function, std::string &problem) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr && problem.empty()) problem = std::string("libcrypto lacks ") + name;
}

Crypto open_crypto() {
  Crypto crypto;
  void *library = ::dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char *text = ::dlerror(); // NOLINT(concurrency-mt-unsafe): glibc keeps it per thread
    crypto.problem = text != nullptr ? text : "libcrypto.so.3 cannot be opened";
    return crypto;
  }
  look_up(library, "EVP_MD_CTX_new", crypto.make_context, crypto.problem);
  look_up(library, "EVP_MD_CTX_free", crypto.free_context, crypto.problem);
  look_up(library, "EVP_MD_fetch", crypto.fetch, crypto.problem);
  look_up(library, "EVP_DigestInit_ex", crypto.init, crypto.problem);
  look_up(library, "EVP_DigestUpdate", crypto.update, crypto.problem);
  look_up(library, "EVP_DigestFinal_ex", crypto.final, crypto.problem);
  if (crypto.problem.empty()) crypto.sha256 = crypto.fetch(nullptr, "SHA256", nullptr);
  if (crypto.problem.empty() && crypto.sha256 == nullptr)
    crypto.problem = "libcrypto has no SHA256";
  return crypto;
}

/// Opened once, by whichever thread asks first; never closed.
const Crypto &crypto() {
  static const Crypto opened = open_crypto();
  return opened;
}

EVP_MD_CTX *context_of(void *context) {
  return static_cast<EVP_MD_CTX *>(context);
}

} // namespace

Result<Sha256> Sha256::begin() {
  const Crypto &functions = crypto();
  Error error{Code::internal, "SHA-256 is not available: libcrypto.so.3 cannot be used",
              functions.problem};
  if (!functions.problem.empty()) return tl::unexpected<Error>(std::move(error));
  EVP_MD_CTX *context = functions.make_context();
  if (context == nullptr || functions.init(context, functions.sha256, nullptr) != 1) {
    functions.free_context(context);
    error.detail = "the digest cannot be set up";
    return tl::unexpected<Error>(std::move(error));
  }
  return Sha256(context);
}

Sha256::Sha256(Sha256 &&other) noexcept : context_(std::exchange(other.context_, nullptr)) {}

Sha256 &Sha256::operator=(Sha256 &&other) noexcept {
  std::swap(context_, other.context_);
  return *this;
}

Sha256::~Sha256() {
  if (context_ != nullptr) crypto().free_context(context_of(context_));
}

void Sha256::update(std::string_view bytes) {
  assert(context_ != nullptr);
  crypto().update(context_of(context_), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  assert(context_ != nullptr);
  std::array<unsigned char, 32> digest{};
  crypto().final(context_of(context_), digest.data(), nullptr);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(digest.size() * 2, '\0');
  for (std::size_t i = 0; i < digest.size(); ++i) {
    text[2 * i] = kDigits[digest[i] >> 4U];
    text[2 * i + 1] = kDigits[digest[i] & 0x0FU];
  }
  return text;
}

Result<std::string> sha256_hex(std::string_view bytes) {
  Result<Sha256> digest = Sha256::begin();
  if (!digest) return pass_on(digest);
  digest->update(bytes);
  return digest->hex();
}

} // namespace packhost::kit
