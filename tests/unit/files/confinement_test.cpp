// SPDX-License-Identifier: MIT
// Nothing outside the workspace is reached, by any spelling or link, with openat2 or without.
#include "sdk/kit/deadline.hpp"
#include "tests/unit/files/files_case.hpp"

#include <array>
#include <cerrno>
#include <cstddef>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace packhost::tests;
using Names = std::vector<std::string>;

namespace {

/// Every way to name one path in a call that reads.
Names all_codes(FilesCase &files, std::string_view path) {
  Names codes;
  codes.push_back(files.code("file_read", path_args(path)));
  codes.push_back(files.call("file_read_many", "{\"paths\":[" + quote(path) + "]}")
                      .string("result.entries.0.error.code"));
  codes.push_back(files.code("directory_list", path_args(path)));
  codes.push_back(files.code("file_search", path_args(path, "\"glob\":\"*\"")));
  codes.push_back(files.code("content_search", path_args(path, "\"query\":\"secret\"")));
  return codes;
}

Names five(const std::string &code) {
  return Names(5, code);
}

/// Makes the kernel say that it has no openat2, for this process and what it executes.
bool deny_openat2() {
  std::array<sock_filter, 4> program{
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat2},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool kernel_has_openat2() {
  return ::syscall(SYS_openat2, -1, nullptr, nullptr, 0) != 0 && errno != ENOSYS;
}

} // namespace

TEST_SUITE("files/confinement") {
  TEST_CASE_FIXTURE(FilesCase,
                    "[F-68] a sibling is outside; the root spelled through a link is not") {
    tree.write("a", "inside");
    std::filesystem::create_directory(tree.root() + "-old");
    std::ofstream(tree.root() + "-old/a") << "secret";
    std::filesystem::create_directory_symlink(tree.root(), tree.base() + "/spelled");
    served_root = tree.base() + "/spelled";
    CHECK(all_codes(*this, tree.root() + "-old/a") == five("PATH_OUTSIDE_WORKSPACE"));
    CHECK(all_codes(*this, "../w-old/a") == five("PATH_OUTSIDE_WORKSPACE"));
    const Json read = call("file_read", path_args(tree.base() + "/spelled/a"));
    CHECK(read.string("result.content") == "inside");
    CHECK(read.string("result.path") == "a");
    CHECK(code("file_read", path_args(tree.at("a"))) == "ok");
    tree.link("absolute", tree.base() + "/spelled/a");
    CHECK(call("file_read", path_args("absolute")).string("result.content") == "inside");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-69] links that lead outside are refused wherever they stand") {
    tree.write_outside("file", "secret");
    tree.directory("real");
    tree.link("relative", "../o/file");
    tree.link("absolute", tree.outside() + "/file");
    tree.link("parent", "../o");
    tree.link("dangling", "../o/none");
    tree.link("real/up", "../../o");
    tree.link("through", "real/up/file");
    tree.link("root", "/");
    for (const char *path : {"relative", "absolute", "parent/file", "parent/none", "dangling",
                             "real/up/file", "through", "root/etc/passwd", "parent/"}) {
      CAPTURE(path);
      CHECK(all_codes(*this, path) == five("PATH_OUTSIDE_WORKSPACE"));
    }
    CHECK(call("file_info", path_args("relative"))["result.link_outside"] == "true");
    CHECK(code("file_info", path_args("parent/file")) == "PATH_OUTSIDE_WORKSPACE");
    const Json search = call("content_search", path_args(".", "\"query\":\"secret\""));
    CHECK(search.size("result.matches") == 0);
    CHECK(search["result.files_searched"] == "0");
  }

