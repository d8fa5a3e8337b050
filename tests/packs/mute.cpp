// SPDX-License-Identifier: MIT
// Vice: promises to complete a call and never does, not even when cancelled or shut down.
#include "tests/packs/pieces.hpp"
#include "tests/packs/raw_pack.hpp"

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "mute", "version": "1.0.0", "abi": "1.0", "concurrency": {"mode": "parallel", "max": 16},
  "tools": [
    {"name": "never", "description": "Promise an answer and never give it.", )json" NO_ARGUMENTS R"json(,
     "limits": {"timeout_ms": 200}, )json" READS R"json(}
  ]
})json");

// clang-format on

class Mute {
public:
  explicit Mute(const packhost_host *) {}

  packhost_status call(packhost_call *, const packhost_request &) { return PACKHOST_PENDING; }
};

RAW_PACK(Mute)
