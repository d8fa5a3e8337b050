// SPDX-License-Identifier: MIT
// The registry, selection and the tools and commands around them; what every call has in common.
#include "plugins/files/workspace/registry.hpp"
#include "plugins/files/workspace/selection.hpp"
#include "sdk/contract/elf.hpp"
#include "sdk/contract/manifest.hpp"
#include "tests/unit/files/files_case.hpp"

#include <set>

using namespace packhost::tests;
namespace files = packhost::files;
using Names = std::vector<std::string>;

namespace {

/// Paths, sizes, modes, times and content of a tree, as one text.
std::string snapshot(const std::string &root) {
  std::set<std::string> lines;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
    struct stat status {};

    ::lstat(entry.path().c_str(), &status);
    lines.insert(fmt::format("{} {} {:o} {}.{} {}.{}", entry.path().string(), status.st_size,
                             status.st_mode, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                             status.st_ctim.tv_sec, status.st_ctim.tv_nsec));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

files::Registry registry_of(const std::string &root, const std::vector<std::string> &names) {
  files::Registry registry;
  for (const std::string &name : names)
    registry.workspaces.push_back({"ws_" + name, name, root, "2026-01-02T03:04:05Z", ""});
  return registry;
}

std::string selected(const files::Registry &registry, std::string_view wanted = {}) {
  const auto chosen = files::select_workspace(registry, wanted);
  return chosen ? chosen->name : "refused: " + chosen.error().message;
}

std::string write_registry(FilesCase &files, const std::string &text) {
  const std::string path = files.pack().directory("data") + "/registry.json";
  std::ofstream(path) << text;
  return path;
}

} // namespace

TEST_SUITE("files/workspace") {
  TEST_CASE("[F-2] several workspaces and no choice: refused, with every name") {
    CHECK(selected(registry_of("/tmp", {"one", "two"})) ==
          "refused: several workspaces are registered and none is the default; choose one with "
          "--workspace: one, two");
    CHECK(selected(files::Registry()).find("--root PATH") != std::string::npos);
  }

  TEST_CASE("[F-3] one workspace is served; a missing default is refused, never replaced") {
    CHECK(selected(registry_of("/tmp", {"one"})) == "one");
    CHECK(selected(registry_of("/tmp", {"one", "two"}), "two") == "two");
    CHECK(selected(registry_of("/tmp", {"one", "two"}), "ws_one") == "one");
    CHECK(selected(registry_of("/tmp", {"one"}), "three") ==
          "refused: no workspace 'three' is registered; there are: one");
    files::Registry registry = registry_of("/tmp", {"one", "two"});
    registry.default_name = "two";
    CHECK(selected(registry) == "two");
    registry.workspaces[1].root = "/nonexistent-directory";
    CHECK(
        selected(registry) ==
        "refused: the directory of workspace 'two', /nonexistent-directory, is not there; bring it "
        "back, or remove the workspace with 'packhost files workspace remove two'");
    registry.default_name = "gone";
    CHECK(selected(registry) ==
          "refused: the default workspace 'gone' is not registered; choose another with 'packhost "
          "files workspace default NAME'; there are: one, two");
  }

  TEST_CASE("[F-4] the tools built so far, with the hints of reading") {
    const std::string bytes = TempTree::read(FILES_PACK);
    const auto elf = packhost::contract::read_elf(bytes);
    REQUIRE(elf);
    const auto manifest = packhost::contract::parse_manifest(elf->manifest);
    REQUIRE(manifest);
    Names names;
    for (const packhost::contract::ToolEntry &tool : (*manifest)->tools) {
      names.push_back(tool.name);
      CHECK(tool.annotations.read_only);
      CHECK_FALSE(tool.annotations.destructive);
      CHECK(tool.annotations.idempotent);
      CHECK_FALSE(tool.annotations.open_world);
    }
    CHECK(names == Names{"workspace_list", "workspace_info", "file_read", "file_read_many",
                         "directory_list", "file_info", "file_search", "content_search"});
    CHECK((*manifest)->warnings == Names());
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "[F-5] an unknown property is refused by name, and nothing appears") {
    tree.write("a", "x");
    const std::string before = snapshot(tree.root());
    for (const char *tool : {"workspace_list", "workspace_info", "file_read", "file_read_many",
                             "directory_list", "file_info", "file_search", "content_search"}) {
      CAPTURE(tool);
      const bool is_many = std::string_view(tool) == "file_read_many";
      const bool has_path = std::string_view(tool).substr(0, 9) != "workspace";
      std::string args = "{\"pth\":1";
      if (is_many)
        args += ",\"paths\":[\"a\"]";
      else if (has_path)
        args += ",\"path\":\"a\"";
      if (std::string_view(tool) == "file_search") args += ",\"glob\":\"*\"";
      if (std::string_view(tool) == "content_search") args += ",\"query\":\"x\"";
      const Json refused = call(tool, args + "}");
      CHECK(refused.string("error.code") == "INVALID_ARGUMENT");
      CHECK(refused.string("error.details.argument") == "pth");
    }
    CHECK(snapshot(tree.root()) == before);
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-6] reading leaves the workspace as it is") {
    tree.write("dir/a", "x\n");
    tree.link("ln", "dir/a");
    const std::string before = snapshot(tree.root());
    CHECK(code("workspace_list", "{}") == "ok");
    CHECK(code("workspace_info", "{}") == "ok");
    CHECK(code("file_read", path_args("ln")) == "ok");
    CHECK(code("file_read_many", R"({"paths":["dir/a","none"]})") == "ok");
    CHECK(code("directory_list", R"({"recursive":true})") == "ok");
    CHECK(code("file_info", path_args("dir/a")) == "ok");
    CHECK(code("file_search", path_args(".", "\"glob\":\"*\"")) == "ok");
    CHECK(code("content_search", path_args(".", "\"query\":\"x\"")) == "ok");
    CHECK(code("file_read", path_args("none")) == "NOT_FOUND");
    CHECK(snapshot(tree.root()) == before);
    CHECK_FALSE(std::filesystem::exists(tree.at(".packhost")));
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-7] a transient root is in no list, and is told as transient") {
    write_registry(*this, files::encode_registry(registry_of(tree.root(), {"one"})));
    const Json list = call("workspace_list", "{}");
    CHECK(list.column("result.workspaces", "name") == Names{"one"});
    CHECK(list["result.workspaces.0.is_selected"] == "false");
    CHECK(list["result.workspaces.0.available"] == "true");
    CHECK(list["result.default"] == "null");
    const Json info = call("workspace_info", "{}");
    CHECK(info["result.transient"] == "true");
    CHECK(info["result.id"] == "null");
    CHECK(info.string("result.name") == "w");
    CHECK(info.string("result.root") == tree.root());
    CHECK(info["result.selected"] == "true");
    CHECK(info.string("result.version") == "0.1.0");
    CHECK(info["result.limits.max_read_bytes"] == "1048576");
    CHECK(info["result.state.available"] == "false");
    const Json other = call("workspace_info", R"({"workspace":"one"})");
    CHECK(other["result.transient"] == "false");
    CHECK(other["result.selected"] == "false");
    CHECK(code("workspace_info", R"({"workspace":"two"})") == "WORKSPACE_NOT_FOUND");
  }

  TEST_CASE_FIXTURE(FilesCase, "a registry of another format is refused and left alone") {
    const std::string path = write_registry(*this, R"({"format":2,"workspaces":[]})");
    CHECK(code("workspace_list", "{}") == "STATE_UNAVAILABLE");
    CHECK(code("workspace_info", "{}") == "ok");
    const packhost::testing::Result refused =
        pack().command("workspace.add", "{\"name\":\"a\",\"path\":" + quote(tree.root()) + "}");
    CHECK(refused.status == PACKHOST_E_IO);
    CHECK(refused.error ==
          "the registry of workspaces has a format this version does not know: " + path +
              ": its \"format\" is 2, not 1; use a newer packhost, or "
              "another directory with --home DIR");
    CHECK(TempTree::read(path) == R"({"format":2,"workspaces":[]})");
    CHECK(call("workspace_list", "{}").text().find(path) == std::string::npos);
    std::ofstream(path) << "{";
    CHECK(code("workspace_list", "{}") == "STATE_UNAVAILABLE");
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "the operator's commands keep the registry, and what they do not know") {
    const std::string path = write_registry(
        *this,
        R"({"format":1,"default":null,"workspaces":[{"id":"ws_1","name":"old","root":"/old","created_at":"x","note":[1, 2]}],"more":{"a":1}})");
    tree.directory("sub");
    const auto add = [&](const std::string &name, const std::string &dir, bool dry = false) {
      return pack().command(
          "workspace.add",
          "{\"name\":" + quote(name) + ",\"path\":" + quote(dir) + ",\"default\":true}", dry);
    };
    CHECK(add("w", tree.root(), true).status == PACKHOST_OK);
    CHECK(call("workspace_list", "{}").column("result.workspaces", "name") == Names{"old"});
    const packhost::testing::Result added = add("w", tree.root());
    CHECK(added.status == PACKHOST_OK);
    CHECK(added.text() == fmt::format("registered workspace 'w': {} (the default)\n", tree.root()));
    CHECK(add("w", tree.outside()).status == PACKHOST_E_CONFLICT);
    CHECK(add("again", tree.root() + "/.").status == PACKHOST_E_CONFLICT);
    CHECK(add("no/name", tree.outside()).status == PACKHOST_E_INVALID_ARGS);
    CHECK(add("gone", tree.at("none")).status == PACKHOST_E_NOT_FOUND);
    const packhost::testing::Result inner = add("inner", tree.at("sub"));
    CHECK(Json(inner.json())["warnings"] == R"(["it lies inside workspace 'w'"])");
    CHECK(inner.text().find("lies inside") == std::string::npos); // that is for stderr

    struct stat status {};

    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600);
    const packhost::testing::Result list = pack().command("workspace.list");
    CHECK(Json(list.json()).column("workspaces", "name") == Names{"inner", "old", "w"});
    CHECK(Json(list.json()).string("default") == "inner");
    CHECK(list.text().find("(missing)") != std::string::npos);
    CHECK(pack().command("workspace.default", R"({"unset":true})").status == PACKHOST_OK);
    CHECK(pack().command("workspace.default", R"({"name":"w"})").status == PACKHOST_OK);
    CHECK(pack().command("workspace.default", "{}").status == PACKHOST_E_INVALID_ARGS);
    CHECK(pack().command("workspace.default", R"({"name":"none"})").status == PACKHOST_E_NOT_FOUND);
    CHECK(pack().command("workspace.remove", R"({"name":"w"})").status == PACKHOST_OK);
    CHECK(pack().command("workspace.remove", R"({"name":"w"})").status == PACKHOST_E_NOT_FOUND);
    CHECK(std::filesystem::exists(tree.at("sub")));
    const std::string text = TempTree::read(path);
    CHECK(text.find(R"("note":[1, 2]})") != std::string::npos);
    CHECK(text.find(R"("more":{"a":1})") != std::string::npos);
    CHECK(Json(text)["default"] == "null");
  }

  TEST_CASE_FIXTURE(FilesCase, "a refusal is a sentence, with numbers that fit their nouns") {
    tree.write("one", "x\n");
    tree.write("two", "x\ny\n");
    const auto message = [this](const char *tool, const std::string &args) {
      return call(tool, args).string("error.message");
    };
    CHECK(message("file_read", "{}") == "'path' is missing");
    CHECK(message("file_read", R"({"path":"one","pth":1})") == "'pth' is an unknown property");
    CHECK(message("file_read", R"({"path":1})") == "'path' must be a string");
    CHECK(message("file_read", path_args("one", "\"start_line\":9")) == "The file has 1 line");
    CHECK(message("file_read", path_args("two", "\"start_line\":9")) == "The file has 2 lines");
    CHECK(message("directory_list", R"({"max_entries":0})") == "'max_entries' must be at least 1");
    CHECK(message("file_read_many", R"({"paths":[]})") == "'paths' is empty");
  }

  TEST_CASE("ids sort by their time and names are checked") {
    const std::string id = files::make_workspace_id();
    CHECK(id.size() == 29);
    CHECK(id.substr(0, 3) == "ws_");
    CHECK(id != files::make_workspace_id());
    CHECK(files::is_workspace_name("a.b-c_1"));
    CHECK_FALSE(files::is_workspace_name(".a"));
    CHECK_FALSE(files::is_workspace_name("a b"));
    CHECK_FALSE(files::is_workspace_name(std::string(65, 'a')));
  }

  TEST_CASE("plan adds the chosen root to the options and keeps the others") {
    const Json options(files::complete_options(R"({"workspace":"w","max_read_bytes":5000})",
                                               {"ws_1", "w", "/srv/w", "", ""}));
    CHECK(options.text() == R"({"max_read_bytes":5000,"root":"/srv/w","workspace":"ws_1"})");
  }
}
