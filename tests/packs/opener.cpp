// SPDX-License-Identifier: MIT
// Vice: an open() that refuses, takes its time or ends the process, as its options say.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <chrono>
#include <cstdlib>
#include <thread>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "opener", "version": "1.0.0", "abi": "1.0", "open_timeout_ms": 1000,
  "tools": [{"name": "run", "description": "Answer.", )json" NO_ARGUMENTS "," READS R"json(}],
  "options": {"type": "object", "additionalProperties": false, "properties": {
    "refuse": {"type": "string", "description": "Refuse with this text"},
    "sleep_ms": {"type": "integer", "minimum": 0, "maximum": 20000, "default": 0, "description": "Take this long"},
    "abort": {"type": "boolean", "default": false, "description": "Abort the process"}}}
})json");

// clang-format on

class Opener : public packhost::Pack {
public:
  explicit Opener(packhost::Open &open) {
    const packhost::Args options(open.options);
    std::this_thread::sleep_for(std::chrono::milliseconds(options.integer("sleep_ms", 0)));
    if (options.boolean("abort", false)) std::abort();
    if (options.has("refuse")) throw packhost::Error(PACKHOST_E_CONFIG, options.str("refuse"));
    tool("run", &Opener::run);
  }

private:
  void run(packhost::Call &call) { call.text("open"); }
};

PACKHOST_PACK(Opener)
