// SPDX-License-Identifier: MIT
// `packhost packs` and `packhost inspect`: what is there, without running any of it.
#include "host/cli/commands.hpp"
#include "host/cli/help.hpp"
#include "host/cli/launch_line.hpp"
#include "host/cli/options.hpp"
#include "host/cli/output.hpp"
#include "host/cli/pack_file.hpp"
#include "host/cli/paths.hpp"
#include "host/cli/resolve.hpp"
#include "host/cli/tokens.hpp"
#include "sdk/kit/json.hpp"

#include <string>

namespace packhost::cli {

using kit::Code;

namespace {

Node describe_pack(const std::string &name, const std::string &path) {
  Node pack = Node::object();
  auto probed = probe_pack(path, ProbeUse::plain);
  pack.set("name", Node::string(probed ? probed->manifest->name : name));
  pack.set("file", Node::string(path));
  if (!probed) {
    pack.set("refused", Node::string(probed.error().message));
    return pack;
  }
  pack.set("version", Node::string(probed->manifest->version));
  if (!probed->manifest->title.empty()) pack.set("title", Node::string(probed->manifest->title));
  Node count = Node::string(fmt::format("{}", probed->manifest->tools.size()));
  count.kind = kit::json::Kind::number;
  pack.set("tools", std::move(count));
  return pack;
}

struct ReadWords {
  Launch launch;
  std::vector<std::string> words;
};

kit::Result<ReadWords> read_words(const Invocation &invocation, std::uint8_t uses) {
  ReadWords read;
  auto done = read_host_words(invocation.words, uses, LineUse::shell, read.launch, &read.words);
  if (!done) return pass_on(done);
  return read;
}

} // namespace

int run_packs(const Invocation &invocation) {
  auto read = read_words(invocation, kUsePacks);
  if (!read) return report_error(read.error());
  if (read->launch.host.help) return Output().print(command_help("packs"));
  if (!read->words.empty())
    return report_error(fmt::format("packs: unexpected word '{}'", read->words.front()), 2);
  auto found = find_packs(read->launch.host.pack_dir);
  if (!found) return report_error(found.error());
  Node list = Node::array();
  for (const auto &[name, path] : *found) list.elements.push_back(describe_pack(name, path));
  std::string out;
  if (read->launch.host.json) {
    Node document = Node::object();
    document.set("packs", std::move(list));
    append_tree(out, document);
    out += "\n";
    return Output().print(out);
  }
  for (const Node &pack : list.elements) {
    if (pack.find("refused") != nullptr)
      out += fmt::format("{:<12} (refused) {}\n", pack.find_string("name"),
                         pack.find_string("refused"));
    else
      out += fmt::format("{:<12} {:<9} {}\n", pack.find_string("name"), pack.find_string("version"),
                         pack.find_string("title").empty() ? pack.find_string("file")
                                                           : pack.find_string("title"));
  }
  if (list.elements.empty()) out = "There are no packs.\n";
  return Output().print(out);
}

int run_inspect(const Invocation &invocation) {
  auto read = read_words(invocation, kUseInspect);
  if (!read) return report_error(read.error());
  const HostOptions &host = read->launch.host;
  if (host.help) return Output().print(command_help("inspect"));
  if (read->words.size() != 1)
    return report_error("inspect takes one pack: a name, or the path of a file", 2);
  auto here = working_directory();
  if (!here) return report_error(here.error());
  std::string pack = read->words.front();
  // "kv.so" is a file here; names of packs have no dot.
  if (pack.find('/') == std::string::npos && pack.ends_with(".so")) pack = "./" + pack;
  auto path = find_pack_path(pack, host.pack_dir, *here);
  if (!path) return report_error(path.error());
  auto probed = probe_pack(*path, ProbeUse::digest);
  if (!probed) {
    const int code = report_error(probed.error().message, exit_code_for(Code::config));
    if (!host.json) return code;
    std::string refusal = "{\"refused\":";
    kit::json::append_string(refusal, probed.error().message);
    return Output().print(refusal + "}\n", code);
  }
  std::string out;
  if (host.tokens) {
    out = describe_tokens(*probed, host.json);
  } else if (host.json) {
    out = "{\"file\":";
    kit::json::append_string(out, probed->path);
    out += ",\"sha256\":\"" + probed->sha256 + "\",\"warnings\":[";
    for (const std::string &warning : probed->manifest->warnings) {
      if (!out.ends_with('[')) out += ',';
      kit::json::append_string(out, warning);
    }
    out += "],\"manifest\":";
    kit::json::append_compact(out, probed->raw_manifest);
    out += "}\n";
  } else {
    out = fmt::format("{}\nSHA-256 {}\n", probed->path, probed->sha256);
    for (const std::string &warning : probed->manifest->warnings)
      out += "warning: " + warning + "\n";
    out += "\n";
    out += probed->raw_manifest;
    if (!out.ends_with('\n')) out += '\n';
  }
  return Output().print(out);
}

} // namespace packhost::cli
