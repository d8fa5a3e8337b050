// SPDX-License-Identifier: MIT
// file_search: paths below a directory that match a pattern.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"
#include "plugins/files/walk.hpp"
#include "sdk/kit/deadline.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace packhost::files {

namespace {

constexpr std::uint64_t kUsualResults = 100;

struct SearchRequest {
  std::string path;
  Glob glob;
  std::uint64_t max_results = kUsualResults;
  Ignore ignore = Ignore::vcs;
};

Outcome<SearchRequest> parse_request(std::string_view args, const Limits &limits) {
  kit::json::ArgumentReader reader(args);
  SearchRequest request;
  request.path = reader.required_string("path");
  const std::string glob = reader.required_string("glob");
  const std::optional<std::int64_t> max_results = reader.optional_integer("max_results");
  const std::optional<std::string> ignore =
      reader.optional_choice("ignore", {"none", "vcs", "gitignore"});
  if (Outcome<void> read = finish(reader); !read) return kit::pass_on(read);
  Outcome<std::uint64_t> most =
      bounded("max_results", max_results, std::min(kUsualResults, limits.max_search_results), 1,
              limits.max_search_results);
  if (!most) return kit::pass_on(most);
  request.max_results = *most;
  if (ignore) request.ignore = parse_ignore(*ignore).value_or(Ignore::vcs);
  Outcome<std::optional<Glob>> parsed = parse_glob(glob);
  if (!parsed) return kit::pass_on(parsed);
  request.glob = std::move(**parsed);
  return request;
}

class NameSearch {
public:
  NameSearch(const Workspace &workspace, const SearchRequest &request, const Budget &budget,
             const Limits &limits, const Stop &stop)
      : workspace_(workspace), request_(request), budget_(budget), stop_(stop),
        deadline_(kit::Deadline::after(std::chrono::milliseconds(limits.search_time_ms))),
        walk_(workspace, {true, limits.max_recursion_depth, request.ignore, false}) {}

  Outcome<Answer> run(kit::UniqueFd directory, const Place &place) {
    kit::json::Writer &result = document_.result();
    result.key("matches").begin_array();
    base_ = place.asked.relative;
    walk_.run(std::move(directory), place.at.path,
              [this](const WalkEntry &entry) { return visit(entry); });
    result.end_array();
    if (cancelled_) return refuse(failure(ErrorCode::cancelled, "The call was cancelled"));
    result.boolean("truncated", !reason_.empty());
    if (reason_.empty())
      result.null("truncation_reason");
    else
      result.string("truncation_reason", reason_);
    const WalkCounts &counts = walk_.counts();
    result.unsigned_integer("scanned", counts.scanned);
    result.key("skipped").begin_object();
    result.unsigned_integer("ignored", counts.ignored);
    result.unsigned_integer("unreadable", counts.unreadable);
    result.unsigned_integer("unrepresentable", counts.unrepresentable);
    result.unsigned_integer("depth", counts.depth);
    result.end_object();
    return document_.finish(count_);
  }

private:
  Visit visit(const WalkEntry &entry) {
    if (++looked_ % 1024 == 0) {
      cancelled_ = stop_();
      if (cancelled_) return Visit::stop;
      if (deadline_.has_passed()) return end("time_budget");
    }
    const bool needs_path = request_.glob.needs_path();
    if (needs_path) {
      below_.assign(entry.below);
      if (!below_.empty()) below_ += '/';
      below_ += entry.name;
    }
    if (!request_.glob.matches(below_, entry.name, entry.type == DT_DIR)) return Visit::go_on;
    if (count_ == request_.max_results) return end("max_results");
    append_match(entry);
    if (!budget_.fits_json(match_)) return end("response_size");
    budget_.spend(match_);
    document_.result().raw(match_);
    ++count_;
    return Visit::go_on;
  }

  Visit end(std::string_view reason) {
    reason_ = reason;
    return Visit::stop;
  }

  void append_match(const WalkEntry &entry) {
    const std::string name(entry.name);
    std::string path = base_;
    if (!entry.below.empty()) path = join(path, entry.below);

    struct stat status {};

    const bool is_known =
        ::fstatat(entry.directory_fd->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    match_.clear();
    kit::json::Writer writer(match_);
    writer.begin_object();
    writer.string("path", workspace_.shown(join(path, name)));
    writer.string("kind", kind_of_type(is_known ? type_of_mode(status.st_mode) : entry.type));
    if (is_known && S_ISREG(status.st_mode)) writer.integer("size_bytes", status.st_size);
    if (is_known) writer.string("mtime", format_time(status.st_mtim));
    writer.end_object();
  }

  const Workspace &workspace_;
  const SearchRequest &request_;
  Budget budget_;
  const Stop &stop_;
  const kit::Deadline deadline_;
  TreeWalk walk_;
  Document document_{8 * 1024};
  std::string base_;
  std::string below_;
  std::string match_;
  std::string_view reason_;
  std::uint64_t count_ = 0;
  std::uint64_t looked_ = 0;
  bool cancelled_ = false;
};

Outcome<Answer> search(const Workspace &workspace, std::string_view args, const Limits &limits,
                       const Budget &budget, const Stop &stop) {
  Outcome<SearchRequest> request = parse_request(args, limits);
  if (!request) return kit::pass_on(request);
  Outcome<Place> place = workspace.find(request->path, Workspace::LastLink::follow);
  if (!place) return kit::pass_on(place);
  Outcome<kit::UniqueFd> directory = workspace.open_directory(*place);
  if (!directory) return kit::pass_on(directory);
  return NameSearch(workspace, *request, budget, limits, stop).run(std::move(*directory), *place);
}

} // namespace

void Files::file_search(Call &call) {
  const Outcome<const Workspace *> served = workspace();
  if (!served) return answer(call, refuse(Failure(served.error())));
  answer(call, search(**served, call.args(), settings_.limits, budget_of(call), stop_of(call)));
}

} // namespace packhost::files
