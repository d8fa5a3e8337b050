// SPDX-License-Identifier: MIT
// A small JSON document that can be changed.
#include "host/cli/json_tree.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace packhost::cli {

using kit::Code;
using kit::json::Kind;

Node Node::object() {
  Node node;
  node.kind = Kind::object;
  return node;
}

Node Node::array() {
  Node node;
  node.kind = Kind::array;
  return node;
}

Node Node::string(std::string characters) {
  Node node;
  node.kind = Kind::string;
  node.text = std::move(characters);
  return node;
}

Node Node::boolean(bool value) {
  Node node;
  node.kind = Kind::boolean;
  node.text = value ? "true" : "false";
  return node;
}

Node *Node::find(std::string_view key) {
  for (auto &member : members)
    if (member.first == key) return &member.second;
  return nullptr;
}

const Node *Node::find(std::string_view key) const {
  for (const auto &member : members)
    if (member.first == key) return &member.second;
  return nullptr;
}

std::string_view Node::find_string(std::string_view key) const {
  const Node *member = find(key);
  return member != nullptr && member->is(Kind::string) ? std::string_view(member->text)
                                                       : std::string_view();
}

Node &Node::set(std::string_view key, Node value) {
  if (Node *member = find(key)) {
    *member = std::move(value);
    return *member;
  }
  return members.emplace_back(std::string(key), std::move(value)).second;
}

void Node::remove(std::string_view key) {
  std::erase_if(members, [key](const auto &member) { return member.first == key; });
}

void Node::wipe() {
  // volatile: the writes must survive although nobody reads the text again
  for (volatile char *byte = text.data(); byte != text.data() + text.size(); ++byte) *byte = 0;
  for (auto &member : members) member.second.wipe();
  for (Node &element : elements) element.wipe();
}

Node read_tree(kit::json::Value value) {
  Node node;
  if (!value.exists()) return node;
  node.kind = value.kind();
  switch (node.kind) {
  case Kind::null:
    break;
  case Kind::boolean:
  case Kind::number:
    node.text = value.text();
    break;
  case Kind::string:
    node.text = value.string();
    break;
  case Kind::array:
    for (const kit::json::Value element : kit::json::elements(value))
      node.elements.push_back(read_tree(element));
    break;
  case Kind::object: {
    const kit::json::Object object(value);
    node.members.reserve(object.members().size());
    for (const kit::json::Member &member : object.members())
      node.set(member.key, read_tree(member.value));
    break;
  }
  }
  return node;
}

namespace {

/// A member that its object has already.
struct Twice {
  std::string path;            // "files.root"
  const char *where = nullptr; // its key in the text
};

std::optional<Twice> find_twice(kit::json::Value value, const std::string &path) {
  if (value.is(Kind::array)) {
    kit::json::Elements all(value);
    for (kit::json::Value each = all.next(); each.exists(); each = all.next())
      if (auto twice = find_twice(each, path)) return twice;
  }
  if (!value.is(Kind::object)) return std::nullopt;
  std::set<std::string> keys;
  kit::json::Members all(value);
  for (auto each = all.next(); each.key.exists(); each = all.next()) {
    const std::string key = each.key.string();
    const std::string below = path.empty() ? key : fmt::format("{}.{}", path, key);
    if (!keys.insert(key).second) return Twice{below, each.key.text().data()};
    if (auto twice = find_twice(each.value, below)) return twice;
  }
  return std::nullopt;
}

std::ptrdiff_t line_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + std::count(before.begin(), before.end(), '\n');
}

} // namespace

kit::Result<Node> parse_tree(std::string_view text) {
  const auto checked = kit::json::check(text, kit::json::Limits{kMaxTreeDepth});
  if (checked) {
    const auto twice = find_twice(kit::json::Value(text), "");
    if (!twice) return read_tree(kit::json::Value(text));
    const auto offset = static_cast<std::size_t>(twice->where - text.data());
    return kit::fail(Code::config, "has the member \"{}\" twice (line {}); leave one of them out",
                     twice->path, line_of(text, offset));
  }
  const std::ptrdiff_t line = line_of(text, checked.error().offset);
  switch (checked.error().fault) {
  case kit::json::Fault::syntax:
    break;
  case kit::json::Fault::encoding:
    return kit::fail(Code::config, "is not UTF-8 (line {})", line);
  case kit::json::Fault::depth:
    return kit::fail(Code::config, "is nested deeper than {} levels (line {})", kMaxTreeDepth,
                     line);
  case kit::json::Fault::number_range:
    return kit::fail(Code::config, "has a number that is out of range (line {})", line);
  }
  return kit::fail(Code::config, "is not valid JSON (line {})", line);
}

void append_tree(std::string &out, const Node &node) {
  switch (node.kind) {
  case Kind::null:
    out += "null";
    break;
  case Kind::boolean:
  case Kind::number:
    out += node.text;
    break;
  case Kind::string:
    kit::json::append_string(out, node.text);
    break;
  case Kind::array: {
    char before = '[';
    for (const Node &element : node.elements) {
      out += std::exchange(before, ',');
      append_tree(out, element);
    }
    out += node.elements.empty() ? "[]" : "]";
    break;
  }
  case Kind::object: {
    char before = '{';
    for (const auto &[key, value] : node.members) {
      out += std::exchange(before, ',');
      kit::json::append_string(out, key);
      out += ':';
      append_tree(out, value);
    }
    out += node.members.empty() ? "{}" : "}";
    break;
  }
  }
}

std::string write_tree(const Node &node) {
  std::string out;
  append_tree(out, node);
  return out;
}

void append_pretty(std::string &out, const Node &node, std::size_t indent) {
  const bool is_array = node.is(Kind::array) && !node.elements.empty();
  const bool is_object = node.is(Kind::object) && !node.members.empty();
  if (!is_array && !is_object) return append_tree(out, node);
  out += is_array ? "[" : "{";
  const char *before = "\n";
  for (const Node &element : node.elements) {
    out += std::exchange(before, ",\n");
    out.append(indent + 2, ' ');
    append_pretty(out, element, indent + 2);
  }
  for (const auto &[key, value] : node.members) {
    out += std::exchange(before, ",\n");
    out.append(indent + 2, ' ');
    kit::json::append_string(out, key);
    out += ": ";
    append_pretty(out, value, indent + 2);
  }
  out += '\n';
  out.append(indent, ' ');
  out += is_array ? "]" : "}";
}

namespace {

std::string unescape_token(std::string_view token) {
  std::string key;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size()) {
      ++i;
      key += token[i] == '1' ? '/' : '~';
    } else {
      key += token[i];
    }
  }
  return key;
}

} // namespace

Node *find_pointer(Node &root, std::string_view pointer) {
  Node *node = &root;
  while (node != nullptr && !pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string_view token = pointer.substr(0, end);
    pointer.remove_prefix(end);
    if (node->is(Kind::object)) {
      node = node->find(unescape_token(token));
    } else if (node->is(Kind::array)) {
      std::size_t index = 0;
      const auto [rest, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      const bool is_index = error == std::errc() && rest == token.data() + token.size();
      node = is_index && index < node->elements.size() ? &node->elements[index] : nullptr;
    } else {
      node = nullptr;
    }
  }
  return node;
}

std::string pointer_to(std::string_view pointer, std::string_view key) {
  std::string out(pointer);
  out += '/';
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

} // namespace packhost::cli
