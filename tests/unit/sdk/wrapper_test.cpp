// SPDX-License-Identifier: MIT
// The C++ wrapper, on packs made in the test.
#include "tests/unit/sdk/pack_file.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <new>
#include <thread>

using packhost::Call;
using packhost::test::entry_of;
using packhost::test::kOneTool;
using packhost::testing::Harness;
using packhost::testing::OpenFailed;
using packhost::testing::Result;

namespace {

// What the tool does, set by each test before it opens the pack.
std::function<void(Call &)> behaviour; // NOLINT: a test's own

class Inline : public packhost::Pack {
public:
  explicit Inline(packhost::Open &) { tool("run", &Inline::run); }

private:
  void run(Call &call) { behaviour(call); }
};

/// Runs the tool once with this behaviour and expects that no rule was broken.
Result run(std::function<void(Call &)> what, const packhost::testing::CallSetup &setup = {}) {
  behaviour = std::move(what);
  Harness pack(entry_of<Inline>(kOneTool));
  Result result = pack.tool("run", "{}", setup);
  pack.close();
  CHECK(pack.violations() == std::vector<std::string>{});
  behaviour = nullptr;
  return result;
}

class Refuses : public packhost::Pack {
public:
  explicit Refuses(packhost::Open &) {
    throw packhost::Error(PACKHOST_E_CONFIG, "endpoint list is empty (configuration)");
  }
};

class Breaks : public packhost::Pack {
public:
  explicit Breaks(packhost::Open &) { throw std::runtime_error("no room"); }
};

template <class C>
std::string open_refusal() {
  try {
    const Harness pack(entry_of<C>(kOneTool));
  } catch (const OpenFailed &refused) {
    return std::to_string(refused.status()) + " " + refused.what();
  }
  return "it opened";
}

} // namespace

