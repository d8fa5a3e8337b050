// SPDX-License-Identifier: MIT
// What a pack's permissions come to for one launch.
#include "host/cli/permissions.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace packhost::cli {

using kit::json::Kind;

namespace {

/// A piece of a permission's text: literal, or a slot whose steps lead through the options.
struct Piece {
  std::string literal;
  std::vector<std::string> steps; // "options", "targets", "*", "host"; empty: literal
};

std::vector<std::string> split_steps(std::string_view slot) {
  std::vector<std::string> steps;
  std::string step;
  const auto finish = [&] {
    if (!step.empty()) steps.push_back(std::exchange(step, {}));
  };
  for (const char c : slot) {
    if (c == '.' || c == '[' || c == ']') {
      finish();
    } else {
      step += c;
    }
  }
  finish();
  return steps;
}

std::vector<Piece> split_pieces(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t start = text.find("${");
    const std::size_t end = start == std::string_view::npos ? start : text.find('}', start);
    if (end == std::string_view::npos) {
      pieces.push_back({std::string(text), {}});
      break;
    }
    if (start > 0) pieces.push_back({std::string(text.substr(0, start)), {}});
    pieces.push_back({{}, split_steps(text.substr(start + 2, end - start - 2))});
    text.remove_prefix(end + 1);
  }
  return pieces;
}

const Node *step_into(const Node *node, const std::string &step) {
  if (node == nullptr) return nullptr;
  if (node->is(Kind::object)) return node->find(step);
  if (!node->is(Kind::array)) return nullptr;
  std::size_t index = 0;
  const auto [rest, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool is_index = error == std::errc() && rest == step.data() + step.size();
  return is_index && index < node->elements.size() ? &node->elements[index] : nullptr;
}

class SlotFiller {
public:
  SlotFiller(const Node &options, const Node *arguments)
      : options_(options), arguments_(arguments) {}

  void fill(std::vector<Piece> pieces, std::vector<std::string> &out) const {
    for (const Piece &piece : pieces) {
      const auto star = std::find(piece.steps.begin(), piece.steps.end(), "*");
      if (star == piece.steps.end()) continue;
      const std::vector<std::string> prefix(piece.steps.begin(), star);
      for (const std::string &key : keys_at(prefix)) fill(with_key(pieces, prefix, key), out);
      return;
    }
    std::string text;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].steps.empty()) {
        text += pieces[i].literal;
        continue;
      }
      const Node *value = find(pieces[i].steps);
      if (value == nullptr || value->is(Kind::object) || value->is(Kind::array) ||
          value->is(Kind::null))
        return;
      // "host:port" with an IPv6 address in the host's place takes brackets.
      const bool is_before_port = i + 1 < pieces.size() && pieces[i + 1].literal.starts_with(':');
      const bool needs_brackets = is_before_port && value->text.find(':') != std::string::npos &&
                                  !value->text.starts_with('[');
      text += needs_brackets ? "[" + value->text + "]" : value->text;
    }
    out.push_back(std::move(text));
  }

private:
  [[nodiscard]] const Node *find(const std::vector<std::string> &steps) const {
    const Node *node = nullptr;
    if (steps.front() == "options") node = &options_;
    if (steps.front() == "args") node = arguments_;
    for (std::size_t i = 1; i < steps.size(); ++i) node = step_into(node, steps[i]);
    return node;
  }

  [[nodiscard]] std::vector<std::string> keys_at(const std::vector<std::string> &prefix) const {
    std::vector<std::string> keys;
    const Node *node = prefix.empty() ? nullptr : find(prefix);
    if (node == nullptr) return keys;
    for (const auto &member : node->members) keys.push_back(member.first);
    for (std::size_t i = 0; i < node->elements.size(); ++i) keys.push_back(fmt::format("{}", i));
    return keys;
  }

  /// Every slot that goes through the same star takes the same key.
  [[nodiscard]] static std::vector<Piece> with_key(std::vector<Piece> pieces,
                                                   const std::vector<std::string> &prefix,
                                                   const std::string &key) {
    for (Piece &piece : pieces) {
      if (piece.steps.size() > prefix.size() && piece.steps[prefix.size()] == "*" &&
          std::equal(prefix.begin(), prefix.end(), piece.steps.begin()))
        piece.steps[prefix.size()] = key;
    }
    return pieces;
  }

  const Node &options_;
  const Node *arguments_;
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDirectories{
    std::pair<std::string_view, std::string_view>{"data", "/.local/share/packhost/"},
    {"state", "/.local/state/packhost/"},
    {"cache", "/.cache/packhost/"},
    {"tmp", ""}};

