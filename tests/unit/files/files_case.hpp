// SPDX-License-Identifier: MIT
// The built pack over a temporary workspace, and its answers as something to compare.
#pragma once

#include "sdk/kit/json.hpp"
#include "tests/unit/files/temp_tree.hpp"

#include <packhost/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace packhost::tests {

/// One JSON document; members are named by a path: "result.entries.0.path".
class Json {
public:
  explicit Json(std::string text) : text_(std::move(text)) {}

  /// The member as spelled; empty: absent.
  [[nodiscard]] std::string operator[](std::string_view path) const {
    return std::string(find(path).text());
  }

  /// A string member's characters.
  [[nodiscard]] std::string string(std::string_view path) const {
    const kit::json::Value value = find(path);
    return value.is(kit::json::Kind::string) ? value.string()
                                             : "(no string at " + std::string(path) + ")";
  }

  [[nodiscard]] std::size_t size(std::string_view path) const {
    const kit::json::Value value = find(path);
    return value.is(kit::json::Kind::array) ? kit::json::elements(value).size() : 0;
  }

  /// One string member of each element of an array.
  [[nodiscard]] std::vector<std::string> column(std::string_view array,
                                                std::string_view member) const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < size(array); ++i)
      all.push_back(string(fmt::format("{}.{}.{}", array, i, member)));
    return all;
  }

  [[nodiscard]] const std::string &text() const { return text_; }

private:
  [[nodiscard]] kit::json::Value find(std::string_view path) const {
    if (!kit::json::check(text_)) return {};
    kit::json::Value value(text_);
    while (!path.empty() && value.exists()) {
      const std::size_t dot = std::min(path.find('.'), path.size());
      const std::string part(path.substr(0, dot));
      path.remove_prefix(std::min(dot + 1, path.size()));
      if (value.is(kit::json::Kind::array)) {
        const std::vector<kit::json::Value> elements = kit::json::elements(value);
        const std::size_t index = std::stoul(part);
        value = index < elements.size() ? elements[index] : kit::json::Value();
      } else if (value.is(kit::json::Kind::object)) {
        value = kit::json::Object(value).find(part);
      } else {
        return {};
      }
    }
    return value;
  }

  std::string text_;
};

inline std::string quote(std::string_view text) {
  std::string quoted;
  kit::json::append_string(quoted, text);
  return quoted;
}

/// {"path": ...} and more members, if any.
inline std::string path_args(std::string_view path, std::string_view more = {}) {
  return "{\"path\":" + quote(path) + (more.empty() ? "" : ",") + std::string(more) + "}";
}

class FilesCase {
public:
  /// The thread sanitizer starts a thread of its own with the first of the process: that is not the
  /// pack's, so it must not first appear while the harness counts.
  FilesCase() {
    std::thread([] {}).join();
  }

  /// More options as JSON members: R"("max_read_bytes":4096)".
  void open(std::string_view more = {}) {
    const std::string options =
        "{\"root\":" + quote(served_root.empty() ? tree.root() : served_root) +
        (more.empty() ? "" : ",") + std::string(more) + "}";
    pack_.emplace(FILES_PACK, testing::Setup(options));
  }

  Json call(std::string_view tool, std::string_view args) {
    if (!pack_) open();
    INFO(std::string(tool) << " " << std::string(args));
    const testing::Result result = pack_->tool(tool, args);
    const Json json(result.json());
    INFO(json.text());
    // The document and the status must agree.
    CHECK((json["ok"] == "true") == (result.status == PACKHOST_OK));
    if (json["ok"] != "true") CHECK(result.status == PACKHOST_E_TOOL);
    items = result.items();
    return json;
  }

  /// The code of a refusal, or "ok".
  std::string code(std::string_view tool, std::string_view args) {
    const Json json = call(tool, args);
    return json["ok"] == "true" ? "ok" : json.string("error.code");
  }

  testing::Harness &pack() {
    if (!pack_) open();
    return *pack_;
  }

  /// The pack kept the contract of packhost.h to its end.
  ~FilesCase() {
    if (!pack_) return;
    pack_->close();
    CHECK(pack_->violations() == std::vector<std::string>());
  }

  TempTree tree;
  std::string served_root; // as the operator spelled it; empty: tree.root()
  std::uint64_t items = 0;

private:
  std::optional<testing::Harness> pack_;
};

} // namespace packhost::tests

namespace doctest {

template <>
struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string> &all) {
    std::string text = "[";
    for (const std::string &one : all) text += (text.size() > 1 ? ", '" : "'") + one + "'";
    return (text + "]").c_str();
  }
};

} // namespace doctest
