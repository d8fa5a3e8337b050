// SPDX-License-Identifier: MIT
// file_read_many: several files in one call, each with its own result or error.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"
#include "plugins/files/tools/read_text.hpp"

namespace packhost::files {

namespace {

constexpr std::size_t kMaxPaths = 32;

struct ManyRequest {
  std::vector<std::string> paths;
  ReadRequest each;
};

Outcome<ManyRequest> parse_request(std::string_view args, const Limits &limits) {
  kit::json::ArgumentReader reader(args);
  ManyRequest request;
  request.paths = reader.required_strings("paths");
  request.each.start_line = reader.optional_integer("start_line");
  request.each.end_line = reader.optional_integer("end_line");
  const std::optional<std::int64_t> max_bytes = reader.optional_integer("max_bytes_per_file");
  if (Outcome<void> read = finish(reader); !read) return kit::pass_on(read);
  if (request.paths.empty())
    return refuse(invalid_argument("paths", "is empty", "from 1 to 32 paths"));
  if (request.paths.size() > kMaxPaths) {
    return refuse(
        limit_exceeded("paths", static_cast<std::int64_t>(request.paths.size()), kMaxPaths));
  }
  if (Outcome<void> range = check_range(request.each); !range) return kit::pass_on(range);
  Outcome<std::uint64_t> bytes =
      bounded("max_bytes_per_file", max_bytes, limits.max_read_bytes, 1, limits.max_read_bytes);
  if (!bytes) return kit::pass_on(bytes);
  request.each.max_bytes = *bytes;
  return request;
}

Failure does_not_fit(const std::string &path, std::uint64_t maximum) {
  return failure(ErrorCode::limit_exceeded,
                 "The text of this file does not fit into the answer any more")
      .with("path", path)
      .with("limit", "max_read_many_bytes")
      .with("maximum", maximum)
      .with_raw("retry_alone", "true")
      .with("recovery", "Read this file with a call of its own.");
}

Outcome<Answer> read_many(const Workspace &workspace, std::string_view args, const Limits &limits,
                          Budget budget, const Stop &stop) {
  Outcome<ManyRequest> request = parse_request(args, limits);
  if (!request) return kit::pass_on(request);
  Document document;
  kit::json::Writer &result = document.result();
  result.key("entries").begin_array();
  std::uint64_t text_left = limits.max_read_many_bytes;
  std::uint64_t ok_count = 0;
  std::string file; // one entry's result
  for (const std::string &path : request->paths) {
    request->each.path = path;
    file.clear();
    Outcome<std::uint64_t> read =
        append_file_text(file, workspace, request->each, limits, budget, stop);
    if (!read && read.error().code == ErrorCode::cancelled) return kit::pass_on(read);
    if (read && (*read > text_left || !budget.fits_json(file)))
      read = refuse(does_not_fit(path, limits.max_read_many_bytes));
    result.begin_object().string("path", path).boolean("ok", read.has_value());
    if (read) {
      text_left -= *read;
      budget.spend(file);
      result.raw("result", file);
      ++ok_count;
    } else {
      std::string error;
      append_error(error, read.error());
      result.raw("error", error);
    }
    result.end_object();
  }
  result.end_array();
  result.unsigned_integer("ok_count", ok_count);
  result.unsigned_integer("error_count", request->paths.size() - ok_count);
  return document.finish(request->paths.size());
}

} // namespace

void Files::file_read_many(Call &call) {
  const Outcome<const Workspace *> served = workspace();
  if (!served) return answer(call, refuse(Failure(served.error())));
  answer(call, read_many(**served, call.args(), settings_.limits, budget_of(call), stop_of(call)));
}

} // namespace packhost::files
