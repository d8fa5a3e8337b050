// SPDX-License-Identifier: MIT
// No vice: the tools, resources and prompts that the generic server scenarios of the official MCP
// conformance suite ask for, as far as a pack can offer them.
#include "tests/packs/pieces.hpp"

#include <packhost/json.hpp>

#include <poll.h>

// clang-format off
PACKHOST_MANIFEST(R"json({
  "manifest": 1, "name": "everything", "version": "1.0.0", "title": "Conformance fixture", "abi": "1.0",
  "tool_prefix": "", "schemes": ["test"], "log_events": ["started", "processing", "completed"],
  "tools": [
    {"name": "test_simple_text", "description": "Answer with a simple text.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "test_image_content", "description": "Answer with an image.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "test_audio_content", "description": "Answer with a sound.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "test_embedded_resource", "description": "Answer with an embedded resource.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "test_multiple_content_types", "description": "Answer with a text, an image and a resource.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "test_tool_with_logging", "description": "Log three lines while running.", )json"
      NO_ARGUMENTS "," READS R"json(},
    {"name": "test_error_handling", "description": "Fail on purpose.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "test_tool_with_progress", "description": "Report progress three times.", )json"
      NO_ARGUMENTS "," READS R"json(}
  ],
  "resources": [
    {"uri": "test://static-text", "name": "static-text", "description": "A static text", "mime": "text/plain"},
    {"uri": "test://static-binary", "name": "static-binary", "description": "A static image", "mime": "image/png"},
    {"uri": "test://watched-resource", "name": "watched-resource", "description": "A resource to subscribe to",
     "mime": "text/plain", "subscribe": true}
  ],
  "templates": [
    {"uri": "test://template/{id}/data", "name": "template", "description": "Data of an id", "mime": "application/json"}
  ],
  "prompts": [
    {"name": "test_simple_prompt", "description": "A simple prompt."},
    {"name": "test_prompt_with_arguments", "description": "A prompt with two arguments.",
     "arguments": [{"name": "arg1", "description": "First argument", "required": true},
                   {"name": "arg2", "description": "Second argument", "required": true}],
     "complete": ["arg1", "arg2"]},
    {"name": "test_prompt_with_embedded_resource", "description": "A prompt that embeds a resource.",
     "arguments": [{"name": "resourceUri", "description": "URI of the resource", "required": true}]},
    {"name": "test_prompt_with_image", "description": "A prompt with an image."}
  ]
})json");

// clang-format on

namespace {

// One red pixel.
constexpr unsigned char kPng[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00,
    0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x08,
    0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0x18, 0xdd, 0x8d,
    0xb0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

// Eight silent samples.
constexpr unsigned char kWav[] = {'R',  'I',  'F',  'F',  0x2c, 0x00, 0x00, 0x00, 'W',  'A',  'V',
                                  'E',  'f',  'm',  't',  ' ',  0x10, 0x00, 0x00, 0x00, 0x01, 0x00,
                                  0x01, 0x00, 0x40, 0x1f, 0x00, 0x00, 0x40, 0x1f, 0x00, 0x00, 0x01,
                                  0x00, 0x08, 0x00, 'd',  'a',  't',  'a',  0x08, 0x00, 0x00, 0x00,
                                  0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};

template <std::size_t N>
std::string bytes_of(const unsigned char (&bytes)[N]) {
  return std::string(bytes, bytes + N);
}

} // namespace

class Everything : public packhost::Pack {
public:
  explicit Everything(packhost::Open &open) : host_(open.host) {
    tool("test_simple_text", &Everything::simple_text);
    tool("test_image_content", &Everything::image);
    tool("test_audio_content", &Everything::audio);
    tool("test_embedded_resource", &Everything::embedded);
    tool("test_multiple_content_types", &Everything::multiple);
    tool("test_tool_with_logging", &Everything::logging);
    tool("test_error_handling", &Everything::error);
    tool("test_tool_with_progress", &Everything::progress);
    resources(&Everything::read);
    prompts(&Everything::prompt);
    completion(&Everything::complete);
  }

private:
  void simple_text(packhost::Call &call) {
    call.text("This is a simple text response for testing.");
  }

  void image(packhost::Call &call) { call.blob("image/png", bytes_of(kPng)); }

  void audio(packhost::Call &call) { call.blob("audio/wav", bytes_of(kWav)); }

  void embedded(packhost::Call &call) {
    call.resource_text("test://embedded-resource", "text/plain",
                       "This is an embedded resource content.");
  }

  void multiple(packhost::Call &call) {
    call.text("Multiple content types test:").blob("image/png", bytes_of(kPng));
    call.resource_text("test://mixed-content-resource", "application/json",
                       R"({"test":"data","value":123})");
  }

  /// Longer than the host's least distance between two progress notices.
  static void pause(packhost::Call &call) {
    pollfd cancelled{call.cancel_fd(), POLLIN, 0};
    poll(&cancelled, 1, 120);
    call.check();
  }

  void logging(packhost::Call &call) {
    host_.log(PACKHOST_LOG_INFO, "started", {{"message", "Tool execution started"}});
    pause(call);
    host_.log(PACKHOST_LOG_INFO, "processing", {{"message", "Tool processing data"}});
    pause(call);
    host_.log(PACKHOST_LOG_INFO, "completed", {{"message", "Tool execution completed"}});
    call.text("Tool with logging executed successfully");
  }

  void error(packhost::Call &) {
    throw packhost::Error(PACKHOST_E_IO, "This tool intentionally returns an error for testing");
  }

  void progress(packhost::Call &call) {
    call.progress(0, 100);
    pause(call);
    call.progress(50, 100);
    pause(call);
    call.progress(100, 100);
    pause(call);
    call.text("Tool with progress executed successfully");
  }

  void read(packhost::Call &call) {
    const std::string uri(call.name());
    constexpr std::string_view kHead = "test://template/";
    constexpr std::string_view kTail = "/data";
    if (uri == "test://static-text") {
      call.add(PACKHOST_PART_TEXT, {"text/plain", {}, {}, {}, 0},
               "This is the content of the static text resource.");
    } else if (uri == "test://static-binary") {
      call.blob("image/png", bytes_of(kPng));
    } else if (uri == "test://watched-resource") {
      call.add(PACKHOST_PART_TEXT, {"text/plain", {}, {}, {}, 0}, "Watched.");
    } else if (uri.size() > kHead.size() + kTail.size() && uri.rfind(kHead, 0) == 0) {
      const std::string id = uri.substr(kHead.size(), uri.size() - kHead.size() - kTail.size());
      call.add(PACKHOST_PART_TEXT, {"application/json", {}, {}, {}, 0},
               R"({"id":)" + packhost::quoted(id) + R"(,"templateTest":true,"data":)" +
                   packhost::quoted("Data for ID: " + id) + "}");
    } else {
      throw packhost::Error(PACKHOST_E_NOT_FOUND, "there is no such resource");
    }
  }

  void prompt(packhost::Call &call) {
    const packhost::Args args(call.args());
    if (call.name() == "test_simple_prompt") {
      call.text("This is a simple prompt for testing.");
    } else if (call.name() == "test_prompt_with_arguments") {
      call.text("Prompt with arguments: arg1='" + args.str("arg1") + "', arg2='" +
                args.str("arg2") + "'");
    } else if (call.name() == "test_prompt_with_embedded_resource") {
      call.resource_text(args.str("resourceUri"), "text/plain",
                         "Embedded resource content for testing.");
      call.text("Please process the embedded resource above.");
    } else if (call.name() == "test_prompt_with_image") {
      call.blob("image/png", bytes_of(kPng)).text("Please analyze the image above.");
    } else {
      throw packhost::Error(PACKHOST_E_NOT_FOUND, "there is no such prompt");
    }
  }

  void complete(packhost::Call &call) {
    const std::string value = packhost::Args(call.args()).str("value");
    std::string found;
    for (const char *word : {"paris", "park", "party", "test"}) {
      if (std::string_view(word).substr(0, value.size()) != value) continue;
      found += (found.empty() ? "" : ", ") + packhost::quoted(word);
    }
    call.json("{\"values\": [" + found + "], \"more\": false}");
  }

  packhost::Host host_;
};

PACKHOST_PACK(Everything)
