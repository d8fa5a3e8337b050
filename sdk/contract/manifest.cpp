// SPDX-License-Identifier: MIT
// parse_manifest(): the top level of a manifest and the rules that tie its parts together (abi.md
// section 7). The parts have readers of their own beside this file.
#include "sdk/contract/manifest.hpp"

#include "sdk/contract/elf.hpp"
#include "sdk/contract/manifest_fields.hpp"
#include "sdk/contract/names.hpp"

#include <packhost/packhost.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace packhost::contract {

namespace json = kit::json;
using json::Kind;
using json::Value;

namespace {

constexpr std::size_t kMaxTools = 64;
constexpr std::size_t kMaxShownNameBytes = 48; // prefix and name, abi.md section 7.3
constexpr std::uint64_t kMaxInstructionsBytes = 4096;
constexpr std::uint64_t kMaxOpenTimeoutMs = 30'000;
constexpr std::uint64_t kMaxCalls = 128;
constexpr std::uint64_t kMaxLineBytes = 8U * 1024 * 1024;
constexpr std::string_view kNoOptions =
    R"({"type":"object","properties":{},"additionalProperties":false})";

class Reader {
public:
  explicit Reader(std::string_view text) : report_(text, true), top_(report_, Value(text), "") {
    manifest_.text = text;
  }

  kit::Result<Manifest> run();

private:
  void read_identity();
  void read_abi();
  void read_interfaces();
  void read_concurrency();
  void read_plan();
  void read_texts();
  void read_options();
  void read_error_shape();
  void read_result_size();
  void read_tools();
  void read_resources();
  void check_schemes();
  void read_prompts();
  void read_operator();
  void check_slots(std::string_view characters, bool is_key);

  template <typename Entries, typename Name>
  void refuse_twice(const Entries &entries, std::string_view list, Name name) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (seen.insert(name(entries[i])).second) continue;
      report_.fail(json::elements(top_.find(list))[i], fmt::format("{}[{}]", list, i),
                   fmt::format("\"{}\" stands twice", name(entries[i])));
    }
  }

  Report report_;
  Fields top_;
  Manifest manifest_;
  OptionNames options_;
};

kit::Result<Manifest> Reader::run() {
  for (void (Reader::*step)() :
       {&Reader::read_identity, &Reader::read_abi, &Reader::read_interfaces,
        &Reader::read_concurrency, &Reader::read_options, &Reader::read_plan, &Reader::read_texts,
        &Reader::read_error_shape, &Reader::read_result_size, &Reader::read_tools,
        &Reader::read_resources, &Reader::read_prompts, &Reader::read_operator}) {
    (this->*step)();
    if (report_.has_fault()) return tl::unexpected<kit::Error>(report_.error());
  }
  for (const std::string &name : top_.unknown()) {
    manifest_.warnings.push_back(
        fmt::format("the manifest member \"{}\" is not known to this packhost", name));
  }
  return std::move(manifest_);
}

void Reader::read_identity() {
  const Value format = top_.take("manifest", Need::required);
  if (format.exists() && format.integer() != 1) top_.fail("manifest", "must be 1");
  manifest_.name = top_.text("name", Need::required);
  if (is_reserved_word(manifest_.name)) top_.fail("name", "is a word of the host");
  if (!is_pack_name(manifest_.name)) top_.fail("name", "must match ^[a-z][a-z0-9]{0,11}$");
  manifest_.version =
      top_.text("version", {is_version, "must be a semantic version, as 1.2.0"}, Need::required);
  manifest_.title = top_.text("title");
  manifest_.license = top_.text("license");
  manifest_.homepage = top_.text("homepage", {is_uri, "must be an absolute URI"});
}

void Reader::read_abi() {
  const std::string abi = top_.text("abi", Need::required);
  const char *const end = abi.data() + abi.size();
  const std::from_chars_result major = std::from_chars(abi.data(), end, manifest_.abi_major);
  bool is_good = major.ec == std::errc{} && major.ptr != end && *major.ptr == '.';
  if (is_good) {
    const std::from_chars_result minor = std::from_chars(major.ptr + 1, end, manifest_.needs_minor);
    is_good = minor.ec == std::errc{} && minor.ptr == end;
  }
  if (!is_good) top_.fail("abi", "must be of the form 1.0: major and the oldest minor it runs on");
}

