// SPDX-License-Identifier: MIT
// file_read: the text of one file, or of a range of its lines.
#include "plugins/files/arguments.hpp"
#include "plugins/files/pack.hpp"
#include "plugins/files/tools/read_text.hpp"

namespace packhost::files {

namespace {

Outcome<ReadRequest> parse_request(std::string_view args, const Limits &limits) {
  kit::json::ArgumentReader reader(args);
  ReadRequest request;
  request.path = reader.required_string("path");
  request.start_line = reader.optional_integer("start_line");
  request.end_line = reader.optional_integer("end_line");
  const std::optional<std::int64_t> max_bytes = reader.optional_integer("max_bytes");
  const std::optional<std::string> encoding = reader.optional_string("encoding");
  if (Outcome<void> read = finish(reader); !read) return kit::pass_on(read);
  if (Outcome<void> range = check_range(request); !range) return kit::pass_on(range);
  Outcome<std::uint64_t> bytes =
      bounded("max_bytes", max_bytes, limits.max_read_bytes, 1, limits.max_read_bytes);
  if (!bytes) return kit::pass_on(bytes);
  request.max_bytes = *bytes;
  Outcome<std::optional<NamedEncoding>> named = parse_named_encoding(encoding);
  if (!named) return kit::pass_on(named);
  request.named = *named;
  return request;
}

Outcome<Answer> read(const Workspace &workspace, std::string_view args, const Limits &limits,
                     const Budget &budget, const Stop &stop) {
  Outcome<ReadRequest> request = parse_request(args, limits);
  if (!request) return kit::pass_on(request);
  Answer answer{R"({"ok":true,"result":)", 1};
  Outcome<std::uint64_t> appended =
      append_file_text(answer.document, workspace, *request, limits, budget, stop);
  if (!appended) return kit::pass_on(appended);
  answer.document += '}';
  return answer;
}

} // namespace

void Files::file_read(Call &call) {
  const Outcome<const Workspace *> served = workspace();
  if (!served) return answer(call, refuse(Failure(served.error())));
  answer(call, read(**served, call.args(), settings_.limits, budget_of(call), stop_of(call)));
}

} // namespace packhost::files
