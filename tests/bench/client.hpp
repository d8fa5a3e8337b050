// SPDX-License-Identifier: MIT
// An MCP client for measuring: speaks either era of the protocol, repeats one tool call, and looks
// at every answer: each is parsed and judged.
#pragma once

#include "tests/bench/server.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::bench {

struct ServerSpec {
  std::string name;
  std::vector<std::string> argv;
  bool is_modern = false; // server/discover and _meta in every request, or initialize
  std::string tool;
  std::string arguments = "{}"; // JSON
  std::string expect;           // bytes that stand in every answer
  std::size_t min_bytes = 0;    // the least an answer is long
  double payload_bytes = 0;     // what of it counts as content
};

class Client {
public:
  /// Starts the server. Borrows the specification.
  explicit Client(const ServerSpec &spec);

  /// The opening of the era, up to the first request that is allowed.
  void shake_hands();

  /// Asks for the tools; the tool of the specification has to be among them. RETURNS: bytes of the
  /// answer's line.
  std::size_t list_tools();

  /// Sends `count` calls in one write.
  void send_calls(std::size_t count);

  /// Reads one answer to them and judges it. RETURNS: bytes of its line.
  std::size_t take_answer();

  /// One call and its answer. RETURNS: nanoseconds from write to line; judging comes after.
  std::int64_t call_ns();

  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }

  [[nodiscard]] Server &server() { return server_; }

private:
  void request(std::string_view method, std::string_view params);
  void judge(std::string_view line);
  void settle(std::uint64_t id, std::string_view line);

  const ServerSpec &spec_;
  Server server_;
  std::uint64_t next_id_ = 1;
  std::size_t in_flight_ = 0;
  std::vector<bool> is_waiting_; // by id
  std::string call_end_;         // a call's line from behind its id
  std::string out_;
};

} // namespace packhost::bench
