// SPDX-License-Identifier: MIT
// What can be measured of one server: each measure starts a process of its own, takes its figures
// and ends it.
#pragma once

#include "tests/bench/client.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::bench {

struct Amounts {
  std::size_t calls = 0;
  std::size_t window = 0; // calls in flight, where more than one is
};

using Figures = std::vector<std::pair<std::string, double>>;
using Measure = Figures (*)(const ServerSpec &, const Amounts &);

/// cold, idle, latency, pipelined, large, growth or slow_reader. Ends the process for another word.
[[nodiscard]] Measure find_measure(std::string_view name);

} // namespace packhost::bench
