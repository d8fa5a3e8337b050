// SPDX-License-Identifier: MIT
// The options of one pack from all their sources.
#include "host/cli/option_values.hpp"

#include "host/cli/paths.hpp"
#include "host/cli/suggest.hpp"
#include "sdk/contract/validator.hpp"

#include <algorithm>
#include <cerrno>

#include <sys/stat.h>

namespace packhost::cli {

using kit::Code;
using kit::json::Kind;

namespace {

std::string_view top_name(std::string_view pointer) {
  if (pointer.empty()) return {};
  pointer.remove_prefix(1);
  return pointer.substr(0, pointer.find('/'));
}

const Origin *find_origin(const std::vector<Origin> &origins, std::string_view pointer) {
  const std::string_view name = top_name(pointer);
  const auto found = std::find_if(origins.begin(), origins.end(),
                                  [name](const Origin &each) { return each.name == name; });
  return found == origins.end() ? nullptr : &*found;
}

/// `/targets/local/port` -> ` at local.port`: what is below a top-level option.
std::string below(std::string_view pointer) {
  const std::size_t slash = pointer.find('/', 1);
  if (pointer.empty() || slash == std::string_view::npos) return {};
  std::string path(pointer.substr(slash + 1));
  std::replace(path.begin(), path.end(), '/', '.');
  return " at " + path;
}

/// What must be at a path: true for a file or directory of the wanted kind.
bool is_there(const std::string &path, HostMeaning::Path kind, bool &exists) {
  struct stat facts {};

  exists = ::stat(path.c_str(), &facts) == 0;
  if (!exists) return false;
  return kind == HostMeaning::Path::directory ? S_ISDIR(facts.st_mode) : S_ISREG(facts.st_mode);
}

kit::Status rewrite_path(const Place &place, GivenOptions &given, std::string_view directory) {
  const std::string written = place.value.text;
  auto absolute = make_absolute(written, directory);
  if (!absolute)
    return kit::fail(given.code_for(place.pointer), "{} {}", given.shown(place.pointer),
                     absolute.error().message);
  auto final = resolve_links(*absolute);
  if (!final)
    return kit::fail(Code::config, "{}: {} {}", given.shown(place.pointer), *absolute,
                     final.error().message);
  bool exists = false;
  const bool fits = is_there(*final, place.meaning.path, exists);
  const std::string_view kind =
      place.meaning.path == HostMeaning::Path::directory ? "directory" : "file";
  if (place.meaning.must_exist && !exists)
    return kit::fail(Code::config, "{}: there is no {} {}", given.shown(place.pointer), kind,
                     *absolute);
  if (exists && !fits)
    return kit::fail(Code::config, "{}: {} is not a {}", given.shown(place.pointer), *absolute,
                     kind);
  if (*final != written) given.spelled.emplace_back(place.pointer, *absolute);
  place.value.text = std::move(*final);
  given.final_paths.push_back(place.pointer);
  return {};
}

/// A secret's reference: @file: is a path, the others stay as they are.
kit::Status rewrite_reference(const Place &place, GivenOptions &given, std::string_view directory) {
  static constexpr std::string_view kFile = "@file:";
  const bool is_typed = given.code_for(place.pointer) == Code::invalid_args;
  std::string &text = place.value.text;
  if (text.starts_with(kFile)) {
    auto absolute = make_absolute(std::string_view(text).substr(kFile.size()), directory);
    if (!absolute)
      return kit::fail(given.code_for(place.pointer), "{} {}", given.shown(place.pointer),
                       absolute.error().message);
    text = std::string(kFile) + *absolute;
  } else if (text.starts_with("@fd:")) {
    if (!is_typed)
      return kit::fail(Code::config, "{}: @fd: is for the command line alone",
                       given.shown(place.pointer));
  } else if (is_typed && !text.starts_with("@env:")) {
    return kit::fail(Code::invalid_args,
                     "{} must be given as @env:NAME, @file:PATH or @fd:N: a secret on the command "
                     "line is visible in the process list",
                     given.shown(place.pointer));
  }
  return {};
}

kit::Status check_members(const std::vector<Field> &fields, const OptionSource &source) {
  if (source.file.empty()) return {};
  for (const auto &[name, value] : source.values.members) {
    if (find_field(fields, name) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const Field &field : fields) known.push_back(field.name);
    return kit::fail(Code::config, "\"{}\" in {} is no option of it{}", name, source.file,
                     did_you_mean(name, known, "\"", "\""));
  }
  return {};
}

/// `--width`, or `NAME` for a word of a command that is known by its place.
std::string typed_name(const Field &field) {
  return field.meaning.positional == 0 ? "--" + field.flag : shown_word(field);
}

/// One source with its paths rewritten.
kit::Result<GivenOptions> finish_source(const Node &schema, const std::vector<Field> &fields,
                                        OptionSource source) {
  if (auto checked = check_members(fields, source); !checked) return pass_on(checked);
  GivenOptions given;
  const bool is_typed = source.file.empty();
  for (const auto &[name, value] : source.values.members)
    given.origins.push_back({name,
                             is_typed ? typed_name(*find_field(fields, name))
                                      : fmt::format("\"{}\" in {}", name, source.file),
                             is_typed});
  given.values = std::move(source.values);
  if (auto rewritten = rewrite_paths(schema, given, source.directory); !rewritten)
    return pass_on(rewritten);
  return given;
}

/// Members of `later` win over those of `given`.
void put_over(GivenOptions &given, GivenOptions later) {
  for (auto &[name, value] : later.values.members) {
    const std::string pointer = pointer_to("", name);
    const auto is_below = [&pointer](const std::string &each) {
      return each == pointer || each.starts_with(pointer + "/");
    };
    std::erase_if(given.spelled, [&](const auto &each) { return is_below(each.first); });
    std::erase_if(given.final_paths, is_below);
    std::erase_if(given.origins, [&name = name](const Origin &each) { return each.name == name; });
    given.values.set(name, std::move(value));
  }
  std::move(later.origins.begin(), later.origins.end(), std::back_inserter(given.origins));
  std::move(later.spelled.begin(), later.spelled.end(), std::back_inserter(given.spelled));
  std::move(later.final_paths.begin(), later.final_paths.end(),
            std::back_inserter(given.final_paths));
}

kit::Result<OptionSource> read_options_file(const std::string &path, std::string_view shown) {
  auto text = read_small_file(path, kMaxOptionsFileBytes);
  if (!text) return kit::fail(Code::config, "{}: {} {}", shown, path, text.error().message);
  auto tree = parse_tree(*text);
  if (!tree) return kit::fail(Code::config, "{}: {} {}", shown, path, tree.error().message);
  if (!tree->is(Kind::object))
    return kit::fail(Code::config, "{}: {} is not a JSON object", shown, path);
  return OptionSource{std::move(*tree), path, directory_of(path)};
}

/// The schema as values are checked against it before secrets are read.
void relax(Node &schema, bool is_top) {
  if (is_top) schema.remove("required");
  if (read_meaning(schema).secret) {
    const std::string_view type = schema.find_string("type");
    if (type != "array" && type != "object") {
      Node any = Node::object();
      any.set("type", Node::string("string"));
      schema = std::move(any);
      return;
    }
  }
  if (Node *properties = schema.find("properties"))
    for (auto &[name, member] : properties->members) relax(member, false);
  if (Node *others = schema.find("additionalProperties"))
    if (others->is(Kind::object)) relax(*others, false);
  if (Node *items = schema.find("items")) relax(*items, false);
}

} // namespace

bool GivenOptions::is_given(std::string_view name) const {
  return values.find(name) != nullptr;
}

std::string GivenOptions::shown(std::string_view pointer) const {
  const Origin *origin = find_origin(origins, pointer);
  return (origin != nullptr ? origin->shown : fmt::format("\"{}\"", top_name(pointer))) +
         below(pointer);
}

kit::Code GivenOptions::code_for(std::string_view pointer) const {
  const Origin *origin = find_origin(origins, pointer);
  return origin != nullptr && origin->is_typed ? Code::invalid_args : Code::config;
}

kit::Result<OptionSource> read_typed_options(const std::vector<Field> &fields,
                                             const std::vector<GivenFlag> &flags,
                                             std::string directory) {
  OptionSource source;
  source.values = Node::object();
  source.directory = std::move(directory);
  for (const GivenFlag &flag : flags) {
    const Field *field = find_field_of_flag(fields, flag.name);
    if (field == nullptr) continue;
    if (auto added = add_flag_value(source.values, *field, flag); !added) return pass_on(added);
  }
  return source;
}

kit::Result<GivenOptions> merge_options(const Node &schema, const std::vector<Field> &fields,
                                        std::vector<OptionSource> sources) {
  GivenOptions given;
  for (OptionSource &source : sources) {
    // The options file stands above the configuration and below the command line, whichever of
    // them names it.
    const bool is_last = &source == &sources.back();
    auto finished = finish_source(schema, fields, std::move(source));
    if (!finished) return finished;
    if (is_last) {
      for (const Field &field : fields) {
        if (!field.meaning.options_file) continue;
        const Node *typed = finished->values.find(field.name);
        const Node *path = typed != nullptr ? typed : given.values.find(field.name);
        if (path == nullptr || !path->is(Kind::string)) continue;
        auto file = read_options_file(
            path->text, (typed != nullptr ? *finished : given).shown(pointer_to("", field.name)));
        if (!file) return pass_on(file);
        if (file->values.find(field.name) != nullptr)
          return kit::fail(Code::config, "\"{}\" in {}: an options file names no other", field.name,
                           file->file);
        auto read = finish_source(schema, fields, std::move(*file));
        if (!read) return read;
        put_over(given, std::move(*read));
      }
    }
    put_over(given, std::move(*finished));
  }
  return given;
}

kit::Status rewrite_paths(const Node &schema, GivenOptions &given, std::string_view directory) {
  return visit_places(schema, given.values, [&given, directory](const Place &place) -> kit::Status {
    if (!place.value.is(Kind::string)) return {};
    if (std::find(given.final_paths.begin(), given.final_paths.end(), place.pointer) !=
        given.final_paths.end())
      return {};
    if (place.meaning.secret) return rewrite_reference(place, given, directory);
    HostMeaning meaning = place.meaning;
    const bool is_file = meaning.secret_from == HostMeaning::SecretFrom::file ||
                         meaning.file_content || meaning.options_file;
    if (is_file) {
      meaning.path = HostMeaning::Path::file;
      meaning.must_exist = true;
    }
    if (meaning.path == HostMeaning::Path::none) return {};
    return rewrite_path(Place{place.pointer, meaning, place.schema, place.value}, given, directory);
  });
}

kit::Status check_values(const Node &schema, const GivenOptions &given) {
  Node relaxed = schema;
  relax(relaxed, true);
  auto compiled = contract::Schema::compile(write_tree(relaxed));
  if (!compiled) return kit::fail(Code::config, "{}", compiled.error().message);
  const auto checked = compiled->check(write_tree(given.values));
  if (checked) return {};
  const contract::Violation &violation = checked.error();
  if (violation.pointer.empty()) return kit::fail(Code::config, "its options: {}", violation.rule);
  return kit::fail(given.code_for(violation.pointer), "{} {}", given.shown(violation.pointer),
                   violation.rule);
}

std::string find_missing(const std::vector<Field> &fields, const Node &values) {
  std::vector<std::string> missing;
  for (const Field &field : fields) {
    if (field.is_required && values.find(field.name) == nullptr)
      missing.push_back(field.has_flag()
                            ? typed_name(field)
                            : fmt::format("\"{}\" (in a file named by --config)", field.name));
  }
  if (missing.empty()) return {};
  if (missing.size() == 1) return missing.front() + " is missing";
  const std::string last = std::move(missing.back());
  missing.pop_back();
  return fmt::format("{} and {} are missing", fmt::join(missing, ", "), last);
}

std::string find_exclusion(const std::vector<Field> &fields, const GivenOptions &given) {
  for (const Field &field : fields) {
    if (!given.is_given(field.name)) continue;
    for (const std::string &other : field.meaning.excludes)
      if (given.is_given(other))
        return fmt::format("{} and {} cannot be given together",
                           given.shown(pointer_to("", field.name)),
                           given.shown(pointer_to("", other)));
  }
  return {};
}

Node with_schema_defaults(const Node &schema, const Node &values) {
  return read_tree(
      kit::json::Value(contract::with_defaults(write_tree(schema), write_tree(values))));
}

} // namespace packhost::cli
