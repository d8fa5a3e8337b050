// SPDX-License-Identifier: MIT
// What the harness lets a test do, on the test packs.
#include "tests/unit/sdk/pack_file.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <string>

#include <unistd.h>

using packhost::test::pack_file;
using packhost::testing::CallSetup;
using packhost::testing::Harness;
using packhost::testing::OpenFailed;
using packhost::testing::Result;
using packhost::testing::Running;
using packhost::testing::Setup;

namespace {

const std::vector<std::string> kNone;

std::atomic<int> cancels{0}; // NOLINT: a test's own

/// Completes its one call in cancel() and nowhere else.
class EndsWhenCancelled : public packhost::Pack {
public:
  explicit EndsWhenCancelled(packhost::Open &) { tool("run", &EndsWhenCancelled::run); }

private:
  void run(packhost::Call &call) { later_.emplace(call.later()); }

  void cancel(packhost_call *) override {
    ++cancels;
    later_->fail(PACKHOST_E_CANCELLED, "stopped");
  }

  std::optional<packhost::Call::Later> later_;
};

std::string refusal_of(const std::string &name, Setup setup = {}) {
  try {
    const Harness pack(pack_file(name), std::move(setup));
  } catch (const OpenFailed &refused) {
    return refused.what();
  }
  return "it was opened";
}

} // namespace

