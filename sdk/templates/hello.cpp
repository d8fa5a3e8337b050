// SPDX-License-Identifier: MIT
// The smallest C++ pack: one tool. Copy it, rename it, build it with the flags of packhost-sdk.
#include <packhost/json.hpp>

PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "hello", "version": "1.0.0", "abi": "1.0",
  "tools": [{
    "name": "greet",
    "description": "Say hello to one person.",
    "input": {"type": "object", "required": ["name"], "additionalProperties": false,
              "properties": {"name": {"type": "string", "maxLength": 80, "description": "Whom to greet"}}},
    "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
  }]
})json");

class Hello : public packhost::Pack {
public:
  explicit Hello(packhost::Open &) { tool("greet", &Hello::greet); }

private:
  void greet(packhost::Call &call) {
    packhost::Args args(call.args());
    call.text("Hello, " + args.str("name") + "!");
  }
};

PACKHOST_PACK(Hello)
