// SPDX-License-Identifier: MIT
// What the tool list of a pack costs a session, measured on the text that a client gets.
#include "host/cli/tokens.hpp"

#include "host/mcp/encode.hpp"
#include "host/mcp/revision.hpp"
#include "host/pack/instance.hpp"
#include "host/pack/registry.hpp"
#include "sdk/kit/json.hpp"

#include <memory>
#include <vector>

namespace packhost::cli {

namespace {

struct ToolCost {
  std::string name;
  std::size_t bytes;
};

/// The list as the newest revision with a handshake sends it, in one answer.
struct ListCost {
  std::vector<ToolCost> tools;
  std::size_t bytes = 0;
};

ListCost measure(const PackFile &file) {
  const std::string prefix = file.manifest->tool_prefix.value_or(file.manifest->name + "_");
  auto filled = fill_slots(file, prefix, file.manifest->name);
  pack::PackLaunch launch(filled ? std::move(*filled) : file.manifest);
  launch.alias = file.manifest->name;
  launch.tool_prefix = prefix;
  launch.scheme = scheme_of(prefix, launch.alias);
  launch.hidden_tool_options = "{}";
  std::vector<std::unique_ptr<pack::Instance>> instances;
  instances.push_back(std::make_unique<pack::Instance>(std::move(launch), nullptr)); // never opened
  const pack::Registry registry(instances, pack::ToolSelection(), 1);
  const mcp::Revision &revision = mcp::latest_handshake_revision();
  ListCost cost;
  std::string list = "[";
  for (const pack::ToolRow &row : registry.tools()) {
    std::string tool;
    mcp::encode_tool(tool, row, revision);
    cost.tools.push_back({row.shown_name, tool.size()});
    if (list.size() > 1) list += ',';
    list += tool;
  }
  static constexpr std::string_view kBefore = R"({"jsonrpc":"2.0","id":1,"result":{"tools":)";
  cost.bytes = kBefore.size() + list.size() + std::string_view("]}}\n").size();
  return cost;
}

} // namespace

std::string describe_tokens(const PackFile &file, bool as_json) {
  const ListCost cost = measure(file);
  std::string out;
  if (as_json) {
    kit::json::Writer writer(out);
    writer.begin_object().key("tools").begin_array();
    for (const ToolCost &tool : cost.tools)
      writer.begin_object()
          .string("name", tool.name)
          .unsigned_integer("bytes", tool.bytes)
          .end_object();
    writer.end_array().unsigned_integer("bytes", cost.bytes);
    writer.unsigned_integer("tokens", (cost.bytes + 3) / 4).end_object();
    return out + "\n";
  }
  for (const ToolCost &tool : cost.tools)
    out += fmt::format("{:<48} {:>7} bytes\n", tool.name, tool.bytes);
  out += fmt::format("{:<48} {:>7} bytes, about {} tokens\n", "the whole answer", cost.bytes,
                     (cost.bytes + 3) / 4);
  return out;
}

} // namespace packhost::cli
