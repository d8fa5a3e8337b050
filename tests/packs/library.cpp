// SPDX-License-Identifier: MIT
// No vice: resources, templates, subscriptions, prompts and completion.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <atomic>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "library", "version": "1.0.0", "title": "Library", "abi": "1.0",
  "tools": [
    {"name": "touch", "description": "Change the watched resource and tell its subscribers.", )json"
      NO_ARGUMENTS "," WRITES R"json(}
  ],
  "resources": [
    {"uri": "library://readme", "name": "readme", "title": "Read me", "description": "Words", "mime": "text/plain",
     "annotations": {"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"},
     "meta": {"io.example/shelf": 1}},
    {"uri": "library://picture", "name": "picture", "mime": "image/png"},
    {"uri": "library://two", "name": "two", "description": "Two items in one read"},
    {"uri": "library://empty", "name": "empty", "mime": "text/plain"},
    {"uri": "library://broken", "name": "broken", "description": "Cannot be read"},
    {"uri": "library://burnt", "name": "burnt", "description": "Describes its own failure"},
    {"uri": "library://watched", "name": "watched", "mime": "text/plain", "subscribe": true}
  ],
  "templates": [
    {"uri": "library://book/{title}", "name": "book", "title": "A book", "mime": "text/plain", "complete": ["title"]},
    {"uri": "library://path/{+path}", "name": "path", "description": "Any path"}
  ],
  "prompts": [
    {"name": "review", "title": "Review", "description": "Ask for a review.",
     "arguments": [{"name": "title", "description": "Which book", "required": true},
                   {"name": "tone", "description": "How"}],
     "complete": ["title"]},
    {"name": "plain", "description": "One message."}
  ]
})json");

// clang-format on

class Library : public packhost::Pack {
public:
  explicit Library(packhost::Open &open) : host_(open.host) {
    tool("touch", &Library::touch);
    resources(&Library::read);
    prompts(&Library::prompt);
    completion(&Library::complete);
  }

private:
  void touch(packhost::Call &call) {
    ++version_;
    host_.resource_changed("library://watched");
    call.text("touched");
  }

  void read(packhost::Call &call) {
    const std::string_view uri = call.name();
    if (uri == "library://readme") {
      call.add(PACKHOST_PART_TEXT, {"text/plain", {}, {}, {}, 0}, "Read me first.");
      call.meta(R"({"io.example/source": "library"})");
    } else if (uri == "library://picture") {
      call.blob("image/png", std::string("\x89PNG\r\n\x1a\n", 8));
    } else if (uri == "library://two") {
      call.add(PACKHOST_PART_TEXT, {"text/plain", "library://two/a", {}, {}, 0}, "a");
      call.add(PACKHOST_PART_BLOB, {"application/x-b", "library://two/b", {}, {}, 0}, "b");
    } else if (uri == "library://empty") {
      call.text("");
    } else if (uri == "library://broken") {
      throw packhost::Error(PACKHOST_E_IO, "the shelf is broken");
    } else if (uri == "library://burnt") {
      call.text("The book burnt").failed();
    } else if (uri == "library://watched") {
      call.text("version " + std::to_string(version_.load()));
    } else {
      read_template(call, uri);
    }
  }

  void read_template(packhost::Call &call, std::string_view uri) {
    constexpr std::string_view kBook = "library://book/";
    constexpr std::string_view kPath = "library://path/";
    if (uri.substr(0, kBook.size()) == kBook && uri.substr(kBook.size()) != "missing") {
      call.text("The book " + std::string(uri.substr(kBook.size())));
    } else if (uri.substr(0, kPath.size()) == kPath) {
      call.text("The path " + std::string(uri.substr(kPath.size())));
    } else {
      throw packhost::Error(PACKHOST_E_NOT_FOUND, "the library has no such book");
    }
  }

  void prompt(packhost::Call &call) {
    if (call.name() == "plain") {
      call.text("Be plain.");
      return;
    }
    const packhost::Args args(call.args());
    call.text("Review '" + args.str("title") + "' in a " + args.str("tone", "kind") + " tone.");
    packhost::PartInfo assistant;
    assistant.annotations = R"({"role": "assistant"})";
    call.add(PACKHOST_PART_TEXT, assistant, "Gladly.");
  }

  void complete(packhost::Call &call) {
    const packhost::Args args(call.args());
    const std::string value = args.str("value");
    std::string found;
    for (const char *title : {"Emma", "Emil", "Momo"}) {
      if (std::string_view(title).substr(0, value.size()) != value) continue;
      found += (found.empty() ? "" : ", ") + packhost::quoted(title);
    }
    call.json("{\"values\": [" + found + "], \"total\": 3, \"more\": false}");
  }

  packhost::Host host_;
  std::atomic<int> version_{1};
};

PACKHOST_PACK(Library)
