// SPDX-License-Identifier: MIT
// directory_list: what a directory holds, one level or all of them.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"
#include "plugins/files/walk.hpp"
#include "sdk/kit/deadline.hpp"
#include "sdk/kit/utf8.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace packhost::files {

namespace {

constexpr std::uint64_t kUsualEntries = 500;

struct ListRequest {
  std::string path = ".";
  bool recursive = false;
  std::optional<Glob> glob;
  std::uint64_t max_entries = kUsualEntries;
};

Outcome<ListRequest> parse_request(std::string_view args, const Limits &limits) {
  kit::json::ArgumentReader reader(args);
  ListRequest request;
  const std::optional<std::string> path = reader.optional_string("path");
  if (path && !path->empty()) request.path = *path;
  request.recursive = reader.optional_boolean("recursive").value_or(false);
  const std::optional<std::string> glob = reader.optional_string("glob");
  const std::optional<std::int64_t> max_entries = reader.optional_integer("max_entries");
  if (Outcome<void> read = finish(reader); !read) return kit::pass_on(read);
  Outcome<std::uint64_t> most =
      bounded("max_entries", max_entries, std::min(kUsualEntries, limits.max_directory_entries), 1,
              limits.max_directory_entries);
  if (!most) return kit::pass_on(most);
  request.max_entries = *most;
  Outcome<std::optional<Glob>> parsed = parse_glob(glob);
  if (!parsed) return kit::pass_on(parsed);
  request.glob = std::move(*parsed);
  return request;
}

/// Writes the entries of one listing.
class Listing {
public:
  Listing(const Workspace &workspace, const ListRequest &request, const Budget &budget,
          const Limits &limits, const Stop &stop)
      : workspace_(workspace), request_(request), budget_(budget), stop_(stop),
        deadline_(kit::Deadline::after(std::chrono::milliseconds(limits.search_time_ms))),
        walk_(workspace, {request.recursive, limits.max_recursion_depth, Ignore::none, true}) {}

  Outcome<Answer> run(kit::UniqueFd directory, const Place &place) {
    kit::json::Writer &result = document_.result();
    result.string("path", workspace_.shown(place.asked.relative));
    result.key("entries").begin_array();
    // Entries are named by the caller's way to them, links in it included.
    base_ = place.asked.relative;
    walk_.run(std::move(directory), place.at.path,
              [this](const WalkEntry &entry) { return visit(entry); });
    result.end_array();
    if (cancelled_) return refuse(failure(ErrorCode::cancelled, "The call was cancelled"));
    if (reason_.empty() && !walk_.depth_limited().empty()) reason_ = "max_depth";
    result.boolean("truncated", !reason_.empty());
    if (reason_.empty())
      result.null("truncation_reason");
    else
      result.string("truncation_reason", reason_);
    result.key("depth_limited").begin_array();
    for (const std::string &path : walk_.depth_limited()) result.string(workspace_.shown(path));
    result.end_array();
    result.unsigned_integer("unrepresentable", walk_.counts().unrepresentable);
    result.unsigned_integer("unreadable", walk_.counts().unreadable);
    return document_.finish(count_);
  }

private:
  Visit visit(const WalkEntry &entry) {
    if (request_.glob) {
      if (!entry.is_addressable) return Visit::go_on;
      const std::string below = join(entry.below, entry.name);
      if (!request_.glob->matches(below, entry.name, entry.type == DT_DIR)) return look_around();
    }
    if (count_ == request_.max_entries) return end("max_entries");
    if (Visit next = look_around(); next == Visit::stop) return next;
    entry_.clear();
    kit::json::Writer writer(entry_);
    if (entry.is_addressable)
      append_entry(writer, entry);
    else
      append_unaddressable(writer, entry.name);
    if (!budget_.fits_json(entry_)) return end("response_size");
    budget_.spend(entry_);
    document_.result().raw(entry_);
    ++count_;
    return Visit::go_on;
  }

  /// From time to time: is there a reason to stop?
  Visit look_around() {
    if (++looked_ % 64 != 0) return Visit::go_on;
    cancelled_ = stop_();
    if (cancelled_) return Visit::stop;
    return deadline_.has_passed() ? end("time_budget") : Visit::go_on;
  }

  Visit end(std::string_view reason) {
    reason_ = reason;
    return Visit::stop;
  }

  void append_entry(kit::json::Writer &writer, const WalkEntry &entry) const {
    const std::string name(entry.name);
    std::string path = base_;
    if (!entry.below.empty()) path = join(path, entry.below);
    path = join(path, name);

    struct stat status {};

    const bool is_known =
        ::fstatat(entry.directory_fd->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    const unsigned char type = is_known ? type_of_mode(status.st_mode) : entry.type;
    writer.begin_object();
    writer.string("path", workspace_.shown(path)).string("name", name);
    writer.string("kind", kind_of_type(type));
    if (is_known) {
      if (type == DT_REG) writer.integer("size_bytes", status.st_size);
      writer.string("mtime", format_time(status.st_mtim));
      writer.string("mode", format_mode(status.st_mode));
    }
    if (type == DT_LNK) {
      const Workspace::Link link =
          workspace_.look_at_link(entry.directory_fd->get(), name, join(entry.directory, name));
      if (link.leads_outside || !kit::utf8::is_valid(link.text))
        writer.null("link_target");
      else
        writer.string("link_target", link.text);
      if (link.is_absolute && !link.leads_outside) writer.boolean("link_absolute", true);
    }
    writer.boolean("is_executable", is_known && type == DT_REG && (status.st_mode & 0111U) != 0);
    writer.end_object();
  }

  static void append_unaddressable(kit::json::Writer &writer, std::string_view name) {
    writer.begin_object();
    writer.string("name", kit::utf8::repair(name)).string("name_base64", encode_base64(name));
    writer.boolean("addressable", false);
    writer.end_object();
  }

  const Workspace &workspace_;
  const ListRequest &request_;
  Budget budget_;
  const Stop &stop_;
  const kit::Deadline deadline_;
  TreeWalk walk_;
  Document document_{16 * 1024};
  std::string base_;
  std::string entry_;
  std::string_view reason_;
  std::uint64_t count_ = 0;
  std::uint64_t looked_ = 0;
  bool cancelled_ = false;
};

Outcome<Answer> list(const Workspace &workspace, std::string_view args, const Limits &limits,
                     const Budget &budget, const Stop &stop) {
  Outcome<ListRequest> request = parse_request(args, limits);
  if (!request) return kit::pass_on(request);
  Outcome<Place> place = workspace.find(request->path, Workspace::LastLink::follow);
  if (!place) return kit::pass_on(place);
  Outcome<kit::UniqueFd> directory = workspace.open_directory(*place);
  if (!directory) return kit::pass_on(directory);
  return Listing(workspace, *request, budget, limits, stop).run(std::move(*directory), *place);
}

} // namespace

void Files::directory_list(Call &call) {
  const Outcome<const Workspace *> served = workspace();
  if (!served) return answer(call, refuse(Failure(served.error())));
  answer(call, list(**served, call.args(), settings_.limits, budget_of(call), stop_of(call)));
}

} // namespace packhost::files
