// SPDX-License-Identifier: MIT
// Lists and texts that only the opened pack knows: about and catalog, good and bad ones by option,
// lists that change on a call, and the vice of inventing tool names.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <chrono>
#include <mutex>
#include <thread>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "dynamic", "version": "1.0.0", "title": "Title of the manifest", "abi": "1.0",
  "instructions": "Instructions of the manifest.",
  "uses": ["packhost.catalog/1", "packhost.about/1"], "dynamic": ["tools", "resources", "prompts"],
  "tools": [
    {"name": "change", "description": "Change the lists: hide, describe, invent, restore, resources, or broken.",
     "input": {"type": "object", "additionalProperties": false, "required": ["to"], "properties": {
       "to": {"type": "string", "enum": ["hide", "describe", "invent", "restore", "resources", "broken"],
              "description": "What the lists become"},
       "notices": {"type": "integer", "minimum": 0, "maximum": 100000, "default": 1,
                   "description": "How many change notices"}}},
     )json" WRITES R"json(},
    {"name": "shy", "description": "Hidden after change to hide.", )json" NO_ARGUMENTS "," READS R"json(}
  ],
  "resources": [{"uri": "dynamic://first", "name": "first"}],
  "prompts": [{"name": "ask", "description": "Ask."}],
  "options": {"type": "object", "additionalProperties": false, "properties": {
    "about": {"type": "string", "enum": ["good", "long", "array", "broken", "slow", "fails", "title"],
              "default": "good", "description": "What about answers"},
    "start": {"type": "string", "enum": ["restore", "hide", "describe", "invent", "broken"], "default": "restore",
              "description": "What the lists are at first"}}}
})json");

constexpr char kChange[] =
    R"json({"name": "change", "description": "Change the lists: hide, describe, invent, restore, resources, or broken.",
     "input": {"type": "object", "additionalProperties": false, "required": ["to"], "properties": {
       "to": {"type": "string", "enum": ["hide", "describe", "invent", "restore", "resources", "broken"],
              "description": "What the lists become"},
       "notices": {"type": "integer", "minimum": 0, "maximum": 100000, "default": 1,
                   "description": "How many change notices"}}},
     )json" WRITES "}";
constexpr char kShy[] =
    R"json(, {"name": "shy", "description": "Hidden after change to hide.", )json" NO_ARGUMENTS "," READS "}";
constexpr char kDescribedShy[] =
    R"json(, {"name": "shy", "description": "Described anew.", )json" NO_ARGUMENTS "," READS "}";
constexpr char kInvented[] =
    R"json(, {"name": "invented", "description": "Stands in no manifest.", )json" NO_ARGUMENTS "," READS "}";

// clang-format on

class Dynamic : public packhost::Pack {
public:
  explicit Dynamic(packhost::Open &open) : host_(open.host) {
    const packhost::Args options(open.options);
    about_kind_ = options.str("about", "good");
    state_ = options.str("start", "restore");
    tool("change", &Dynamic::change);
    tool("shy", &Dynamic::shy);
    resources(&Dynamic::read);
    prompts(&Dynamic::ask);
    about(&Dynamic::about_text);
    catalog(&Dynamic::list);
  }

private:
  void change(packhost::Call &call) {
    const packhost::Args args(call.args());
    const std::string to = args.str("to");
    {
      const std::lock_guard lock(mutex_);
      if (to == "resources")
        has_second_ = true;
      else
        state_ = to;
      if (to == "restore") has_second_ = false;
    }
    for (std::int64_t i = 0; i < args.integer("notices", 1); ++i) {
      if (to == "resources")
        host_.resources_changed();
      else
        host_.tools_changed();
    }
    call.text("changed");
  }

  void shy(packhost::Call &call) {
    const std::lock_guard lock(mutex_);
    if (state_ == "hide") {
      throw packhost::Error(PACKHOST_E_UNAVAILABLE, "the tool is hidden; restore the lists first");
    }
    call.text("here");
  }

  void read(packhost::Call &call) {
    const bool knows = call.name() == "dynamic://first" || call.name() == "dynamic://second";
    if (!knows) throw packhost::Error(PACKHOST_E_NOT_FOUND, "there is no such resource");
    call.text(std::string("content of ") + std::string(call.name()));
  }

  void ask(packhost::Call &call) {
    if (call.name() != "ask")
      throw packhost::Error(PACKHOST_E_NOT_FOUND, "there is no such prompt");
    call.text("Ask.");
  }

  std::string about_text() {
    if (about_kind_ == "long") {
      return "{\"title\": \"Too long\", \"instructions\": \"" + std::string(5000, 'x') + "\"}";
    }
    if (about_kind_ == "array") return "[]";
    if (about_kind_ == "broken") return "{";
    if (about_kind_ == "fails") throw packhost::Error(PACKHOST_E_IO, "nothing is known");
    if (about_kind_ == "title") return R"({"title": "Title alone"})";
    if (about_kind_ == "slow") std::this_thread::sleep_for(std::chrono::seconds(2));
    return R"({"title": "Title of about", "instructions": "Instructions of about."})";
  }

  std::string list(std::uint32_t which) {
    const std::lock_guard lock(mutex_);
    if (state_ == "broken") return "{\"not\": \"an array\"}";
    if (which == PACKHOST_CHANGED_PROMPTS) {
      return R"([{"name": "ask", "description": "Ask again."}])";
    }
    if (which == PACKHOST_CHANGED_RESOURCES) {
      const std::string first = R"({"uri": "dynamic://first", "name": "first"})";
      return "[" + first +
             (has_second_ ? R"(, {"uri": "dynamic://second", "name": "second"}])" : "]");
    }
    std::string tools = std::string("[") + kChange;
    if (state_ == "describe")
      tools += kDescribedShy;
    else if (state_ != "hide")
      tools += kShy;
    if (state_ == "invent") tools += kInvented;
    return tools + "]";
  }

  packhost::Host host_;
  std::string about_kind_;
  std::mutex mutex_;
  std::string state_;       // guarded
  bool has_second_ = false; // guarded
};

PACKHOST_PACK(Dynamic)
