// SPDX-License-Identifier: MIT
// The checks of packhost-check, and the samples they call tools with.
#include "sdk/testing/checks.hpp"
#include "sdk/testing/harness.hpp"
#include "tests/unit/sdk/pack_file.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace packhost::testing; // NOLINT: the inside of the checker
using packhost::test::pack_file;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PACKHOST_TEST_SANITIZED true
#elif defined(__has_feature)
#define PACKHOST_TEST_SANITIZED __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#else
#define PACKHOST_TEST_SANITIZED false
#endif

namespace {

constexpr bool kIsSanitized = PACKHOST_TEST_SANITIZED;

Subject subject_of(const std::string &name, const std::string &options = "{}") {
  Subject subject;
  subject.file = pack_file(name);
  subject.bytes = read_pack_file(subject.file);
  subject.options = options;
  subject.style.directory = "/tmp";
  subject.style.file = "/dev/null";
  return subject;
}

/// The problems that one check of a pack finds, in a fresh process.
std::vector<std::string> problems(const std::string &pack, const std::string &check,
                                  const std::string &options = "{}") {
  Subject subject = subject_of(pack, options);
  for (const auto &[name, found] : check_file(subject)) {
    if (name == check) return found.problems;
  }
  REQUIRE(subject.manifest);
  for (const Check &one : list_checks(subject)) {
    if (one.name == check) return run_in_fresh_process(one.run, 20'000).problems;
  }
  return {"there is no check '" + check + "'"};
}

std::vector<std::string> one(const std::string &problem) {
  return {problem};
}

} // namespace

TEST_SUITE("testing/checks") {
  TEST_CASE("a crash is one finding that names the signal") {
    // Sanitizers catch this signal and end the process with a status of their own.
    const std::vector<std::string> segv = problems("throws", "tool segv: valid arguments");
    REQUIRE(segv.size() == 1);
    CHECK(segv[0].find("the process ended ") == 0);
    CHECK(problems("throws", "tool abort: valid arguments") ==
          one("the process ended by signal 6 (ABRT)"));
    CHECK(problems("throws", "tool throw: valid arguments") ==
          one("the process ended by signal 6 (ABRT)"));
    CHECK(problems("throws", "tool fine: valid arguments") == std::vector<std::string>{});
  }

  TEST_CASE("what the harness sees is a finding") {
    CHECK(problems("vices", "tool umask: valid arguments").size() == 2); // two calls
    CHECK(problems("twice", "tool twice: unknown flag bits").size() == 2);
    CHECK(problems("lying", "tool missing: cancelled before its start") ==
          one("tool missing: has an output schema and gave no structured result"));
  }

  TEST_CASE("the file is judged without running its code") {
    CHECK(problems("no_entry", "file: is a tool pack") == one("does not export packhost_pack_v1"));
    CHECK(problems("no_manifest", "file: is a tool pack").at(0).find("not a tool pack") == 0);
    CHECK(problems("bad_profile", "manifest: accepted without a warning").size() == 1);
    CHECK(problems("echo", "file: is a tool pack") == std::vector<std::string>{});
    CHECK(problems("echo", "file: permissions") == std::vector<std::string>{});
  }

  TEST_CASE("constructors of the pack's own are worth a note") {
    const auto notes = [](const std::string &pack) {
      Subject subject = subject_of(pack);
      for (const auto &[name, found] : check_file(subject)) {
        if (name == "file: is a tool pack") return found.notes.size();
      }
      return std::size_t{99};
    };
    CHECK(notes("marker") == 1);
    if (!kIsSanitized) CHECK(notes("echo") == 0); // sanitizers add constructors of theirs
  }

  TEST_CASE("arguments found in the log are a finding, and are not shown") {
    // The tool takes no arguments: the harness offers nothing, so the check says that it looked.
    Subject subject = subject_of("vices");
    static_cast<void>(check_file(subject));
    for (const Check &check : list_checks(subject)) {
      if (check.name != "tool log_args: arguments stay out of the log") continue;
      const Findings found = run_in_fresh_process(check.run, 20'000);
      CHECK(found.notes == one("its arguments have no room for a canary"));
    }
    CHECK(problems("vices", "tool log_words: arguments stay out of the log") ==
          one("logs what stood in its arguments: event 'said', field 'value'"));
  }

  TEST_CASE("[A-22] a pack that checks its input and takes anything is found out") {
    CHECK(problems("vices", "tool takes_all: wrong arguments").size() >= 3);
    CHECK(problems("strict", "tool take: wrong arguments") == std::vector<std::string>{});
  }

  TEST_CASE("an open that refuses is said once, with its reason") {
    CHECK(problems("opener", "pack: opens and shuts down twice", R"({"refuse": "no"})") ==
          one("no"));
  }

  TEST_CASE("a hang ends with the time limit") {
    const auto hang = [] {
      for (;;) pause();
      return Findings{};
    };
    CHECK(run_in_fresh_process(hang, 200).problems == one("did not end within 0 s"));
  }

  TEST_CASE("a process that ends early is a finding") {
    const auto leave = []() -> Findings { _exit(7); };
    CHECK(run_in_fresh_process(leave, 5'000).problems ==
          one("the process ended early with status 7"));
  }
}

TEST_SUITE("testing/samples") {
  TEST_CASE("samples fit their schema, and the full one has every property") {
    const std::string schema = R"({"type": "object", "required": ["id", "when"], "properties": {
      "id": {"type": "string", "pattern": "^[0-9a-f]{40}$"},
      "when": {"type": "string", "minLength": 3, "maxLength": 5},
      "level": {"type": "string", "enum": ["low", "high"]},
      "count": {"type": "integer", "minimum": 7, "maximum": 9},
      "list": {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
      "inner": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}}}})";
    SampleStyle style;
    CHECK(make_sample(schema, style).value_or("none") ==
          R"({"id":")" + std::string(40, '0') + R"(","when":"aaa"})");
    style.full = true;
    CHECK(make_sample(schema, style).value_or("none") ==
          R"({"id":")" + std::string(40, '0') +
              R"(","when":"aaa","level":"low","count":7,"list":[true,true],"inner":{"x":1}})");
  }

  TEST_CASE("a pattern that no candidate fits gives no sample") {
    CHECK(make_sample(R"({"type": "string", "pattern": "^zq+x{3}$"})", {}) == std::nullopt);
  }

  TEST_CASE("bad samples say whether they break the schema") {
    const std::string schema = R"({"type": "object", "required": ["n"],
      "additionalProperties": false, "properties": {"n": {"type": "integer"}}})";
    for (const BadSample &bad : make_bad_samples(schema, R"({"n": 1})")) {
      CAPTURE(bad.what);
      const bool may_stand = bad.what == "property 'n' is a negative number";
      CHECK(bad.breaks_schema != may_stand);
    }
  }
}
