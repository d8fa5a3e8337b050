// SPDX-License-Identifier: MIT
// Asks for the result-size hint ("result_size") and answers with rows of any number; its vice is a
// tool that tries to set the hint itself.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "sized", "version": "1.0.0", "abi": "1.0",
  "result_size": {"key": "io.example/result-size", "max_bytes": 2000,
                  "over": "The answer is too long; ask for fewer rows", "over_read": "The resource is too long"},
  "tools": [
    {"name": "rows", "description": "Answer with rows of ten bytes.",
     "input": {"type": "object", "additionalProperties": false, "required": ["rows"], "properties": {
       "rows": {"type": "integer", "minimum": 0, "maximum": 100000, "description": "How many"},
       "count": {"type": "boolean", "default": true, "description": "Say how many there are"}}},
     )json" READS R"json(},
    {"name": "reserved", "description": "Try to set the hint itself.", )json" NO_ARGUMENTS "," READS R"json(}
  ],
  "resources": [{"uri": "sized://short", "name": "short"}, {"uri": "sized://long", "name": "long"}]
})json");

// clang-format on

class Sized : public packhost::Pack {
public:
  explicit Sized(packhost::Open &) {
    tool("rows", &Sized::rows);
    tool("reserved", &Sized::reserved);
    resources(&Sized::read);
  }

private:
  void rows(packhost::Call &call) {
    const packhost::Args args(call.args());
    const auto count = static_cast<std::uint64_t>(args.integer("rows"));
    call.text("");
    for (std::uint64_t i = 0; i < count; ++i) call.append("row ......");
    if (args.boolean("count", true)) call.items(count);
  }

  void reserved(packhost::Call &call) {
    call.text("x").meta(R"({"io.example/result-size": {"bytes": 1}})");
  }

  void read(packhost::Call &call) {
    const bool is_long = call.name() == "sized://long";
    if (!is_long && call.name() != "sized://short") {
      throw packhost::Error(PACKHOST_E_NOT_FOUND, "there is no such resource");
    }
    call.text(std::string(is_long ? 5000 : 5, 'x'));
  }
};

PACKHOST_PACK(Sized)
