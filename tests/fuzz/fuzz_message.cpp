// SPDX-License-Identifier: MIT
// Any line is taken for something, and whatever is answered to it is JSON that a client can read.
#include "host/rpc/message.hpp"
#include "sdk/kit/json.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace json = packhost::kit::json;
namespace rpc = packhost::rpc;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void require_response(const std::string &text) {
  require(json::check(text).has_value());
  require(json::Value(text).is(json::Kind::object));
  require(text.find('\n') == std::string::npos);
}

void look_at(const rpc::Parsed &parsed) {
  if (parsed.kind == rpc::Parsed::Kind::refused)
    require_response(
        rpc::encode_error(parsed.refusal.id, parsed.refusal.code, parsed.refusal.message));
  if (parsed.kind != rpc::Parsed::Kind::message) return;
  if (parsed.message.id.exists()) {
    require(rpc::parse_id(json::Value(parsed.message.id.token)).has_value());
    require_response(rpc::encode_result(parsed.message.id, "{}"));
  }
  require(!parsed.message.params.exists() || parsed.message.params.is(json::Kind::object));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  std::string line(static_cast<const char *>(static_cast<const void *>(data)), size);
  const rpc::Id early = rpc::find_id_in_start(line);
  require(!early.exists() || json::check(early.token).has_value());
  const rpc::Parsed parsed = rpc::parse_line(line);
  look_at(parsed);
  for (const json::Value element : parsed.elements) look_at(rpc::parse_element(element));
  return 0;
}