TEST_SUITE("packhost/pack") {
  TEST_CASE("text is given as literal, view or string, short or long") {
    const std::string view = "view ";
    const Result result = run([&](Call &call) {
      call.text("literal ").text(std::string_view(view)).text(std::string(1000, 'x'));
    });
    CHECK(result.status == PACKHOST_OK);
    CHECK(result.text() == "literal view " + std::string(1000, 'x'));
  }

  TEST_CASE("every exception of a tool becomes a status and a message") {
    const auto thrown = [](std::function<void()> raise) {
      const Result result = run([&](Call &call) {
        call.text("dropped");
        raise();
      });
      return std::to_string(result.status) + " " + result.error;
    };
    CHECK(thrown([] { throw packhost::Error(PACKHOST_E_CONFLICT, "it changed"); }) ==
          "-4 it changed");
    CHECK(thrown([] { throw packhost::Error(PACKHOST_OK, "no failure"); }) == "-14 no failure");
    CHECK(thrown([] { throw std::bad_alloc(); }) == "-12 out of memory");
    CHECK(thrown([] { throw std::runtime_error("broken"); }) == "-14 broken");
    CHECK(thrown([] { throw 7; }) == "-14 an exception of unknown type");
  }

  TEST_CASE("details of an error go with it") {
    const Result result =
        run([](Call &) { throw packhost::Error(PACKHOST_E_IO, "no disk", R"({"retry": true})"); });
    CHECK(result.details == R"({"retry": true})");
  }

  TEST_CASE("failed() ends with E_TOOL and keeps the parts") {
    const Result result = run([](Call &call) { call.text("why").failed(); });
    CHECK(result.status == PACKHOST_E_TOOL);
    CHECK(result.text() == "why");
  }

  TEST_CASE("a part above the limit ends the call with E_LIMIT and says the limit") {
    packhost::testing::CallSetup setup;
    setup.max_result_bytes = 10;
    const Result result = run([](Call &call) { call.text(std::string(400, 'x')); }, setup);
    CHECK(result.status == PACKHOST_E_LIMIT);
    CHECK(result.error == "the result is larger than the limit of 10 bytes; ask for less at once");
  }

  TEST_CASE("a Later that is dropped answers for the pack") {
    const Result result = run([](Call &call) { static_cast<void>(call.later()); });
    CHECK(result.status == PACKHOST_E_INTERNAL);
    CHECK(result.error == "the pack dropped the call");
  }

  TEST_CASE("an exception after later() is swallowed, since the Later has answered") {
    const Result result = run([](Call &call) {
      const Call::Later later = call.later();
      throw std::runtime_error("too late");
    });
    CHECK(result.status == PACKHOST_E_INTERNAL);
    CHECK(result.error == "the pack dropped the call");
  }

  TEST_CASE("a second later() is refused and the first one answers") {
    const Result result = run([](Call &call) {
      Call::Later later = call.later();
      CHECK_THROWS_AS(static_cast<void>(call.later()), packhost::Error);
      later->text("answered");
      later.done();
      later.done();
    });
    CHECK(result.status == PACKHOST_OK);
    CHECK(result.text() == "answered");
  }

  TEST_CASE("a Later moves, and completes once wherever it ends up") {
    const Result result = run([](Call &call) {
      Call::Later first = call.later();
      Call::Later second(std::move(first));
      second.fail(PACKHOST_E_IO, "from the second");
    });
    CHECK(result.status == PACKHOST_E_IO);
    CHECK(result.error == "from the second");
  }

  TEST_CASE("Later::run keeps an exception behind the wall of another thread") {
    std::thread worker;
    const Result result = run([&](Call &call) {
      worker = std::thread([later = call.later()]() mutable {
        later.run([](Call &) { throw packhost::Error(PACKHOST_E_UNAVAILABLE, "down"); });
      });
      worker.join();
    });
    CHECK(result.status == PACKHOST_E_UNAVAILABLE);
    CHECK(result.error == "down");
  }

  TEST_CASE("an unregistered tool is not found and an unregistered kind unsupported") {
    behaviour = [](Call &) {};
    Harness pack(entry_of<Inline>(kOneTool));
    CHECK(pack.tool("nope").status == PACKHOST_E_NOT_FOUND);
    CHECK(pack.resource("inline://x").status == PACKHOST_E_UNSUPPORTED);
    CHECK(pack.start(99, "x").wait().status == PACKHOST_E_UNSUPPORTED);
    behaviour = nullptr;
  }

  TEST_CASE("a constructor that throws becomes a refused open with its text") {
    CHECK(open_refusal<Refuses>() == "-11 endpoint list is empty (configuration)");
    CHECK(open_refusal<Breaks>() == "-14 no room");
  }

  TEST_CASE("log fields keep their types and texts") {
    behaviour = [](Call &call) {
      const std::string where = "here";
      call.host().log(PACKHOST_LOG_NOTICE, "said",
                      {{"n", 3}, {"f", 0.5}, {"b", true}, {"s", "text"}, {"w", where}});
    };
    Harness pack(entry_of<Inline>(kOneTool));
    CHECK(pack.tool("run").status == PACKHOST_OK);
    REQUIRE(pack.log().size() == 1);
    const std::vector<std::pair<std::string, std::string>> expected{
        {"n", "3"}, {"f", "0.500000"}, {"b", "true"}, {"s", "text"}, {"w", "here"}};
    CHECK(pack.log()[0].fields == expected);
    CHECK(pack.log()[0].level == PACKHOST_LOG_NOTICE);
    behaviour = nullptr;
  }

  TEST_CASE("[A-19] the hello-world pack has at most 40 lines and says hello") {
    Harness pack(PACKHOST_HELLO);
    CHECK(pack.tool("greet", R"({"name": "Ada"})").text() == "Hello, Ada!");
    pack.close();
    CHECK(pack.violations() == std::vector<std::string>{});
    std::ifstream source(PACKHOST_HELLO_SOURCE);
    int lines = 0;
    for (std::string line; std::getline(source, line);) ++lines;
    CHECK(lines > 0);
    CHECK(lines <= 40);
  }

  TEST_CASE("the C template says hello") {
    Harness pack(PACKHOST_HELLO_C);
    CHECK(pack.tool("greet").text() == "Hello from C!");
    pack.close();
    CHECK(pack.violations() == std::vector<std::string>{});
  }
}
