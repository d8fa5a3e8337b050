// SPDX-License-Identifier: MIT
// What a pack offers to a client: tools, resources, templates and prompts.
#include "sdk/contract/manifest_fields.hpp"
#include "sdk/contract/names.hpp"

#include <algorithm>
#include <array>

namespace packhost::contract {

namespace json = kit::json;
using json::Kind;
using json::Value;

namespace {

constexpr std::size_t kMaxDescriptionBytes = 2048; // of a tool, abi.md section 7.3
constexpr std::uint64_t kMaxTimeoutMs = 3'605'000;
constexpr std::uint64_t kMaxResultBytes = 4U * 1024 * 1024;
constexpr std::uint64_t kMaxArgsBytes = 64U * 1024 * 1024;

/// The mark that lifts the narrow profile from one tool.
bool is_wide(Value mark) {
  return mark.is(Kind::object) && json::Object(mark).find("wide").boolean() == true;
}

bool take_wide(Fields &tool) {
  const Value mark = tool.take("x-packhost", Kind::object);
  const Value input = tool.find("input");
  if (mark.exists()) {
    Fields fields(tool.report(), mark, tool.path_of("x-packhost"));
    fields.flag("wide");
    fields.finish();
  }
  if (is_wide(mark)) return true;
  return input.is(Kind::object) && is_wide(json::Object(input).find("x-packhost"));
}

ToolAnnotations read_annotations(Fields &tool, bool wide) {
  ToolAnnotations result;
  const Value value =
      tool.take("annotations", Kind::object, wide ? Need::optional : Need::required);
  if (!value.exists()) return result;
  Fields annotations(tool.report(), value, tool.path_of("annotations"));

  struct HintRow {
    std::string_view name;
    bool &target;
  };

  for (const HintRow &row :
       {HintRow{"readOnlyHint", result.read_only}, HintRow{"destructiveHint", result.destructive},
        HintRow{"idempotentHint", result.idempotent},
        HintRow{"openWorldHint", result.open_world}}) {
    const std::optional<bool> hint = annotations.flag(row.name);
    if (!hint && !wide) {
      annotations.fail_here(fmt::format(
          "\"{}\" is missing (tool \"{}\")", row.name,
          tool.find("name").is(Kind::string) ? tool.find("name").string() : std::string()));
    }
    row.target = hint.value_or(row.target);
  }
  annotations.finish();
  return result;
}

ToolLimits read_limits(Fields &tool) {
  ToolLimits result;
  const Value value = tool.take("limits", Kind::object);
  if (!value.exists()) return result;
  Fields limits(tool.report(), value, tool.path_of("limits"));
  const auto timeout = limits.number("timeout_ms", 1, kMaxTimeoutMs);
  result.timeout_ms = static_cast<std::uint32_t>(timeout.value_or(result.timeout_ms));
  result.max_result_bytes =
      limits.number("max_result_bytes", 1, kMaxResultBytes).value_or(result.max_result_bytes);
  result.max_args_bytes =
      limits.number("max_args_bytes", 1, kMaxArgsBytes).value_or(result.max_args_bytes);
  limits.finish();
  return result;
}

void check_icons(Fields &tool) {
  const Form source{
      [](std::string_view text) { return text.starts_with("https:") || text.starts_with("data:"); },
      "must be an https: or data: URI"};
  const Form any{[](std::string_view) { return true; }, ""};
  for_each_element(tool.report(), tool.take("icons", Kind::array), tool.path_of("icons"),
                   [&](Value each, const std::string &path) {
                     Fields icon(tool.report(), each, path);
                     icon.text("src", source, Need::required);
                     icon.text("mimeType", {is_mime, "must be of the form type/subtype"});
                     icon.texts("sizes", any);
                     icon.word("theme", {"light", "dark"});
                     icon.finish();
                   });
}

/// Hints for the client about a resource: what every revision accepts (protocol.md section 8.1).
void check_resource_annotations(Fields &resource) {
  const Value value = resource.take("annotations", Kind::object);
  if (!value.exists()) return;
  Fields annotations(resource.report(), value, resource.path_of("annotations"));
  annotations.texts("audience",
                    {[](std::string_view text) { return text == "user" || text == "assistant"; },
                     "must be \"user\" or \"assistant\""});
  const Value priority = annotations.take("priority", Kind::number);
  if (priority.exists()) {
    const double number = priority.number().value_or(-1);
    if (number < 0 || number > 1) annotations.fail("priority", "must be from 0 to 1");
  }
  annotations.text("lastModified",
                   {is_timestamp, "must be a time with its zone, as 2025-01-12T15:00:58Z"});
  annotations.finish();
}

/// Names under "complete" must be among what can be completed.
std::vector<std::string> read_complete(Fields &fields, const std::vector<std::string> &known,
                                       std::string_view rule) {
  const auto is_known = [&known](std::string_view name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  return fields.texts("complete", {is_known, rule});
}

} // namespace

ToolEntry read_tool(Report &report, Value value, const std::string &path,
                    const OptionNames &options, bool pack_checks_input) {
  Fields fields(report, value, path);
  ToolEntry tool;
  tool.name =
      fields.text("name", {is_tool_name, "must match ^[a-z][a-z0-9_]{0,35}$"}, Need::required);
  tool.title = fields.text("title");
  tool.description = fields.text("description", Need::required);
  if (tool.description.size() > kMaxDescriptionBytes) {
    fields.fail("description", fmt::format("is {} bytes; the limit is {}", tool.description.size(),
                                           kMaxDescriptionBytes));
  }
  const bool wide = take_wide(fields);
  tool.input = fields.schema("input", wide ? SchemaUse::tool_input_wide : SchemaUse::tool_input,
                             Need::required);
  tool.output = fields.schema("output", SchemaUse::output);
  tool.annotations = read_annotations(fields, wide);
  check_icons(fields);
  tool.icons = fields.compact("icons", Kind::array);
  check_meta(fields, "meta");
  tool.meta = fields.compact("meta", Kind::object);
  tool.limits = read_limits(fields);
  tool.exclusive = fields.flag("exclusive").value_or(false);
  tool.hide_when = read_condition(fields, "hide_when", options);
  const std::string check = fields.word("input_check", {"pack", "host"});
  tool.pack_checks_input = check.empty() ? pack_checks_input : check == "pack";
  fields.finish();
  return tool;
}

ResourceEntry read_resource(Report &report, Value value, const std::string &path,
                            bool is_template) {
  Fields fields(report, value, path);
  ResourceEntry resource;
  std::vector<std::string> variables;
  const Form template_form{
      [&variables](std::string_view text) { return is_uri_template(text, variables); },
      "must be an absolute URI template (RFC 6570) with a variable"};
  const Form uri_form{is_uri, "must be an absolute URI (RFC 3986)"};
  resource.uri = fields.text("uri", is_template ? template_form : uri_form, Need::required);
  resource.name = fields.text("name", Need::required);
  resource.title = fields.text("title");
  resource.description = fields.text("description");
  resource.mime = fields.text("mime", {is_mime, "must be of the form type/subtype"});
  check_resource_annotations(fields);
  resource.annotations = fields.compact("annotations", Kind::object);
  check_meta(fields, "meta");
  resource.meta = fields.compact("meta", Kind::object);
  resource.subscribe = fields.flag("subscribe").value_or(false);
  if (is_template) {
    resource.complete = read_complete(fields, variables, "is no variable of the template");
  }
  fields.finish();
  return resource;
}

PromptEntry read_prompt(Report &report, Value value, const std::string &path) {
  Fields fields(report, value, path);
  const Form name_form{is_prompt_name, "must match ^[A-Za-z0-9_.-]{1,64}$"};
  PromptEntry prompt;
  prompt.name = fields.text("name", name_form, Need::required);
  prompt.title = fields.text("title");
  prompt.description = fields.text("description");
  std::vector<std::string> names;
  for_each_element(report, fields.take("arguments", Kind::array), fields.path_of("arguments"),
                   [&](Value each, const std::string &here) {
                     Fields argument(report, each, here);
                     PromptArgument entry;
                     entry.name = argument.text("name", name_form, Need::required);
                     entry.description = argument.text("description");
                     entry.required = argument.flag("required").value_or(false);
                     argument.finish();
                     if (std::find(names.begin(), names.end(), entry.name) != names.end()) {
                       argument.fail("name", "stands twice");
                     }
                     names.push_back(entry.name);
                     prompt.arguments.push_back(std::move(entry));
                   });
  prompt.complete = read_complete(fields, names, "is no argument of the prompt");
  fields.finish();
  return prompt;
}

} // namespace packhost::contract
