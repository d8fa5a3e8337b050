// SPDX-License-Identifier: MIT
// No vice: one option of every kind; shows the options it was opened with, and completes them with
// a path of its own choice in plan.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "options", "version": "1.0.0", "abi": "1.0",
  "uses": ["packhost.dirs/1"], "plan": {"unless_given": ["root"]}, "log_events": ["planned"],
  "tools": [
    {"name": "show", "description": "Show the options as the pack got them.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "write", "description": "Hidden in a read-only launch.", )json" NO_ARGUMENTS R"json(,
     "hide_when": {"option": "read_only", "is": true}, )json" WRITES R"json(}
  ],
  "options": {"type": "object", "additionalProperties": false, "properties": {
    "name": {"type": "string", "maxLength": 40, "default": "nobody", "description": "A text"},
    "level": {"type": "string", "enum": ["low", "high"], "default": "low", "description": "One of two"},
    "count": {"type": "integer", "minimum": 0, "maximum": 100, "default": 7, "description": "An integer"},
    "share": {"type": "number", "minimum": 0, "maximum": 1, "description": "A number"},
    "read_only": {"type": "boolean", "default": false, "description": "A switch that is off"},
    "protect_vcs": {"type": "boolean", "default": true, "description": "A switch that is on"},
    "tag": {"type": "array", "maxItems": 4, "items": {"type": "string"}, "description": "Several texts"},
    "port": {"type": "array", "maxItems": 4, "items": {"type": "integer"}, "description": "Several integers"},
    "root": {"type": "array", "maxItems": 4, "description": "Directories",
             "items": {"type": "string", "x-packhost": {"path": "directory", "must_exist": true}}},
    "workspace": {"type": "string", "description": "The name of a directory", "x-packhost": {"excludes": ["root"]}},
    "file": {"type": "string", "description": "A file", "x-packhost": {"path": "file", "must_exist": true}},
    "content": {"type": "string", "description": "A file whose content is wanted",
                "x-packhost": {"path": "file", "file_content": true}},
    "settings": {"type": "string", "description": "A file of more options",
                 "x-packhost": {"path": "file", "options_file": true}},
    "token": {"type": "string", "description": "A secret", "x-packhost": {"secret": true}},
    "password_file": {"type": "string", "description": "A file that holds a secret",
                      "x-packhost": {"secret_from": "file"}},
    "password_env": {"type": "string", "description": "A variable that holds a secret",
                     "x-packhost": {"secret_from": "env"}},
    "home": {"type": "string", "description": "The data directory",
             "x-packhost": {"path": "directory", "dir": "data"}},
    "targets": {"type": "object", "description": "A map, from a file only", "additionalProperties":
                {"type": "object", "additionalProperties": false, "required": ["url"], "properties": {
                  "url": {"type": "string", "description": "Where"},
                  "retries": {"type": "integer", "default": 3, "description": "How often"}}}},
    "plan_path": {"type": "string", "description": "What plan adds as a root"},
    "plan_error": {"type": "string", "description": "Makes plan fail with this text"}}},
  "permissions": {"fs": [{"path": "${options.root[*]}", "access": "write",
                          "unless": {"option": "read_only", "is": true}},
                         {"path": "${options.root[*]}", "access": "read"},
                         {"path": "${data}", "access": "read"}],
                  "net": [], "exec": [], "env": ["TZ"]}
})json");

// clang-format on

class Options : public packhost::Pack {
public:
  explicit Options(packhost::Open &open) : options_(open.options) {
    tool("show", &Options::show);
    tool("write", &Options::write);
  }

  static std::string plan(packhost::Open &open) {
    const packhost::Args options(open.options);
    if (options.has("plan_error")) {
      throw packhost::Error(PACKHOST_E_CONFIG, options.str("plan_error"));
    }
    if (!options.has("plan_path")) return std::string(open.options);
    std::string completed = "{\"root\": [" + packhost::quoted(options.str("plan_path")) + "]";
    for (const std::string &name : options.names()) {
      if (name == "root") continue;
      completed += ", " + packhost::quoted(name) + ": " + std::string(options.raw(name));
    }
    return completed + "}";
  }

private:
  void show(packhost::Call &call) { call.json(options_); }

  void write(packhost::Call &call) { call.text("written"); }

  const std::string options_;
};

PACKHOST_PACK(Options)
