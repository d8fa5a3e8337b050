// SPDX-License-Identifier: MIT
// Wires the start together and maps its outcome to an exit code; the outermost wall.
#include "host/cli/commands.hpp"
#include "host/cli/serve.hpp"
#include "host/support/environment.hpp"
#include "host/support/log.hpp"

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace {

int run(int argc, char **argv) {
  using namespace packhost;
  const cli::Invocation invocation = cli::read_invocation(argc, argv);
  if (invocation.command != cli::Command::serve) {
    const support::PrivateEnvironment environment = support::PrivateEnvironment::take();
    return cli::run_command(invocation, environment);
  }
  if (const std::optional<int> code = cli::print_serve_help(invocation)) return *code;
  cli::ProtocolStream stream = cli::move_protocol(invocation);
  return cli::serve(invocation, support::PrivateEnvironment::take(), std::move(stream));
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    packhost::support::print_line(std::string("packhost: internal error: ") + error.what() + ".");
  } catch (...) {
    packhost::support::print_line("packhost: internal error.");
  }
  return 70;
}
