// SPDX-License-Identifier: MIT
// Where the test packs lie, and a pack made in the test itself.
#pragma once

#include <packhost/pack.hpp>
#include <packhost/testing.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

/// A failure shows every sentence.
template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string> &sentences) {
    std::string all;
    for (const std::string &sentence : sentences) all += "\n    " + sentence;
    return all.empty() ? "(none)" : all.c_str();
  }
};

namespace packhost::test {

inline std::string pack_file(const std::string &name) {
  return std::string(PACKHOST_TEST_PACKS) + "/" + name + ".so";
}

/// The entry for class C, as PACKHOST_PACK would make it. A class has one manifest.
template <class C>
const packhost_entry &entry_of(std::string_view manifest) {
  static const packhost_entry entry = Pack::entry<C>(manifest.data(), manifest.size());
  return entry;
}

inline constexpr std::string_view kOneTool = R"({
  "manifest": 1, "name": "inline", "version": "1.0.0", "abi": "1.0", "log_events": ["said"],
  "concurrency": {"mode": "parallel", "max": 4},
  "tools": [{"name": "run", "description": "Run.",
             "input": {"type": "object", "properties": {}, "additionalProperties": true},
             "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                             "openWorldHint": false}}]})";

} // namespace packhost::test
