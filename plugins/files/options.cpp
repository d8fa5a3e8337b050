// SPDX-License-Identifier: MIT
// See options.hpp.
#include "plugins/files/options.hpp"

#include "sdk/kit/json.hpp"

namespace packhost::files {

const std::vector<LimitRow> &limit_rows() {
  static const std::vector<LimitRow> rows{
      {"max_read_bytes", &Limits::max_read_bytes},
      {"max_read_many_bytes", &Limits::max_read_many_bytes},
      {"max_search_results", &Limits::max_search_results},
      {"max_directory_entries", &Limits::max_directory_entries},
      {"max_recursion_depth", &Limits::max_recursion_depth},
      {"max_hash_bytes", &Limits::max_hash_bytes},
      {"max_search_file_bytes", &Limits::max_search_file_bytes},
      {"search_time_ms", &Limits::search_time_ms},
      {"search_bytes", &Limits::search_bytes},
  };
  return rows;
}

kit::Result<Settings> parse_settings(std::string_view options) {
  using kit::json::Kind;
  if (!kit::json::check(options)) return kit::fail(kit::Code::config, "the options are not JSON");
  const kit::json::Value whole(options);
  if (!whole.is(Kind::object))
    return kit::fail(kit::Code::config, "the options are not a JSON object");
  const kit::json::Object members(whole);
  Settings settings;
  const auto text_of = [](const kit::json::Object &object, std::string_view name) {
    const kit::json::Value value = object.find(name);
    return value.is(Kind::string) ? value.string() : std::string();
  };
  settings.root = text_of(members, "root");
  settings.workspace = text_of(members, "workspace");
  settings.allow_mounts = members.find("allow_mounts").boolean().value_or(true);
  for (const LimitRow &row : limit_rows()) {
    const kit::json::Value value = members.find(row.name);
    if (const std::optional<std::int64_t> number = value.exists() ? value.integer() : std::nullopt)
      settings.limits.*row.member = static_cast<std::uint64_t>(*number);
  }
  const kit::json::Value host_part = members.find("packhost");
  if (host_part.is(Kind::object)) {
    const kit::json::Object host(host_part);
    settings.version = text_of(host, "version");
    const kit::json::Value spelled = host.find("spelled");
    if (spelled.is(Kind::object)) settings.spelled = text_of(kit::json::Object(spelled), "/root");
  }
  return settings;
}

} // namespace packhost::files