void Reader::read_interfaces() {
  const Form id{is_interface_id, "must be an interface id, as packhost.net/1"};
  manifest_.requires_interfaces = top_.texts("requires", id);
  manifest_.uses_interfaces = top_.texts("uses", id);
  const Form list{[](std::string_view text) {
                    return text == "tools" || text == "resources" || text == "prompts";
                  },
                  "must be \"tools\", \"resources\" or \"prompts\""};
  for (const std::string &name : top_.texts("dynamic", list)) {
    if (name == "tools") manifest_.dynamic_tools = true;
    if (name == "resources") manifest_.dynamic_resources = true;
    if (name == "prompts") manifest_.dynamic_prompts = true;
  }
  const auto names_catalog = [](const std::vector<std::string> &ids) {
    return std::find(ids.begin(), ids.end(), PACKHOST_IFACE_CATALOG) != ids.end();
  };
  const bool is_dynamic =
      manifest_.dynamic_tools || manifest_.dynamic_resources || manifest_.dynamic_prompts;
  if (is_dynamic && !names_catalog(manifest_.uses_interfaces) &&
      !names_catalog(manifest_.requires_interfaces)) {
    top_.fail("dynamic", "needs \"packhost.catalog/1\" in \"uses\"");
  }
}

void Reader::read_concurrency() {
  const Value value = top_.take("concurrency", Kind::object);
  if (value.exists()) {
    Fields fields(report_, value, "concurrency");
    manifest_.concurrency.parallel =
        fields.word("mode", {"serial", "parallel"}, Need::required) == "parallel";
    const auto max = fields.number("max", 1, UINT32_MAX);
    if (manifest_.concurrency.parallel) {
      manifest_.concurrency.max =
          static_cast<std::uint32_t>(std::min(max.value_or(kMaxCalls), kMaxCalls));
    } else if (max.value_or(1) != 1) {
      fields.fail("max", "must be 1 where the mode is \"serial\"");
    }
    fields.finish();
  }
  const auto timeout = top_.number("open_timeout_ms", 1, kMaxOpenTimeoutMs);
  manifest_.open_timeout_ms =
      static_cast<std::uint32_t>(timeout.value_or(manifest_.open_timeout_ms));
}

void Reader::read_options() {
  manifest_.options = top_.schema("options", SchemaUse::options);
  if (manifest_.options.empty()) manifest_.options = kNoOptions;
  options_ = property_names(manifest_.options);
  for (const std::string &name : options_) {
    const std::string path = "options.properties." + name;
    const Value where = top_.find("options");
    if (!is_option_name(name)) {
      report_.fail(where, path, "must match ^[a-z][a-z0-9_]*$ and have two characters");
    }
    if (is_reserved_option(name)) report_.fail(where, path, "is a word of the host");
  }
  const json::Object members{Value(manifest_.options)};
  const Value properties = members.find("properties");
  const json::Object list(properties.is(Kind::object) ? properties : Value());
  for (const json::Member &member : list.members()) {
    const Value mark = json::Object(member.value).find("x-packhost");
    const Value excludes = mark.exists() ? json::Object(mark).find("excludes") : Value();
    if (!excludes.exists()) continue;
    for (const Value &each : json::elements(excludes)) {
      if (options_.contains(each.string())) continue;
      report_.fail(top_.find("options"), fmt::format("options.properties.{}", member.key),
                   "excludes what is no option of the pack");
    }
  }
}

void Reader::read_plan() {
  const Value value = top_.take("plan");
  if (!value.exists()) return;
  if (value.is(Kind::boolean)) {
    manifest_.plan.wanted = value.boolean() == true;
    return;
  }
  if (!value.is(Kind::object)) {
    top_.fail("plan", "must be true or {\"unless_given\": [option names]}");
    return;
  }
  Fields fields(report_, value, "plan");
  manifest_.plan.wanted = true;
  fields.take("unless_given", Need::required);
  const auto is_option = [this](std::string_view name) { return options_.contains(name); };
  manifest_.plan.unless_given =
      fields.texts("unless_given", {is_option, "names no option of the pack"});
  if (manifest_.plan.unless_given.empty()) fields.fail("unless_given", "must not be empty");
  fields.finish();
}

