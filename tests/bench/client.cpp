// SPDX-License-Identifier: MIT
// Requests of both eras and the judgement of answers. The contract stands in client.hpp.
#include "tests/bench/client.hpp"

#include <rapidjson/document.h>

namespace packhost::bench {

namespace {

constexpr std::string_view kRequestStart = R"({"jsonrpc":"2.0","id":)";
constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{},)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}})";
constexpr std::string_view kInitialize =
    R"("protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"})";

using Document = rapidjson::Document;

Document parse(std::string_view line, const std::string &who) {
  Document document;
  document.Parse(line.data(), line.size());
  if (document.HasParseError() || !document.IsObject()) {
    give_up(who + ": not a JSON object: " + std::string(line.substr(0, 200)));
  }
  return document;
}

bool is_text(const rapidjson::Value &value, std::string_view text) {
  return value.IsString() && std::string_view(value.GetString(), value.GetStringLength()) == text;
}

/// The result of an answer that is none of an error.
const rapidjson::Value &result_of(const Document &document, std::string_view line, bool is_modern,
                                  const std::string &who) {
  const auto found = document.FindMember("result");
  if (found == document.MemberEnd() || !found->value.IsObject()) {
    give_up(who + ": no result: " + std::string(line.substr(0, 400)));
  }
  const rapidjson::Value &result = found->value;
  const auto type = result.FindMember("resultType");
  if (is_modern && (type == result.MemberEnd() || !is_text(type->value, "complete"))) {
    give_up(who + ": resultType is not complete: " + std::string(line.substr(0, 400)));
  }
  return result;
}

} // namespace

Client::Client(const ServerSpec &spec) : spec_(spec), server_(spec.argv), is_waiting_(1) {
  call_end_ = R"(,"method":"tools/call","params":{"name":")" + spec.tool + R"(","arguments":)" +
              spec.arguments;
  if (spec.is_modern) call_end_.append(",").append(kMeta);
  call_end_ += "}}\n";
}

void Client::request(std::string_view method, std::string_view params) {
  out_.assign(kRequestStart).append(std::to_string(next_id_)).append(R"(,"method":")");
  out_.append(method).append(R"(","params":{)").append(params).append("}}\n");
  server_.send(out_);
  is_waiting_.push_back(false);
  ++next_id_;
}

void Client::shake_hands() {
  request(spec_.is_modern ? "server/discover" : "initialize",
          spec_.is_modern ? kMeta : kInitialize);
  const std::string_view line = server_.read_line();
  const Document document = parse(line, spec_.name);
  (void)result_of(document, line, spec_.is_modern, spec_.name);
  if (!spec_.is_modern) {
    server_.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
  }
}

std::size_t Client::list_tools() {
  request("tools/list", spec_.is_modern ? kMeta : std::string_view());
  const std::string_view line = server_.read_line();
  const std::size_t bytes = line.size();
  const Document document = parse(line, spec_.name);
  const rapidjson::Value &result = result_of(document, line, spec_.is_modern, spec_.name);
  const auto tools = result.FindMember("tools");
  if (tools == result.MemberEnd() || !tools->value.IsArray()) give_up(spec_.name + ": no tools");
  for (const auto &tool : tools->value.GetArray()) {
    if (tool.IsObject() && tool.HasMember("name") && is_text(tool["name"], spec_.tool)) {
      return bytes;
    }
  }
  give_up(spec_.name + ": has no tool " + spec_.tool);
}

void Client::send_calls(std::size_t count) {
  out_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    out_.append(kRequestStart).append(std::to_string(next_id_++)).append(call_end_);
    is_waiting_.push_back(true);
  }
  in_flight_ += count;
  server_.send(out_);
}

std::size_t Client::take_answer() {
  const std::string_view line = server_.read_line();
  judge(line);
  return line.size();
}

std::int64_t Client::call_ns() {
  const std::int64_t start = now_ns();
  send_calls(1);
  const std::string_view line = server_.read_line();
  const std::int64_t took = now_ns() - start;
  judge(line);
  return took;
}

void Client::judge(std::string_view line) {
  const Document document = parse(line, spec_.name);
  const std::string start(line.substr(0, 400));
  const rapidjson::Value &result = result_of(document, line, spec_.is_modern, spec_.name);
  const auto error = result.FindMember("isError");
  if (error != result.MemberEnd() && !error->value.IsFalse()) {
    give_up(spec_.name + ": a call failed: " + start);
  }
  if (line.find(spec_.expect) == std::string_view::npos || line.size() < spec_.min_bytes) {
    give_up(spec_.name + ": an answer without its content: " + start);
  }
  const auto id = document.FindMember("id");
  if (id == document.MemberEnd() || !id->value.IsUint64()) {
    give_up(spec_.name + ": an answer without an id: " + start);
  }
  settle(id->value.GetUint64(), line);
}

void Client::settle(std::uint64_t id, std::string_view line) {
  if (id >= is_waiting_.size() || !is_waiting_[id]) {
    give_up(spec_.name + ": nobody waits for " + std::string(line.substr(0, 200)));
  }
  is_waiting_[id] = false;
  --in_flight_;
}

} // namespace packhost::bench
