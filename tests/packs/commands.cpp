// SPDX-License-Identifier: MIT
// No vice: operator commands, with a dry run, positional arguments, output in both forms and every
// exit code a status leads to.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <fcntl.h>
#include <unistd.h>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "commands", "version": "1.0.0", "abi": "1.0", "uses": ["packhost.dirs/1"],
  "tools": [{"name": "count", "description": "How many shelves there are.", )json"
      NO_ARGUMENTS "," READS R"json(}],
  "options": {"type": "object", "additionalProperties": false, "required": ["base"], "properties": {
    "base": {"type": "string", "description": "Needed for serving"}}},
  "permissions": {"fs": [{"path": "${data}", "access": "read"}]},
  "commands": [
    {"name": "shelf add", "summary": "Add a shelf",
     "input": {"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
       "name": {"type": "string", "maxLength": 20, "description": "Its name", "x-packhost": {"positional": 1}},
       "width": {"type": "integer", "minimum": 1, "default": 80, "description": "In centimetres"},
       "oak": {"type": "boolean", "default": false, "description": "Of oak"},
       "label": {"type": "array", "items": {"type": "string"}, "description": "Labels"}}},
     "permissions": {"fs": [{"path": "${data}", "access": "write"}]}},
    {"name": "shelf", "summary": "Show the options",
     "input": {"type": "object", "properties": {}, "additionalProperties": false}},
    {"name": "end", "summary": "End with a status",
     "input": {"type": "object", "additionalProperties": false, "required": ["status"], "properties": {
       "status": {"type": "integer", "minimum": 0, "maximum": 15, "description": "Its number without the minus sign",
                  "x-packhost": {"positional": 1}}}}},
    {"name": "burn", "summary": "Cannot be tried", "dry_run": false,
     "input": {"type": "object", "properties": {}, "additionalProperties": false}},
    {"name": "needy", "summary": "Needs the option base",
     "input": {"type": "object", "properties": {}, "additionalProperties": false}}
  ]
})json");

// clang-format on

class Commands : public packhost::Pack {
public:
  explicit Commands(packhost::Open &open) : host_(open.host), options_(open.options) {
    tool("count", &Commands::count);
    command("shelf.add", &Commands::add_shelf);
    command("shelf", &Commands::show);
    command("end", &Commands::end);
    command("burn", &Commands::burn);
    command("needy", &Commands::needy);
  }

private:
  int data_dir() const {
    const auto *dirs = host_.iface<packhost_dirs>(PACKHOST_IFACE_DIRS);
    return dirs == nullptr ? -1 : dirs->dir_fd(host_.raw(), "data");
  }

  void count(packhost::Call &call) {
    const int fd = openat(data_dir(), "shelves", O_RDONLY | O_CLOEXEC);
    std::string lines;
    char buffer[4096];
    for (ssize_t got = 1; fd >= 0 && got > 0;) {
      got = read(fd, buffer, sizeof(buffer));
      if (got > 0) lines.append(buffer, static_cast<std::size_t>(got));
    }
    if (fd >= 0) close(fd);
    std::size_t shelves = 0;
    for (const char c : lines) shelves += c == '\n' ? 1 : 0;
    call.text(std::to_string(shelves));
  }

  void add_shelf(packhost::Call &call) {
    const packhost::Args args(call.args());
    const std::string line = args.str("name") + " " + std::to_string(args.integer("width", 80)) +
                             (args.boolean("oak", false) ? " oak" : "") + "\n";
    if (!call.dry_run()) {
      const int fd = openat(data_dir(), "shelves", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
      const bool is_kept =
          fd >= 0 && write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
      if (fd >= 0) close(fd);
      if (!is_kept) throw packhost::Error(PACKHOST_E_IO, "the shelf could not be written");
    }
    call.text((call.dry_run() ? "would add " : "added ") + line);
    call.json("{\"added\": " + std::string(call.dry_run() ? "false" : "true") +
              ", \"name\": " + packhost::quoted(args.str("name")) + "}");
  }

  void show(packhost::Call &call) { call.text(options_ + "\n").json(options_); }

  void end(packhost::Call &call) {
    const auto status =
        static_cast<packhost_status>(-packhost::Args(call.args()).integer("status"));
    if (status == PACKHOST_OK) return;
    call.text("this is how it ends\n");
    if (status == PACKHOST_E_TOOL) return call.failed();
    throw packhost::Error(status, "ended as asked");
  }

  void burn(packhost::Call &call) { call.text("burnt\n"); }

  void needy(packhost::Call &call) {
    const packhost::Args options(options_);
    if (!options.has("base")) {
      throw packhost::Error(PACKHOST_E_INVALID_ARGS, "the command needs --base");
    }
    call.text(options.str("base") + "\n");
  }

  packhost::Host host_;
  const std::string options_;
};

PACKHOST_PACK(Commands)
