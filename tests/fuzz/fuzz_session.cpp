// SPDX-License-Identifier: MIT
// Whole sessions against a real server with the echo pack: every line out is one JSON text, and no
// request gets more responses than there were requests with its id (I-1, I-2, I-5); without
// cancellations and batches each gets exactly one.
#include "host/mcp/server.hpp"
#include "host/rpc/message.hpp"
#include "host/support/signals.hpp"
#include "sdk/kit/json.hpp"
#include "tests/support/pack_launch.hpp"
#include "tests/support/pipe.hpp"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace json = packhost::kit::json;
namespace rpc = packhost::rpc;

namespace {

constexpr std::size_t kMaxInput = 4'096; // and what is answered fits into a pipe
constexpr int kPipeBytes = 1 << 20;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Expected {
  std::map<std::string, int> requests; // id token -> how many
  bool is_exact = true;                // no batch, no cancellation, nothing that stays open
};

Expected read_requests(std::string_view input) {
  Expected expected;
  while (!input.empty()) {
    const std::size_t end = input.find('\n');
    if (end == std::string_view::npos) break; // an unfinished line is discarded
    std::string line(input.substr(0, end));
    input.remove_prefix(end + 1);
    if (line.find("cancelled") != std::string::npos ||
        line.find("subscriptions") != std::string::npos || line.find("\\u") != std::string::npos)
      expected.is_exact = false;
    const rpc::Parsed parsed = rpc::parse_line(line);
    if (parsed.kind == rpc::Parsed::Kind::batch) expected.is_exact = false;
    if (parsed.kind == rpc::Parsed::Kind::refused && parsed.refusal.id.exists())
      ++expected.requests[parsed.refusal.id.token];
    if (parsed.kind == rpc::Parsed::Kind::message && parsed.message.id.exists())
      ++expected.requests[parsed.message.id.token];
  }
  return expected;
}

std::string serve(std::string_view input) {
  packhost::test::Pipe in;
  packhost::test::Pipe out;
  require(::fcntl(out.write_end.get(), F_SETPIPE_SZ, kPipeBytes) >= kPipeBytes);
  in.write(input);
  in.write_end.reset();
  {
    packhost::mcp::ServerSetup setup;
    setup.in_fd = in.read_end.get();
    setup.out = std::move(out.write_end);
    setup.packs.push_back(packhost::test::make_launch(PACKHOST_ECHO_PACK));
    packhost::mcp::Server server(std::move(setup));
    require(server.run() == 0);
  }
  return out.read_to_end();
}

void count_response(const std::string &line, std::map<std::string, int> &responses) {
  require(json::check(line).has_value());
  const json::Value whole(line);
  require(whole.is(json::Kind::object) || whole.is(json::Kind::array));
  if (!whole.is(json::Kind::object)) return;
  const json::Object members(whole);
  require(members.find("jsonrpc").equals("2.0"));
  const json::Value id = members.find("id");
  if (id.exists()) ++responses[std::string(id.text())];
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size > kMaxInput) return 0;
  const std::string_view input(static_cast<const char *>(static_cast<const void *>(data)), size);
  if (input.find('\xEF') != std::string_view::npos)
    return 0; // a byte order mark moves the first line
  const Expected expected = read_requests(input);
  const std::string output = serve(input);
  std::map<std::string, int> responses;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = output.find('\n', at);
    require(end != std::string::npos);
    count_response(output.substr(at, end - at), responses);
    at = end + 1;
  }
  if (!expected.is_exact) return 0;
  require(responses == expected.requests);
  return 0;
}
