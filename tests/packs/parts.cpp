// SPDX-License-Identifier: MIT
// No vice: every part type, appending, progress, log lines, item counts and _meta members.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <poll.h>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "parts", "version": "1.0.0", "abi": "1.0", "log_events": ["step", "note"],
  "tools": [
    {"name": "blob", "description": "Answer with bytes counting up from 0, of a MIME type.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "mime": {"type": "string", "default": "application/octet-stream", "description": "MIME type"},
       "bytes": {"type": "integer", "minimum": 0, "maximum": 4194304, "default": 256, "description": "How many"}}},
     "limits": {"max_result_bytes": 4194304}, )json" READS R"json(},
    {"name": "link", "description": "Answer with a resource link.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "resource", "description": "Answer with an embedded text and an embedded binary resource.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "annotated", "description": "Answer with a text for the user alone.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "append", "description": "Answer with a text written piece by piece, cut inside characters.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "pieces": {"type": "integer", "minimum": 0, "maximum": 100000, "default": 3, "description": "How many pieces"}}},
     )json" READS R"json(},
    {"name": "append_json", "description": "Answer with a structured result written piece by piece.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "meta", "description": "Answer with a text and members of _meta.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "meta": {"type": "string", "default": "{\"io.example/source\": \"parts\"}", "description": "The META part"},
       "twice": {"type": "boolean", "default": false, "description": "Add it twice"}}},
     )json" READS R"json(},
    {"name": "items", "description": "Answer with a text and say how many items it holds.",
     "input": {"type": "object", "additionalProperties": false, "required": ["items"], "properties": {
       "items": {"type": "integer", "minimum": 0, "description": "How many"}}},
     )json" READS R"json(},
    {"name": "progress", "description": "Report progress step by step, then answer.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "steps": {"type": "integer", "minimum": 1, "maximum": 100000, "default": 3, "description": "How many steps"},
       "stay": {"type": "boolean", "default": false, "description": "Then stay until cancelled"}}},
     )json" READS R"json(},
    {"name": "log", "description": "Log one declared and one undeclared event.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "reset", "description": "Drop what was added and answer with something else.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "bad_utf8", "description": "Answer with a text that holds a broken character.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "nothing", "description": "Answer without any part.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "many", "description": "Answer with many short texts.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "count": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 256, "description": "How many"}}},
     )json" READS R"json(}
  ]
})json");

// clang-format on

class Parts : public packhost::Pack {
public:
  explicit Parts(packhost::Open &) {
    tool("blob", &Parts::blob);
    tool("link", &Parts::link);
    tool("resource", &Parts::resource);
    tool("annotated", &Parts::annotated);
    tool("append", &Parts::append);
    tool("append_json", &Parts::append_json);
    tool("meta", &Parts::meta);
    tool("items", &Parts::items);
    tool("progress", &Parts::progress);
    tool("log", &Parts::log);
    tool("reset", &Parts::reset);
    tool("bad_utf8", &Parts::bad_utf8);
    tool("nothing", &Parts::nothing);
    tool("many", &Parts::many);
  }

private:
  void blob(packhost::Call &call) {
    const packhost::Args args(call.args());
    std::string bytes(static_cast<std::size_t>(args.integer("bytes", 256)), '\0');
    unsigned char next = 0;
    for (char &byte : bytes) byte = static_cast<char>(next++);
    call.blob(args.str("mime", "application/octet-stream"), std::move(bytes));
  }

  void link(packhost::Call &call) { call.link("parts://linked", "linked", "text/plain"); }

  void resource(packhost::Call &call) {
    call.resource_text("parts://text", "text/plain", "embedded words");
    call.resource_blob("parts://bytes", "application/x-bytes", std::string("\0\1\2\377", 4));
  }

  void annotated(packhost::Call &call) {
    packhost::PartInfo info;
    info.annotations = R"({"audience": ["user"], "priority": 0.5})";
    call.add(PACKHOST_PART_TEXT, info, "for the user");
  }

  void append(packhost::Call &call) {
    const packhost::Args args(call.args());
    call.text("");
    for (std::int64_t i = 0; i < args.integer("pieces", 3); ++i) {
      call.append("\xC3").append("\xA4"); // one letter in two pieces
    }
  }

  void append_json(packhost::Call &call) {
    call.json("");
    call.append("{\"rows\": [").append("1,\n2").append("]}");
  }

  void meta(packhost::Call &call) {
    const packhost::Args args(call.args());
    const std::string object = args.str("meta", R"({"io.example/source": "parts"})");
    call.text("with meta").meta(object);
    if (args.boolean("twice", false)) call.meta(object);
  }

  void items(packhost::Call &call) {
    const packhost::Args args(call.args());
    call.items(999).text("counted").items(static_cast<std::uint64_t>(args.integer("items")));
  }

  void progress(packhost::Call &call) {
    const packhost::Args args(call.args());
    const std::int64_t steps = args.integer("steps", 3);
    for (std::int64_t i = 1; i <= steps; ++i) {
      call.progress(static_cast<double>(i), static_cast<double>(steps), "step");
    }
    if (args.boolean("stay", false)) {
      pollfd cancelled{call.cancel_fd(), POLLIN, 0};
      ::poll(&cancelled, 1, 60'000);
    }
    call.text(call.wants_progress() ? "reported" : "nobody asked");
  }

  void log(packhost::Call &call) {
    call.host().log(PACKHOST_LOG_WARNING, "step",
                    {{"count", 3}, {"share", 0.5}, {"last", true}, {"where", "here"}});
    call.host().log(PACKHOST_LOG_WARNING, "undeclared", {{"count", 1}});
    call.text("logged");
  }

  void reset(packhost::Call &call) { call.text("first").json("{\"n\": 1}").reset().text("second"); }

  void bad_utf8(packhost::Call &call) { call.text("a\xFFz"); }

  void nothing(packhost::Call &) {}

  void many(packhost::Call &call) {
    const packhost::Args args(call.args());
    for (std::int64_t i = 0; i < args.integer("count", 256); ++i) call.text("x");
  }
};

PACKHOST_PACK(Parts)
