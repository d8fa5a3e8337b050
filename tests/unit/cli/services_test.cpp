// SPDX-License-Identifier: MIT
// The optional host interfaces, called as a pack calls them: through their C tables.
#include "host/pack/host_data.hpp"
#include "host/pack/services.hpp"
#include "host/support/account.hpp"
#include "sdk/kit/deadline.hpp"
#include "sdk/kit/unique_fd.hpp"
#include "tests/unit/cli/temp_dir.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

using namespace packhost;
using packhost::cli::test::TempDir;

namespace {

int cancelled_fd = -1;

packhost_str str(std::string_view text) {
  return {text.data(), text.size()};
}

pack::PackLaunch some_launch() {
  auto manifest = contract::parse_manifest(
      R"({"manifest": 1, "name": "kv", "version": "1.0.0", "abi": "1.0"})");
  REQUIRE(manifest);
  pack::PackLaunch launch(std::move(*manifest));
  launch.alias = "kv";
  return launch;
}

/// A host as one pack sees it.
struct Host {
  explicit Host(pack::PackLaunch from) : launch(std::move(from)), services(launch) {
    data.services = &services;
    data.cancel_fd = [](packhost_call *) -> std::int32_t { return cancelled_fd; };
    host.struct_size = sizeof host;
    host.host_data = &data;
  }

  template <typename T>
  [[nodiscard]] const T &iface(std::string_view id) const {
    const void *table = pack::PackServices::find_interface(id);
    REQUIRE(table != nullptr);
    return *static_cast<const T *>(table);
  }

  [[nodiscard]] packhost_status connect(std::string_view endpoint, std::int32_t &fd,
                                        std::chrono::milliseconds in = std::chrono::seconds(5),
                                        packhost_call *call = nullptr) const {
    return iface<packhost_net>(PACKHOST_IFACE_NET)
        .connect(&host, str(endpoint), kit::Deadline::after(in).ns(), call, &fd);
  }

  pack::PackLaunch launch;
  pack::PackServices services;
  pack::HostData data;
  packhost_host host{};
};

/// A listening TCP socket on a free port of the loopback address.
struct Listener {
  Listener() : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0);
    REQUIRE(::listen(fd.get(), 4) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(fd.get(), reinterpret_cast<sockaddr *>(&address), &size) == 0);
    port = std::to_string(ntohs(address.sin_port));
  }

  kit::UniqueFd fd;
  std::string port;
};

