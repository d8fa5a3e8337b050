// SPDX-License-Identifier: MIT
// See message.hpp.
#include "host/rpc/message.hpp"

#include "host/rpc/error_codes.hpp"

#include <utility>

namespace packhost::rpc {

namespace json = kit::json;

namespace {

Parsed refuse(int code, std::string_view message, Id id = {}) {
  Parsed parsed;
  parsed.kind = Parsed::Kind::refused;
  parsed.refusal = Refusal{std::move(id), code, std::string(message)};
  return parsed;
}

Parsed ignore() {
  return Parsed{};
}

bool is_integer_token(std::string_view token) {
  if (!token.empty() && token.front() == '-') token.remove_prefix(1);
  if (token.empty()) return false;
  for (const char c : token)
    if (c < '0' || c > '9') return false;
  return true;
}

/// A number that no double holds ends the parse: read the rest for the id, and refuse.
Parsed refuse_number(std::string &line, std::size_t offset) {
  constexpr int kMostNumbers = 64; // a line made of such numbers is not worth its id
  for (int i = 0; i < kMostNumbers; ++i) {
    json::blank_number(line, offset);
    const kit::Result<void, json::ParseFault> again = json::check(line);
    if (again) {
      Parsed parsed = parse_element(json::Value(line));
      if (parsed.kind != Parsed::Kind::message) return parsed;
      if (!parsed.message.id.exists()) return ignore();
      return refuse(kInvalidParams, "A number in the message is outside the range of a double",
                    std::move(parsed.message.id));
    }
    if (again.error().fault != json::Fault::number_range) break;
    offset = again.error().offset;
  }
  return refuse(kParseError, "Parse error");
}

/// The members of a message, before anything is said about them.
struct Envelope {
  json::Value version;
  json::Value id;
  json::Value method;
  json::Value params;
  std::span<const json::Outline::Entry> inside_params;
  bool is_response = false;

  /// Of equal keys the last counts.
  void take(std::string_view spelled_key, json::Value value,
            std::span<const json::Outline::Entry> inside) {
    std::string unescaped;
    std::string_view key = spelled_key.substr(1, spelled_key.size() - 2);
    if (key.find('\\') != std::string_view::npos) {
      json::append_unescaped(unescaped, spelled_key);
      key = unescaped;
    }
    if (key == "jsonrpc") {
      version = value;
    } else if (key == "id") {
      id = value;
    } else if (key == "method") {
      method = value;
    } else if (key == "params") {
      params = value;
      inside_params = inside;
    } else if (key == "result" || key == "error") {
      is_response = true;
    }
  }
};

Parsed rule_envelope(const Envelope &envelope) {
  if (!envelope.method.exists() && envelope.is_response)
    return ignore(); // a response: never answered

  Id id;
  if (envelope.id.exists()) {
    std::optional<Id> parsed_id = parse_id(envelope.id);
    if (!parsed_id)
      return refuse(kInvalidRequest, "Invalid request: \"id\" must be a string or an integer");
    id = std::move(*parsed_id);
  }
  if (!envelope.version.equals("2.0")) {
    if (!id.exists() && envelope.method.is(json::Kind::string))
      return ignore(); // a broken notification
    return refuse(kInvalidRequest, "Invalid request: \"jsonrpc\" must be \"2.0\"", std::move(id));
  }
  if (!envelope.method.is(json::Kind::string))
    return refuse(kInvalidRequest, "Invalid request: \"method\" must be a string", std::move(id));
  if (envelope.params.exists() && !envelope.params.is(json::Kind::object)) {
    if (!id.exists()) return ignore();
    return refuse(kInvalidParams, "Invalid params: \"params\" must be an object", std::move(id));
  }
  Parsed parsed;
  parsed.kind = Parsed::Kind::message;
  parsed.message =
      Message{std::move(id), envelope.method.string(), envelope.params, envelope.inside_params};
  return parsed;
}

} // namespace

std::optional<Id> parse_id(json::Value value) {
  if (value.is(json::Kind::string)) return Id{std::string(value.text())};
  if (value.is(json::Kind::number) && is_integer_token(value.text()))
    return Id{std::string(value.text())};
  return std::nullopt;
}

Parsed parse_line(std::string &line, json::Outline *outline) {
  json::repair_surrogates(line);
  const kit::Result<void, json::ParseFault> checked =
      outline != nullptr ? json::check(line, *outline) : json::check(line);
  if (!checked) {
    const json::ParseFault fault = checked.error();
    if (fault.fault == json::Fault::number_range) return refuse_number(line, fault.offset);
    std::string_view message = "Parse error";
    if (fault.fault == json::Fault::depth) message = "Parse error: nested deeper than 512 levels";
    if (fault.fault == json::Fault::encoding) message = "Parse error: not UTF-8";
    return refuse(kParseError, message);
  }
  const json::Value whole(line);
  if (whole.is(json::Kind::array)) {
    Parsed parsed;
    parsed.kind = Parsed::Kind::batch;
    parsed.elements = json::elements(whole);
    return parsed;
  }
  return outline != nullptr ? parse_element(whole, outline->entries()) : parse_element(whole);
}

Parsed parse_element(json::Value element, std::span<const json::Outline::Entry> entries) {
  if (!element.is(json::Kind::object))
    return refuse(kInvalidRequest, "Invalid request: a message is a JSON object");
  Envelope envelope;
  if (entries.empty()) {
    json::Members members(element);
    for (auto member = members.next(); member.key.exists(); member = members.next())
      envelope.take(member.key.text(), member.value, {});
  } else {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].depth == 1)
        envelope.take(entries[i].key, json::Value::of_spelled(entries[i].value),
                      json::Outline::inside(entries, i));
  }
  return rule_envelope(envelope);
}