TEST_SUITE("testing/harness calls") {
  TEST_CASE("[A-5] completed later, before the return or within it, a call gives the same answer") {
    Harness pack(pack_file("slow"));
    for (const char *how : {"thread", "before", "within"}) {
      const std::string args = std::string(R"({"ms": 50, "how": ")") + how + "\"}";
      const Result result = pack.tool("later", args);
      CHECK(result.status == PACKHOST_OK);
      CHECK(result.text() == "done");
      CHECK(result.parts.size() == 1);
    }
    pack.close();
    CHECK(pack.violations() == kNone);
  }

  TEST_CASE("[A-6] a cancelled PENDING call gets exactly one cancel() and ends") {
    cancels = 0;
    Harness pack(packhost::test::entry_of<EndsWhenCancelled>(packhost::test::kOneTool));
    Running running = pack.start(PACKHOST_CALL_TOOL, "run");
    running.cancel();
    running.cancel();
    const Result result = running.wait();
    CHECK(result.status == PACKHOST_E_CANCELLED);
    CHECK(result.error == "stopped");
    pack.close();
    CHECK(cancels == 1);
    CHECK(pack.violations() == kNone);
  }

  TEST_CASE("[A-6] shutdown cancels what is pending and waits for it") {
    cancels = 0;
    Harness pack(packhost::test::entry_of<EndsWhenCancelled>(packhost::test::kOneTool));
    Running running = pack.start(PACKHOST_CALL_TOOL, "run");
    pack.close();
    CHECK(running.wait().status == PACKHOST_E_CANCELLED);
    CHECK(cancels == 1);
    CHECK(pack.violations() == kNone);
  }

  TEST_CASE("[A-6] a deadline that passes makes the descriptor readable") {
    Harness pack(pack_file("slow"));
    CallSetup setup;
    setup.deadline_ms = 30'000;
    Running running = pack.start(PACKHOST_CALL_TOOL, "sleep", R"({"ms": 60000})", setup);
    pack.advance(29'999);
    CHECK_FALSE(running.finished());
    pack.advance(1);
    CHECK(running.wait().status == PACKHOST_E_CANCELLED);
  }

  TEST_CASE("a serial pack sees one call at a time, a parallel one as many as it allows") {
    const auto peak = [](const std::string &name, int calls) {
      Harness pack(pack_file(name));
      std::vector<Running> running;
      for (int i = 0; i < calls; ++i) {
        running.push_back(pack.start(PACKHOST_CALL_TOOL, "hold", R"({"ms": 20, "pending": true})"));
      }
      for (Running &one : running) CHECK(one.wait().status == PACKHOST_OK);
      return pack.tool("peak").json();
    };
    CHECK(peak("serial", 5) == R"({"peak": 1, "beside_exclusive": 0})");
    CHECK(peak("parallel", 12) == R"({"peak": 4, "beside_exclusive": 0})");
  }

  TEST_CASE("a call that waits for its turn ends when it is cancelled") {
    Harness pack(pack_file("serial"));
    Running first = pack.start(PACKHOST_CALL_TOOL, "hold", R"({"ms": 10000})");
    Running second = pack.start(PACKHOST_CALL_TOOL, "hold", R"({"ms": 10000})");
    second.cancel();
    first.cancel();
    CHECK(first.wait().status != PACKHOST_PENDING);
    CHECK(second.wait().status != PACKHOST_PENDING);
  }

  TEST_CASE("arguments that break the schema do not reach a pack whose input the host checks") {
    Harness pack(pack_file("echo"));
    const Result result = pack.tool("echo", R"({"txt": "x"})");
    CHECK(result.status == PACKHOST_E_INVALID_ARGS);
    CHECK(result.error.find("txt") != std::string::npos);
    CallSetup setup;
    setup.check_input = false;
    CHECK(pack.tool("echo", R"({"txt": "x"})", setup).status == PACKHOST_OK);
  }

  TEST_CASE("every part type comes back as it was added") {
    Harness pack(pack_file("parts"));
    const Result blob = pack.tool("blob", R"({"bytes": 300, "mime": "image/png"})");
    REQUIRE(blob.parts.size() == 1);
    CHECK(blob.parts[0].mime == "image/png");
    CHECK(blob.parts[0].data.size() == 300);
    CHECK(blob.parts[0].data[255] == '\xFF');
    const Result resource = pack.tool("resource");
    REQUIRE(resource.parts.size() == 2);
    CHECK(resource.parts[0].flags == PACKHOST_PART_IS_TEXT);
    CHECK(resource.parts[1].data == std::string("\0\1\2\377", 4));
    CHECK(pack.tool("link").parts.at(0).uri == "parts://linked");
    CHECK(pack.tool("annotated").parts.at(0).annotations ==
          R"({"audience": ["user"], "priority": 0.5})");
    CHECK(pack.tool("append", R"({"pieces": 3})").text() == "\xC3\xA4\xC3\xA4\xC3\xA4");
    CHECK(pack.tool("append_json").json() == "{\"rows\": [1,\n2]}");
    CHECK(pack.tool("meta").meta() == R"({"io.example/source": "parts"})");
    CHECK(pack.tool("items", R"({"items": 12})").items() == 12);
    CHECK(pack.tool("reset").text() == "second");
    CHECK(pack.tool("many", R"({"count": 256})").parts.size() == 256);
    CHECK(pack.tool("many", R"({"count": 257})").status == PACKHOST_E_LIMIT);
    const Result progress = pack.tool("progress", R"({"steps": 3})");
    REQUIRE(progress.progress.size() == 3);
    CHECK(progress.progress[2].done == 3);
    pack.close();
    CHECK(pack.violations() == kNone);
  }

  TEST_CASE("progress that nobody asked for is a no-op") {
    Harness pack(pack_file("parts"));
    CallSetup setup;
    setup.flags = 0;
    const Result result = pack.tool("progress", "{}", setup);
    CHECK(result.progress.empty());
    CHECK(result.text() == "nobody asked");
  }

  TEST_CASE("resources, prompts, completion and commands are calls as well") {
    Harness library(pack_file("library"));
    CHECK(library.resource("library://readme").text() == "Read me first.");
    CHECK(library.resource("library://book/missing").status == PACKHOST_E_NOT_FOUND);
    CHECK(library.prompt("review", R"({"title": "Emma"})").parts.size() == 2);
    CHECK(library
              .complete("review", R"({"kind": "prompt", "argument": "title", "value": "Em",
                                         "arguments": {}})")
              .json() == R"({"values": ["Emma", "Emil"], "total": 3, "more": false})");
    library.tool("touch");
    CHECK(library.changed_resources() == std::vector<std::string>{"library://watched"});
    Harness commands(pack_file("commands"), R"({"base": "b"})");
    CHECK(commands.command("shelf.add", R"({"name": "low"})", true).text() == "would add low 80\n");
    CHECK(commands.tool("count").text() == "0");
    CHECK(commands.command("shelf.add", R"({"name": "low"})").text() == "added low 80\n");
    CHECK(commands.tool("count").text() == "1");
    commands.close();
    CHECK(commands.violations() == kNone);
  }

  TEST_CASE("[A-7] a buffer that is handed over comes back exactly once, taken or not") {
    Harness pack(pack_file("huge"));
    CHECK(pack.tool("huge", R"({"bytes": 1000})").status == PACKHOST_OK);
    CHECK(pack.tool("counts").text() == "1 1");
    CHECK(pack.tool("huge", R"({"bytes": 2000000})").status == PACKHOST_E_LIMIT);
    CHECK(pack.tool("counts").text() == "2 2");
    CHECK(pack.tool("insist", R"({"bytes": 600000})").status == PACKHOST_OK);
    CHECK(pack.tool("counts").text() == "5 5");
    pack.close();
    CHECK(pack.violations() == kNone);
  }
}

