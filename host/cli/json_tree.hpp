// SPDX-License-Identifier: MIT
// A small JSON document that can be changed: options are merged from several files and rewritten
// before a pack sees them. Texts from outside are bounded (1 MiB, 64 levels) before they become
// one.
#pragma once

#include "sdk/kit/json.hpp"
#include "sdk/kit/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::cli {

struct NodeMember;

struct Node {
  kit::json::Kind kind = kit::json::Kind::null;
  std::string text; // string: its characters; number, boolean: as spelled
  std::vector<NodeMember> members;
  std::vector<Node> elements;

  [[nodiscard]] static Node object();
  [[nodiscard]] static Node array();
  [[nodiscard]] static Node string(std::string characters);
  [[nodiscard]] static Node boolean(bool value);

  [[nodiscard]] bool is(kit::json::Kind wanted) const { return kind == wanted; }

  [[nodiscard]] bool is_true() const { return is(kit::json::Kind::boolean) && text == "true"; }

  /// A member, or nullptr. Borrowed until the object changes.
  [[nodiscard]] Node *find(std::string_view key);
  [[nodiscard]] const Node *find(std::string_view key) const;

  /// The characters of a string member, or nothing.
  [[nodiscard]] std::string_view find_string(std::string_view key) const;

  /// Sets a member, in place if it is there.
  Node &set(std::string_view key, Node value);
  void remove(std::string_view key);

  /// Overwrites every character below with zeros.
  void wipe();
};

/// One member of an object, as a pair of key and value: std::pair cannot hold what is not complete.
struct NodeMember {
  NodeMember(std::string key, Node value) : first(std::move(key)), second(std::move(value)) {}

  std::string first;
  Node second;
};

/// How deep a document of the operator may be.
inline constexpr std::size_t kMaxTreeDepth = 64;
inline constexpr std::size_t kMaxOptionsFileBytes = 1024U * 1024;

/// REQUIRES: checked text of at most kMaxTreeDepth levels (manifest schemas have 16).
[[nodiscard]] Node read_tree(kit::json::Value value);

/// Checks and reads. Code::config, to stand behind a file's name: `is not valid JSON (line 3)`. A
/// member that stands twice in an object is a fault: which of the two was meant is not known.
[[nodiscard]] kit::Result<Node> parse_tree(std::string_view text);

/// Compact text.
[[nodiscard]] std::string write_tree(const Node &node);
void append_tree(std::string &out, const Node &node);

/// Indented text for people.
void append_pretty(std::string &out, const Node &node, std::size_t indent);

/// The value a JSON pointer names, or nullptr.
[[nodiscard]] Node *find_pointer(Node &root, std::string_view pointer);

/// `pointer` + "/" + key, escaped as RFC 6901 asks.
[[nodiscard]] std::string pointer_to(std::string_view pointer, std::string_view key);

} // namespace packhost::cli
