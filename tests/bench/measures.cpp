// SPDX-License-Identifier: MIT
// The measures, one function each, and the table of them. Times are microseconds, memory is KiB.
#include "tests/bench/measures.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace packhost::bench {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kWarmUp = 200;
constexpr std::size_t kGrowthSteps = 10;

double us(std::int64_t ns) {
  return static_cast<double>(ns) / 1e3;
}

/// The value that `share` of the sorted values do not exceed.
double quantile(std::vector<std::int64_t> &values, double share) {
  std::sort(values.begin(), values.end());
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  return us(values[place]);
}

std::vector<std::int64_t> call_serially(Client &client, std::size_t calls) {
  std::vector<std::int64_t> times;
  times.reserve(calls);
  for (std::size_t i = 0; i < calls; ++i) times.push_back(client.call_ns());
  return times;
}

/// Makes `calls` calls with at most `window` in flight; as many as were answered go out in one
/// write.
void call_pipelined(Client &client, std::size_t calls, std::size_t window) {
  std::size_t sent = std::min(calls, window);
  client.send_calls(sent);
  while (client.in_flight() > 0) {
    do {
      (void)client.take_answer();
    } while (client.in_flight() > 0 && client.server().has_line());
    const std::size_t more = std::min(window - client.in_flight(), calls - sent);
    if (more > 0) client.send_calls(more);
    sent += more;
  }
}

/// From spawn to the first list of tools, and from the end of input to the exit.
Figures cold(const ServerSpec &spec, const Amounts &) {
  const std::int64_t start = now_ns();
  Client client(spec);
  client.shake_hands();
  const std::size_t list_bytes = client.list_tools();
  const std::int64_t listed = now_ns() - start;
  return {{"first_list_us", us(listed)},
          {"list_bytes", static_cast<double>(list_bytes)},
          {"exit_us", us(client.server().finish_ns())}};
}

/// Memory half a second after the first call, and what a second without a request costs.
Figures idle(const ServerSpec &spec, const Amounts &) {
  Client client(spec);
  client.shake_hands();
  (void)client.list_tools();
  (void)client.call_ns();
  std::this_thread::sleep_for(500ms);
  const double before = client.server().cpu_ns();
  std::this_thread::sleep_for(1s);
  const double spent = client.server().cpu_ns() - before;
  const Memory memory = client.server().memory();
  Figures figures{{"cpu_ns_per_idle_s", spent},
                  {"rss_kib", memory.rss_kib},
                  {"beside_shared_kib", memory.beside_shared_kib},
                  {"anonymous_kib", memory.anonymous_kib},
                  {"threads", client.server().threads()}};
  (void)client.server().finish_ns();
  return figures;
}

/// Calls one after another.
Figures latency(const ServerSpec &spec, const Amounts &amounts) {
  Client client(spec);
  client.shake_hands();
  (void)call_serially(client, std::min(kWarmUp, amounts.calls));
  const double before = client.server().cpu_ns();
  std::vector<std::int64_t> times = call_serially(client, amounts.calls);
  const double cpu = client.server().cpu_ns() - before;
  (void)client.server().finish_ns();
  return {{"p50_us", quantile(times, 0.5)},
          {"p99_us", quantile(times, 0.99)},
          {"cpu_us", cpu / 1e3 / static_cast<double>(amounts.calls)}};
}

/// Many calls in flight.
Figures pipelined(const ServerSpec &spec, const Amounts &amounts) {
  Client client(spec);
  client.shake_hands();
  call_pipelined(client, std::max(kWarmUp, amounts.window), amounts.window);
  const double before = client.server().cpu_ns();
  const std::int64_t start = now_ns();
  call_pipelined(client, amounts.calls, amounts.window);
  const double took = static_cast<double>(now_ns() - start);
  const double cpu = client.server().cpu_ns() - before;
  (void)client.server().finish_ns();
  const auto calls = static_cast<double>(amounts.calls);
  return {{"calls_per_s", calls / took * 1e9},
          {"us_per_call", took / 1e3 / calls},
          {"cpu_us", cpu / 1e3 / calls}};
}

/// Large results, one after another.
Figures large(const ServerSpec &spec, const Amounts &amounts) {
  Client client(spec);
  client.shake_hands();
  (void)call_serially(client, 3);
  std::vector<std::int64_t> times = call_serially(client, amounts.calls);
  (void)client.server().finish_ns();
  const double p50 = quantile(times, 0.5);
  return {{"p50_us", p50}, {"payload_mb_per_s", spec.payload_bytes / p50}};
}

/// Memory against calls made, and the latency before and after them.
Figures growth(const ServerSpec &spec, const Amounts &amounts) {
  Client client(spec);
  client.shake_hands();
  const std::size_t serial = std::min<std::size_t>(2000, amounts.calls);
  (void)call_serially(client, std::min(kWarmUp, amounts.calls));
  std::vector<std::int64_t> before = call_serially(client, serial);
  Figures figures;
  std::array<double, kGrowthSteps + 1> memory{};
  memory[0] = client.server().memory().rss_kib;
  figures.emplace_back("rss_kib_at_0", memory[0]);
  const std::size_t step = std::max<std::size_t>(1, amounts.calls / kGrowthSteps);
  for (std::size_t i = 1; i <= kGrowthSteps; ++i) {
    call_pipelined(client, step, amounts.window);
    memory.at(i) = client.server().memory().rss_kib;
    figures.emplace_back("rss_kib_at_" + std::to_string(i * step), memory.at(i));
  }
  std::vector<std::int64_t> after = call_serially(client, serial);
  (void)client.server().finish_ns();
  figures.emplace_back("second_half_kib", memory[kGrowthSteps] - memory[kGrowthSteps / 2]);
  figures.emplace_back("p50_before_us", quantile(before, 0.5));
  figures.emplace_back("p50_after_us", quantile(after, 0.5));
  return figures;
}

/// The window full of calls, nothing read for a while, then little by little.
Figures slow_reader(const ServerSpec &spec, const Amounts &amounts) {
  constexpr std::size_t kSip = 32 * 1024;
  Client client(spec);
  client.shake_hands();
  std::size_t sent = std::min(amounts.calls, amounts.window);
  client.send_calls(sent);
  std::this_thread::sleep_for(300ms);
  while (client.in_flight() > 0) {
    while (!client.server().has_line()) {
      client.server().read_some(kSip);
      std::this_thread::sleep_for(200us);
    }
    (void)client.take_answer();
    const std::size_t more = sent < amounts.calls ? 1 : 0;
    if (more > 0) client.send_calls(more);
    sent += more;
  }
  Figures figures{{"peak_kib", client.server().peak_kib()}};
  (void)client.server().finish_ns();
  return figures;
}

struct Row {
  std::string_view name;
  Measure measure;
};

constexpr std::array<Row, 7> kMeasures{{{"cold", cold},
                                        {"idle", idle},
                                        {"latency", latency},
                                        {"pipelined", pipelined},
                                        {"large", large},
                                        {"growth", growth},
                                        {"slow_reader", slow_reader}}};

} // namespace

Measure find_measure(std::string_view name) {
  for (const Row &row : kMeasures) {
    if (row.name == name) return row.measure;
  }
  give_up("plan: no measure is called " + std::string(name));
}

} // namespace packhost::bench