void Reader::read_texts() {
  const auto most = top_.number("instructions_max_bytes", 1, kMaxInstructionsBytes);
  manifest_.instructions_max_bytes =
      static_cast<std::uint32_t>(most.value_or(manifest_.instructions_max_bytes));
  manifest_.instructions = top_.text("instructions");
  if (manifest_.instructions.size() > manifest_.instructions_max_bytes) {
    top_.fail("instructions",
              fmt::format("is {} bytes; the limit is {}", manifest_.instructions.size(),
                          manifest_.instructions_max_bytes));
  }
  const Value prefix = top_.take("tool_prefix", Kind::string);
  if (prefix.exists()) {
    manifest_.tool_prefix = prefix.string();
    if (!is_tool_prefix(*manifest_.tool_prefix)) {
      top_.fail("tool_prefix", "must match ^([a-z][a-z0-9_]{0,31}_)?$");
    }
  }
  manifest_.pack_checks_input = top_.word("input_check", {"pack", "host"}) == "pack";
  manifest_.log_events =
      top_.texts("log_events", {is_event_name, "must match ^[a-z][a-z0-9_.]{0,63}$"});
}

/// The slots in one string of the error shape.
void Reader::check_slots(std::string_view characters, bool is_key) {
  constexpr std::array<std::string_view, 4> kSlots{"${code}", "${message}", "${retryable}",
                                                   "${effects}"};
  for (std::size_t at = characters.find("${"); at != std::string_view::npos;
       at = characters.find("${", at + 1)) {
    if (is_key) top_.fail("error_shape", "a slot may stand in a value only, not in a name");
    const bool is_known = std::any_of(kSlots.begin(), kSlots.end(), [&](std::string_view slot) {
      return characters.substr(at).starts_with(slot);
    });
    if (!is_known) {
      top_.fail("error_shape", "knows the slots ${code}, ${message}, ${retryable}, ${effects}");
    }
  }
}

void Reader::read_error_shape() {
  const Value shape = top_.take("error_shape", Kind::object);
  if (shape.exists()) {
    json::Tokens tokens(shape.text());
    for (json::Token token = tokens.next(); token.kind != json::TokenKind::end;
         token = tokens.next()) {
      const bool is_key = token.kind == json::TokenKind::key;
      if (!is_key && token.kind != json::TokenKind::string) continue;
      std::string characters;
      json::append_unescaped(characters, token.text);
      check_slots(characters, is_key);
    }
    manifest_.error_shape = top_.compact("error_shape", Kind::object);
  }
  const Value codes = top_.take("error_codes", Kind::object);
  if (!codes.exists()) return;
  constexpr std::array<std::string_view, 14> kCodes{
      "invalid_args", "not_found",   "denied", "conflict", "cancelled", "deadline", "limit", "io",
      "unavailable",  "unsupported", "config", "nomem",    "misuse",    "internal"};
  Fields fields(report_, codes, "error_codes");
  for (const std::string_view code : kCodes) {
    std::string word = fields.text(code);
    if (!word.empty()) manifest_.error_codes.emplace_back(code, std::move(word));
  }
  fields.finish();
}

void Reader::read_result_size() {
  const Value value = top_.take("result_size", Kind::object);
  if (!value.exists()) return;
  Fields fields(report_, value, "result_size");
  ResultSize size;
  size.key = fields.text("key", {is_meta_key, "must be a key of the form com.example/name"},
                         Need::required);
  size.max_bytes = fields.number("max_bytes", 1, kMaxLineBytes, Need::required).value_or(0);
  size.over = fields.text("over", Need::required);
  size.over_read = fields.text("over_read");
  if (size.over_read.empty()) size.over_read = size.over;
  fields.finish();
  manifest_.result_size = std::move(size);
}

