// SPDX-License-Identifier: MIT
// tools/list, resources/list, resources/templates/list, prompts/list: pages of the registry. A
// cursor carries its whole position, so nothing is kept per client.
#include "host/mcp/encode.hpp"
#include "host/mcp/methods.hpp"
#include "host/mcp/server.hpp"
#include "host/rpc/error_codes.hpp"
#include "sdk/kit/json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>

namespace json = packhost::kit::json;

namespace packhost::mcp {

namespace {

// Clients give up after 64 pages; a page of 250 leaves room for 16,000 entries.
constexpr std::size_t kPageEntries = 250;
// Far below the 8 MiB of a line; one larger entry makes a page of its own.
constexpr std::size_t kPageBytes = std::size_t{2} * 1024 * 1024;
constexpr std::uint64_t kListTtlMs = 0; // packs may change their lists at any time

/// `tools.7.250`: list, generation of the registry, first entry.
std::string make_cursor(std::string_view list, std::uint64_t generation, std::size_t start) {
  return fmt::format("{}.{}.{}", list, generation, start);
}

/// Where a page starts; nothing if the cursor was never given out by this list as it stands.
bool find_start(json::Value cursor, std::string_view list, std::uint64_t generation,
                std::size_t count, std::size_t &start) {
  start = 0;
  const std::string text = cursor.string();
  const std::string front = fmt::format("{}.{}.", list, generation);
  if (text.compare(0, front.size(), front) != 0) return false;
  const char *end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data() + front.size(), end, start);
  return fault == std::errc() && rest == end && start > 0 && start < count &&
         text == make_cursor(list, generation, start);
}

/// One page of `count` entries; `append(out, i)` adds entry i.
template <typename Append>
void send_page(Context &context, const Params &params, rpc::ReplyOnce &reply,
               std::string_view member, std::uint64_t generation, std::size_t count,
               Append append) {
  const json::Value cursor = params.find("cursor");
  std::size_t start = 0;
  const bool is_absent =
      !cursor.exists() || (cursor.is(json::Kind::null) && !context.revision.per_request);
  if (!is_absent &&
      (!cursor.is(json::Kind::string) || !find_start(cursor, member, generation, count, start)))
    return reply.error(rpc::kInvalidParams,
                       "Invalid params: unknown or outdated cursor; start again without one");
  ResultText result(reply.id(), context.revision, context.server.server_info(), 4'096);
  std::string &out = result.member(member);
  const std::size_t from = out.size();
  out += '[';
  std::size_t shown = 0;
  std::size_t i = start;
  for (; i < count && shown < kPageEntries; ++i) {
    const std::size_t before = out.size();
    if (shown > 0) out += ',';
    append(out, i);
    if (shown > 0 && out.size() - from > kPageBytes) {
      out.resize(before);
      break;
    }
    ++shown;
  }
  out += ']';
  if (i < count)
    json::append_string(result.member("nextCursor"), make_cursor(member, generation, i));
  result.cache(kListTtlMs, "public");
  reply.response(result.finish());
  context.server.want_packs(); // not before: loading would compete with the answer
}

} // namespace

void tools_list(Context &context, const Params &params, support::ReadTurn &turn,
                rpc::ReplyOnce reply) {
  context.server.wait_described(turn);
  context.server.note_lists_shown();
  const auto registry = context.server.registry();
  std::vector<const pack::ToolRow *> shown; // no empty page, whatever is left out
  for (const pack::ToolRow &row : registry->tools())
    if (row.is_listed && row.left_out_by.empty()) shown.push_back(&row);
  send_page(
      context, params, reply, "tools", registry->generation(), shown.size(),
      [&](std::string &out, std::size_t i) { encode_tool(out, *shown[i], context.revision); });
}

void resources_list(Context &context, const Params &params, support::ReadTurn &turn,
                    rpc::ReplyOnce reply) {
  context.server.wait_described(turn);
  context.server.note_lists_shown();
  const auto registry = context.server.registry();
  send_page(context, params, reply, "resources", registry->generation(),
            registry->resources().size(), [&](std::string &out, std::size_t i) {
              encode_resource(out, registry->resources()[i].entry, context.revision);
            });
}

void resources_templates_list(Context &context, const Params &params, support::ReadTurn &turn,
                              rpc::ReplyOnce reply) {
  context.server.wait_described(turn);
  context.server.note_lists_shown();
  const auto registry = context.server.registry();
  send_page(context, params, reply, "resourceTemplates", registry->generation(),
            registry->templates().size(), [&](std::string &out, std::size_t i) {
              encode_template(out, registry->templates()[i].entry, context.revision);
            });
}

void prompts_list(Context &context, const Params &params, support::ReadTurn &turn,
                  rpc::ReplyOnce reply) {
  context.server.wait_described(turn);
  context.server.note_lists_shown();
  const auto registry = context.server.registry();
  send_page(context, params, reply, "prompts", registry->generation(), registry->prompts().size(),
            [&](std::string &out, std::size_t i) {
              encode_prompt(out, registry->prompts()[i].entry, context.revision);
            });
}

} // namespace packhost::mcp
