// SPDX-License-Identifier: MIT
// See encode.hpp.
#include "host/mcp/encode.hpp"

#include "host/version.hpp"
#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"
#include "sdk/kit/utf8.hpp"

#include <array>
#include <utility>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

constexpr std::string_view kServerInfoKey = R"("io.modelcontextprotocol/serverInfo":)";

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool is_zoned_time(std::string_view text) {
  // 2026-01-12T15:00:58Z, with a fraction and an offset allowed
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (text.size() <= kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !is_digit : text[i] != kForm[i]) return false;
  }
  std::string_view rest = text.substr(kForm.size());
  if (rest.front() == '.') {
    const std::size_t end = rest.find_first_not_of("0123456789", 1);
    if (end == 1 || end == std::string_view::npos) return false;
    rest.remove_prefix(end);
  }
  if (rest == "Z") return true;
  return rest.size() == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':';
}

void add_text(json::Writer &writer, std::string_view name, const std::string &text) {
  if (!text.empty()) writer.string(name, text);
}

/// The members that resources, templates and resource links have in common.
void encode_entry_rest(json::Writer &writer, const contract::ResourceEntry &entry,
                       const Revision &revision) {
  if (revision.structured) add_text(writer, "title", entry.title);
  add_text(writer, "description", entry.description);
  add_text(writer, "mimeType", entry.mime);
  if (const std::string kept = clean_annotations(entry.annotations, revision); !kept.empty())
    writer.raw("annotations", kept);
  if (revision.structured && !entry.meta.empty()) writer.raw("_meta", entry.meta);
}

void encode_annotations(json::Writer &writer, const pack::Part &part, const Revision &revision) {
  if (const std::string kept = clean_annotations(part.annotations, revision); !kept.empty())
    writer.raw("annotations", kept);
}

void append_valid(std::string &out, std::string_view bytes) {
  out += '"';
  if (kit::utf8::is_valid(bytes))
    json::append_escaped(out, bytes);
  else
    json::append_escaped(out, kit::utf8::repair(bytes));
  out += '"';
}

void encode_text_block(std::string &out, std::string_view text) {
  out += R"({"type":"text","text":)";
  append_valid(out, text);
  out += '}';
}

/// `"text":...` or `"blob":...` of a resource's contents.
void encode_bytes(std::string &out, const pack::Part &part, bool is_text) {
  if (is_text) {
    out += R"(,"text":)";
    append_valid(out, part.data.view());
  } else {
    out += R"(,"blob":")";
    append_base64(out, part.data.view());
    out += '"';
  }
}

void encode_embedded(std::string &out, const pack::Part &part, const Revision &revision,
                     std::string_view uri, bool is_text) {
  out += R"({"type":"resource","resource":{"uri":)";
  json::append_string(out, uri);
  if (!part.mime.empty()) {
    out += R"(,"mimeType":)";
    json::append_string(out, part.mime);
  }
  encode_bytes(out, part, is_text);
  out += '}';
  if (const std::string kept = clean_annotations(part.annotations, revision); !kept.empty())
    out.append(R"(,"annotations":)").append(kept);
  out += '}';
}

void encode_blob_block(std::string &out, const pack::Part &part, const Revision &revision,
                       std::string_view alias) {
  const bool is_image = starts_with(part.mime, "image/");
  const bool is_audio = starts_with(part.mime, "audio/");
  if (is_audio && !revision.tool_annotations) {
    encode_text_block(out, "[audio, " + part.mime + ", " + std::to_string(part.data.view().size()) +
                               " bytes]");
    return;
  }
  if (!is_image && !is_audio) {
    const std::string uri =
        part.uri.empty() ? "packhost://" + std::string(alias) + "/result" : part.uri;
    encode_embedded(out, part, revision, uri, false);
    return;
  }
  out += is_image ? R"({"type":"image","data":")" : R"({"type":"audio","data":")";
  append_base64(out, part.data.view());
  out += R"(","mimeType":)";
  json::append_string(out, part.mime);
  if (const std::string kept = clean_annotations(part.annotations, revision); !kept.empty())
    out.append(R"(,"annotations":)").append(kept);
  out += '}';
}

void encode_link_block(std::string &out, const pack::Part &part, const Revision &revision) {
  if (!revision.structured) {
    encode_text_block(out, "[resource " + part.uri + ": " + part.name +
                               (part.mime.empty() ? "]" : ", " + part.mime + "]"));
    return;
  }
  json::Writer writer(out);
  writer.begin_object().string("type", "resource_link").string("uri", part.uri);
  writer.string("name", part.name);
  add_text(writer, "mimeType", part.mime);
  encode_annotations(writer, part, revision);
  writer.end_object();
}

} // namespace

