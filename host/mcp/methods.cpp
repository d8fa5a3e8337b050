// SPDX-License-Identifier: MIT
// See methods.hpp.
#include "host/mcp/methods.hpp"

#include <algorithm>
#include <array>

namespace packhost::mcp {

namespace {

constexpr std::array kMethods{
    MethodRow{"completion/complete", completion_complete, Era::both, Needs::completions},
    MethodRow{"initialize", initialize, Era::handshake, Needs::nothing},
    MethodRow{"logging/setLevel", logging_set_level, Era::handshake, Needs::logging},
    MethodRow{"ping", ping, Era::handshake, Needs::nothing},
    MethodRow{"prompts/get", prompts_get, Era::both, Needs::prompts},
    MethodRow{"prompts/list", prompts_list, Era::both, Needs::prompts},
    MethodRow{"resources/list", resources_list, Era::both, Needs::resources},
    MethodRow{"resources/read", resources_read, Era::both, Needs::resources},
    MethodRow{"resources/subscribe", resources_subscribe, Era::handshake,
              Needs::resource_subscriptions},
    MethodRow{"resources/templates/list", resources_templates_list, Era::both, Needs::resources},
    MethodRow{"resources/unsubscribe", resources_unsubscribe, Era::handshake,
              Needs::resource_subscriptions},
    MethodRow{"server/discover", server_discover, Era::per_request, Needs::nothing},
    MethodRow{"subscriptions/listen", subscriptions_listen, Era::per_request, Needs::nothing},
    MethodRow{"tools/call", tools_call, Era::both, Needs::tools},
    MethodRow{"tools/list", tools_list, Era::both, Needs::tools},
};

constexpr bool is_sorted_by_name() {
  for (std::size_t i = 1; i < kMethods.size(); ++i)
    if (kMethods[i - 1].name >= kMethods[i].name) return false;
  return true;
}

static_assert(is_sorted_by_name());

} // namespace

const MethodRow *find_method(std::string_view name, const Revision &revision) {
  const auto *row = std::lower_bound(
      kMethods.begin(), kMethods.end(), name,
      [](const MethodRow &method, std::string_view wanted) { return method.name < wanted; });
  if (row == kMethods.end() || row->name != name) return nullptr;
  const Era wanted = revision.per_request ? Era::per_request : Era::handshake;
  return row->era == Era::both || row->era == wanted ? row : nullptr;
}

} // namespace packhost::mcp
