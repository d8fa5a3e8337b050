// SPDX-License-Identifier: MIT
// Results -> JSON for the revision in force. Nothing here is a document: large results are written
// once, into the line that goes out.
#pragma once

#include "host/mcp/revision.hpp"
#include "host/pack/call.hpp"
#include "host/pack/registry.hpp"
#include "host/rpc/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace packhost::mcp {

/// `{"name":"packhost","title":...,"version":...}` for the revision.
[[nodiscard]] std::string encode_server_info(const Revision &revision, std::string_view title);

/// One response under construction: `{"jsonrpc":"2.0","id":ID,"result":{` and what the revision
/// puts on every result.
class ResultText {
public:
  /// `server_info` is encoded; used where the revision has it on every result.
  ResultText(const rpc::Id &id, const Revision &revision, std::string_view server_info,
             std::size_t expected_bytes = 256);

  /// Appends `"name":` (and a comma where one is due); the caller appends the value to out().
  std::string &member(std::string_view name);

  [[nodiscard]] std::string &out() { return out_; }

  /// Caching hints, where the revision has them. `ttl_ms` in milliseconds.
  void cache(std::uint64_t ttl_ms, std::string_view scope);

  /// Members for the result's _meta: encoded, without braces, or empty.
  void meta(std::string_view members);

  /// The result-size hint of a manifest: finish() adds it under `key`, with the length of the whole
  /// response, the hint included.
  void size_hint(std::string_view key, std::uint64_t items, std::uint64_t max_bytes);

  /// The whole response. The object is spent.
  [[nodiscard]] std::string finish();

private:
  [[nodiscard]] std::string make_tail(std::uint64_t bytes) const;

  const Revision &revision_;
  std::string_view server_info_;
  std::string out_;
  std::string meta_;
  bool needs_comma_ = false;
  std::string_view hint_key_;
  std::uint64_t hint_items_ = 0;
  std::uint64_t hint_max_bytes_ = 0;
};

// ---- definitions: one object of a list
// -----------------------------------------------------------

/// Appends one definition with the members that the revision knows.
void encode_tool(std::string &out, const pack::ToolRow &row, const Revision &revision);
/// The same for a resource.
void encode_resource(std::string &out, const contract::ResourceEntry &entry,
                     const Revision &revision);
/// The same for a resource template: its URI is `uriTemplate`.
void encode_template(std::string &out, const contract::ResourceEntry &entry,
                     const Revision &revision);
/// The same for a prompt.
void encode_prompt(std::string &out, const contract::PromptEntry &entry, const Revision &revision);

/// `annotations` with what clients would refuse left out: audience is one of two roles, priority
/// 0 to 1, lastModified has a zone. Empty if nothing is left.
[[nodiscard]] std::string clean_annotations(std::string_view annotations, const Revision &revision);

// ---- parts
// ---------------------------------------------------------------------------------------

/// One part as a content block of the revision (kinds that it does not know become text). Invalid
/// UTF-8 in text is replaced. `alias` names the pack in URIs made up for blobs.
void encode_block(std::string &out, const pack::Part &part, const Revision &revision,
                  std::string_view alias);

/// One part as an item of a read result. RETURNS: false for a kind that cannot be one.
[[nodiscard]] bool encode_contents(std::string &out, const pack::Part &part,
                                   std::string_view asked_uri);

/// Appends bytes in the standard alphabet, padded, without line breaks.
void append_base64(std::string &out, std::string_view bytes);

/// A non-object value or schema for revisions whose structured results are objects:
/// {"result": value}.
[[nodiscard]] std::string wrap_structured(std::string_view value);
/// The schema of such a wrapped value.
[[nodiscard]] std::string wrap_output_schema(std::string_view schema);

} // namespace packhost::mcp
