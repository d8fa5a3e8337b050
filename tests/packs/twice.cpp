// SPDX-License-Identifier: MIT
// Vice: completes a call twice, completes one that it also answers by returning, and touches a call
// after its end.
#include "tests/packs/pieces.hpp"
#include "tests/packs/raw_pack.hpp"

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "twice", "version": "1.0.0", "abi": "1.0",
  "tools": [
    {"name": "twice", "description": "Complete the call two times.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "both", "description": "Complete the call and return OK as well.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "touch", "description": "Add a part after completing the call.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "positive", "description": "Return a status that does not exist.", )json"
      NO_ARGUMENTS "," READS R"json(}
  ]
})json");

// clang-format on

class Twice {
public:
  explicit Twice(const packhost_host *host) : host_(host) {}

  packhost_status call(packhost_call *call, const packhost_request &request) {
    const std::string_view name = packhost::to_view(request.name);
    if (name == "positive") return 7;
    const packhost_part part = raw::text_part("once");
    host_->call_add(call, &part);
    host_->call_complete(call, PACKHOST_OK);
    if (name == "both") return PACKHOST_OK;
    if (name == "touch")
      host_->call_add(call, &part);
    else
      host_->call_complete(call, PACKHOST_OK);
    return PACKHOST_PENDING;
  }

private:
  const packhost_host *host_;
};

RAW_PACK(Twice)
