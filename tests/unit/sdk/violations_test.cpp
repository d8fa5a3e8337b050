// SPDX-License-Identifier: MIT
// Every breach of the contract that the harness notices, each by a pack that commits it.
#include "tests/unit/sdk/pack_file.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using packhost::test::pack_file;
using packhost::testing::Harness;
using packhost::testing::Setup;

namespace {

using Sentences = std::vector<std::string>;

/// What the harness says about one call of a tool, the shutdown included.
Sentences said_about(const std::string &name, const std::string &tool, Setup setup = {}) {
  setup.patience_ms = 300;
  Harness pack(pack_file(name), std::move(setup));
  pack.tool(tool);
  pack.close();
  return pack.violations();
}

Sentences of_vice(const std::string &tool) {
  return said_about("vices", tool);
}

Sentences one(const std::string &sentence) {
  return {sentence};
}

} // namespace

TEST_SUITE("testing/harness violations") {
  TEST_CASE("a pack that behaves is accused of nothing") {
    CHECK(of_vice("none") == Sentences{});
  }

  TEST_CASE("completing twice, or beside the return, or touching a call after its end") {
    CHECK(said_about("twice", "twice") == one("tool twice: completed a call twice"));
    CHECK(said_about("twice", "both") ==
          one("tool both: completed a call that it did not leave PENDING"));
    CHECK(said_about("twice", "touch") == one("tool touch: call_add after the end of the call"));
    CHECK(said_about("twice", "positive") ==
          one("tool positive: ended with 7, which is no status"));
  }

  TEST_CASE("never completing") {
    CHECK(said_about("mute", "never") ==
          one("tool never: never completed a call that it left PENDING"));
  }

  TEST_CASE("parts that the host refuses") {
    CHECK(of_vice("two_json") == one("tool two_json: a second JSON part"));
    CHECK(of_vice("two_meta") == one("tool two_meta: a second META part"));
    CHECK(of_vice("bare_meta") == one("tool bare_meta: a META part with the key 'n', which has no "
                                      "prefix of the pack's own"));
    CHECK(of_vice("reserved_meta") ==
          one("tool reserved_meta: a META part with the key 'io.modelcontextprotocol/n', which has "
              "no prefix of the pack's own"));
    CHECK(of_vice("meta_no_object") ==
          one("tool meta_no_object: a META part that is no JSON object"));
    CHECK(of_vice("unknown_part") == one("tool unknown_part: a part of the unknown type 77"));
    CHECK(said_about("sized", "reserved") ==
          one("tool reserved: a META part with the key 'io.example/result-size', which is the "
              "host's"));
  }

  TEST_CASE("texts that are not UTF-8 and JSON that is none") {
    CHECK(of_vice("bad_text") == one("tool bad_text: a TEXT part that is not UTF-8"));
    CHECK(of_vice("bad_json") == one("tool bad_json: a JSON part that is no JSON object"));
  }

  TEST_CASE("a structured result that breaks its schema, or is missing") {
    const Sentences mismatch = said_about("lying", "mismatch");
    REQUIRE(mismatch.size() == 1);
    CHECK(mismatch[0].find("tool mismatch: its structured result breaks the output schema at "
                           "'/n'") == 0);
    CHECK(mismatch[0].find("many") == std::string::npos); // never the value
    CHECK(said_about("lying", "missing") ==
          one("tool missing: has an output schema and gave no structured result"));
    CHECK(said_about("lying", "no_json") ==
          one("tool no_json: a JSON part that is no JSON object"));
    CHECK(said_about("lying", "honest") == Sentences{});
    CHECK(said_about("lying", "failing") == Sentences{});
  }

  TEST_CASE("progress that goes back") {
    CHECK(of_vice("progress_back") == one("tool progress_back: progress went back"));
  }

  TEST_CASE("changed process state, which is put back") {
    const Sentences changed = of_vice("chdir");
    REQUIRE(changed.size() == 1);
    CHECK(changed[0].find("tool chdir: changed the working directory (") == 0);
    CHECK(of_vice("umask").at(0).find("tool umask: changed the umask (") == 0);
    CHECK(of_vice("locale") == one("tool locale: changed the locale (C, now C.UTF-8)"));
    CHECK(of_vice("signal") == one("tool signal: changed the disposition of signal 10"));
    CHECK(of_vice("none") == Sentences{});
  }

  TEST_CASE("bytes written to descriptor 1") {
    CHECK(of_vice("print") == one("tool print: wrote 6 bytes to descriptor 1"));
  }

  TEST_CASE("descriptors left after shutdown") {
    const Sentences left = of_vice("leak_fd");
    REQUIRE(left.size() == 1);
    CHECK(left[0].find("left descriptor ") == 0);
    CHECK(left[0].find("open after shutdown: /dev/null") != std::string::npos);
  }

  TEST_CASE("threads left after shutdown") {
    CHECK(of_vice("leak_thread") == one("left 1 thread running after shutdown"));
  }

  TEST_CASE("an event that the manifest does not name") {
    CHECK(of_vice("undeclared") ==
          one("logs the event 'unsaid', which its manifest does not name in \"log_events\""));
  }

  TEST_CASE("an about that is too long, no object, or fails") {
    const auto about = [](const char *kind) {
      Harness pack(pack_file("dynamic"), std::string(R"({"about": ")") + kind + "\"}");
      pack.close();
      CHECK(pack.about() == (std::string(kind) == "long" ? pack.about() : ""));
      return pack.violations();
    };
    CHECK(about("long") == one("about gave instructions of 5000 bytes; the limit is 1500"));
    CHECK(about("array") == one("about gave what is no JSON object"));
    CHECK(about("broken") == one("about gave what is no JSON object"));
    CHECK(about("fails") == one("about failed with -8"));
  }

  TEST_CASE("a list that invents a tool or is no array") {
    const auto list = [](const char *kind) {
      Harness pack(pack_file("dynamic"), std::string(R"({"start": ")") + kind + "\"}");
      pack.close();
      return pack.violations();
    };
    const Sentences invented = list("invent");
    REQUIRE(invented.size() == 1);
    CHECK(invented[0].find("a list that no host takes: ") == 0);
    CHECK(invented[0].find("invented") != std::string::npos);
    CHECK(list("broken").size() == 3); // one per list
  }

  TEST_CASE("interfaces and manifest that disagree") {
    static constexpr std::string_view kManifest = R"({
      "manifest": 1, "name": "inline", "version": "1.0.0", "abi": "1.0",
      "uses": ["packhost.catalog/1"]})";

    class Disagrees : public packhost::Pack {
    public:
      explicit Disagrees(packhost::Open &open) {
        about(&Disagrees::say);
        open.host.iface<packhost_net>(PACKHOST_IFACE_NET);
      }

    private:
      std::string say() { return "{}"; }
    };

    Harness pack(packhost::test::entry_of<Disagrees>(kManifest));
    pack.close();
    CHECK(pack.violations() ==
          Sentences{"asks for the interface \"packhost.net/1\", which its manifest names neither "
                    "in \"uses\" nor in \"requires\"",
                    "offers \"packhost.about/1\", which its manifest does not name in \"uses\"",
                    "does not offer \"packhost.catalog/1\", which its manifest names in \"uses\""});
  }

  TEST_CASE("a pack that prints while it is loaded, opened and called") {
    const Sentences printed = said_about("prints", "print");
    REQUIRE(printed.size() == 3);
    CHECK(printed[0].find("while it was loaded: wrote ") == 0);
    CHECK(printed[1].find("open(): wrote ") == 0);
    CHECK(printed[2].find("tool print: wrote ") == 0);
  }

  TEST_CASE("a buffer changed after it was handed over") {
    static char words[] = "before";

    class Changes : public packhost::Pack {
    public:
      explicit Changes(packhost::Open &) { tool("run", &Changes::run); }

    private:
      static void keep(void *, const void *, size_t) {}

      void run(packhost::Call &call) {
        packhost_part part{};
        part.struct_size = static_cast<std::uint32_t>(sizeof(part));
        part.type = PACKHOST_PART_TEXT;
        part.data = {words, 6, &keep, nullptr};
        call.host().raw()->call_add(call.raw(), &part);
        words[0] = 'B';
      }
    };

    Harness pack(packhost::test::entry_of<Changes>(packhost::test::kOneTool));
    pack.tool("run");
    pack.close();
    CHECK(pack.violations() == one("tool run: changed a buffer after handing it over"));
  }
}
