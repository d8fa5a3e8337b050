// SPDX-License-Identifier: MIT
// What a client sees: name -> (pack, tool), resources, templates, prompts; in load order, then in
// the order of the manifest. Built once and replaced whole by a catalog notice, never changed in
// place. Knows no MCP.
#pragma once

#include "host/pack/instance.hpp"
#include "host/pack/launch.hpp"
#include "host/pack/uri_template.hpp"
#include "sdk/contract/manifest.hpp"
#include "sdk/contract/validator.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace packhost::pack {

/// A schema compiled at its first use: nothing of a start waits for it. Any thread.
class LazySchema {
public:
  explicit LazySchema(std::string text) : text_(std::move(text)) {}

  /// Null if it does not compile (the manifest's check lets none such through).
  [[nodiscard]] const contract::Schema *compiled() const;

private:
  std::string text_;
  mutable std::once_flag once_;
  mutable std::optional<contract::Schema> schema_;
};

struct ToolRow {
  std::string shown_name;
  Instance *instance = nullptr;
  contract::ToolEntry entry;
  std::unique_ptr<LazySchema> input;  // null: the pack checks
  std::unique_ptr<LazySchema> output; // null: the tool declares none
  support::Pace *pace = nullptr;
  bool is_listed = true;        // false: hidden by the pack's catalog, or the pack is refused
  std::string_view left_out_by; // the option that makes it unknown to the client; empty: none
};

struct ResourceRow {
  Instance *instance = nullptr;
  contract::ResourceEntry entry;
};

struct TemplateRow {
  Instance *instance = nullptr;
  contract::ResourceEntry entry;
  UriTemplate pattern;
};

struct PromptRow {
  Instance *instance = nullptr;
  contract::PromptEntry entry;
};

/// What the lists hold at one time. Constant once built: any thread. Borrows the instances.
class Registry {
public:
  /// Reads what the instances' manifests and catalogs say now.
  Registry(const std::vector<std::unique_ptr<Instance>> &instances, const ToolSelection &selection,
           std::uint64_t generation);

  /// Any declared tool, listed or not; null for an unknown name.
  [[nodiscard]] const ToolRow *find_tool(std::string_view shown_name) const;
  /// A listed resource, by its URI after normalising percent-encoding.
  [[nodiscard]] const ResourceRow *find_resource(std::string_view uri) const;
  [[nodiscard]] const TemplateRow *find_template_for(std::string_view uri) const;
  [[nodiscard]] const TemplateRow *find_template(std::string_view uri_template) const;
  [[nodiscard]] const PromptRow *find_prompt(std::string_view name) const;

  [[nodiscard]] const std::vector<ToolRow> &tools() const { return tools_; }

  [[nodiscard]] const std::vector<ResourceRow> &resources() const { return resources_; }

  [[nodiscard]] const std::vector<TemplateRow> &templates() const { return templates_; }

  [[nodiscard]] const std::vector<PromptRow> &prompts() const { return prompts_; }

  /// Rises with each replacement.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

private:
  void add_tools(Instance &instance, const ToolSelection &selection);
  void add_resources(Instance &instance);
  void add_prompts(Instance &instance);

  std::uint64_t generation_;
  std::vector<ToolRow> tools_;
  std::vector<ResourceRow> resources_;
  std::vector<TemplateRow> templates_;
  std::vector<PromptRow> prompts_;
  std::unordered_map<std::string_view, std::size_t> tool_index_; // keys borrow tools_
  std::unordered_map<std::string, std::size_t> resource_index_;
};

/// A URI with unreserved characters decoded and hex digits in upper case (RFC 3986 section 6.2.2),
/// so that two spellings of one compare equal.
[[nodiscard]] std::string normalise_uri(std::string_view uri);

} // namespace packhost::pack
