// SPDX-License-Identifier: MIT
// Vice: prints to standard output from a constructor, from open and from call, both through the C
// library and straight to descriptor 1.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <cstdio>

#include <unistd.h>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "prints", "version": "1.0.0", "abi": "1.0",
  "tools": [
    {"name": "print", "description": "Print, then answer.", )json" NO_ARGUMENTS "," READS R"json(}
  ]
})json");

// clang-format on

namespace {

void shout(const char *where) {
  std::printf("%s prints\n", where);
  std::fflush(stdout);
  const ssize_t written = write(STDOUT_FILENO, "{\"raw\": 1}\n", 11);
  if (written < 0) std::perror("write");
}

__attribute__((constructor)) void on_load() {
  shout("constructor");
}

} // namespace

class Prints : public packhost::Pack {
public:
  explicit Prints(packhost::Open &) {
    shout("open");
    tool("print", &Prints::print);
  }

private:
  void print(packhost::Call &call) {
    shout("call");
    call.text("printed");
  }
};

PACKHOST_PACK(Prints)