/// "${state}" or "${state}/x" -> "state"; nothing for another text.
std::string_view own_directory(std::string_view path) {
  for (const auto &[which, place] : kDirectories) {
    const std::string slot = fmt::format("${{{}}}", which);
    if (path == slot || path.starts_with(slot + "/")) return which;
  }
  return {};
}

/// Where an own directory lies. The home directory is looked up when the pack first asks for it:
/// the user database costs a start more than all else here.
std::string place_of(std::string_view which, std::string_view pack,
                     std::string_view data_override) {
  if (which == "tmp") return {};
  if (which == "data" && !data_override.empty()) return std::string(data_override);
  const auto *row = std::find_if(kDirectories.begin(), kDirectories.end(),
                                 [which](const auto &each) { return each.first == which; });
  return "~" + std::string(row->second) + std::string(pack);
}

bool names_an_option(std::string_view text) {
  return text.find("${options.") != std::string_view::npos ||
         text.find("${args.") != std::string_view::npos;
}

class Resolver {
public:
  Resolver(const PermissionInput &input, const support::PrivateEnvironment &environment,
           pack::PackLaunch &launch)
      : input_(input), environment_(environment), launch_(launch) {}

  void resolve() {
    for (const Node &entry : entries("fs")) add_directory(entry);
    for (const Node &entry : entries("env")) add_variable(entry);
    for (const Node &entry : entries("net")) add_endpoints(entry);
    for (const Node &entry : entries("exec")) add_program(entry);
  }

private:
  [[nodiscard]] const std::vector<Node> &entries(std::string_view kind) const {
    static const std::vector<Node> kNone;
    const Node *list = input_.permissions.find(kind);
    return list != nullptr ? list->elements : kNone;
  }

  /// {"option": "read_only", "is": true}
  [[nodiscard]] bool holds(const Node *condition) const {
    if (condition == nullptr) return false;
    const Node *value = input_.options.find(condition->find_string("option"));
    const Node *wanted = condition->find("is");
    return value != nullptr && wanted != nullptr && write_tree(*value) == write_tree(*wanted);
  }

  [[nodiscard]] bool applies(const Node &entry) const {
    const Node *when = entry.find("when");
    return !holds(entry.find("unless")) && (when == nullptr || holds(when));
  }

  [[nodiscard]] std::vector<std::string> fill(std::string_view text) const {
    return fill_permission_slots(text, input_.options, input_.arguments);
  }

  /// True if every option the text names was given: a default grants nothing.
  [[nodiscard]] bool is_granted(std::string_view text) const {
    for (const Piece &piece : split_pieces(text))
      if (piece.steps.size() > 1 && piece.steps.front() == "options" &&
          input_.given.find(piece.steps[1]) == nullptr)
        return false;
    return names_an_option(text);
  }

  void refuse(std::string_view kind, std::string_view text) {
    for (const std::string &filled : fill(text))
      say(fmt::format("{} {} (not granted: it stands in the manifest, nobody gave it)", kind,
                      filled));
  }

  void say(std::string line) { launch_.permissions.push_back(std::move(line)); }

  void add_directory(const Node &entry) {
    if (!applies(entry)) return;
    const std::string_view path = entry.find_string("path");
    const std::string_view access = entry.find_string("access");
    if (const std::string_view which = own_directory(path); !which.empty())
      return add_own_directory(which, access);
    if (!is_granted(path)) {
      refuse(fmt::format("fs {}", access), path);
      return;
    }
    for (const std::string &filled : fill(path)) say(fmt::format("fs {} {}", access, filled));
  }

