// SPDX-License-Identifier: MIT
// Vice: declares an output schema and breaks it, leaves the structured result out, or gives text
// that is no JSON.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

// clang-format off
#define OUTPUT \
  R"(, "output": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}, )"

PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "lying", "version": "1.0.0", "abi": "1.0",
  "tools": [
    {"name": "mismatch", "description": "Give a text where an integer was promised.", )json"
      NO_ARGUMENTS OUTPUT READS R"json(},
    {"name": "missing", "description": "Give no structured result.", )json" NO_ARGUMENTS OUTPUT READS R"json(},
    {"name": "no_json", "description": "Give something that is no JSON.", )json" NO_ARGUMENTS OUTPUT READS R"json(},
    {"name": "honest", "description": "Give what was promised.", )json" NO_ARGUMENTS OUTPUT READS R"json(},
    {"name": "failing", "description": "Fail with parts, which need no structured result.", )json"
      NO_ARGUMENTS OUTPUT READS R"json(}
  ]
})json");

// clang-format on

class Lying : public packhost::Pack {
public:
  explicit Lying(packhost::Open &) {
    tool("mismatch", &Lying::mismatch);
    tool("missing", &Lying::missing);
    tool("no_json", &Lying::no_json);
    tool("honest", &Lying::honest);
    tool("failing", &Lying::failing);
  }

private:
  void mismatch(packhost::Call &call) { call.json(R"({"n": "many"})"); }

  void missing(packhost::Call &call) { call.text("no number today"); }

  void no_json(packhost::Call &call) { call.json("{\"n\": 1"); }

  void honest(packhost::Call &call) { call.json(R"({"n": 1})"); }

  void failing(packhost::Call &call) { call.text("nothing to count").failed(); }
};

PACKHOST_PACK(Lying)
