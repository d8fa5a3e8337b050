// SPDX-License-Identifier: MIT
// See registry.hpp.
#include "host/pack/registry.hpp"

#include "host/support/log.hpp"
#include "sdk/kit/json.hpp"

#include <algorithm>
#include <utility>

namespace json = packhost::kit::json;

namespace packhost::pack {

namespace {

bool contains(const std::vector<std::string> &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_hidden(const contract::ToolEntry &tool, const PackLaunch &launch) {
  if (!tool.hide_when || launch.hidden_tool_options.empty()) return false;
  const json::Object options{json::Value(launch.hidden_tool_options)};
  const json::Value value = options.find(tool.hide_when->option);
  return value.exists() && json::canonical(value.text()) == json::canonical(tool.hide_when->is);
}

std::string_view left_out_by(const std::string &shown_name, const contract::ToolEntry &tool,
                             const ToolSelection &selection) {
  if (!selection.only.empty() && !contains(selection.only, shown_name)) return "--tools";
  if (contains(selection.hide, shown_name)) return "--hide-tools";
  if (selection.read_only && !tool.annotations.read_only) return "--read-only";
  return {};
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

} // namespace

const contract::Schema *LazySchema::compiled() const {
  std::call_once(once_, [this] {
    kit::Result<contract::Schema> schema = contract::Schema::compile(text_);
    if (schema)
      schema_.emplace(std::move(*schema));
    else
      support::log(support::LogLevel::error, "schema.refused",
                   {{"reason", schema.error().message}});
  });
  return schema_ ? &*schema_ : nullptr;
}

Registry::Registry(const std::vector<std::unique_ptr<Instance>> &instances,
                   const ToolSelection &selection, std::uint64_t generation)
    : generation_(generation) {
  for (const std::unique_ptr<Instance> &instance : instances) {
    if (instance->state() == Instance::State::refused) {
      add_tools(*instance, selection); // a call of one is answered with the reason
      continue;
    }
    add_tools(*instance, selection);
    add_resources(*instance);
    add_prompts(*instance);
  }
  for (std::size_t i = 0; i < tools_.size(); ++i) tool_index_.emplace(tools_[i].shown_name, i);
  for (std::size_t i = 0; i < resources_.size(); ++i)
    resource_index_.emplace(normalise_uri(resources_[i].entry.uri), i);
}

void Registry::add_tools(Instance &instance, const ToolSelection &selection) {
  const contract::Manifest &manifest = instance.manifest();
  const bool is_refused = instance.state() == Instance::State::refused;
  std::vector<contract::ToolEntry> given;
  bool has_given = false;
  if (const std::string list = instance.list(PACKHOST_CHANGED_TOOLS); !list.empty()) {
    kit::Result<std::vector<contract::ToolEntry>> parsed =
        contract::parse_tool_list(list, manifest);
    if (parsed) {
      given = std::move(*parsed);
      has_given = true;
    }
  }
  const auto add = [&](const contract::ToolEntry &entry, bool is_listed) {
    ToolRow row;
    row.shown_name = instance.launch().tool_prefix + entry.name;
    row.instance = &instance;
    row.entry = entry;
    if (!entry.pack_checks_input && !manifest.pack_checks_input)
      row.input = std::make_unique<LazySchema>(entry.input);
    if (!entry.output.empty()) row.output = std::make_unique<LazySchema>(entry.output);
    row.pace = instance.pace_of(entry.name);
    row.is_listed = is_listed && !is_refused;
    row.left_out_by = left_out_by(row.shown_name, entry, selection);
    if (is_hidden(entry, instance.launch())) row.left_out_by = "the options of its pack";
    tools_.push_back(std::move(row));
  };
  for (const contract::ToolEntry &tool : given) add(tool, true);
  for (const contract::ToolEntry &tool : manifest.tools) {
    const bool is_given = std::any_of(given.begin(), given.end(),
                                      [&](const auto &other) { return other.name == tool.name; });
    if (!is_given) add(tool, !has_given); // hidden by the catalog: still callable
  }
}

void Registry::add_resources(Instance &instance) {
  std::vector<contract::ResourceEntry> resources = instance.manifest().resources;
  std::vector<contract::ResourceEntry> templates = instance.manifest().templates;
  if (const std::string list = instance.list(PACKHOST_CHANGED_RESOURCES); !list.empty()) {
    kit::Result<contract::ResourceLists> parsed = contract::parse_resource_list(list);
    if (parsed) {
      resources = std::move(parsed->resources);
      templates = std::move(parsed->templates);
    }
  }
  for (contract::ResourceEntry &entry : resources)
    resources_.push_back(ResourceRow{&instance, std::move(entry)});
  for (contract::ResourceEntry &entry : templates) {
    UriTemplate pattern(entry.uri);
    templates_.push_back(TemplateRow{&instance, std::move(entry), std::move(pattern)});
  }
}

void Registry::add_prompts(Instance &instance) {
  std::vector<contract::PromptEntry> prompts = instance.manifest().prompts;
  if (const std::string list = instance.list(PACKHOST_CHANGED_PROMPTS); !list.empty()) {
    kit::Result<std::vector<contract::PromptEntry>> parsed = contract::parse_prompt_list(list);
    if (parsed) prompts = std::move(*parsed);
  }
  for (contract::PromptEntry &entry : prompts)
    prompts_.push_back(PromptRow{&instance, std::move(entry)});
}

const ToolRow *Registry::find_tool(std::string_view shown_name) const {
  const auto found = tool_index_.find(shown_name);
  return found == tool_index_.end() ? nullptr : &tools_[found->second];
}

const ResourceRow *Registry::find_resource(std::string_view uri) const {
  const auto found = resource_index_.find(normalise_uri(uri));
  return found == resource_index_.end() ? nullptr : &resources_[found->second];
}

const TemplateRow *Registry::find_template_for(std::string_view uri) const {
  for (const TemplateRow &row : templates_)
    if (row.pattern.matches(uri)) return &row;
  return nullptr;
}

const TemplateRow *Registry::find_template(std::string_view uri_template) const {
  for (const TemplateRow &row : templates_)
    if (row.entry.uri == uri_template) return &row;
  return nullptr;
}

const PromptRow *Registry::find_prompt(std::string_view name) const {
  for (const PromptRow &row : prompts_)
    if (row.entry.name == name) return &row;
  return nullptr;
}

std::string normalise_uri(std::string_view uri) {
  std::string out;
  out.reserve(uri.size());
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const int high = uri[i] == '%' && i + 2 < uri.size() ? hex_value(uri[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(uri[i + 2]) : -1;
    if (low < 0) {
      out += uri[i];
      continue;
    }
    const int value = high * 16 + low;
    if (is_unreserved(value)) {
      out += static_cast<char>(value);
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      out += '%';
      out += kHex[static_cast<std::size_t>(high)];
      out += kHex[static_cast<std::size_t>(low)];
    }
    i += 2;
  }
  return out;
}

} // namespace packhost::pack
