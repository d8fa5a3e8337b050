// SPDX-License-Identifier: MIT
// No vice: uses what the host offers towards the world: connections (net/1), programs (process/1),
// secrets read anew (secret/1) and its own directories (dirs/1).
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <chrono>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "outside", "version": "1.0.0", "abi": "1.0",
  "uses": ["packhost.net/1", "packhost.process/1", "packhost.secret/1", "packhost.dirs/1"],
  "concurrency": {"mode": "parallel", "max": 4},
  "tools": [
    {"name": "talk", "description": "Connect, send a line, and answer with the line that comes back.",
     "input": {"type": "object", "additionalProperties": false, "required": ["endpoint"], "properties": {
       "endpoint": {"type": "string", "description": "host:port or unix:/path"},
       "line": {"type": "string", "default": "hello", "description": "What to send"}}},
     )json" WRITES R"json(},
    {"name": "run", "description": "Start a program and answer with its output and its exit status.",
     "input": {"type": "object", "additionalProperties": false, "required": ["program"], "properties": {
       "program": {"type": "string", "description": "The name in the manifest"},
       "args": {"type": "array", "items": {"type": "string"}, "description": "Its arguments"},
       "kill_ms": {"type": "integer", "minimum": 0, "maximum": 60000, "description": "Kill it after this time"}}},
     )json" WRITES R"json(},
    {"name": "secret", "description": "The secret as it is now: its length alone.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "store", "description": "Write a file into one of the own directories and read it back.",
     "input": {"type": "object", "additionalProperties": false, "required": ["which"], "properties": {
       "which": {"type": "string", "description": "data, state, cache or tmp"}}},
     )json" WRITES R"json(}
  ],
  "options": {"type": "object", "additionalProperties": false, "properties": {
    "endpoint": {"type": "array", "maxItems": 8, "items": {"type": "string"}, "description": "Where it may connect"},
    "program": {"type": "string", "default": "/bin/echo", "description": "What it may start",
                "x-packhost": {"path": "file", "must_exist": true}},
    "password_file": {"type": "string", "description": "Holds a secret", "x-packhost": {"secret_from": "file"}}}},
  "permissions": {
    "fs": [{"path": "${state}", "access": "write"}, {"path": "${cache}", "access": "write"},
           {"path": "${tmp}", "access": "write"}, {"path": "${data}", "access": "read"}],
    "net": [{"endpoint": "${options.endpoint[*]}"}],
    "exec": [{"name": "program", "program": "${options.program}"}], "env": []}
})json");

// clang-format on

class Outside : public packhost::Pack {
public:
  explicit Outside(packhost::Open &open) : host_(open.host) {
    tool("talk", &Outside::talk);
    tool("run", &Outside::run);
    tool("secret", &Outside::secret);
    tool("store", &Outside::store);
  }

private:
  template <class T>
  const T &need(const char *id) const {
    const T *iface = host_.iface<T>(id);
    if (iface == nullptr) {
      throw packhost::Error(PACKHOST_E_UNSUPPORTED, std::string("the host does not offer ") + id);
    }
    return *iface;
  }

  static void expect_ok(packhost_status status, const char *what) {
    if (status != PACKHOST_OK) throw packhost::Error(status, what);
  }

  /// Reads to the end, or to a line end if `one_line`. Ends early when the call is cancelled.
  static std::string read_all(const packhost::Call &call, int fd, bool one_line, int limit_ms) {
    std::string out;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          until - std::chrono::steady_clock::now());
      pollfd ready[2] = {{fd, POLLIN, 0}, {call.cancel_fd(), POLLIN, 0}};
      if (left.count() <= 0 || poll(ready, 2, static_cast<int>(left.count())) <= 0) return out;
      call.check();
      char buffer[4096];
      const ssize_t got = read(fd, buffer, sizeof(buffer));
      if (got <= 0) return out;
      out.append(buffer, static_cast<std::size_t>(got));
      if (one_line && out.find('\n') != std::string::npos) return out.substr(0, out.find('\n'));
    }
  }

  void talk(packhost::Call &call) {
    const packhost::Args args(call.args());
    const std::string endpoint = args.str("endpoint");
    const auto &net = need<packhost_net>(PACKHOST_IFACE_NET);
    std::int32_t fd = -1;
    expect_ok(net.connect(host_.raw(), packhost::to_str(endpoint), call.request().deadline_ns,
                          call.raw(), &fd),
              "the endpoint cannot be reached");
    const std::string line = args.str("line", "hello") + "\n";
    const bool is_sent = write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    const std::string answer = is_sent ? read_all(call, fd, true, 5'000) : "";
    close(fd);
    if (!is_sent) throw packhost::Error(PACKHOST_E_IO, "the line could not be sent");
    call.text(answer);
  }

  void run(packhost::Call &call) {
    const packhost::Args args(call.args());
    const std::string program = args.str("program");
    const std::vector<std::string> words = args.strings("args");
    std::vector<packhost_str> views;
    for (const std::string &word : words) views.push_back(packhost::to_str(word));
    const auto &process = need<packhost_process>(PACKHOST_IFACE_PROCESS);
    packhost_child child{};
    child.struct_size = static_cast<std::uint32_t>(sizeof(child));
    expect_ok(
        process.spawn(host_.raw(), packhost::to_str(program), views.data(), views.size(), &child),
        "the program cannot be started");
    const int limit = static_cast<int>(args.integer("kill_ms", 10'000));
    const std::string output = read_all(call, child.stdout_fd, false, limit);
    std::int32_t status = 0;
    if (process.wait_status(host_.raw(), child.id, &status) == PACKHOST_E_UNAVAILABLE) {
      pollfd ended{child.exit_fd, POLLIN, 0};
      if (args.has("kill_ms")) process.signal(host_.raw(), child.id, 9);
      poll(&ended, 1, 5'000);
    }
    const packhost_status waited = process.wait_status(host_.raw(), child.id, &status);
    close(child.stdout_fd);
    close(child.stderr_fd);
    expect_ok(waited, "the program did not end");
    call.json("{\"output\": " + packhost::quoted(output) +
              ", \"status\": " + std::to_string(status) + "}");
  }

  void secret(packhost::Call &call) {
    const auto &secrets = need<packhost_secret>(PACKHOST_IFACE_SECRET);
    std::string length;
    const auto take = [](void *out, packhost_str bytes) {
      *static_cast<std::string *>(out) = std::to_string(bytes.len);
    };
    constexpr std::string_view kPointer = "/password_file";
    expect_ok(secrets.read(host_.raw(), packhost::to_str(kPointer), take, &length),
              "the secret cannot be read");
    call.text(length);
  }

  void store(packhost::Call &call) {
    const std::string which = packhost::Args(call.args()).str("which");
    const int dir = need<packhost_dirs>(PACKHOST_IFACE_DIRS).dir_fd(host_.raw(), which.c_str());
    if (dir < 0) throw packhost::Error(PACKHOST_E_DENIED, "there is no such directory");
    const int fd = openat(dir, "note.txt", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) throw packhost::Error(PACKHOST_E_DENIED, "the directory cannot be written");
    char back[8] = {};
    const bool is_kept = write(fd, "kept", 4) == 4 && pread(fd, back, 4, 0) == 4;
    close(fd);
    call.text(is_kept ? back : "lost");
  }

  packhost::Host host_;
};

PACKHOST_PACK(Outside)
