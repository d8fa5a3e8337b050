// SPDX-License-Identifier: MIT
// Vice: a constructor with an effect. It writes a file, named by the environment variable
// PACKHOST_TEST_MARKER or else beside the pack with ".marker" behind its name, so that a test can
// tell whether any code of the pack ran.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "marker", "version": "1.0.0", "abi": "1.0",
  "tools": [{"name": "run", "description": "Do nothing.", )json" NO_ARGUMENTS "," READS R"json(}]
})json");

// clang-format on

namespace {

__attribute__((constructor)) void leave_marker() {
  const char *named = std::getenv("PACKHOST_TEST_MARKER");
  std::string path = named == nullptr ? "" : named;
  Dl_info where{};
  if (path.empty() && dladdr(reinterpret_cast<const void *>(&leave_marker), &where) != 0) {
    path = std::string(where.dli_fname) + ".marker";
  }
  if (std::FILE *file = std::fopen(path.c_str(), "w")) {
    std::fputs("code of the pack ran\n", file);
    std::fclose(file);
  }
}

} // namespace

class Marker : public packhost::Pack {
public:
  explicit Marker(packhost::Open &) { tool("run", &Marker::run); }

private:
  void run(packhost::Call &call) { call.text("ran"); }
};

PACKHOST_PACK(Marker)
