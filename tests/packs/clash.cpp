// SPDX-License-Identifier: MIT
// Vice: shows a tool of the same name as the echo pack.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "clash", "version": "1.0.0", "abi": "1.0", "tool_prefix": "",
  "tools": [
    {"name": "other", "description": "Has a name of its own.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "echo", "description": "Has the name of another.", )json" NO_ARGUMENTS "," READS R"json(}
  ]
})json");

// clang-format on

class Clash : public packhost::Pack {
public:
  explicit Clash(packhost::Open &) {
    tool("other", &Clash::answer);
    tool("echo", &Clash::answer);
  }

private:
  void answer(packhost::Call &call) { call.text("clash"); }
};

PACKHOST_PACK(Clash)
