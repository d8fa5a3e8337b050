// SPDX-License-Identifier: MIT
// Finds a pack's file and probes it without running anything of it.
#include "host/cli/pack_file.hpp"

#include "host/cli/paths.hpp"
#include "host/cli/places.hpp"
#include "host/cli/suggest.hpp"
#include "sdk/contract/elf.hpp"
#include "sdk/kit/errno_text.hpp"
#include "sdk/kit/sha256.hpp"

#include <packhost/packhost.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace packhost::cli {

using kit::Code;

namespace {

/// A file mapped for reading.
class Mapping {
public:
  Mapping(int fd, std::size_t size) : size_(size) {
    if (size > 0) address_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  }

  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;

  ~Mapping() {
    if (is_mapped()) ::munmap(address_, size_);
  }

  [[nodiscard]] bool is_mapped() const { return address_ != MAP_FAILED; }

  [[nodiscard]] std::string_view bytes() const {
    return {static_cast<const char *>(address_), size_};
  }

private:
  void *address_ = MAP_FAILED;
  std::size_t size_;
};

tl::unexpected<kit::Error> refuse(std::string_view shown_file, std::string_view reason) {
  return kit::fail(Code::config, "cannot load {}: {}", shown_file, reason);
}

/// The same with a reason of the contract's, which ends without a full stop.
tl::unexpected<kit::Error> refuse_for(std::string_view shown_file, const kit::Error &error) {
  return refuse(shown_file, error.message + (error.message.ends_with('.') ? "" : "."));
}

bool others_may_write(const struct stat &facts) {
  return (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

kit::Status check_directory(const std::string &directory, std::string_view shown_file) {
  struct stat facts {};

  if (::stat(directory.c_str(), &facts) != 0)
    return refuse(shown_file,
                  fmt::format("its directory cannot be looked at ({}).", kit::errno_text(errno)));
  if (others_may_write(facts))
    return refuse(
        shown_file,
        fmt::format("group or others may write to its directory (mode {:04o}). Run: chmod "
                    "go-w {}",
                    facts.st_mode & 07777U, directory));
  return {};
}

/// A copy that nobody can change any more.
kit::Result<kit::UniqueFd> seal_copy(std::string_view bytes, std::string_view shown_file) {
  kit::UniqueFd copy(::memfd_create("packhost-pack", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!copy.is_open())
    return refuse(shown_file, fmt::format("no memory file for it ({}).", kit::errno_text(errno)));
  while (!bytes.empty()) {
    const ssize_t done = ::write(copy.get(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0)
      return refuse(shown_file, fmt::format("it cannot be copied ({}).", kit::errno_text(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  if (::fcntl(copy.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) !=
      0)
    return refuse(shown_file,
                  fmt::format("its copy cannot be sealed ({}).", kit::errno_text(errno)));
  return copy;
}

struct OpenFile {
  kit::UniqueFd fd;
  std::size_t size = 0;
};

kit::Result<OpenFile> open_file(const std::string &path, std::string_view shown_file) {
  OpenFile file;
  file.fd.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));

  struct stat facts {};

  if (!file.fd.is_open() || ::fstat(file.fd.get(), &facts) != 0)
    return refuse(shown_file, fmt::format("it cannot be read ({}).", kit::errno_text(errno)));
  if (!S_ISREG(facts.st_mode)) return refuse(shown_file, "not a regular file.");
  if (others_may_write(facts))
    return refuse(shown_file, fmt::format("group or others may write to it (mode {:04o}). Run: "
                                          "chmod go-w {}",
                                          facts.st_mode & 07777U, shown_file));
  file.size = static_cast<std::size_t>(facts.st_size);
  return file;
}

/// What the bytes say: sets everything of `found` that is read from them.
kit::Result<PackFile> read_facts(std::string_view bytes, std::string_view shown_file) {
  auto elf = contract::read_elf(bytes);
  if (!elf) return refuse_for(shown_file, elf.error());
  auto manifest = contract::parse_manifest(elf->manifest);
  if (!manifest) return refuse_for(shown_file, manifest.error());
  const auto abi = contract::check_abi((*manifest)->abi_major, (*manifest)->needs_minor,
                                       PACKHOST_ABI_MAJOR, PACKHOST_ABI_MINOR);
  if (!abi) return refuse_for(shown_file, abi.error());
  const auto needs = contract::check_requires(**manifest);
  if (!needs) return refuse_for(shown_file, needs.error());
  return PackFile{std::string(shown_file),
                  {},
                  {},
                  {},
                  {},
                  elf->runpath.empty() ? std::move(elf->rpath) : std::move(elf->runpath),
                  std::move(elf->manifest),
                  std::move(*manifest)};
}

void replace_all(std::string &text, std::string_view slot, std::string_view value) {
  for (std::size_t at = text.find(slot); at != std::string::npos;
       at = text.find(slot, at + value.size()))
    text.replace(at, slot.size(), value);
}

namespace fs = std::filesystem;

std::error_code add_files(const fs::path &directory, FoundPacks &found) {
  std::error_code error;
  for (fs::directory_iterator each(directory, error), end; !error && each != end;
       each.increment(error))
    if (each->path().extension() == ".so")
      found.emplace_back(each->path().stem().string(), each->path().string());
  return error;
}

/// How a refusal of a file that is not there goes on: with the nearest pack, or a full stop.
std::string nearest_file(const std::string &path) {
  FoundPacks known;
  const auto places = find_pack_places();
  if (places && directory_of(path) == places->installed)
    known = find_packs("").value_or(FoundPacks());
  else
    (void)add_files(directory_of(path), known); // then there is nothing to suggest
  std::string_view name = name_of(path);
  if (name.ends_with(".so")) name.remove_suffix(3);
  std::string hint = did_you_mean(name, names_of(known), "\"", "\"");
  return hint.empty() ? "." : hint;
}

} // namespace

kit::Result<PackPlaces> find_pack_places() {
  std::array<char, 4096> room{};
  const ssize_t length = ::readlink("/proc/self/exe", room.data(), room.size());
  if (length <= 0 || static_cast<std::size_t>(length) == room.size())
    return kit::fail(Code::config, "the place of the executable cannot be found; name the packs' "
                                   "directory with --pack-dir");
  const std::string directory =
      directory_of(std::string_view(room.data(), static_cast<std::size_t>(length)));
  PackPlaces places;
  places.installed =
      kPackDir.front() == '/' ? std::string(kPackDir) : directory + "/" + std::string(kPackDir);
  places.build_tree = directory + "/../plugins";
  return places;
}

kit::Result<FoundPacks> find_packs(const std::string &pack_dir) {
  FoundPacks found;
  if (!pack_dir.empty()) {
    if (const std::error_code error = add_files(pack_dir, found))
      return kit::fail(Code::invalid_args, "--pack-dir {} cannot be read ({})", pack_dir,
                       kit::errno_text(error.value()));
  } else {
    auto places = find_pack_places();
    if (!places) return pass_on(places);
    (void)add_files(places->installed, found); // a build tree has none
    std::error_code error;
    for (fs::directory_iterator each(places->build_tree, error), end; !error && each != end;
         each.increment(error)) {
      const std::string name = each->path().filename().string();
      const fs::path file = each->path() / (name + ".so");
      std::error_code ignored;
      if (fs::exists(file, ignored)) found.emplace_back(name, file.lexically_normal().string());
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto &left, const auto &right) { return left.first < right.first; });
  found.erase(
      std::unique(found.begin(), found.end(),
                  [](const auto &left, const auto &right) { return left.first == right.first; }),
      found.end());
  return found;
}

std::vector<std::string_view> names_of(const FoundPacks &packs) {
  std::vector<std::string_view> names;
  for (const auto &pack : packs) names.emplace_back(pack.first);
  return names;
}

kit::Result<std::string> find_pack_path(const std::string &pack, const std::string &pack_dir,
                                        const std::string &relative_to) {
  if (pack.find('/') != std::string::npos) {
    auto path = make_absolute(pack, relative_to);
    if (!path) return kit::fail(path.error().code, "--pack {}", path.error().message);
    return path;
  }
  const std::string name = pack + ".so";
  if (!pack_dir.empty()) return pack_dir + "/" + name;
  auto places = find_pack_places();
  if (!places) return pass_on(places);
  std::string installed = places->installed + "/" + name;
  if (::access(installed.c_str(), F_OK) == 0) return installed;
  std::string built = places->build_tree + "/" + pack + "/" + name;
  if (::access(built.c_str(), F_OK) == 0) return built;
  return installed;
}

kit::Result<PackFile> probe_pack(const std::string &path, ProbeUse use) {
  const std::string shown_file(name_of(path));
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) {
    const int error = errno;
    return refuse(shown_file,
                  fmt::format("no such pack in {} ({}){} \"packhost packs\" lists those "
                              "that are there.",
                              directory_of(path), kit::errno_text(error), nearest_file(path)));
  }
  const std::string found = real.get();
  if (auto checked = check_directory(directory_of(found), shown_file); !checked)
    return pass_on(checked);
  if (directory_of(path) != directory_of(found))
    if (auto checked = check_directory(directory_of(path), shown_file); !checked)
      return pass_on(checked);
  auto file = open_file(found, shown_file);
  if (!file) return pass_on(file);
  const Mapping mapping(file->fd.get(), file->size);
  if (!mapping.is_mapped()) return refuse_for(shown_file, contract::read_elf({}).error());
  kit::UniqueFd copy;
  std::optional<Mapping> copied;
  if (use == ProbeUse::copy) {
    auto sealed = seal_copy(mapping.bytes(), shown_file);
    if (!sealed) return pass_on(sealed);
    copy = std::move(*sealed);
    copied.emplace(copy.get(), file->size);
    if (!copied->is_mapped())
      return refuse(shown_file,
                    fmt::format("its copy cannot be read ({}).", kit::errno_text(errno)));
  }
  const std::string_view bytes = copied ? copied->bytes() : mapping.bytes();
  auto probed = read_facts(bytes, shown_file);
  if (!probed) return probed;
  if (use != ProbeUse::plain) {
    auto digest = kit::sha256_hex(bytes);
    if (!digest) return refuse_for(shown_file, digest.error());
    probed->sha256 = std::move(*digest);
  }
  probed->path = found;
  probed->load_path = copy.is_open() ? fmt::format("/proc/self/fd/{}", copy.get()) : found;
  probed->copy = std::move(copy);
  return probed;
}

std::string scheme_of(std::string_view tool_prefix, std::string_view alias) {
  if (tool_prefix.empty()) return std::string(alias);
  return std::string(tool_prefix.substr(0, tool_prefix.size() - 1));
}

kit::Result<contract::AcceptedManifest>
fill_slots(const PackFile &file, std::string_view tool_prefix, std::string_view alias) {
  std::string text = file.raw_manifest;
  const std::string scheme = scheme_of(tool_prefix, alias);
  std::string upper = scheme;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  // The values are words of letters, digits and underscores: inside a JSON string they stand as
  // they are.
  replace_all(text, "${tool_prefix}", tool_prefix);
  replace_all(text, "${alias}", alias);
  replace_all(text, "${scheme}", scheme);
  replace_all(text, "${SCHEME}", upper);
  if (text == file.raw_manifest) return file.manifest;
  auto filled = contract::parse_manifest(text);
  if (!filled) return refuse_for(file.shown_file, filled.error());
  return filled;
}

} // namespace packhost::cli
