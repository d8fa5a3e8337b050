// SPDX-License-Identifier: MIT
// No vice: answers what it was asked, in text and as a structured result, and fails on request.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "echo", "version": "1.0.0", "title": "Echo", "abi": "1.0", "tool_prefix": "",
  "license": "MIT", "instructions": "Use echo to hear yourself.",
  "tools": [
    {"name": "echo", "title": "Echo", "description": "Answer with the text given as message or as text.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "message": {"type": "string", "description": "What to say"},
       "text": {"type": "string", "description": "The same under another name"}}},
     )json" READS R"json(},
    {"name": "structured", "description": "Answer with the text and its length as a structured result.",
     "input": {"type": "object", "additionalProperties": false, "required": ["text"], "properties": {
       "text": {"type": "string", "maxLength": 100000, "description": "What to measure"},
       "times": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1, "description": "How often"}}},
     "output": {"type": "object", "required": ["echo", "length"], "additionalProperties": false, "properties": {
       "echo": {"type": "string"}, "length": {"type": "integer", "minimum": 0}}},
     )json" READS R"json(},
    {"name": "raw", "description": "Answer with the arguments as they arrived.",
     "input": {"type": "object", "properties": {}, "additionalProperties": true},
     )json" READS R"json(},
    {"name": "fail", "description": "Fail with a status and a message.",
     "input": {"type": "object", "additionalProperties": false, "required": ["status"], "properties": {
       "status": {"type": "integer", "minimum": -15, "maximum": 9, "description": "The number of the status"},
       "message": {"type": "string", "description": "The message"},
       "details": {"type": "boolean", "default": false, "description": "Add JSON details"}}},
     )json" WRITES R"json(},
    {"name": "tool_error", "description": "Answer with parts that describe a failure.",
     )json" NO_ARGUMENTS "," READS R"json(}
  ]
})json");

// clang-format on

class Echo : public packhost::Pack {
public:
  explicit Echo(packhost::Open &) {
    tool("echo", &Echo::echo);
    tool("structured", &Echo::structured);
    tool("raw", &Echo::raw);
    tool("fail", &Echo::fail);
    tool("tool_error", &Echo::tool_error);
  }

private:
  void echo(packhost::Call &call) {
    const packhost::Args args(call.args());
    call.text(args.has("message") ? args.str("message") : args.str("text", ""));
  }

  void structured(packhost::Call &call) {
    const packhost::Args args(call.args());
    std::string words;
    for (std::int64_t i = 0; i < args.integer("times", 1); ++i) words += args.str("text");
    call.json("{\"echo\": " + packhost::quoted(words) +
              ", \"length\": " + std::to_string(words.size()) + "}");
  }

  void raw(packhost::Call &call) { call.text(call.args()); }

  void fail(packhost::Call &call) {
    const packhost::Args args(call.args());
    throw packhost::Error(static_cast<packhost_status>(args.integer("status")),
                          args.str("message", "failed as asked"),
                          args.boolean("details", false) ? R"({"hint": "ask again"})" : "");
  }

  void tool_error(packhost::Call &call) { call.text("The stock is empty").failed(); }
};

PACKHOST_PACK(Echo)
