// SPDX-License-Identifier: MIT
// content_search: lines that hold a text or match an expression.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"
#include "plugins/files/tree_search.hpp"

namespace packhost::files {

namespace {

constexpr std::uint64_t kUsualResults = 100;
constexpr std::size_t kMaxQueryBytes = 4'096;
constexpr std::uint64_t kMaxContext = 5;

struct ContentRequest {
  std::string path;
  std::string query;
  bool is_regex = false;
  bool case_sensitive = true;
  std::optional<Glob> glob;
  TreeSearchRequest search;
};

Outcome<void> check_query(const ContentRequest &request) {
  if (request.query.empty())
    return refuse(invalid_argument("query", "is empty", "from 1 to 4,096 bytes"));
  if (request.query.size() > kMaxQueryBytes) {
    return refuse(
        limit_exceeded("query", static_cast<std::int64_t>(request.query.size()), kMaxQueryBytes));
  }
  if (!request.is_regex && request.query.find('\n') != std::string::npos)
    return refuse(invalid_argument("query", "holds a line break", "text within one line"));
  return {};
}

Outcome<ContentRequest> parse_request(std::string_view args, const Limits &limits) {
  kit::json::ArgumentReader reader(args);
  ContentRequest request;
  request.path = reader.required_string("path");
  request.query = reader.required_string("query");
  request.is_regex = reader.optional_boolean("regex").value_or(false);
  const std::optional<std::string> glob = reader.optional_string("glob");
  request.case_sensitive = reader.optional_boolean("case_sensitive").value_or(true);
  const std::optional<std::int64_t> max_results = reader.optional_integer("max_results");
  const std::optional<std::int64_t> context = reader.optional_integer("context_lines");
  const std::optional<std::string> ignore =
      reader.optional_choice("ignore", {"none", "vcs", "gitignore"});
  if (Outcome<void> read = finish(reader); !read) return kit::pass_on(read);
  if (Outcome<void> checked = check_query(request); !checked) return kit::pass_on(checked);
  Outcome<std::uint64_t> most =
      bounded("max_results", max_results, std::min(kUsualResults, limits.max_search_results), 1,
              limits.max_search_results);
  if (!most) return kit::pass_on(most);
  Outcome<std::uint64_t> lines = bounded("context_lines", context, 0, 0, kMaxContext);
  if (!lines) return kit::pass_on(lines);
  Outcome<std::optional<Glob>> parsed = parse_glob(glob);
  if (!parsed) return kit::pass_on(parsed);
  request.glob = std::move(*parsed);
  request.search.max_results = *most;
  request.search.context_lines = *lines;
  if (ignore) request.search.ignore = parse_ignore(*ignore).value_or(Ignore::vcs);
  request.search.max_depth = limits.max_recursion_depth;
  request.search.max_file_bytes = limits.max_search_file_bytes;
  request.search.max_bytes = limits.search_bytes;
  request.search.max_ms = limits.search_time_ms;
  return request;
}

Failure failure_of(const RegexFault &fault) {
  if (fault.too_expensive) {
    return failure(ErrorCode::pattern_too_expensive,
                   "The pattern needs more memory than a search may use")
        .with("argument", "query")
        .with("recovery", "Use smaller repetition counts.");
  }
  if (fault.unsupported) {
    return failure(ErrorCode::invalid_pattern, "The pattern uses what is not supported: {}",
                   fault.reason)
        .with("argument", "query")
        .with("offset", std::uint64_t{fault.offset})
        .with("reason", "unsupported")
        .with("construct", fault.reason);
  }
  return failure(ErrorCode::invalid_pattern, "The pattern is not valid: {}", fault.reason)
      .with("argument", "query")
      .with("offset", std::uint64_t{fault.offset})
      .with("reason", fault.reason);
}

void append_lines(kit::json::Writer &writer, std::string_view name,
                  const std::vector<std::string> &lines) {
  writer.key(name).begin_array();
  for (const std::string &line : lines) writer.string(line);
  writer.end_array();
}

void append_hit(std::string &out, std::string_view path, const SearchHit &hit, bool with_context) {
  kit::json::Writer writer(out);
  writer.begin_object();
  writer.string("path", path).unsigned_integer("line", hit.line);
  writer.unsigned_integer("column", hit.column).string("text", hit.text);
  writer.unsigned_integer("occurrences", hit.occurrences);
  writer.boolean("text_truncated", hit.text_truncated);
  if (with_context) {
    append_lines(writer, "before", hit.before);
    append_lines(writer, "after", hit.after);
  }
  writer.end_object();
}

std::string_view word_of(Truncation truncation) {
  switch (truncation) {
  case Truncation::none:
    return {};
  case Truncation::max_results:
    return "max_results";
  case Truncation::time_budget:
    return "time_budget";
  case Truncation::bytes_budget:
    return "bytes_budget";
  }
  return {};
}

Answer encode(const Workspace &workspace, const TreeFindings &findings,
              const ContentRequest &request, const Place &place, Budget budget) {
  Document document(16 * 1024);
  kit::json::Writer &result = document.result();
  std::string_view reason = word_of(findings.truncation);
  std::uint64_t count = 0;
  result.key("matches").begin_array();
  std::string match;
  for (const FileHits &file : findings.files) {
    // Named by the caller's way to the start, links in it included.
    std::string_view below = std::string_view(file.path).substr(place.at.path.size());
    if (!below.empty() && below.front() == '/') below.remove_prefix(1);
    const std::string path =
        below.empty() ? place.asked.relative : join(place.asked.relative, below);
    const std::string shown = workspace.shown(path);
    for (const SearchHit &hit : file.hits) {
      match.clear();
      append_hit(match, shown, hit, request.search.context_lines > 0);
      if (!budget.fits_json(match)) {
        reason = "response_size";
        break;
      }
      budget.spend(match);
      result.raw(match);
      ++count;
    }
    if (reason == "response_size") break;
  }
  result.end_array();
  result.boolean("truncated", !reason.empty());
  if (reason.empty())
    result.null("truncation_reason");
  else
    result.string("truncation_reason", reason);
  result.unsigned_integer("files_searched", findings.files_searched);
  result.key("skipped").begin_object();
  result.unsigned_integer("binary", findings.binary);
  result.unsigned_integer("too_large", findings.too_large);
  result.unsigned_integer("ignored", findings.ignored);
  result.unsigned_integer("unreadable", findings.unreadable);
  result.unsigned_integer("unrepresentable", findings.unrepresentable);
  result.unsigned_integer("special", findings.special);
  result.unsigned_integer("depth", findings.depth);
  result.end_object();
  return document.finish(count);
}

Outcome<TreeFindings> find(const Workspace &workspace, const Place &place,
                           const ContentRequest &request, const Pattern &pattern,
                           const Stop &stop) {
  const mode_t mode = place.at.status.st_mode;
  if (S_ISDIR(mode)) {
    Outcome<kit::UniqueFd> directory = workspace.open_directory(place);
    if (!directory) return kit::pass_on(directory);
    TreeFindings findings =
        search_tree(workspace, std::move(*directory), place.at.path, pattern, request.search, stop);
    if (findings.cancelled) return refuse(failure(ErrorCode::cancelled, "The call was cancelled"));
    return findings;
  }
  Outcome<OpenedFile> file = workspace.open_file(request.path);
  if (!file) return kit::pass_on(file);
  return search_one_file(file->file, place.at.path, pattern, request.search);
}

Outcome<Answer> search(const Workspace &workspace, std::string_view args, const Limits &limits,
                       const Budget &budget, const Stop &stop) {
  Outcome<ContentRequest> request = parse_request(args, limits);
  if (!request) return kit::pass_on(request);
  if (request->glob) request->search.glob = &*request->glob;
  Outcome<Place> place = workspace.find(request->path, Workspace::LastLink::follow);
  if (!place) return kit::pass_on(place);
  const kit::Result<Pattern, RegexFault> pattern =
      Pattern::compile(request->query, request->is_regex, request->case_sensitive);
  if (!pattern) return refuse(failure_of(pattern.error()));
  Outcome<TreeFindings> findings = find(workspace, *place, *request, *pattern, stop);
  if (!findings) return kit::pass_on(findings);
  return encode(workspace, *findings, *request, *place, budget);
}

} // namespace

void Files::content_search(Call &call) {
  const Outcome<const Workspace *> served = workspace();
  if (!served) return answer(call, refuse(Failure(served.error())));
  answer(call, search(**served, call.args(), settings_.limits, budget_of(call), stop_of(call)));
}

} // namespace packhost::files
