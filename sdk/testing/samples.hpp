// SPDX-License-Identifier: MIT
// Values made from a schema of a manifest: some that fit, some that do not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::testing {

struct SampleStyle {
  bool full = false;      // every property, not only the required ones
  std::string word = "a"; // what free texts start with
  std::string directory;  // for x-packhost paths of options
  std::string file;
};

/// A JSON value that fits the schema, or nothing where none was found (a pattern, say).
/// REQUIRES: a schema of an accepted manifest.
[[nodiscard]] std::optional<std::string> make_sample(std::string_view schema,
                                                     const SampleStyle &style);

struct BadSample {
  std::string what; // "property 'path' is 5"
  std::string json;
  bool breaks_schema = false; // false: odd, but allowed
};

/// Objects with one thing wrong each: types, missing and unknown members, oversized values.
/// `good` is an object that fits.
[[nodiscard]] std::vector<BadSample> make_bad_samples(std::string_view schema,
                                                      std::string_view good);

} // namespace packhost::testing