void Reader::read_tools() {
  const Value tools = top_.take("tools", Kind::array);
  for_each_element(report_, tools, "tools", [this](Value each, const std::string &path) {
    manifest_.tools.push_back(
        read_tool(report_, each, path, options_, manifest_.pack_checks_input));
    const std::string shown =
        manifest_.tool_prefix.value_or(manifest_.name + "_") + manifest_.tools.back().name;
    if (shown.size() > kMaxShownNameBytes) {
      report_.fail(each, path + ".name",
                   fmt::format("\"{}\" is {} bytes with its prefix; the limit is {}", shown,
                               shown.size(), kMaxShownNameBytes));
    }
  });
  if (manifest_.tools.size() > kMaxTools) {
    top_.fail("tools",
              fmt::format("has {} entries; the limit is {}", manifest_.tools.size(), kMaxTools));
  }
  refuse_twice(manifest_.tools, "tools", [](const ToolEntry &tool) { return tool.name; });
}

void Reader::read_resources() {
  manifest_.schemes = top_.texts("schemes", {is_scheme, "must be a URI scheme"});
  for_each_element(report_, top_.take("resources", Kind::array), "resources",
                   [this](Value each, const std::string &path) {
                     manifest_.resources.push_back(read_resource(report_, each, path, false));
                   });
  for_each_element(report_, top_.take("templates", Kind::array), "templates",
                   [this](Value each, const std::string &path) {
                     manifest_.templates.push_back(read_resource(report_, each, path, true));
                   });
  const auto uri = [](const ResourceEntry &entry) { return entry.uri; };
  refuse_twice(manifest_.resources, "resources", uri);
  refuse_twice(manifest_.templates, "templates", uri);
  check_schemes();
}

/// Each URI lies under a scheme of the pack; without "schemes" that is its name or a slot for it.
void Reader::check_schemes() {
  const bool is_default = manifest_.schemes.empty();
  if (is_default) manifest_.schemes.push_back(manifest_.name);
  const auto check = [&](const std::vector<ResourceEntry> &entries, std::string_view list) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string scheme(scheme_of(entries[i].uri));
      std::vector<std::string> &known = manifest_.schemes;
      if (std::find(known.begin(), known.end(), scheme) != known.end()) continue;
      if (is_default && scheme.starts_with("${")) {
        known.push_back(scheme);
        continue;
      }
      report_.fail(json::elements(top_.find(list))[i], fmt::format("{}[{}].uri", list, i),
                   fmt::format("\"{}\" is no scheme of the pack (see \"schemes\")", scheme));
    }
  };
  check(manifest_.resources, "resources");
  check(manifest_.templates, "templates");
}

void Reader::read_prompts() {
  for_each_element(report_, top_.take("prompts", Kind::array), "prompts",
                   [this](Value each, const std::string &path) {
                     manifest_.prompts.push_back(read_prompt(report_, each, path));
                   });
  refuse_twice(manifest_.prompts, "prompts", [](const PromptEntry &entry) { return entry.name; });
}

void Reader::read_operator() {
  check_permissions(report_, top_.take("permissions", Kind::object), "permissions", options_);
  manifest_.permissions = top_.compact("permissions", Kind::object);
  const Value limits = top_.take("limits", Kind::object);
  if (limits.exists()) {
    Fields fields(report_, limits, "limits");
    for (const std::string_view name : {"memory_mb", "open_files", "threads"}) {
      static_cast<void>(fields.number(name, 1, 1'000'000));
    }
    fields.finish();
    manifest_.limits = top_.compact("limits", Kind::object);
  }
  for_each_element(report_, top_.take("commands", Kind::array), "commands",
                   [this](Value each, const std::string &path) {
                     manifest_.commands.push_back(read_command(report_, each, path, options_));
                   });
  refuse_twice(manifest_.commands, "commands",
               [](const CommandEntry &entry) { return entry.name; });
}

} // namespace

kit::Result<AcceptedManifest> parse_manifest(std::string_view text) {
  if (text.size() > kMaxManifestBytes) {
    return kit::fail(kit::Code::config, "the manifest is {} bytes; the limit is {}", text.size(),
                     kMaxManifestBytes);
  }
  Report report(text, true);
  check_text(report, text);
  if (report.has_fault()) return tl::unexpected<kit::Error>(report.error());
  kit::Result<Manifest> manifest = Reader(text).run();
  if (!manifest) return kit::pass_on(manifest);
  return AcceptedManifest(std::move(*manifest));
}

} // namespace packhost::contract