std::string read_to_end(int fd) {
  std::string text;
  char room[4096];
  while (true) {
    pollfd ready{fd, POLLIN, 0};
    REQUIRE(::poll(&ready, 1, 10'000) == 1);
    const ssize_t got = ::read(fd, room, sizeof room);
    if (got <= 0) return text;
    text.append(room, static_cast<std::size_t>(got));
  }
}

pack::PackLaunch launch_with_program(const std::string &program) {
  pack::PackLaunch launch = some_launch();
  pack::GrantedProgram granted;
  granted.name = "tool";
  granted.program = program;
  granted.argv0 = "called-as";
  granted.environment = {"SHOWN=yes"};
  launch.programs.push_back(std::move(granted));
  return launch;
}

struct Child {
  explicit Child(const Host &from)
      : host(from), table(from.iface<packhost_process>(PACKHOST_IFACE_PROCESS)) {}

  packhost_status spawn(const std::vector<std::string_view> &texts,
                        std::string_view name = "tool") {
    std::vector<packhost_str> args;
    for (const std::string_view text : texts) args.push_back(str(text));
    const packhost_status status =
        table.spawn(&host.host, str(name), args.data(), args.size(), &child);
    if (status == PACKHOST_OK) {
      out.reset(child.stdout_fd);
      errors.reset(child.stderr_fd);
    }
    return status;
  }

  int wait() {
    pollfd ended{child.exit_fd, POLLIN, 0};
    REQUIRE(::poll(&ended, 1, 10'000) == 1);
    std::int32_t status = -1;
    REQUIRE(table.wait_status(&host.host, child.id, &status) == PACKHOST_OK);
    return status;
  }

  const Host &host;
  const packhost_process &table;
  packhost_child child{};
  kit::UniqueFd out;
  kit::UniqueFd errors;
};

} // namespace

TEST_SUITE("pack/services") {
  TEST_CASE("four interfaces of revision 1 are offered and nothing else") {
    for (const char *id :
         {PACKHOST_IFACE_NET, PACKHOST_IFACE_PROCESS, PACKHOST_IFACE_SECRET, PACKHOST_IFACE_DIRS})
      CHECK(pack::PackServices::find_interface(id) != nullptr);
    CHECK(pack::PackServices::find_interface("packhost.net/2") == nullptr);
    CHECK(pack::PackServices::find_interface(PACKHOST_IFACE_CATALOG) == nullptr);
  }
}

TEST_SUITE("pack/net_service") {
  TEST_CASE("a granted endpoint is connected, non-blocking and close-on-exec; others are denied") {
    const Listener listener;
    pack::PackLaunch launch = some_launch();
    launch.endpoints = {"127.0.0.1:" + listener.port, "localhost:" + listener.port};
    const Host host(std::move(launch));
    for (const std::string &endpoint : host.launch.endpoints) {
      std::int32_t fd = -1;
      REQUIRE(host.connect(endpoint, fd) == PACKHOST_OK);
      const kit::UniqueFd owned(fd);
      CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
      CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    }
    std::int32_t fd = -1;
    CHECK(host.connect("127.0.0.2:" + listener.port, fd) == PACKHOST_E_DENIED);
    CHECK(host.connect("127.0.0.1:" + listener.port + " ", fd) == PACKHOST_E_DENIED);
    CHECK(fd == -1);
  }

  TEST_CASE("a Unix socket is connected by its path") {
    const TempDir dir;
    const std::string path = dir.path("s");
    const kit::UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    REQUIRE(::bind(listener.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) ==
            0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    pack::PackLaunch launch = some_launch();
    launch.endpoints = {"unix:" + path, "unix:/nowhere/s"};
    const Host host(std::move(launch));
    std::int32_t fd = -1;
    REQUIRE(host.connect("unix:" + path, fd) == PACKHOST_OK);
    const kit::UniqueFd owned(fd);
    CHECK(host.connect("unix:/nowhere/s", fd) == PACKHOST_E_UNAVAILABLE);
  }

  TEST_CASE("nobody there, no such name, no time and a cancelled call have their own status") {
    std::string closed_port;
    { closed_port = Listener().port; }
    pack::PackLaunch launch = some_launch();
    // 198.51.100.0/24 is set aside for documentation: nothing answers there.
    launch.endpoints = {"127.0.0.1:" + closed_port, "name.invalid:1", "198.51.100.1:9", "no-port"};
    const Host host(std::move(launch));
    std::int32_t fd = -1;
    CHECK(host.connect("127.0.0.1:" + closed_port, fd) == PACKHOST_E_UNAVAILABLE);
    CHECK(host.connect("name.invalid:1", fd) == PACKHOST_E_UNAVAILABLE);
    CHECK(host.connect("no-port", fd) == PACKHOST_E_UNAVAILABLE);
    CHECK(fd == -1);
  }

  TEST_CASE("a wait for a connection ends with the deadline and with the call") {
    // A listener whose queue is full lets a connection wait.
    const Listener listener;
    REQUIRE(::listen(listener.fd.get(), 0) == 0);
    std::vector<kit::UniqueFd> waiting;
    pack::PackLaunch launch = some_launch();
    const std::string endpoint = "127.0.0.1:" + listener.port;
    launch.endpoints = {endpoint};
    const Host host(std::move(launch));
    packhost_status status = PACKHOST_OK;
    for (int i = 0; i < 64 && status == PACKHOST_OK; ++i) {
      std::int32_t fd = -1;
      status = host.connect(endpoint, fd, std::chrono::milliseconds(50));
      waiting.emplace_back(fd);
    }
    CHECK(status == PACKHOST_E_DEADLINE);
    const kit::UniqueFd cancelled(::eventfd(1, EFD_CLOEXEC));
    cancelled_fd = cancelled.get();
    int stand_in = 0;
    std::int32_t fd = -1;
    CHECK(host.connect(endpoint, fd, std::chrono::seconds(30),
                       reinterpret_cast<packhost_call *>(&stand_in)) == PACKHOST_E_CANCELLED);
    cancelled_fd = -1;
  }
}

TEST_SUITE("pack/process_service") {
  TEST_CASE("a granted program gets its words, its name, an empty input and a given environment") {
    const Host host(launch_with_program("/bin/sh"));
    Child child(host);
    REQUIRE(child.spawn({"-c",
                         "printf '%s|' \"$0\" \"$@\"; cat; env | grep -c .; env | grep SHOWN; "
                         "echo oops >&2; exit 3",
                         "a b", ""}) == PACKHOST_OK);
    const std::string out = read_to_end(child.out.get());
    CHECK(out.starts_with("a b||"));
    CHECK(out.find("SHOWN=yes") != std::string::npos);
    CHECK(read_to_end(child.errors.get()) == "oops\n");
    const int status = child.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 3);
  }

  TEST_CASE("what is not granted is denied, and a template holds") {
    pack::PackLaunch launch = launch_with_program("/bin/echo");
    launch.programs[0].has_template = true;
    launch.programs[0].args_template = {"--port", "${arg}"};
    const Host host(std::move(launch));
    Child child(host);
    CHECK(child.spawn({"--port", "1"}, "other") == PACKHOST_E_DENIED);
    CHECK(child.spawn({"--port"}) == PACKHOST_E_DENIED);
    CHECK(child.spawn({"--prot", "1"}) == PACKHOST_E_DENIED);
    CHECK(child.spawn({"--port", "1", "2"}) == PACKHOST_E_DENIED);
    REQUIRE(child.spawn({"--port", "1"}) == PACKHOST_OK);
    CHECK(read_to_end(child.out.get()) == "--port 1\n");
  }

  TEST_CASE("too many words, too long ones and a program that is none are refused") {
    const Host host(launch_with_program("/bin/echo"));
    Child child(host);
    CHECK(child.spawn(std::vector<std::string_view>(1025, "x")) == PACKHOST_E_LIMIT);
    CHECK(child.spawn({std::string(64 * 1024 + 1, 'x')}) == PACKHOST_E_LIMIT);
    CHECK(child.spawn({std::string_view("a\0b", 3)}) == PACKHOST_E_INVALID_ARGS);
    const Host other(launch_with_program("/etc/hostname-that-is-not-there"));
    Child none(other);
    CHECK(none.spawn({}) == PACKHOST_E_IO);
  }

  TEST_CASE("a signal reaches the whole group, and only two signals are sent") {
    const Host host(launch_with_program("/bin/sh"));
    Child child(host);
    REQUIRE(child.spawn({"-c", "sleep 60 & sleep 60; wait"}) == PACKHOST_OK);
    std::int32_t status = 0;
    CHECK(child.table.wait_status(&host.host, child.child.id, &status) == PACKHOST_E_UNAVAILABLE);
    CHECK(child.table.signal(&host.host, child.child.id, SIGUSR1) == PACKHOST_E_INVALID_ARGS);
    CHECK(child.table.signal(&host.host, child.child.id + 1, SIGTERM) == PACKHOST_E_NOT_FOUND);
    CHECK(child.table.signal(&host.host, child.child.id, SIGTERM) == PACKHOST_OK);
    // Both sleepers held the output open: its end means that both are gone.
    CHECK(read_to_end(child.out.get()).empty());
    status = child.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
  }

  TEST_CASE("children end when the services are closed") {
    Host host(launch_with_program("/bin/sh"));
    Child child(host);
    REQUIRE(child.spawn({"-c", "sleep 60 & sleep 60; wait"}) == PACKHOST_OK);
    host.services.close();
    CHECK(read_to_end(child.out.get()).empty());
    CHECK(child.spawn({"-c", "true"}) == PACKHOST_E_UNAVAILABLE);
    host.services.close();
  }

  TEST_CASE("children that many threads start at once are all started") {
    const Host host(launch_with_program("/bin/echo"));
    std::vector<std::thread> threads;
    std::vector<packhost_status> ended(8, PACKHOST_E_INTERNAL);
    for (std::size_t i = 0; i < ended.size(); ++i)
      threads.emplace_back([&host, &ended, i] {
        Child child(host);
        ended[i] = child.spawn({"x"});
      });
    for (std::thread &thread : threads) thread.join();
    CHECK(ended == std::vector<packhost_status>(8, PACKHOST_OK));
  }
}

TEST_SUITE("pack/secret_service") {
  TEST_CASE("a file is read again, a fixed secret stays, others are not found") {
    const TempDir dir;
    pack::PackLaunch launch = some_launch();
    const std::string file = dir.write("secret", "first\n");
    launch.secrets = {{"/targets/a/password_file", file, ""}, {"/token", "", "fixed"}};
    const Host host(std::move(launch));
    const auto &table = host.iface<packhost_secret>(PACKHOST_IFACE_SECRET);
    std::string got;
    const auto sink = [](void *context, packhost_str secret) {
      *static_cast<std::string *>(context) = std::string(secret.ptr, secret.len);
    };
    CHECK(table.read(&host.host, str("/targets/a/password_file"), sink, &got) == PACKHOST_OK);
    CHECK(got == "first");
    dir.write("secret", "second\r\n");
    CHECK(table.read(&host.host, str("/targets/a/password_file"), sink, &got) == PACKHOST_OK);
    CHECK(got == "second");
    CHECK(table.read(&host.host, str("/token"), sink, &got) == PACKHOST_OK);
    CHECK(got == "fixed");
    std::filesystem::remove(file);
    CHECK(table.read(&host.host, str("/targets/a/password_file"), sink, &got) == PACKHOST_E_IO);
    CHECK(table.read(&host.host, str("/other"), sink, &got) == PACKHOST_E_NOT_FOUND);
    CHECK(got == "fixed");
  }
}

TEST_SUITE("pack/dirs_service") {
  TEST_CASE("a directory is made private when it may be written, else only found") {
    const TempDir dir;
    pack::PackLaunch launch = some_launch();
    launch.directories = {{"state", dir.path("deep/state"), true},
                          {"data", dir.path("data"), false}};
    const Host host(std::move(launch));
    const auto &table = host.iface<packhost_dirs>(PACKHOST_IFACE_DIRS);
    const int state = table.dir_fd(&host.host, "state");
    REQUIRE(state >= 0);
    CHECK(table.dir_fd(&host.host, "state") == state);

    struct stat facts {};

    for (const char *name : {"deep", "deep/state"}) {
      REQUIRE(::stat(dir.path(name).c_str(), &facts) == 0);
      CHECK((facts.st_mode & 07777U) == 0700U);
    }
    CHECK(table.dir_fd(&host.host, "data") == -1);
    CHECK(!std::filesystem::exists(dir.path("data")));
    dir.make_directory("data");
    CHECK(table.dir_fd(&host.host, "data") >= 0);
    CHECK(table.dir_fd(&host.host, "cache") == -1);
    CHECK(table.dir_fd(&host.host, "../data") == -1);
  }

  TEST_CASE("a place below the home directory is the account's, whatever the environment says") {
    const auto home = support::find_home();
    REQUIRE(home);
    REQUIRE(::setenv("HOME", "/elsewhere", 1) == 0);
    pack::PackLaunch launch = some_launch();
    launch.directories = {{"data", "~/.", false}};
    const Host host(std::move(launch));
    const int fd = host.iface<packhost_dirs>(PACKHOST_IFACE_DIRS).dir_fd(&host.host, "data");
    REQUIRE(fd >= 0);
    CHECK(std::filesystem::equivalent("/proc/self/fd/" + std::to_string(fd), *home));
  }

  TEST_CASE("the directory of the launch goes with it") {
    pack::PackLaunch launch = some_launch();
    launch.directories = {{"tmp", "", true}};
    Host host(std::move(launch));
    const auto &table = host.iface<packhost_dirs>(PACKHOST_IFACE_DIRS);
    const int fd = table.dir_fd(&host.host, "tmp");
    REQUIRE(fd >= 0);
    const std::string path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd)).string();
    const kit::UniqueFd file(::openat(fd, "left", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    CHECK(file.is_open());
    CHECK(std::filesystem::exists(path + "/left"));
    host.services.close();
    CHECK(!std::filesystem::exists(path));
  }
}