  void add_own_directory(std::string_view which, std::string_view access) {
    const bool may_write = access == "write" || access == "create";
    for (pack::PackDirectory &directory : launch_.directories) {
      if (directory.which != which) continue;
      directory.may_write = directory.may_write || may_write;
      return;
    }
    std::string place = place_of(which, launch_.manifest->name, input_.data_override);
    say(fmt::format("fs {} {}", access,
                    place.empty() ? "(a directory made for the launch)" : place));
    launch_.directories.push_back({std::string(which), std::move(place), may_write});
  }

  void add_variable(const Node &entry) {
    if (!entry.is(Kind::string)) return;
    if (support::is_loader_variable(entry.text)) {
      say(fmt::format("env {} (never passed on)", entry.text));
      return;
    }
    const bool is_set = environment_.find(entry.text).has_value();
    say(fmt::format("env {}{}", entry.text, is_set ? "" : " (not set)"));
    if (is_set) launch_.environment.push_back(entry.text);
  }

  void add_endpoints(const Node &entry) {
    if (!applies(entry)) return;
    const std::string_view endpoint = entry.find_string("endpoint");
    if (!is_granted(endpoint)) return refuse("net", endpoint);
    for (std::string &filled : fill(endpoint)) {
      if (std::find(launch_.endpoints.begin(), launch_.endpoints.end(), filled) !=
          launch_.endpoints.end())
        continue;
      say(fmt::format("net {}", filled));
      launch_.endpoints.push_back(std::move(filled));
    }
  }

  void add_program(const Node &entry) {
    if (!applies(entry)) return;
    const std::string_view name = entry.find_string("name");
    const std::string_view program = entry.find_string("program");
    if (!is_granted(program)) return refuse(fmt::format("exec {}:", name), program);
    const std::vector<std::string> filled = fill(program);
    if (filled.empty() || !filled.front().starts_with('/')) return;
    pack::GrantedProgram granted;
    granted.name = name;
    granted.program = filled.front();
    granted.argv0 = spelling_of(granted.program);
    if (const Node *args = entry.find("args"); args != nullptr && args->is(Kind::array)) {
      granted.has_template = true;
      for (const Node &arg : args->elements) {
        if (!names_an_option(arg.text))
          granted.args_template.push_back(arg.text);
        else
          for (std::string &text : fill(arg.text)) granted.args_template.push_back(std::move(text));
      }
    }
    for (const std::string &variable : launch_.environment)
      if (const auto value = environment_.find(variable))
        granted.environment.push_back(variable + "=" + std::string(*value));
    say(fmt::format("exec {}: {}", name, granted.program));
    launch_.programs.push_back(std::move(granted));
  }

  /// A program looks at its own name: the one the operator wrote.
  [[nodiscard]] std::string spelling_of(const std::string &final_path) const {
    for (const auto &[pointer, spelling] : input_.spelled) {
      Node copy = input_.options;
      const Node *value = find_pointer(copy, pointer);
      if (value != nullptr && value->text == final_path) return spelling;
    }
    return final_path;
  }

  const PermissionInput &input_;
  const support::PrivateEnvironment &environment_;
  pack::PackLaunch &launch_;
};

} // namespace

std::vector<std::string> fill_permission_slots(std::string_view text, const Node &options,
                                               const Node *arguments) {
  std::vector<std::string> out;
  SlotFiller(options, arguments).fill(split_pieces(text), out);
  return out;
}

void resolve_permissions(const PermissionInput &input,
                         const support::PrivateEnvironment &environment, pack::PackLaunch &launch) {
  launch.directories.clear();
  launch.permissions.clear();
  launch.endpoints.clear();
  launch.programs.clear();
  launch.environment.clear();
  Resolver(input, environment, launch).resolve();
}

void resolve_plan_directories(std::string_view data_override, pack::PackLaunch &launch) {
  launch.directories = {{"data", place_of("data", launch.manifest->name, data_override), false}};
}

} // namespace packhost::cli
