// SPDX-License-Identifier: MIT
// One line -> one JSON-RPC message, and the texts of answers. Knows JSON-RPC and no MCP.
#pragma once

#include "sdk/kit/json.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::rpc {

/// A request id as its JSON token, so that type and value come back exactly: `1`, `"1"`, `""`.
struct Id {
  std::string token;

  [[nodiscard]] bool exists() const { return !token.empty(); }
};

/// The id in a value: a string or an integer token. Nothing for anything else (1.5, true, null,
/// {}).
[[nodiscard]] std::optional<Id> parse_id(kit::json::Value value);

/// A request or notification. Its views borrow the line.
struct Message {
  Id id; // none: a notification
  std::string method;
  kit::json::Value params;                                  // absent, or an object
  std::span<const kit::json::Outline::Entry> inside_params; // its members, if somebody noted them
};

/// What is answered to a line that is no request: an error (with the id if one was readable).
struct Refusal {
  Id id;
  int code = 0;
  std::string message;
};

struct Parsed {
  enum class Kind : std::uint8_t {
    message,
    batch,   // an array: `elements`
    refused, // answer `refusal`
    ignored  // a response, or a broken notification: no answer, ever
  };
  Kind kind = Kind::ignored;
  Message message;
  Refusal refusal;
  std::vector<kit::json::Value> elements;
};

/// Reads one line. `line` is changed in place (lone surrogates, numbers beyond a double) and must
/// outlive what is returned, and so must `outline`, a fresh one, if there is one.
[[nodiscard]] Parsed parse_line(std::string &line, kit::json::Outline *outline = nullptr);

/// Reads one element of a batch, or the whole of a line whose members are `members`.
[[nodiscard]] Parsed parse_element(kit::json::Value element,
                                   std::span<const kit::json::Outline::Entry> members = {});

/// The id at the start of a line that cannot be read whole, if it is plain to see there.
[[nodiscard]] Id find_id_in_start(std::string_view start);

/// `{"jsonrpc":"2.0","id":ID,"result":RESULT}`; RESULT is an encoded object.
[[nodiscard]] std::string encode_result(const Id &id, std::string_view result);

/// `{"jsonrpc":"2.0","id":ID,"error":{...}}`, without id where there is none; `data` is encoded or
/// empty.
[[nodiscard]] std::string encode_error(const Id &id, int code, std::string_view message,
                                       std::string_view data = {});

/// `{"jsonrpc":"2.0","method":METHOD,"params":PARAMS}`; without params where that is empty.
[[nodiscard]] std::string encode_notification(std::string_view method, std::string_view params);

} // namespace packhost::rpc