std::string encode_server_info(const Revision &revision, std::string_view title) {
  std::string text;
  json::Writer writer(text);
  writer.begin_object().string("name", "packhost");
  if (revision.structured && !title.empty()) writer.string("title", title);
  writer.string("version", kVersion).end_object();
  return text;
}

// ---- ResultText
// ----------------------------------------------------------------------------------

ResultText::ResultText(const rpc::Id &id, const Revision &revision, std::string_view server_info,
                       std::size_t expected_bytes)
    : revision_(revision), server_info_(server_info) {
  out_.reserve(expected_bytes + server_info.size() + 160);
  out_ += R"({"jsonrpc":"2.0","id":)";
  out_ += id.token;
  out_ += R"(,"result":{)";
  if (revision_.result_type) {
    out_ += R"("resultType":"complete")";
    needs_comma_ = true;
  }
}

std::string &ResultText::member(std::string_view name) {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
  out_ += '"';
  out_ += name;
  out_ += "\":";
  return out_;
}

void ResultText::cache(std::uint64_t ttl_ms, std::string_view scope) {
  if (!revision_.result_type) return;
  member("ttlMs") += std::to_string(ttl_ms);
  json::append_string(member("cacheScope"), scope);
}

void ResultText::meta(std::string_view members) {
  if (members.empty()) return;
  if (!meta_.empty()) meta_ += ',';
  meta_ += members;
}

void ResultText::size_hint(std::string_view key, std::uint64_t items, std::uint64_t max_bytes) {
  hint_key_ = key;
  hint_items_ = items;
  hint_max_bytes_ = max_bytes;
}

std::string ResultText::make_tail(std::uint64_t bytes) const {
  std::string members;
  const auto separate = [&] {
    if (!members.empty()) members += ',';
  };
  if (revision_.result_type) members.append(kServerInfoKey).append(server_info_);
  if (!meta_.empty()) {
    separate();
    members += meta_;
  }
  if (!hint_key_.empty()) {
    separate();
    json::append_string(members, hint_key_);
    members.append(R"(:{"bytes":)").append(std::to_string(bytes));
    members.append(R"(,"items":)").append(std::to_string(hint_items_));
    members.append(R"(,"maxBytes":)").append(std::to_string(hint_max_bytes_)).append("}");
  }
  std::string tail;
  if (!members.empty()) {
    if (needs_comma_) tail += ',';
    tail.append(R"("_meta":{)").append(members).append("}");
  }
  return tail + "}}";
}

std::string ResultText::finish() {
  std::string tail = make_tail(0);
  constexpr int kMostRounds = 8; // the number is part of what it counts
  for (int round = 0; !hint_key_.empty() && round < kMostRounds; ++round) {
    const std::size_t before = tail.size();
    tail = make_tail(out_.size() + before);
    if (tail.size() == before) break;
  }
  out_ += tail;
  return std::move(out_);
}

// ---- definitions
// ---------------------------------------------------------------------------------

void encode_tool(std::string &out, const pack::ToolRow &row, const Revision &revision) {
  const contract::ToolEntry &tool = row.entry;
  json::Writer writer(out);
  writer.begin_object().string("name", row.shown_name);
  if (revision.structured) add_text(writer, "title", tool.title);
  writer.string("description", tool.description);
  writer.raw("inputSchema", contract::without_host_members(tool.input));
  if (revision.structured && !tool.output.empty()) {
    const std::string schema = contract::without_host_members(tool.output);
    const json::Object members{json::Value(schema)};
    const bool is_object = members.find("type").equals("object");
    writer.raw("outputSchema",
               is_object || revision.per_request ? schema : wrap_output_schema(schema));
  }
  if (revision.tool_annotations) {
    writer.key("annotations").begin_object();
    writer.boolean("readOnlyHint", tool.annotations.read_only);
    writer.boolean("destructiveHint", tool.annotations.destructive);
    writer.boolean("idempotentHint", tool.annotations.idempotent);
    writer.boolean("openWorldHint", tool.annotations.open_world);
    writer.end_object();
  }
  if (revision.icons && !tool.icons.empty()) writer.raw("icons", tool.icons);
  if (revision.structured && !tool.meta.empty()) writer.raw("_meta", tool.meta);
  writer.end_object();
}

void encode_resource(std::string &out, const contract::ResourceEntry &entry,
                     const Revision &revision) {
  json::Writer writer(out);
  writer.begin_object().string("uri", entry.uri).string("name", entry.name);
  encode_entry_rest(writer, entry, revision);
  writer.end_object();
}

void encode_template(std::string &out, const contract::ResourceEntry &entry,
                     const Revision &revision) {
  json::Writer writer(out);
  writer.begin_object().string("uriTemplate", entry.uri).string("name", entry.name);
  encode_entry_rest(writer, entry, revision);
  writer.end_object();
}

