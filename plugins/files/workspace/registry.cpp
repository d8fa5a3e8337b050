// SPDX-License-Identifier: MIT
// See registry.hpp.
#include "plugins/files/workspace/registry.hpp"

#include "sdk/kit/atomic_file.hpp"
#include "sdk/kit/json.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include <sys/random.h>
#include <sys/stat.h>

namespace packhost::files {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

Failure unavailable(std::string_view reason, std::string_view message, std::string detail) {
  return failure(ErrorCode::state_unavailable, "{}", message)
      .with("reason", reason)
      .for_operator("{}", std::move(detail));
}

Failure damaged(std::string_view what) {
  return unavailable("damaged", "The registry of workspaces is damaged; it was left as it is",
                     fmt::format("{}; mend it, or move the file away and register the workspaces "
                                 "anew",
                                 what));
}

void keep_other(const kit::json::Member &member, std::string &other) {
  other += ',';
  kit::json::append_string(other, member.key);
  other += ':';
  other += member.value.text();
}

Outcome<RegisteredWorkspace> parse_workspace(kit::json::Value value, std::size_t index) {
  const auto damaged_here = [index](std::string_view what) {
    return refuse(damaged(fmt::format("\"workspaces\" at {} {}", index, what)));
  };
  if (!value.is(kit::json::Kind::object)) return damaged_here("is not an object");
  RegisteredWorkspace workspace;
  const kit::json::Object members(value);
  for (const kit::json::Member &member : members.members()) {
    std::string *const known = member.key == "id"           ? &workspace.id
                               : member.key == "name"       ? &workspace.name
                               : member.key == "root"       ? &workspace.root
                               : member.key == "created_at" ? &workspace.created_at
                                                            : nullptr;
    if (known == nullptr) {
      keep_other(member, workspace.other);
    } else if (member.value.is(kit::json::Kind::string)) {
      *known = member.value.string();
    } else {
      return damaged_here(fmt::format("has a \"{}\" that is not a string", member.key));
    }
  }
  if (!is_workspace_name(workspace.name)) return damaged_here("has no valid \"name\"");
  if (workspace.id.empty()) return damaged_here("has no \"id\"");
  if (workspace.root.empty() || workspace.root.front() != '/')
    return damaged_here("has no absolute path as \"root\"");
  return workspace;
}

} // namespace

const RegisteredWorkspace *Registry::find(std::string_view name_or_id) const {
  for (const RegisteredWorkspace &workspace : workspaces) {
    if (workspace.id == name_or_id) return &workspace;
  }
  for (const RegisteredWorkspace &workspace : workspaces) {
    if (workspace.name == name_or_id) return &workspace;
  }
  return nullptr;
}

bool is_workspace_name(std::string_view name) {
  const auto is_plain = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9');
  };
  return !name.empty() && name.size() <= 64 && is_plain(name.front()) &&
         std::all_of(name.begin(), name.end(), [is_plain](char letter) {
           return is_plain(letter) || letter == '.' || letter == '_' || letter == '-';
         });
}

std::string make_workspace_id() {
  constexpr std::string_view kLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  auto milliseconds = static_cast<std::uint64_t>(now.tv_sec) * 1000 +
                      static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
  std::array<unsigned char, 16> random{};
  // Sixteen bytes come whole or, before the kernel has any, not at all.
  while (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
  }
  std::string ulid(26, '0');
  for (std::size_t i = 10; i-- > 0; milliseconds >>= 5U) ulid[i] = kLetters[milliseconds & 31U];
  for (std::size_t i = 0; i < 16; ++i) ulid[10 + i] = kLetters[random[i] & 31U];
  return "ws_" + ulid;
}

