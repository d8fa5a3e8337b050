// SPDX-License-Identifier: MIT
// Parts of a call's way under Google Benchmark: framing, the check of JSON, escaping, the check
// against a schema. Each has the plainest way to do the same beside it, so that a figure has
// something to stand against.
#include "host/io/line_reader.hpp"
#include "sdk/contract/validator.hpp"
#include "sdk/kit/json.hpp"

#include <benchmark/benchmark.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::string_view kLine =
    R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"file_read","arguments":)"
    R"({"path":"src/kit/json.cpp","start_line":1,"end_line":80}}})";
constexpr std::string_view kArguments =
    R"({"path":"src/kit/json.cpp","start_line":1,"end_line":80})";
constexpr std::string_view kSchema =
    R"({"type":"object","required":["path"],"additionalProperties":false,"properties":{)"
    R"("path":{"type":"string"},"start_line":{"type":"integer"},"end_line":{"type":"integer"}}})";

/// Ends the run: a figure of something that went wrong is no figure.
void require(bool condition, const char *what) {
  if (condition) return;
  std::fprintf(stderr, "bench_parts: %s\n", what);
  std::_Exit(1);
}

std::string source_text(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "  if (has_room(\"queue\")) return take(next, size);\n";
  text.resize(bytes);
  return text;
}

std::string message_of(std::size_t bytes) {
  std::string line = R"({"jsonrpc":"2.0","id":7,"params":{"arguments":{"text":)";
  packhost::kit::json::append_string(line, source_text(bytes));
  return line + "}}}";
}

void count_bytes(benchmark::State &state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

constexpr std::size_t kLines = 1000;

/// A file in memory that holds kLines lines.
int lines_in_memory() {
  const int fd = memfd_create("lines", MFD_CLOEXEC);
  std::string text;
  for (std::size_t i = 0; i < kLines; ++i) text.append(kLine).append("\n");
  require(fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "no file in memory");
  return fd;
}

void framing(benchmark::State &state) {
  const int fd = lines_in_memory();
  for ([[maybe_unused]] auto _ : state) {
    lseek(fd, 0, SEEK_SET);
    packhost::io::LineReader reader(fd, 64 * 1024 * 1024);
    std::size_t count = 0;
    while (reader.next().kind == packhost::io::LineEvent::Kind::line) ++count;
    require(count == kLines, "lines are missing");
  }
  close(fd);
  count_bytes(state, kLines * (kLine.size() + 1));
}

void framing_by_memchr(benchmark::State &state) {
  const int fd = lines_in_memory();
  std::string buffer(kLines * (kLine.size() + 1), '\0');
  for ([[maybe_unused]] auto _ : state) {
    const ssize_t length = pread(fd, buffer.data(), buffer.size(), 0);
    require(length == static_cast<ssize_t>(buffer.size()), "bytes are missing");
    std::size_t count = 0;
    const char *at = buffer.data();
    const char *end = at + length;
    for (const void *stop = nullptr;
         at < end && (stop = std::memchr(at, '\n', static_cast<std::size_t>(end - at))) != nullptr;
         at = static_cast<const char *>(stop) + 1) {
      ++count;
    }
    require(count == kLines, "lines are missing");
  }
  close(fd);
  count_bytes(state, buffer.size());
}

void json_check(benchmark::State &state) {
  const std::string line = message_of(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    require(packhost::kit::json::check(line).has_value(), "a good line was refused");
  }
  count_bytes(state, line.size());
}

void json_by_rapidjson(benchmark::State &state) {
  const std::string line = message_of(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseValidateEncodingFlag>(line.data(), line.size());
    require(!document.HasParseError(), "a good line was refused");
  }
  count_bytes(state, line.size());
}

void escaping(benchmark::State &state) {
  const std::string text = source_text(static_cast<std::size_t>(state.range(0)));
  std::string out;
  for ([[maybe_unused]] auto _ : state) {
    out.clear();
    packhost::kit::json::append_string(out, text);
    require(out.size() > text.size(), "nothing was escaped");
  }
  count_bytes(state, text.size());
}

void escaping_by_rapidjson(benchmark::State &state) {
  const std::string text = source_text(static_cast<std::size_t>(state.range(0)));
  rapidjson::StringBuffer out;
  for ([[maybe_unused]] auto _ : state) {
    out.Clear();
    rapidjson::Writer<rapidjson::StringBuffer> writer(out);
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    require(out.GetSize() > text.size(), "nothing was escaped");
  }
  count_bytes(state, text.size());
}

void schema_check(benchmark::State &state) {
  const auto schema = packhost::contract::Schema::compile(kSchema);
  require(schema.has_value(), "the schema was refused");
  for ([[maybe_unused]] auto _ : state) {
    require(schema->check(kArguments).has_value(), "good arguments were refused");
  }
}

void schema_compile(benchmark::State &state) {
  for ([[maybe_unused]] auto _ : state) {
    require(packhost::contract::Schema::compile(kSchema).has_value(), "the schema was refused");
  }
}

BENCHMARK(framing);
BENCHMARK(framing_by_memchr);
BENCHMARK(json_check)->Arg(64)->Arg(4096)->Arg(1 << 20);
BENCHMARK(json_by_rapidjson)->Arg(64)->Arg(4096)->Arg(1 << 20);
BENCHMARK(escaping)->Arg(64)->Arg(4096)->Arg(1 << 20);
BENCHMARK(escaping_by_rapidjson)->Arg(64)->Arg(4096)->Arg(1 << 20);
BENCHMARK(schema_check);
BENCHMARK(schema_compile);

} // namespace

BENCHMARK_MAIN();