Id find_id_in_start(std::string_view start) {
  // Only what cannot be anything else: the member at the top level, before any nested value.
  std::size_t depth = 0;
  std::size_t i = 0;
  const auto skip_string = [&] {
    for (++i; i < start.size() && start[i] != '"'; ++i)
      if (start[i] == '\\') ++i;
    ++i;
  };
  while (i < start.size()) {
    const char c = start[i];
    if (c == '"') {
      const std::size_t from = i;
      skip_string();
      if (depth != 1 || start.substr(from, i - from) != "\"id\"") continue;
      while (i < start.size() && (start[i] == ' ' || start[i] == ':')) ++i;
      const std::size_t value = i;
      if (i < start.size() && start[i] == '"') skip_string();
      while (i < start.size() && start[i] != ',' && start[i] != '}' && start[i] != ' ') ++i;
      if (i >= start.size()) return {};
      std::string token(start.substr(value, i - value));
      if (!json::check(token)) return {};
      std::optional<Id> id = parse_id(json::Value(token));
      return id ? std::move(*id) : Id{};
    }
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) --depth;
    ++i;
  }
  return {};
}

std::string encode_result(const Id &id, std::string_view result) {
  std::string text;
  text.reserve(40 + id.token.size() + result.size());
  text += R"({"jsonrpc":"2.0","id":)";
  text += id.token;
  text += R"(,"result":)";
  text += result;
  text += '}';
  return text;
}

std::string encode_error(const Id &id, int code, std::string_view message, std::string_view data) {
  std::string text = R"({"jsonrpc":"2.0",)";
  if (id.exists()) {
    text += R"("id":)";
    text += id.token;
    text += ',';
  }
  text += R"("error":{"code":)";
  text += std::to_string(code);
  text += R"(,"message":)";
  json::append_string(text, message);
  if (!data.empty()) {
    text += R"(,"data":)";
    text += data;
  }
  text += "}}";
  return text;
}

std::string encode_notification(std::string_view method, std::string_view params) {
  std::string text = R"({"jsonrpc":"2.0","method":)";
  json::append_string(text, method);
  if (!params.empty()) {
    text += R"(,"params":)";
    text += params;
  }
  text += '}';
  return text;
}

} // namespace packhost::rpc
