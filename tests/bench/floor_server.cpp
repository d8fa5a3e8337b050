// SPDX-License-Identifier: MIT
// The parsing floor: what a correct and untuned server costs. One thread; each line becomes a
// RapidJSON document in place and in memory that is used again, the arguments of a call go through
// a schema compiled at the start, the answer comes from a writer, and goes out when the lines that
// were read together are done. It trusts the client's UTF-8, and a file's.
#include <rapidjson/document.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
using Pool = rapidjson::MemoryPoolAllocator<>;
using Message = rapidjson::GenericDocument<rapidjson::UTF8<>, Pool, Pool>;

constexpr std::string_view kModern = "2026-07-28";

/// A tool's input schema, as text and compiled.
class Input {
public:
  explicit Input(const char *schema) : text_(schema), schema_(parse(schema)), validator_(schema_) {}

  [[nodiscard]] const char *text() const { return text_; }

  [[nodiscard]] bool fits(const rapidjson::Value &arguments) {
    validator_.Reset();
    return arguments.Accept(validator_);
  }

private:
  static rapidjson::Document parse(const char *text) {
    rapidjson::Document document;
    document.Parse(text);
    return document;
  }

  const char *text_;
  rapidjson::SchemaDocument schema_;
  rapidjson::SchemaValidator validator_;
};

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// The whole of a file; false if it cannot be read.
bool read_file(const char *path, std::string &text) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;

  struct stat status {};

  bool is_read = fstat(fd, &status) == 0;
  if (is_read) {
    text.resize(static_cast<std::size_t>(status.st_size));
    std::size_t length = 0;
    while (length < text.size()) {
      const ssize_t count = read(fd, text.data() + length, text.size() - length);
      if (count <= 0) break;
      length += static_cast<std::size_t>(count);
    }
    is_read = length == text.size();
  }
  close(fd);
  return is_read;
}

class FloorServer {
public:
  /// Answers one line, which ends with a NUL, into the buffer of answers.
  void take(char *line) {
    values_.Clear();
    stack_.Clear();
    Message message(&values_, kStackBytes, &stack_);
    message.ParseInsitu(line);
    if (message.HasParseError() || !message.IsObject() || !message.HasMember("id")) return;
    Writer writer(answers_);
    writer.StartObject();
    writer.Key("jsonrpc");
    writer.String("2.0");
    writer.Key("id");
    message["id"].Accept(writer);
    writer.Key("result");
    writer.StartObject();
    if (is_modern(message)) {
      writer.Key("resultType");
      writer.String("complete");
    }
    const std::string_view method = message.HasMember("method") && message["method"].IsString()
                                        ? message["method"].GetString()
                                        : "";
    if (method == "tools/call") {
      call(message, writer);
    } else if (method == "tools/list") {
      list(writer);
    } else {
      greet(writer);
    }
    writer.EndObject();
    writer.EndObject();
    answers_.Put('\n');
  }

  [[nodiscard]] bool flush() {
    const bool is_written = write_all({answers_.GetString(), answers_.GetSize()});
    answers_.Clear();
    return is_written;
  }

private:
  static bool is_modern(const rapidjson::Value &message) {
    const auto params = message.FindMember("params");
    if (params == message.MemberEnd() || !params->value.IsObject()) return false;
    const auto meta = params->value.FindMember("_meta");
    if (meta == params->value.MemberEnd() || !meta->value.IsObject()) return false;
    const auto version = meta->value.FindMember("io.modelcontextprotocol/protocolVersion");
    return version != meta->value.MemberEnd() && version->value.IsString() &&
           version->value.GetString() == kModern;
  }

  static void greet(Writer &writer) {
    writer.Key("protocolVersion");
    writer.String("2025-06-18");
    writer.Key("capabilities");
    writer.StartObject();
    writer.Key("tools");
    writer.StartObject();
    writer.EndObject();
    writer.EndObject();
    writer.Key("serverInfo");
    writer.StartObject();
    writer.Key("name");
    writer.String("floor-server");
    writer.Key("version");
    writer.String("1");
    writer.EndObject();
  }

  void list(Writer &writer) {
    writer.Key("tools");
    writer.StartArray();
    for (const auto &[name, input] : {std::pair{"echo", &echo_}, std::pair{"read", &read_}}) {
      writer.StartObject();
      writer.Key("name");
      writer.String(name);
      writer.Key("inputSchema");
      writer.RawValue(input->text(), std::strlen(input->text()), rapidjson::kObjectType);
      writer.EndObject();
    }
    writer.EndArray();
  }

  void call(const rapidjson::Value &message, Writer &writer) {
    const auto params = message.FindMember("params");
    if (params == message.MemberEnd() || !params->value.IsObject() ||
        !params->value.HasMember("name") || !params->value["name"].IsString() ||
        !params->value.HasMember("arguments")) {
      return answer("no tool is named", true, writer);
    }
    const std::string_view name = params->value["name"].GetString();
    const rapidjson::Value &arguments = params->value["arguments"];
    Input &input = name == "read" ? read_ : echo_;
    if ((name != "echo" && name != "read") || !input.fits(arguments)) {
      return answer("wrong arguments", true, writer);
    }
    if (name == "echo") return answer(arguments["message"].GetString(), false, writer);
    const bool is_read = read_file(arguments["path"].GetString(), text_);
    answer(is_read ? std::string_view(text_) : "cannot read it", !is_read, writer);
  }

  static void answer(std::string_view text, bool is_error, Writer &writer) {
    writer.Key("content");
    writer.StartArray();
    writer.StartObject();
    writer.Key("type");
    writer.String("text");
    writer.Key("text");
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    writer.EndObject();
    writer.EndArray();
    writer.Key("isError");
    writer.Bool(is_error);
  }

  Input echo_{R"({"type":"object","properties":{"message":{"type":"string"}},)"
              R"("required":["message"],"additionalProperties":false})"};
  Input read_{R"({"type":"object","properties":{"path":{"type":"string","minLength":1}},)"
              R"("required":["path"],"additionalProperties":false})"};
  static constexpr std::size_t kStackBytes = 1024;
  std::array<char, 65536> value_bytes_{};
  std::array<char, 16384> stack_bytes_{};
  Pool values_{value_bytes_.data(), value_bytes_.size()};
  Pool stack_{stack_bytes_.data(), stack_bytes_.size()};
  rapidjson::StringBuffer answers_;
  std::string text_;
};

} // namespace

int main() {
  FloorServer server;
  std::vector<char> buffer(256 * 1024);
  std::size_t length = 0;
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, buffer.data() + length, buffer.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? 1 : 0;
    length += static_cast<std::size_t>(count);
    char *line = buffer.data();
    char *const end = line + length;
    const auto next_end = [&] {
      return static_cast<char *>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
    };
    for (char *stop = next_end(); stop != nullptr; stop = next_end()) {
      *stop = '\0';
      server.take(line);
      line = stop + 1;
    }
    if (!server.flush()) return 1;
    length = static_cast<std::size_t>(end - line);
    std::memmove(buffer.data(), line, length);
    if (length == buffer.size()) buffer.resize(buffer.size() * 2);
  }
}
