// SPDX-License-Identifier: MIT
// Offers packs a packhost_host that is cut after each member in turn and ends at an inaccessible
// page: whoever looks further dies. Usage: short_host PACK.so [PACK.so ...]
#include <packhost/packhost.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// What a pack may be told in this test: nothing of it does anything.
const void *no_interface(const packhost_host *, const char *) {
  return nullptr;
}

void no_log(const packhost_host *, std::int32_t, packhost_str, const packhost_field *, size_t) {}

void no_changed(const packhost_host *, std::uint32_t) {}

void no_text(const packhost_host *, packhost_str) {}

packhost_host full_host() {
  packhost_host host{};
  host.abi_major = PACKHOST_ABI_MAJOR;
  host.get_interface = &no_interface;
  host.log = &no_log;
  host.notify_changed = &no_changed;
  host.notify_resource = &no_text;
  host.set_open_error = &no_text;
  return host;
}

constexpr std::array kCuts{
    offsetof(packhost_host, get_interface),  offsetof(packhost_host, log),
    offsetof(packhost_host, notify_changed), offsetof(packhost_host, notify_resource),
    offsetof(packhost_host, set_open_error), offsetof(packhost_host, call_cancelled),
    offsetof(packhost_host, call_cancel_fd), offsetof(packhost_host, call_progress),
    offsetof(packhost_host, call_add),       offsetof(packhost_host, call_append),
    offsetof(packhost_host, call_reset),     offsetof(packhost_host, call_set_error),
    offsetof(packhost_host, call_set_items), offsetof(packhost_host, call_set_data),
    offsetof(packhost_host, call_data),      offsetof(packhost_host, call_complete)};

/// The first `size` bytes of a host, right in front of a page that nobody may touch.
const packhost_host *cut_host(std::size_t size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void *pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  char *end = static_cast<char *>(pages) + page;
  if (mprotect(end, page, PROT_NONE) != 0) return nullptr;
  packhost_host host = full_host();
  host.struct_size = static_cast<std::uint32_t>(size);
  std::memcpy(end - size, &host, size);
  return reinterpret_cast<const packhost_host *>(end - size);
}

/// In a process of its own. RETURNS: what is wrong, or nothing.
const char *try_cut(const packhost_entry &entry, std::size_t size) {
  const pid_t child = fork();
  if (child == 0) {
    const packhost_host *host = cut_host(size);
    packhost_pack *pack = nullptr;
    const packhost_status status = entry.open(host, {"{}", 2}, &pack);
    _exit(status == PACKHOST_OK ? 1 : 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "could not be tried";
  if (!WIFEXITED(status)) return "touched what is not there";
  return WEXITSTATUS(status) == 0 ? nullptr : "opened on a host that cannot carry it";
}

} // namespace

int main(int argc, char **argv) {
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    void *object = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    const void *symbol = object == nullptr ? nullptr : dlsym(object, "packhost_pack_v1");
    if (symbol == nullptr) {
      std::printf("%s: cannot be loaded: %s\n", argv[i], dlerror());
      return 1;
    }
    for (const std::size_t size : kCuts) {
      const char *fault = try_cut(*static_cast<const packhost_entry *>(symbol), size);
      if (fault == nullptr) continue;
      std::printf("%s: a host of %zu bytes: %s\n", argv[i], size, fault);
      ++failures;
    }
  }
  std::printf("%d packs, %zu cuts each, %d failures\n", argc - 1, kCuts.size(), failures);
  return argc > 1 && failures == 0 ? 0 : 1;
}