  TEST_CASE_FIXTURE(FilesCase, "[F-71] pipes, sockets and devices are answered at once") {
    tree.fifo("pipe");
    tree.socket("socket");
    const bool has_device = ::mknod(tree.at("zero").c_str(), S_IFCHR | 0600, 0x105) == 0;
    const auto end = packhost::kit::Deadline::after(std::chrono::seconds(1));
    std::vector<const char *> specials{"pipe", "socket"};
    if (has_device) specials.push_back("zero"); // only root may make one
    for (const char *path : specials) {
      CAPTURE(path);
      CHECK(all_codes(*this, path) == Names{"NOT_A_REGULAR_FILE", "NOT_A_REGULAR_FILE",
                                            "NOT_A_DIRECTORY", "NOT_A_DIRECTORY",
                                            "NOT_A_REGULAR_FILE"});
      CHECK(call("file_info", path_args(path)).string("result.kind") == "other");
    }
    CHECK(call("directory_list", "{}").size("result.entries") == specials.size());
    CHECK(call("content_search", path_args(".", "\"query\":\"x\""))["result.skipped.special"] ==
          std::to_string(specials.size()));
    CHECK_FALSE(end.has_passed());
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "[F-74] an outside path is refused the same whether it exists or not") {
    tree.write_outside("there", "secret");
    tree.link("l1", "../o/there");
    tree.link("l2", "../o/gone-");
    const auto erase = [](std::string text, const std::string &path) {
      for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path))
        text.erase(at, path.size());
      return text;
    };
    const auto same = [&](const std::string &one, const std::string &other) {
      for (const char *tool : {"file_read", "directory_list"}) {
        const std::string first = call(tool, path_args(one)).text();
        CHECK(erase(first, one) == erase(call(tool, path_args(other)).text(), other));
        CHECK(first.find("PATH_OUTSIDE_WORKSPACE") != std::string::npos);
        CHECK(first.find(tree.base()) ==
              (one.front() == '/' ? first.find(one) : std::string::npos));
      }
    };
    same("../o/there", "../o/gone-");
    same(tree.outside() + "/there", tree.outside() + "/gone-");
    same("l1", "l2");
  }

  TEST_CASE_FIXTURE(FilesCase, "reserved names are neither listed nor reached, however spelled") {
    tree.write(".packhost/files/format", "needle");
    tree.write(".filekeeper/x", "needle");
    tree.write("sub/.packhost/x", "needle");
    tree.write("sub/.phtmp-1", "needle");
    tree.link("way", ".packhost/files");
    tree.link("direct", ".packhost");
    for (const char *path :
         {".packhost", ".packhost/files/format", "./.filekeeper/x", "sub/../.packhost/files/format",
          "sub/.phtmp-1", "way", "way/format", "direct/files/format"}) {
      CAPTURE(path);
      CHECK(all_codes(*this, path) == five("RESERVED_PATH"));
    }
    CHECK(code("file_info", path_args(".packhost")) == "RESERVED_PATH");
    CHECK(call("file_info", path_args("way"))["result.resolves_to"] == "null");
    CHECK(call("directory_list", R"({"recursive":true})").column("result.entries", "path") ==
          Names{"direct", "sub", "sub/.packhost", "sub/.packhost/x", "way"});
    CHECK(call("content_search", path_args(".", R"("query":"needle")"))
              .column("result.matches", "path") == Names{"sub/.packhost/x"});
  }

  TEST_CASE_FIXTURE(FilesCase, "a root that was replaced is noticed by every call") {
    tree.write("a", "x");
    CHECK(code("file_read", path_args("a")) == "ok");
    std::filesystem::rename(tree.root(), tree.root() + "-moved");
    std::filesystem::create_directory(tree.root());
    tree.write("a", "y");
    CHECK(all_codes(*this, "a") == five("WORKSPACE_ROOT_CHANGED"));
    CHECK(code("workspace_info", "{}") == "WORKSPACE_ROOT_CHANGED");
  }

  TEST_CASE_FIXTURE(FilesCase,
                    "[F-77] a name asked for in another normal form is suggested, never used") {
    tree.write("dir/cafe\xCC\x81.txt", "x");
    tree.write("README.md", "x");
    const Json composed = call("file_read", path_args("dir/caf\xC3\xA9.txt"));
    CHECK(composed.string("error.code") == "NOT_FOUND");
    CHECK(composed.string("error.details.did_you_mean") == "dir/cafe\xCC\x81.txt");
    const Json folded = call("file_info", path_args("readme.MD"));
    CHECK(folded.string("error.details.did_you_mean") == "README.md");
    const Json parent = call("file_read", path_args("DIR/cafe\xCC\x81.txt"));
    CHECK(parent.string("error.details.did_you_mean") == "dir/cafe\xCC\x81.txt");
    tree.write("readme.md", "y");
    CHECK(call("file_info", path_args("readme.MD"))["error.details.did_you_mean"] == "");
  }

  TEST_CASE_FIXTURE(FilesCase, "how paths are resolved is told, and is what the kernel offers") {
    const Json info = call("workspace_info", "{}");
    CHECK(info.string("result.policy.resolution") ==
          (kernel_has_openat2() ? "openat2" : "component_walk"));
  }

  TEST_CASE("[F-78] without openat2 everything above still holds") {
    if (!kernel_has_openat2()) return; // this is that very run, or a kernel that has none
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      if (!deny_openat2() || kernel_has_openat2()) ::_exit(99);
      ::execl("/proc/self/exe", "files_tests",
              "--test-suite=files/confinement,files/list,files/read", "--minimal", nullptr);
      ::_exit(98);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}
