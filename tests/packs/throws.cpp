// SPDX-License-Identifier: MIT
// Vice: lets an exception leave call(), aborts, and reads from address zero.
#include "tests/packs/pieces.hpp"
#include "tests/packs/raw_pack.hpp"

#include <cstdlib>
#include <stdexcept>

#include <signal.h>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "throws", "version": "1.0.0", "abi": "1.0",
  "tools": [
    {"name": "throw", "description": "Let an exception out.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "abort", "description": "Abort the process.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "segv", "description": "End by a segmentation fault.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "fine", "description": "Answer in peace.", )json" NO_ARGUMENTS "," READS R"json(}
  ]
})json");

// clang-format on

class Throws {
public:
  explicit Throws(const packhost_host *host) : host_(host) {}

  packhost_status call(packhost_call *call, const packhost_request &request) {
    const std::string_view name = packhost::to_view(request.name);
    if (name == "throw") throw std::runtime_error("an exception of the test pack");
    if (name == "abort") std::abort();
    if (name == "segv") raise(SIGSEGV);
    const packhost_part part = raw::text_part("fine");
    return host_->call_add(call, &part);
  }

private:
  const packhost_host *host_;
};

RAW_PACK(Throws)
