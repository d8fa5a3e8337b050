// SPDX-License-Identifier: MIT
// file_info: one path itself; a link is described, not followed.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"
#include "plugins/files/sensitive.hpp"
#include "plugins/files/text_file.hpp"
#include "plugins/files/walk.hpp"
#include "sdk/kit/utf8.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace packhost::files {

namespace {

constexpr std::size_t kMaxCounted = 10'000;

Outcome<void> append_content(kit::json::Writer &result, const Workspace &workspace,
                             const Place &place, const Limits &limits, const Stop &stop) {
  const kit::Result<kit::OpenFile, kit::PathFault> file = workspace.root().open_regular(place.at);
  if (!file) return refuse(failure_of(file.error(), place.asked.spelled));
  ScanWishes wishes;
  wishes.go_on_after_fault = true;
  Outcome<ScannedFile> scanned =
      scan_file(*file, wishes, limits.max_hash_bytes, place.asked.spelled, stop);
  if (!scanned) return kit::pass_on(scanned);
  if (scanned->hash.empty())
    result.null("content_hash");
  else
    result.string("content_hash", scanned->hash);
  result.boolean("is_text", !scanned->fault);
  if (scanned->fault) return {};
  result.string("encoding", name_of(scanned->encoding)).boolean("bom", scanned->has_bom);
  result.string("newline", kit::name_of(scanned->lines.style()));
  result.unsigned_integer("line_count", scanned->lines.count());
  return {};
}

Outcome<void> append_directory(kit::json::Writer &result, const Workspace &workspace,
                               const Place &place) {
  Outcome<kit::UniqueFd> directory = workspace.open_directory(place);
  if (!directory) return kit::pass_on(directory);
  DirectoryReader reader;
  if (!reader.read(directory->get(), kMaxCounted))
    return refuse(failure_of(kit::PathFault::io, place.asked.spelled));
  const auto hidden = static_cast<std::size_t>(std::count_if(
      reader.entries().begin(), reader.entries().end(),
      [&](const DirectoryEntry &entry) { return workspace.hides(place.at.path, entry.name); }));
  result.unsigned_integer("entry_count", reader.entries().size() - hidden);
  if (reader.was_cut()) result.boolean("entry_count_truncated", true);
  return {};
}

void append_link(kit::json::Writer &result, const Workspace &workspace, const Place &place) {
  const Workspace::Link link =
      workspace.look_at_link(place.at.parent.get(), place.at.name, place.at.path);
  if (link.leads_outside || !kit::utf8::is_valid(link.text))
    result.null("link_target");
  else
    result.string("link_target", link.text);
  if (link.is_absolute && !link.leads_outside) result.boolean("link_absolute", true);
  if (link.end && kit::utf8::is_valid(*link.end))
    result.string("resolves_to", workspace.shown(*link.end));
  else
    result.null("resolves_to");
  result.boolean("link_outside", link.leads_outside);
}

Outcome<Answer> describe(const Workspace &workspace, std::string_view args, const Limits &limits,
                         const Stop &stop) {
  kit::json::ArgumentReader reader(args);
  const std::string path = reader.required_string("path");
  if (Outcome<void> read = finish(reader); !read) return kit::pass_on(read);
  Outcome<Place> place = workspace.find(path, Workspace::LastLink::keep);
  if (!place) return kit::pass_on(place);
  const struct stat &status = place->at.status;
  if (S_ISREG(status.st_mode) && place->asked.must_be_directory) {
    return refuse(failure(ErrorCode::not_a_directory, "A file is at this path")
                      .with("path", path)
                      .with("kind", "file"));
  }
  Document document;
  kit::json::Writer &result = document.result();
  result.string("path", workspace.shown(place->asked.relative));
  result.string("kind", kind_of_type(type_of_mode(status.st_mode)));
  if (S_ISREG(status.st_mode)) result.integer("size_bytes", status.st_size);
  result.string("mode", format_mode(status.st_mode)).string("mtime", format_time(status.st_mtim));
  if (S_ISREG(status.st_mode)) {
    if (Outcome<void> done = append_content(result, workspace, *place, limits, stop); !done)
      return kit::pass_on(done);
  } else if (S_ISDIR(status.st_mode)) {
    if (Outcome<void> done = append_directory(result, workspace, *place); !done)
      return kit::pass_on(done);
  } else if (S_ISLNK(status.st_mode)) {
    append_link(result, workspace, *place);
  }
  result.unsigned_integer("nlink", status.st_nlink);
  result.boolean("is_executable", S_ISREG(status.st_mode) && (status.st_mode & 0111U) != 0);
  result.boolean("sensitive", sensitive_rule(place->asked.relative).has_value() ||
                                  sensitive_rule(place->at.path).has_value());
  return document.finish(1);
}

} // namespace

void Files::file_info(Call &call) {
  const Outcome<const Workspace *> served = workspace();
  if (!served) return answer(call, refuse(Failure(served.error())));
  answer(call, describe(**served, call.args(), settings_.limits, stop_of(call)));
}

} // namespace packhost::files
