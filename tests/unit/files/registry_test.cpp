// SPDX-License-Identifier: MIT
// The registry's file and lock: what is wrong with them is said in full to the operator and only
// there; what a killed command left goes; roots that open much are named.
#include "plugins/files/workspace/breadth.hpp"
#include "plugins/files/workspace/registry.hpp"
#include "tests/unit/files/temp_tree.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace packhost::tests;
namespace files = packhost::files;
namespace kit = packhost::kit;

namespace {

kit::UniqueFd open_directory(const std::string &path) {
  return kit::UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

void ignore(std::string_view /*text*/) {}

/// What the operator reads when a registry of this text is to be changed.
std::string refusal(const TempTree &tree, const std::string &text) {
  tree.write("registry.json", text);
  const kit::UniqueFd data = open_directory(tree.root());
  const auto edit = files::RegistryEdit::begin(data.get(), ignore);
  return edit ? std::string("begun") : files::operator_text(edit.error());
}

} // namespace

TEST_SUITE("files/registry") {
  TEST_CASE("a damaged registry is named with its path, the fault and what to do") {
    const TempTree tree;
    const std::string start =
        "the registry of workspaces is damaged; it was left as it is: " + tree.at("registry.json");
    const std::string end = "; mend it, or move the file away and register the workspaces anew";
    CHECK(refusal(tree, "{\n x") == start + ": it is not valid JSON (byte 3)" + end);
    CHECK(refusal(tree, "[]") == start + ": it is not a JSON object" + end);
    CHECK(refusal(tree, R"({"format":1,"default":3})") ==
          start + ": its \"default\" is not a string" + end);
    CHECK(refusal(tree, R"({"format":1,"workspaces":[{"id":"a","name":"a","root":"b"}]})") ==
          start + ": \"workspaces\" at 0 has no absolute path as \"root\"" + end);
    CHECK(refusal(tree, R"({"format":1,"workspaces":[{"id":"a","name":7}]})") ==
          start + ": \"workspaces\" at 0 has a \"name\" that is not a string" + end);
    CHECK(refusal(tree, R"({"format":1,"workspaces":[]})") == "begun");
    CHECK(files::parse_registry("{").error().message.find('/') == std::string::npos);
  }

  TEST_CASE("what cannot be opened is named with its path and the reason") {
    const TempTree tree;
    tree.directory("registry.json");
    const kit::UniqueFd data = open_directory(tree.root());
    const auto unreadable = files::RegistryEdit::begin(data.get(), ignore);
    REQUIRE(!unreadable);
    CHECK(files::operator_text(unreadable.error()) ==
          "the registry of workspaces cannot be read: " + tree.at("registry.json") +
              " (the file is not a regular file); mend that, or name another directory with --home "
              "DIR");
    const TempTree other;
    other.link("registry.lock", "/nowhere");
    const kit::UniqueFd linked = open_directory(other.root());
    const auto unlocked = files::RegistryEdit::begin(linked.get(), ignore);
    REQUIRE(!unlocked);
    CHECK(files::operator_text(unlocked.error()) ==
          "the registry of workspaces cannot be locked: " + other.at("registry.lock") +
              " (too many levels of symbolic links)");
    const auto nowhere = files::RegistryEdit::begin(-1, ignore);
    REQUIRE(!nowhere);
    CHECK(files::operator_text(nowhere.error()).find("--home DIR") != std::string::npos);
  }

  TEST_CASE("who waits for the lock hears for whom, once, and in the end that it was in vain") {
    const TempTree tree;
    const kit::UniqueFd data = open_directory(tree.root());
    const kit::UniqueFd held(
        ::open(tree.at("registry.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(::flock(held.get(), LOCK_EX) == 0);
    std::vector<std::string> heard;
    const auto waited = files::lock_registry(
        data.get(), [&heard](std::string_view text) { heard.emplace_back(text); }, {0, 120});
    REQUIRE(!waited);
    REQUIRE(heard.size() == 1);
    const std::string self = "process " + std::to_string(::getpid()) + " (";
    CHECK(heard.front().find("waiting for " + self) == 0);
    CHECK(heard.front().find("files_tests") != std::string::npos);
    const std::string text = files::operator_text(waited.error());
    CHECK(text.find("another command is changing the registry of workspaces: " + self) == 0);
    CHECK(text.find(tree.at("registry.lock") + " for 0.12 s; wait until it ends") !=
          std::string::npos);
    REQUIRE(::flock(held.get(), LOCK_UN) == 0);
    heard.clear();
    CHECK(files::lock_registry(data.get(), [&heard](std::string_view) { heard.emplace_back(); }));
    CHECK(heard.empty());
  }

  TEST_CASE("whoever holds the lock removes what killed commands left, and nothing else") {
    const TempTree tree;
    tree.write("registry.json.tmp-1", "{");
    tree.write("registry.json.tmp-31999", "");
    tree.write("registry.json.kept", "mine");
    const kit::UniqueFd data = open_directory(tree.root());
    REQUIRE(files::read_registry(data.get()));
    CHECK(std::filesystem::exists(tree.at("registry.json.tmp-1"))); // only read: no lock
    REQUIRE(files::RegistryEdit::begin(data.get(), ignore));
    CHECK_FALSE(std::filesystem::exists(tree.at("registry.json.tmp-1")));
    CHECK_FALSE(std::filesystem::exists(tree.at("registry.json.tmp-31999")));
    CHECK(std::filesystem::exists(tree.at("registry.json.kept")));
  }

  TEST_CASE("roots that open much are described, others are not") {
    const auto says = [](std::string_view root, std::string_view what) {
      const std::string text =
          files::describe_breadth(root, "/srv/ana/.local/share/packhost/files");
      return text.find(what) != std::string::npos;
    };
    CHECK(says("/", "the whole file system"));
    for (const char *root : {"/etc", "/usr", "/var", "/proc"}) {
      CAPTURE(root);
      CHECK(says(root, "a directory of the system"));
    }
    for (const char *root : {"/root", "/home", "/home/user", "/srv/ana", "/srv"}) {
      CAPTURE(root);
      CHECK(says(root, "a home directory or holds one"));
    }
    for (const char *root : {"/home/user/notes", "/srv/other", "/usr/share/doc", "/tmp", "/srv/an"})
      CHECK(files::describe_breadth(root, "/srv/ana/x").empty());
  }
}
