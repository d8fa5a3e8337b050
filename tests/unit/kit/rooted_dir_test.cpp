// SPDX-License-Identifier: MIT
// Places below a directory, found with openat2 and by hand.
#include "sdk/kit/rooted_dir.hpp"
#include "tests/unit/files/temp_tree.hpp"

#include <doctest/doctest.h>

#include <string>

using packhost::kit::PathFault;
using packhost::kit::RootedDir;
using packhost::tests::TempTree;

namespace {

std::string word(PathFault fault) {
  switch (fault) {
  case PathFault::outside:
    return "outside";
  case PathFault::not_found:
    return "not found";
  case PathFault::not_a_directory:
    return "not a directory";
  case PathFault::not_regular:
    return "not regular";
  case PathFault::symlink_loop:
    return "loop";
  case PathFault::too_long:
    return "too long";
  case PathFault::denied:
    return "denied";
  case PathFault::crosses_mount:
    return "crosses mount";
  case PathFault::changed:
    return "changed";
  case PathFault::read_only:
  case PathFault::no_space:
  case PathFault::io:
    return "io";
  }
  return "?";
}

std::string found(const RootedDir &root, const std::string &path,
                  RootedDir::LastLink last = RootedDir::LastLink::follow) {
  const auto place = root.locate(path, last);
  return place ? "'" + place->path + "'" : word(place.error());
}

void fill(const TempTree &tree) {
  tree.write("a/b/file", "content");
  tree.write_outside("file", "secret");
  tree.link("in", "a/b/file");
  tree.link("a/up", "../a/./b//file");
  tree.link("a/b/top", "../..");
  tree.link("dir", "a/b/");
  tree.link("slash", "a/b/file/");
  tree.link("absolute", tree.at("a/b"));
  tree.link("out", "../o/file");
  tree.link("climb", "a/../../w/a/b/file");
  tree.link("far", "/etc/passwd");
  tree.link("loop", "loop2");
  tree.link("loop2", "loop");
  tree.fifo("pipe");
}

} // namespace

TEST_SUITE("kit/rooted_dir") {
  TEST_CASE("paths and links end at the same places with openat2 and by hand") {
    const TempTree tree;
    fill(tree);
    for (const bool by_hand : {false, true}) {
      CAPTURE(by_hand);
      const auto root = RootedDir::open(tree.root(), {}, {by_hand, false});
      REQUIRE(root);
      CHECK((root->uses_openat2() ? !by_hand : true));
      CHECK(found(*root, "") == "''");
      CHECK(found(*root, "a/b/file") == "'a/b/file'");
      CHECK(found(*root, "in") == "'a/b/file'");
      CHECK(found(*root, "in", RootedDir::LastLink::keep) == "'in'");
      CHECK(found(*root, "a/up") == "'a/b/file'");
      CHECK(found(*root, "a/b/top/a/b/top") == "''");
      CHECK(found(*root, "dir") == "'a/b'");
      CHECK(found(*root, "slash") == "not a directory");
      CHECK(found(*root, "dir/file") == "'a/b/file'");
      CHECK(found(*root, "absolute/file") == "'a/b/file'");
      CHECK(found(*root, "out") == "outside");
      CHECK(found(*root, "climb") == "outside");
      CHECK(found(*root, "far") == "outside");
      CHECK(found(*root, "far", RootedDir::LastLink::keep) == "'far'");
      CHECK(found(*root, "loop") == "loop");
      CHECK(found(*root, "loop/x") == "loop");
      CHECK(found(*root, "none") == "not found");
      CHECK(found(*root, "none/x") == "not found");
      CHECK(found(*root, "a/b/file/x") == "not a directory");
      CHECK(found(*root, std::string(300, 'x')) == "too long");
    }
  }

  TEST_CASE("only regular files are opened, and directories are listed") {
    const TempTree tree;
    fill(tree);
    for (const bool by_hand : {false, true}) {
      const auto root = RootedDir::open(tree.root(), {}, {by_hand, false});
      REQUIRE(root);
      const auto file = root->open_regular(*root->locate("in", RootedDir::LastLink::follow));
      REQUIRE(file);
      char bytes[16] = {};
      CHECK(::read(file->fd.get(), bytes, sizeof(bytes)) == 7);
      const auto pipe = root->open_regular(*root->locate("pipe", RootedDir::LastLink::keep));
      REQUIRE_FALSE(pipe);
      CHECK(pipe.error() == PathFault::not_regular);
      const auto link = root->open_regular(*root->locate("in", RootedDir::LastLink::keep));
      REQUIRE_FALSE(link);
      CHECK(root->open_directory(*root->locate("dir", RootedDir::LastLink::follow)));
      CHECK_FALSE(root->open_directory(*root->locate("pipe", RootedDir::LastLink::keep)));
    }
  }

  TEST_CASE("the short way opens plain files and nothing else") {
    const TempTree tree;
    fill(tree);
    const auto root = RootedDir::open(tree.root(), {}, {});
    REQUIRE(root);
    CHECK(root->open_plain_file("a/b/file").has_value() == root->uses_openat2());
    for (const char *path : {"in", "dir/file", "out", "pipe", "a", "none", ""}) {
      CAPTURE(path);
      CHECK_FALSE(root->open_plain_file(path));
    }
  }

  TEST_CASE("a root that moved is out of place; its descriptor still works") {
    const TempTree tree;
    tree.write("f", "x");
    const auto root = RootedDir::open(tree.root(), {}, {});
    REQUIRE(root);
    CHECK(root->is_in_place());
    std::filesystem::rename(tree.root(), tree.root() + "2");
    CHECK_FALSE(root->is_in_place());
    std::filesystem::create_directory(tree.root());
    CHECK_FALSE(root->is_in_place());
    CHECK(found(*root, "f") == "'f'");
  }

  TEST_CASE("the root is stripped from its own spellings, by components") {
    const TempTree tree;
    const auto root = RootedDir::open(tree.root() + "/.", {"/other/spelling/"}, {});
    REQUIRE(root);
    CHECK(root->canonical_path() == tree.root());
    CHECK(root->strip_root(tree.at("a")) == "a");
    CHECK(root->strip_root(tree.root()) == "");
    CHECK(root->strip_root("/other/spelling/x/y") == "x/y");
    CHECK_FALSE(root->strip_root("/other/spelling2/x"));
    CHECK_FALSE(RootedDir::open(tree.at("none"), {}, {}));
  }
}
