// SPDX-License-Identifier: MIT
// Measures MCP servers side by side. Reads a plan as JSON from standard input: what to measure, how
// often, and the servers; runs each server once per round, in turn; prints medians, least and most
// of each figure as JSON. Any answer that is wrong ends it with status 1.
//   {"measure": "latency", "rounds": 5, "calls": 3000, "window": 16,
//    "servers": [{"name", "argv", "modern", "tool", "arguments", "expect", "min_bytes",
//    "payload_bytes"}]}
#include "tests/bench/measures.hpp"

#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>
#include <rapidjson/ostreamwrapper.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <map>

#include <sys/resource.h>
#include <unistd.h>

namespace packhost::bench {

namespace {

constexpr unsigned kMostSeconds = 900;

std::string string_of(const rapidjson::Value &object, const char *key) {
  const auto found = object.FindMember(key);
  if (found == object.MemberEnd()) return {};
  if (!found->value.IsString()) give_up(std::string("plan: ") + key + " is not a string");
  return found->value.GetString();
}

std::size_t number_of(const rapidjson::Value &object, const char *key, std::size_t otherwise) {
  const auto found = object.FindMember(key);
  if (found == object.MemberEnd()) return otherwise;
  if (!found->value.IsUint64()) give_up(std::string("plan: ") + key + " is not a whole number");
  return found->value.GetUint64();
}

ServerSpec server_of(const rapidjson::Value &object) {
  ServerSpec spec;
  spec.name = string_of(object, "name");
  spec.tool = string_of(object, "tool");
  spec.expect = string_of(object, "expect");
  spec.min_bytes = number_of(object, "min_bytes", 0);
  spec.payload_bytes = static_cast<double>(number_of(object, "payload_bytes", 0));
  spec.is_modern = object.HasMember("modern") && object["modern"].IsTrue();
  if (!object.HasMember("argv") || !object["argv"].IsArray() || object["argv"].Empty()) {
    give_up("plan: a server without argv");
  }
  for (const auto &word : object["argv"].GetArray()) spec.argv.emplace_back(word.GetString());
  if (object.HasMember("arguments")) {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    object["arguments"].Accept(writer);
    spec.arguments = text.GetString();
  }
  return spec;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

using Samples = std::map<std::string, std::vector<double>>;

void print(const std::vector<ServerSpec> &servers, const std::vector<Samples> &samples) {
  rapidjson::OStreamWrapper stream(std::cout);
  rapidjson::PrettyWriter<rapidjson::OStreamWrapper> writer(stream);
  writer.StartObject();
  for (std::size_t i = 0; i < servers.size(); ++i) {
    writer.Key(servers[i].name.c_str());
    writer.StartObject();
    for (const auto &[figure, values] : samples[i]) {
      writer.Key(figure.c_str());
      writer.StartObject();
      writer.Key("median");
      writer.Double(median(values));
      writer.Key("least");
      writer.Double(*std::min_element(values.begin(), values.end()));
      writer.Key("most");
      writer.Double(*std::max_element(values.begin(), values.end()));
      writer.EndObject();
    }
    writer.EndObject();
  }
  writer.EndObject();
  std::cout << '\n';
}

int run() {
  rapidjson::IStreamWrapper stream(std::cin);
  rapidjson::Document plan;
  plan.ParseStream(stream);
  if (plan.HasParseError() || !plan.IsObject() || !plan.HasMember("servers") ||
      !plan["servers"].IsArray()) {
    give_up("the plan is not a JSON object with servers");
  }
  std::vector<ServerSpec> servers;
  for (const auto &object : plan["servers"].GetArray()) servers.push_back(server_of(object));
  const Amounts amounts{number_of(plan, "calls", 1000), number_of(plan, "window", 16)};
  const Measure measure = find_measure(string_of(plan, "measure"));
  const std::size_t rounds = number_of(plan, "rounds", 1);
  const std::size_t dropped = number_of(plan, "dropped_rounds", 0);
  std::vector<Samples> samples(servers.size());
  for (std::size_t round = 0; round < rounds + dropped; ++round) {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      for (const auto &[figure, value] : measure(servers[i], amounts)) {
        if (round >= dropped) samples[i][figure].push_back(value);
      }
    }
  }
  print(servers, samples);
  return 0;
}

} // namespace

} // namespace packhost::bench

int main() {
  std::signal(SIGPIPE, SIG_IGN);           // a server that ends is seen by write()
  alarm(packhost::bench::kMostSeconds);    // a server that hangs ends the run
  (void)setpriority(PRIO_PROCESS, 0, -10); // where allowed; the servers inherit it
  return packhost::bench::run();
}
