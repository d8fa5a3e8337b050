// SPDX-License-Identifier: MIT
// The outcome of one call for the one who typed it.
#include "host/cli/show_outcome.hpp"

#include "host/cli/json_tree.hpp"
#include "host/cli/one_call.hpp"
#include "host/mcp/encode.hpp"
#include "host/mcp/revision.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/utf8.hpp"

#include <array>

namespace packhost::cli {

namespace {

/// One part for people.
void append_part(std::string &out, const pack::Part &part) {
  const std::string_view data = part.data.view();
  switch (part.type) {
  case PACKHOST_PART_TEXT:
    out += kit::utf8::repair(data);
    break;
  case PACKHOST_PART_JSON:
    if (kit::json::check(data, kit::json::Limits{kMaxTreeDepth}))
      append_pretty(out, read_tree(kit::json::Value(data)), 0);
    else
      out += kit::utf8::repair(data);
    break;
  case PACKHOST_PART_LINK:
    out += part.name.empty() ? part.uri : fmt::format("{} ({})", part.uri, part.name);
    break;
  case PACKHOST_PART_RESOURCE:
    if ((part.flags & PACKHOST_PART_IS_TEXT) != 0) {
      out += kit::utf8::repair(data);
      break;
    }
    out += fmt::format("({}: {} bytes of {})", part.uri, data.size(), part.mime);
    break;
  default:
    out += fmt::format("({} bytes of {})", data.size(), part.mime);
    break;
  }
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
}

bool has_text(const pack::CallOutcome &outcome) {
  for (const pack::Part &part : outcome.parts)
    if (part.type == PACKHOST_PART_TEXT) return true;
  return false;
}

/// Parts for people. JSON that a text stands beside is its other form and left out.
std::string encode_parts(const pack::CallOutcome &outcome) {
  std::string out;
  const bool skips_json = has_text(outcome);
  for (const pack::Part &part : outcome.parts)
    if (part.type != PACKHOST_PART_JSON || !skips_json) append_part(out, part);
  return out;
}

bool has_answer(const pack::CallOutcome &outcome) {
  return outcome.status == PACKHOST_OK || outcome.status == PACKHOST_E_TOOL;
}

void append_error(std::string &out, const pack::CallOutcome &outcome, std::string_view pack,
                  std::uint64_t timeout_ms) {
  out += ",\"error\":";
  kit::json::append_string(out, kit::utf8::repair(failure_text(outcome, pack, timeout_ms)));
  if (!outcome.details.empty()) {
    out += ",\"details\":";
    kit::json::append_compact(out, outcome.details);
  }
}

} // namespace

std::string_view status_word(packhost_status status) {
  static constexpr std::array<std::string_view, 16> kWords{
      "ok", "invalid_args", "not_found",   "denied", "conflict", "cancelled", "deadline", "limit",
      "io", "unavailable",  "unsupported", "config", "nomem",    "misuse",    "internal", "tool"};
  const packhost_status index = -status;
  return index >= 0 && index < static_cast<packhost_status>(kWords.size())
             ? kWords[static_cast<std::size_t>(index)]
             : "internal";
}

std::string encode_outcome(const pack::CallOutcome &outcome, std::string_view pack,
                           std::uint64_t timeout_ms) {
  std::string out = outcome.status == PACKHOST_OK ? "{\"ok\":true" : "{\"ok\":false";
  out += fmt::format(",\"status\":\"{}\"", status_word(outcome.status));
  if (!has_answer(outcome)) {
    append_error(out, outcome, pack, timeout_ms);
    return out + "}\n";
  }
  std::string structured;
  out += ",\"content\":[";
  for (const pack::Part &part : outcome.parts) {
    if (part.type == PACKHOST_PART_JSON) {
      kit::json::append_compact(structured, part.data.view());
      continue;
    }
    if (!out.ends_with('[')) out += ',';
    mcp::encode_block(out, part, mcp::latest_handshake_revision(), pack);
  }
  out += "]";
  if (!structured.empty()) out += ",\"structured\":" + structured;
  return out + "}\n";
}

int show_outcome(const pack::CallOutcome &outcome, std::string_view pack, std::uint64_t timeout_ms,
                 bool as_json, const Output &output) {
  const int code = exit_code_for_outcome(outcome);
  if (as_json) return output.print(encode_outcome(outcome, pack, timeout_ms), code);
  if (has_answer(outcome)) return output.print(encode_parts(outcome), code);
  return report_error(failure_text(outcome, pack, timeout_ms), code);
}

int show_command_outcome(const pack::CallOutcome &outcome, std::string_view pack,
                         std::uint64_t timeout_ms, bool as_json, const Output &output) {
  const int code = exit_code_for_outcome(outcome);
  std::string out;
  if (has_answer(outcome)) {
    for (const pack::Part &part : outcome.parts) {
      if (part.type == (as_json ? PACKHOST_PART_JSON : PACKHOST_PART_TEXT)) {
        if (as_json)
          kit::json::append_compact(out, part.data.view());
        else
          append_part(out, part);
      }
    }
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
    if (as_json && out.empty())
      out = fmt::format("{{\"ok\":{}}}\n", outcome.status == PACKHOST_OK ? "true" : "false");
  } else if (as_json) {
    out = encode_outcome(outcome, pack, timeout_ms);
  } else {
    return report_error(failure_text(outcome, pack, timeout_ms), code);
  }
  return output.print(out, code);
}

} // namespace packhost::cli
