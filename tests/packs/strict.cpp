// SPDX-License-Identifier: MIT
// A pack that checks its own arguments and has an error document of its own ("input_check",
// "error_shape", "error_codes"); its vices are a crash and a deadline that passes.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <poll.h>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "strict", "version": "1.0.0", "abi": "1.0", "input_check": "pack",
  "error_shape": {"error": {"code": "${code}", "message": "${message}", "retryable": "${retryable}",
                            "effects": "effects: ${effects}"}},
  "error_codes": {"deadline": "timeout", "internal": "broken"},
  "tools": [
    {"name": "take", "description": "Take a name and nothing else, and answer with it.",
     "input": {"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
       "name": {"type": "string", "description": "A name"}}},
     )json" READS R"json(},
    {"name": "overrun", "description": "Wait past a deadline of 200 ms.", )json" NO_ARGUMENTS R"json(,
     "limits": {"timeout_ms": 200}, )json" READS R"json(},
    {"name": "unavailable", "description": "Say that the back end is down.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "internal", "description": "Fail inside.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "too_much", "description": "Answer with more than fits.", )json"
      NO_ARGUMENTS "," READS R"json(}
  ]
})json");

// clang-format on

class Strict : public packhost::Pack {
public:
  explicit Strict(packhost::Open &) {
    tool("take", &Strict::take);
    tool("overrun", &Strict::overrun);
    tool("unavailable", &Strict::unavailable);
    tool("internal", &Strict::internal);
    tool("too_much", &Strict::too_much);
  }

private:
  static void refuse(packhost::Call &call, const std::string &message) {
    call.json("{\"error\": {\"code\": \"bad_args\", \"message\": " + packhost::quoted(message) +
              ", \"retryable\": false, \"effects\": \"none\"}}");
    call.failed();
  }

  void take(packhost::Call &call) {
    const packhost::Args args(call.args());
    for (const std::string &name : args.names()) {
      if (name != "name") return refuse(call, "unknown property '" + name + "'");
    }
    try {
      call.text(args.str("name"));
    } catch (const packhost::Error &error) {
      refuse(call, error.what());
    }
  }

  void overrun(packhost::Call &call) {
    pollfd cancelled{call.cancel_fd(), POLLIN, 0};
    poll(&cancelled, 1, 5'000);
    call.check();
  }

  void unavailable(packhost::Call &) {
    throw packhost::Error(PACKHOST_E_UNAVAILABLE, "the back end is down; try again in a minute");
  }

  void internal(packhost::Call &) { throw packhost::Error(PACKHOST_E_INTERNAL, "a secret inside"); }

  void too_much(packhost::Call &call) { call.text(std::string(2'000'000, 'x')); }
};

PACKHOST_PACK(Strict)
