// SPDX-License-Identifier: MIT
// Results -> JSON for each revision.
#include "host/mcp/encode.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mcp = packhost::mcp;
namespace pack = packhost::pack;

namespace {

const mcp::Revision &revision(std::string_view date) {
  const mcp::Revision *found = mcp::find_handshake_revision(date);
  return found != nullptr ? *found : *mcp::find_request_revision(date);
}

pack::Part make_part(std::uint32_t type, std::string_view data, std::string mime = {}) {
  pack::Part part;
  part.type = type;
  part.mime = std::move(mime);
  part.data.append(data);
  return part;
}

std::string block(const pack::Part &part, std::string_view date) {
  std::string out;
  mcp::encode_block(out, part, revision(date), "p");
  return out;
}

} // namespace

TEST_SUITE("mcp/encode") {
  TEST_CASE("[P-91] kinds of content that a revision does not know become text") {
    const pack::Part audio = make_part(PACKHOST_PART_BLOB, "xyz", "audio/wav");
    CHECK(block(audio, "2024-11-05") == R"({"type":"text","text":"[audio, audio/wav, 3 bytes]"})");
    CHECK(block(audio, "2025-03-26") == R"({"type":"audio","data":"eHl6","mimeType":"audio/wav"})");
    pack::Part link = make_part(PACKHOST_PART_LINK, "");
    link.uri = "x://a";
    link.name = "a";
    CHECK(block(link, "2025-03-26") == R"({"type":"text","text":"[resource x://a: a]"})");
    CHECK(block(link, "2025-06-18") == R"({"type":"resource_link","uri":"x://a","name":"a"})");
  }

  TEST_CASE("[P-90] values and schemas that are no object are wrapped for older revisions") {
    CHECK(mcp::wrap_structured("[1]") == R"({"result":[1]})");
    CHECK(mcp::wrap_output_schema(R"({"type":"array"})") ==
          R"({"type":"object","properties":{"result":{"type":"array"}},"required":["result"]})");
    pack::ToolRow row;
    row.shown_name = "t";
    row.entry.description = "d";
    row.entry.input = R"({"type":"object","properties":{}})";
    row.entry.output = R"({"type":"array","items":{"type":"integer"}})";
    std::string old_form;
    mcp::encode_tool(old_form, row, revision("2025-11-25"));
    CHECK(old_form.find(
              R"("outputSchema":{"type":"object","properties":{"result":{"type":"array")") !=
          std::string::npos);
    std::string new_form;
    mcp::encode_tool(new_form, row, revision("2026-07-28"));
    CHECK(new_form.find(R"("outputSchema":{"type":"array")") != std::string::npos);
  }

  TEST_CASE("[I-8] a definition holds no member of a later revision") {
    pack::ToolRow row;
    row.shown_name = "t";
    row.entry.title = "T";
    row.entry.description = "d";
    row.entry.input = R"({"type":"object","properties":{}})";
    row.entry.output = R"({"type":"object"})";
    row.entry.icons = R"([{"src":"https://x/y.png"}])";
    row.entry.meta = R"({"com.example/x":1})";
    std::string out;
    mcp::encode_tool(out, row, revision("2024-11-05"));
    CHECK(out ==
          R"({"name":"t","description":"d","inputSchema":{"type":"object","properties":{}}})");
  }

  TEST_CASE("[P-92] base64 is standard, padded and unbroken") {
    const auto encode = [](std::string_view bytes) {
      std::string out;
      mcp::append_base64(out, bytes);
      return out;
    };
    CHECK(encode("") == "");
    CHECK(encode("f") == "Zg==");
    CHECK(encode("fo") == "Zm8=");
    CHECK(encode("foo") == "Zm9v");
    CHECK(encode("\xFB\xFF\xFE") == "+//+");
  }

  TEST_CASE("[P-93] annotations that clients refuse are left out") {
    const auto clean = [](std::string_view text) {
      return mcp::clean_annotations(text, revision("2025-11-25"));
    };
    CHECK(clean(R"({"audience":["user"],"priority":1})") ==
          R"({"audience":["user"],"priority":1})");
    CHECK(clean(R"({"audience":["model"],"priority":2})") == "");
    CHECK(clean(R"({"lastModified":"2026-01-12T15:00:58Z"})") ==
          R"({"lastModified":"2026-01-12T15:00:58Z"})");
    CHECK(clean(R"({"lastModified":"2026-01-12T15:00:58.123+01:00"})") ==
          R"({"lastModified":"2026-01-12T15:00:58.123+01:00"})");
    CHECK(clean(R"({"lastModified":"2026-01-12"})") == "");
    CHECK(clean(R"({"lastModified":"2026-01-12T15:00:58"})") == "");
    CHECK(mcp::clean_annotations(R"({"lastModified":"2026-01-12T15:00:58Z"})",
                                 revision("2024-11-05")) == "");
  }

  TEST_CASE("[A-26] the size hint counts itself") {
    for (const std::size_t filler : {1U, 50U, 9'870U, 9'880U, 99'900U}) {
      mcp::ResultText result(packhost::rpc::Id{"1"}, revision("2025-11-25"), "{}");
      result.member("content") += "[\"" + std::string(filler, 'x') + "\"]";
      result.size_hint("io.example/size", 3, 1'000'000);
      const std::string text = result.finish();
      CHECK(text.find(R"("io.example/size":{"bytes":)" + std::to_string(text.size()) +
                      R"(,"items":3,"maxBytes":1000000})") != std::string::npos);
    }
  }

  TEST_CASE("a result carries what its revision puts on every result") {
    mcp::ResultText old_result(packhost::rpc::Id{"1"}, revision("2025-11-25"), R"({"name":"n"})");
    old_result.cache(0, "public");
    CHECK(old_result.finish() == R"({"jsonrpc":"2.0","id":1,"result":{}})");
    mcp::ResultText new_result(packhost::rpc::Id{"1"}, revision("2026-07-28"), R"({"name":"n"})");
    new_result.cache(5, "public");
    new_result.meta(R"("com.example/x":1)");
    CHECK(
        new_result.finish() ==
        R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":5,"cacheScope":"public",)"
        R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n"},"com.example/x":1}}})");
  }

  TEST_CASE("invalid UTF-8 of a text part is replaced") {
    CHECK(block(make_part(PACKHOST_PART_TEXT, "a\xFF"
                                              "b"),
                "2025-11-25") == "{\"type\":\"text\",\"text\":\"a\xEF\xBF\xBD"
                                 "b\"}");
  }
}
