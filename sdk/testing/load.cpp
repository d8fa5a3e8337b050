// SPDX-License-Identifier: MIT
// From a file to an entry, with a host's checks and a host's words for a refusal.
#include "sdk/contract/elf.hpp"
#include "sdk/kit/unique_fd.hpp"
#include "sdk/testing/harness.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace packhost::testing {

namespace {

constexpr char kSymbol[] = "packhost_pack_v1";

[[noreturn]] void refuse(const std::string &file, const std::string &why) {
  const std::string name = file.substr(file.rfind('/') + 1);
  throw OpenFailed(PACKHOST_E_CONFIG, "cannot load " + name + ": " + why);
}

template <class T>
T accept(const std::string &file, kit::Result<T> result) {
  if (!result) refuse(file, result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// What a host compares before it calls anything.
void check_entry(const std::string &file, const contract::Manifest &manifest,
                 const packhost_entry &entry) {
  const std::string_view loaded(entry.manifest, entry.manifest_len);
  const packhost_entry *at = &entry;
  if (!PACKHOST_HAS(at, shutdown)) refuse(file, "its entry is smaller than that of ABI 1.0");
  accept(file, contract::check_abi(entry.abi_major, entry.needs_minor, PACKHOST_ABI_MAJOR,
                                   PACKHOST_ABI_MINOR));
  if (loaded != manifest.text) {
    refuse(file, "the manifest in the file and the one in the loaded object differ (was the file "
                 "replaced?)");
  }
  if (entry.needs_minor != manifest.needs_minor) {
    refuse(file, "the entry's needs_minor and the manifest's \"abi\" differ");
  }
  if (entry.open == nullptr || entry.call == nullptr || entry.shutdown == nullptr) {
    refuse(file, "its entry lacks open, call or shutdown");
  }
  if (manifest.plan.wanted && entry.plan == nullptr) {
    refuse(file, "its manifest says \"plan\" and its entry has none");
  }
}

contract::AcceptedManifest accept_manifest(const std::string &file, std::string_view text) {
  contract::AcceptedManifest manifest = accept(file, contract::parse_manifest(text));
  accept(file, contract::check_abi(manifest->abi_major, manifest->needs_minor, PACKHOST_ABI_MAJOR,
                                   PACKHOST_ABI_MINOR));
  accept(file, contract::check_requires(*manifest));
  return manifest;
}

} // namespace

std::string read_pack_file(const std::string &file) {
  const kit::UniqueFd in(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes;
  char buffer[65536];
  ssize_t got = in.is_open() ? 1 : -1;
  while (got > 0) {
    got = read(in.get(), buffer, sizeof(buffer));
    if (got > 0) bytes.append(buffer, static_cast<std::size_t>(got));
  }
  if (got < 0) refuse(file, "the file cannot be read");
  return bytes;
}

LoadedPack load_pack_file(const std::string &file) {
  const contract::ElfFacts facts = accept(file, contract::read_elf(read_pack_file(file)));
  if (!facts.is_native) {
    refuse(file, "built for " + facts.machine + ", this host is " +
                     std::string(contract::native_machine()));
  }
  LoadedPack loaded{accept_manifest(file, facts.manifest), nullptr, {}};
  // A path without a slash would be searched for.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  Violations violations;
  void *object = nullptr;
  {
    const OutputWindow window(violations, "while it was loaded");
    object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  }
  loaded.violations = violations.all();
  if (object == nullptr) {
    const char *why = dlerror(); // NOLINT(concurrency-mt-unsafe): per thread in glibc
    std::string text = why == nullptr ? "no reason given" : why;
    if (text.rfind(path + ": ", 0) == 0) text.erase(0, path.size() + 2);
    refuse(file, text + " (from the dynamic linker)");
  }
  loaded.entry = static_cast<const packhost_entry *>(dlsym(object, kSymbol));
  dlclose(object); // stays mapped: RTLD_NODELETE
  if (loaded.entry == nullptr) refuse(file, std::string("it does not export ") + kSymbol);
  check_entry(file, *loaded.manifest, *loaded.entry);
  return loaded;
}

LoadedPack accept_entry(const packhost_entry &entry) {
  const std::string name = "the linked pack";
  LoadedPack loaded{accept_manifest(name, {entry.manifest, entry.manifest_len}), &entry, {}};
  check_entry(name, *loaded.manifest, entry);
  return loaded;
}

} // namespace packhost::testing
