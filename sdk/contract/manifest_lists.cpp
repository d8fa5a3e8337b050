// SPDX-License-Identifier: MIT
// The lists an opened pack gives through packhost.catalog/1, in the form and under the rules of the
// manifest's.
#include "sdk/contract/manifest_fields.hpp"
#include "sdk/contract/names.hpp"

#include <algorithm>

namespace packhost::contract {

namespace json = kit::json;
using json::Kind;
using json::Value;

namespace {

/// Checks a list of a pack and hands each entry to `read`.
template <typename Read>
kit::Status read_list(std::string_view text, std::string_view list, Read read) {
  Report report(text, false);
  check_text(report, text);
  if (!report.has_fault()) {
    for_each_element(report, Value(text), list,
                     [&](Value each, const std::string &path) { read(report, each, path); });
  }
  if (report.has_fault()) return tl::unexpected<kit::Error>(report.error());
  return {};
}

} // namespace

kit::Result<std::vector<ToolEntry>> parse_tool_list(std::string_view json_text,
                                                    const Manifest &declared) {
  std::vector<ToolEntry> tools;
  const OptionNames options = property_names(declared.options);
  kit::Status status =
      read_list(json_text, "tools", [&](Report &report, Value each, const std::string &path) {
        ToolEntry tool = read_tool(report, each, path, options, declared.pack_checks_input);
        const auto has_name = [&tool](const ToolEntry &other) { return other.name == tool.name; };
        if (std::none_of(declared.tools.begin(), declared.tools.end(), has_name)) {
          report.fail(each, path, fmt::format("the manifest has no tool \"{}\"", tool.name));
        }
        if (std::any_of(tools.begin(), tools.end(), has_name)) {
          report.fail(each, path, fmt::format("\"{}\" stands twice", tool.name));
        }
        tools.push_back(std::move(tool));
      });
  if (!status) return kit::pass_on(status);
  return tools;
}

kit::Result<ResourceLists> parse_resource_list(std::string_view json_text) {
  ResourceLists lists;
  kit::Status status =
      read_list(json_text, "resources", [&](Report &report, Value each, const std::string &path) {
        const Value uri = each.is(Kind::object) ? json::Object(each).find("uri") : Value();
        const bool is_template =
            uri.is(Kind::string) && without_slots(uri.string()).find('{') != std::string::npos;
        (is_template ? lists.templates : lists.resources)
            .push_back(read_resource(report, each, path, is_template));
      });
  if (!status) return kit::pass_on(status);
  return lists;
}

kit::Result<std::vector<PromptEntry>> parse_prompt_list(std::string_view json_text) {
  std::vector<PromptEntry> prompts;
  kit::Status status =
      read_list(json_text, "prompts", [&](Report &report, Value each, const std::string &path) {
        prompts.push_back(read_prompt(report, each, path));
      });
  if (!status) return kit::pass_on(status);
  return prompts;
}

} // namespace packhost::contract