TEST_SUITE("testing/harness surroundings") {
  TEST_CASE("packs that no host takes are refused in the words of the interface") {
    CHECK(refusal_of("bad_abi").find("it was made for pack ABI 2 (needs 2.0); this packhost "
                                     "speaks 1.0") != std::string::npos);
    CHECK(refusal_of("needs_minor").find("it needs pack ABI 1.5; this packhost speaks 1.0") !=
          std::string::npos);
    CHECK(refusal_of("needs_interface").find("it requires the interface \"packhost.net/2\"") !=
          std::string::npos);
    CHECK(refusal_of("no_manifest").find("not a tool pack") != std::string::npos);
    CHECK(refusal_of("no_entry") == "cannot load no_entry.so: it does not export packhost_pack_v1");
    CHECK(refusal_of("two_faced") ==
          "cannot load two_faced.so: the manifest in the file and the one in the loaded object "
          "differ (was the file replaced?)");
    CHECK(refusal_of("undefined") ==
          "cannot load undefined.so: undefined symbol: packhost_test_missing_function (from the "
          "dynamic linker)");
    CHECK(refusal_of("bad_subset").find("manifest line ") != std::string::npos);
    CHECK(refusal_of("bad_profile").find("manifest line ") != std::string::npos);
    CHECK(refusal_of("lies_abi").find("ABI 2") != std::string::npos);
    CHECK(refusal_of("opener", R"({"refuse": "not today"})") == "not today");
    CHECK(refusal_of("opener", R"({"sleep": 1})").find("the options do not fit") == 0);
  }

  TEST_CASE("options are completed with defaults and with what the host adds") {
    Harness pack(pack_file("options"), R"({"name": "Ada", "root": ["/tmp"]})");
    const std::string shown = pack.tool("show").json();
    CHECK(shown == pack.with_defaults());
    CHECK(shown.find(R"("name":"Ada")") != std::string::npos);
    CHECK(shown.find(R"("protect_vcs":true)") != std::string::npos);
    CHECK(shown.find(R"("packhost":{"tool_prefix":"options_","alias":"options")") !=
          std::string::npos);
  }

  TEST_CASE("plan completes the options unless they were given, and can refuse") {
    Harness pack(pack_file("options"), R"({"plan_path": "/tmp"})");
    CHECK(pack.with_defaults().find(R"("root": ["/tmp"])") != std::string::npos);
    CHECK(refusal_of("options", R"({"plan_error": "no such workspace"})") == "no such workspace");
    CHECK(refusal_of("options", R"({"plan_error": "x", "root": ["/tmp"]})") == "it was opened");
  }

  TEST_CASE("a scripted peer answers what a pack sends") {
    Setup setup;
    setup.peers["db:1"] = [](int fd) {
      char line[64];
      const ssize_t got = read(fd, line, sizeof(line));
      if (got > 0 && write(fd, "pong\n", 5) != 5) return;
    };
    setup.peers["down:1"] = nullptr;
    Harness pack(pack_file("outside"), setup);
    CHECK(pack.tool("talk", R"({"endpoint": "db:1", "line": "ping"})").text() == "pong");
    CHECK(pack.tool("talk", R"({"endpoint": "down:1"})").status == PACKHOST_E_UNAVAILABLE);
    CHECK(pack.tool("talk", R"({"endpoint": "other:1"})").status == PACKHOST_E_DENIED);
    pack.close();
    CHECK(pack.violations() == kNone);
  }

  TEST_CASE("only programs that the test allows are started") {
    Setup setup;
    setup.programs["program"] = "/bin/echo";
    Harness pack(pack_file("outside"), setup);
    CHECK(pack.tool("run", R"({"program": "program", "args": ["a", "b c"]})").json() ==
          R"({"output": "a b c\n", "status": 0})");
    CHECK(pack.tool("run", R"({"program": "other"})").status == PACKHOST_E_DENIED);
    pack.close();
    CHECK(pack.violations() == kNone);
  }

  TEST_CASE("a program is killed when the pack asks for it") {
    Setup setup;
    setup.programs["program"] = "/bin/sleep";
    Harness pack(pack_file("outside"), setup);
    CHECK(pack.tool("run", R"({"program": "program", "args": ["60"], "kill_ms": 20})").json() ==
          R"({"output": "", "status": 9})");
    pack.close();
    CHECK(pack.violations() == kNone);
  }

  TEST_CASE("a secret is read anew each time") {
    Setup setup;
    setup.secrets["/password_file"] = "four";
    Harness pack(pack_file("outside"), setup);
    CHECK(pack.tool("secret").text() == "4");
    pack.set_secret("/password_file", "longer");
    CHECK(pack.tool("secret").text() == "6");
  }

  TEST_CASE("the pack's directories are there, and gone afterwards") {
    std::string state;
    {
      Harness pack(pack_file("outside"));
      state = pack.directory("state");
      CHECK(pack.tool("store", R"({"which": "state"})").text() == "kept");
      CHECK(pack.tool("store", R"({"which": "else"})").status == PACKHOST_E_DENIED);
      CHECK(access((state + "/note.txt").c_str(), R_OK) == 0);
    }
    CHECK(access(state.c_str(), F_OK) != 0);
  }

  TEST_CASE("about and the lists are what the opened pack says") {
    Harness pack(pack_file("dynamic"));
    CHECK(pack.about() ==
          R"({"title": "Title of about", "instructions": "Instructions of about."})");
    CHECK(pack.tool("change", R"({"to": "hide"})").status == PACKHOST_OK);
    CHECK(pack.changed() == PACKHOST_CHANGED_TOOLS);
    CHECK(pack.catalog(PACKHOST_CHANGED_TOOLS).find("shy") == std::string::npos);
    pack.close();
    CHECK(pack.violations() == kNone);
  }
}