void encode_prompt(std::string &out, const contract::PromptEntry &entry, const Revision &revision) {
  json::Writer writer(out);
  writer.begin_object().string("name", entry.name);
  if (revision.structured) add_text(writer, "title", entry.title);
  add_text(writer, "description", entry.description);
  if (!entry.arguments.empty()) {
    writer.key("arguments").begin_array();
    for (const contract::PromptArgument &argument : entry.arguments) {
      writer.begin_object().string("name", argument.name);
      add_text(writer, "description", argument.description);
      writer.boolean("required", argument.required).end_object();
    }
    writer.end_array();
  }
  writer.end_object();
}

std::string clean_annotations(std::string_view annotations, const Revision &revision) {
  if (annotations.empty()) return {};
  const json::Object members{json::Value(annotations)};
  std::string out;
  json::Writer writer(out);
  writer.begin_object();
  bool is_empty = true;
  const json::Value audience = members.find("audience");
  if (audience.is(json::Kind::array)) {
    bool is_fit = true;
    for (const json::Value role : json::elements(audience))
      is_fit = is_fit && (role.equals("user") || role.equals("assistant"));
    if (is_fit) {
      writer.raw("audience", audience.text());
      is_empty = false;
    }
  }
  const json::Value priority = members.find("priority");
  if (const std::optional<double> value = priority.number(); value && *value >= 0 && *value <= 1) {
    writer.raw("priority", priority.text());
    is_empty = false;
  }
  const json::Value modified = members.find("lastModified");
  if (revision.structured && modified.is(json::Kind::string) && is_zoned_time(modified.string())) {
    writer.raw("lastModified", modified.text());
    is_empty = false;
  }
  writer.end_object();
  return is_empty ? std::string() : out;
}

// ---- parts
// ---------------------------------------------------------------------------------------

void encode_block(std::string &out, const pack::Part &part, const Revision &revision,
                  std::string_view alias) {
  switch (part.type) {
  case PACKHOST_PART_BLOB:
    encode_blob_block(out, part, revision, alias);
    return;
  case PACKHOST_PART_LINK:
    encode_link_block(out, part, revision);
    return;
  case PACKHOST_PART_RESOURCE:
    encode_embedded(out, part, revision, part.uri, (part.flags & PACKHOST_PART_IS_TEXT) != 0);
    return;
  default: // TEXT, and JSON where it stands for a text
    out += R"({"type":"text","text":)";
    append_valid(out, part.data.view());
    if (const std::string kept = clean_annotations(part.annotations, revision); !kept.empty())
      out.append(R"(,"annotations":)").append(kept);
    out += '}';
  }
}

bool encode_contents(std::string &out, const pack::Part &part, std::string_view asked_uri) {
  if (part.type == PACKHOST_PART_LINK) return false;
  const bool is_text = part.type == PACKHOST_PART_TEXT || part.type == PACKHOST_PART_JSON ||
                       (part.flags & PACKHOST_PART_IS_TEXT) != 0;
  out += R"({"uri":)";
  json::append_string(out, part.uri.empty() ? asked_uri : std::string_view(part.uri));
  if (!part.mime.empty()) {
    out += R"(,"mimeType":)";
    json::append_string(out, part.mime);
  }
  encode_bytes(out, part, is_text);
  out += '}';
  return true;
}

void append_base64(std::string &out, std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4);
  char *to = out.data() + start;
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const auto a = static_cast<unsigned char>(bytes[i]);
    const auto b = static_cast<unsigned char>(bytes[i + 1]);
    const auto c = static_cast<unsigned char>(bytes[i + 2]);
    *to++ = kDigits[a >> 2];
    *to++ = kDigits[(a & 3U) << 4 | b >> 4];
    *to++ = kDigits[(b & 15U) << 2 | c >> 6];
    *to++ = kDigits[c & 63U];
  }
  const std::size_t left = bytes.size() - i;
  if (left == 0) return;
  const auto a = static_cast<unsigned char>(bytes[i]);
  const auto b = left == 2 ? static_cast<unsigned char>(bytes[i + 1]) : 0U;
  *to++ = kDigits[a >> 2];
  *to++ = kDigits[(a & 3U) << 4 | b >> 4];
  *to++ = left == 2 ? kDigits[(b & 15U) << 2] : '=';
  *to = '=';
}

std::string wrap_structured(std::string_view value) {
  return std::string(R"({"result":)").append(value).append("}");
}

std::string wrap_output_schema(std::string_view schema) {
  // Packs write no $ref and no $defs, so nothing inside has to move along.
  return std::string(R"({"type":"object","properties":{"result":)")
      .append(schema)
      .append(R"(},"required":["result"]})");
}

} // namespace packhost::mcp
