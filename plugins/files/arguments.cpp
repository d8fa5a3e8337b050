// SPDX-License-Identifier: MIT
// See arguments.hpp.
#include "plugins/files/arguments.hpp"

namespace packhost::files {

Outcome<void> finish(kit::json::ArgumentReader &reader) {
  const kit::Result<void, kit::json::ArgumentFault> finished = reader.finish();
  if (!finished) return refuse(failure_of(finished.error()));
  return {};
}

Outcome<std::uint64_t> bounded(std::string_view argument, std::optional<std::int64_t> given,
                               std::uint64_t usual, std::uint64_t least, std::uint64_t most) {
  if (!given) return usual;
  if (*given < 0 || static_cast<std::uint64_t>(*given) < least) {
    return refuse(invalid_argument(argument, fmt::format("must be at least {}", least),
                                   fmt::format("an integer from {} to {}", least, most)));
  }
  if (static_cast<std::uint64_t>(*given) > most)
    return refuse(limit_exceeded(argument, *given, most));
  return static_cast<std::uint64_t>(*given);
}

Outcome<std::optional<Glob>> parse_glob(const std::optional<std::string> &pattern) {
  if (!pattern) return std::optional<Glob>();
  kit::Result<Glob, PatternFault> glob = Glob::parse(*pattern);
  if (glob) return std::optional<Glob>(std::move(*glob));
  return refuse(
      failure(ErrorCode::invalid_pattern, "The glob is not valid: {}", glob.error().reason)
          .with("argument", "glob")
          .with("offset", std::uint64_t{glob.error().offset})
          .with("reason", glob.error().reason));
}

Outcome<std::optional<NamedEncoding>> parse_named_encoding(const std::optional<std::string> &name) {
  if (!name) return std::optional<NamedEncoding>();
  if (const std::optional<NamedEncoding> known = parse_encoding(*name)) return known;
  return refuse(failure(ErrorCode::unsupported_encoding, "This encoding is not supported")
                    .with("argument", "encoding")
                    .with_raw("supported", supported_encodings_json()));
}

} // namespace packhost::files
