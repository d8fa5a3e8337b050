// SPDX-License-Identifier: MIT
// Loads a pack's object and checks its entry. Names Boost.DLL.
#include "host/pack/loader.hpp"

#include <cstddef>
#include <exception>
#include <memory>

#include <dlfcn.h>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

namespace packhost::pack {

using kit::Code;

namespace {

constexpr const char *kEntrySymbol = "packhost_pack_v1";

/// The dynamic linker's sentence out of Boost's exception text, without the path in front of it.
std::string linker_text(std::string_view text, std::string_view load_path) {
  static constexpr std::string_view kStart = "dlerror system message: ";
  static constexpr std::string_view kEnd = "): Bad file descriptor";
  const std::size_t start = text.find(kStart);
  if (start != std::string_view::npos) text.remove_prefix(start + kStart.size());
  if (const std::size_t end = text.rfind(kEnd); end != std::string_view::npos)
    text = text.substr(0, end);
  if (text.starts_with(load_path)) {
    text.remove_prefix(load_path.size());
    const std::size_t after = text.find_first_not_of(": ");
    text.remove_prefix(after == std::string_view::npos ? text.size() : after);
  }
  return std::string(text);
}

/// Loads and finds the entry. The only function that sees Boost's exceptions. The handle is kept
/// for the life of the process: thread-local destructors and helper threads of third-party
/// libraries outlive dlclose() and then run into unmapped code.
kit::Result<const packhost_entry *> load_object(const PackLaunch &launch) {
  namespace dll = boost::dll;
  // RTLD_NODELETE keeps the object mapped when the shared_library dies; the mode goes to dlopen()
  // as it is (RTLD_LOCAL is 0).
  const auto mode = static_cast<dll::load_mode::type>(
      static_cast<unsigned>(dll::load_mode::rtld_now) | static_cast<unsigned>(RTLD_NODELETE));
  try {
    dll::shared_library object;
    object.load(dll::fs::path(launch.load_path), mode);
    if (!object.has(kEntrySymbol))
      return kit::fail(Code::config, "cannot load {}: not a tool pack (it has no symbol {}).",
                       launch.shown_file, kEntrySymbol);
    return &object.get<const packhost_entry>(kEntrySymbol);
  } catch (const std::exception &failed) {
    return kit::fail(Code::config, "cannot load {}: {} (from the dynamic linker).",
                     launch.shown_file, linker_text(failed.what(), launch.load_path));
  }
}

} // namespace

kit::Status check_entry(const packhost_entry &entry, std::string_view shown_file,
                        std::string_view raw_manifest) {
  const auto refuse = [shown_file](std::string_view why) {
    return kit::fail(Code::config, "cannot load {}: {}.", shown_file, why);
  };
  // The first four members are those of every version of the struct.
  if (auto fits = contract::check_abi(entry.abi_major, entry.needs_minor, PACKHOST_ABI_MAJOR,
                                      PACKHOST_ABI_MINOR);
      !fits) {
    std::string why = std::move(fits.error().message);
    if (why.ends_with('.')) why.pop_back();
    return refuse(why);
  }
  if (entry.struct_size < offsetof(packhost_entry, shutdown) + sizeof entry.shutdown ||
      entry.open == nullptr || entry.call == nullptr || entry.shutdown == nullptr)
    return refuse("its entry lacks open, call or shutdown");
  if (entry.manifest == nullptr ||
      std::string_view(entry.manifest, entry.manifest_len) != raw_manifest)
    return refuse("the manifest in the file and the one in the loaded object differ (was the file "
                  "replaced?)");
  return {};
}

kit::Result<const packhost_entry *> load_pack(const PackLaunch &launch) {
  auto entry = load_object(launch);
  if (!entry) return entry;
  if (auto checked = check_entry(**entry, launch.shown_file, launch.raw_manifest); !checked)
    return pass_on(checked);
  return entry;
}

} // namespace packhost::pack