bool is_available(const RegisteredWorkspace &workspace) {
  struct stat status {};

  return ::stat(workspace.root.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Outcome<Registry> parse_registry(std::string_view text) {
  using kit::json::Kind;
  if (const auto checked = kit::json::check(text); !checked)
    return refuse(damaged(fmt::format("it is not valid JSON (byte {})", checked.error().offset)));
  const kit::json::Value whole(text);
  if (!whole.is(Kind::object)) return refuse(damaged("it is not a JSON object"));
  const kit::json::Object members(whole);
  const kit::json::Value format = members.find("format");
  if (!format.exists() || format.integer() != 1) {
    return refuse(unavailable("format",
                              "The registry of workspaces has a format this version does not know",
                              fmt::format("its \"format\" is {}, not 1; use a newer packhost, or "
                                          "another directory with --home DIR",
                                          format.exists() ? format.text() : "missing")));
  }
  Registry registry;
  for (const kit::json::Member &member : members.members()) {
    if (member.key == "format") continue;
    if (member.key == "default") {
      if (member.value.is(Kind::null)) continue;
      if (!member.value.is(Kind::string)) return refuse(damaged("its \"default\" is not a string"));
      registry.default_name = member.value.string();
    } else if (member.key == "workspaces") {
      if (!member.value.is(Kind::array))
        return refuse(damaged("its \"workspaces\" is not an array"));
      for (const kit::json::Value &element : kit::json::elements(member.value)) {
        auto workspace = parse_workspace(element, registry.workspaces.size());
        if (!workspace) return kit::pass_on(workspace);
        registry.workspaces.push_back(std::move(*workspace));
      }
    } else {
      keep_other(member, registry.other);
    }
  }
  return registry;
}

std::string encode_registry(const Registry &registry) {
  std::string text = R"({"format":1,"default":)";
  if (registry.default_name)
    kit::json::append_string(text, *registry.default_name);
  else
    text += "null";
  text += ",\"workspaces\":[";
  for (const RegisteredWorkspace &workspace : registry.workspaces) {
    if (text.back() != '[') text += ',';
    text += "\n{";
    kit::json::Writer writer(text);
    writer.string("id", workspace.id).string("name", workspace.name);
    writer.string("root", workspace.root).string("created_at", workspace.created_at);
    text += workspace.other;
    text += '}';
  }
  text += ']';
  text += registry.other;
  text += "}\n";
  return text;
}

Outcome<Registry> read_registry(int data_fd) {
  if (data_fd < 0) return Registry{};
  const std::string name(kRegistryFile);
  const kit::Result<std::string> text = kit::read_small_file(data_fd, name, kMaxBytes);
  if (!text) {
    if (text.error().code == kit::Code::not_found) return Registry{};
    const kit::Error &error = text.error();
    return refuse(unavailable(
        "unreadable", "The registry of workspaces cannot be read",
        fmt::format("{} ({}); mend that, or name another directory with --home DIR",
                    path_in(data_fd, name), error.detail.empty() ? error.message : error.detail)));
  }
  Outcome<Registry> registry = parse_registry(*text);
  if (!registry) {
    registry.error().detail =
        fmt::format("{}: {}", path_in(data_fd, name), registry.error().detail);
  }
  return registry;
}

Outcome<RegistryEdit> RegistryEdit::begin(int data_fd, const WaitNotice &notice) {
  Outcome<kit::UniqueFd> lock = lock_registry(data_fd, notice);
  if (!lock) return kit::pass_on(lock);
  RegistryEdit edit;
  edit.data_fd_ = data_fd;
  edit.lock_ = std::move(*lock);
  Outcome<Registry> registry = read_registry(data_fd);
  if (!registry) return kit::pass_on(registry);
  edit.registry = std::move(*registry);
  return edit;
}

Outcome<void> RegistryEdit::save() const {
  const std::string name(kRegistryFile);
  const auto saved = kit::replace_file(data_fd_, name, encode_registry(registry), 0600);
  if (saved) return {};
  return refuse(unavailable("unwritable", "The registry of workspaces cannot be written",
                            fmt::format("{} ({}); mend that and repeat the command",
                                        path_in(data_fd_, name), saved.error().detail)));
}

} // namespace packhost::files
