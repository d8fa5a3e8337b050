// SPDX-License-Identifier: MIT
// The test harness for people who have no host: opens one pack in the test's own process, calls it
// as a host would, from changing threads, and watches whether it keeps the contract of packhost.h.
// Link libpackhost-testing.a (pkg-config packhost-testing). JSON stays text. C++17.
#ifndef PACKHOST_TESTING_HPP
#define PACKHOST_TESTING_HPP

#include <packhost/packhost.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packhost::testing {

/// The pack cannot be loaded, or its open() or plan() refused.
class OpenFailed : public std::runtime_error {
public:
  OpenFailed(packhost_status status, const std::string &message)
      : std::runtime_error(message), status_(status) {}

  packhost_status status() const noexcept { return status_; }

private:
  packhost_status status_;
};

/// One part of a result, its data copied.
struct Part {
  std::uint32_t type = 0;
  std::uint32_t flags = 0;
  std::string mime;
  std::string uri;
  std::string name;
  std::string annotations;
  std::string data;
};

/// One progress report of a call.
struct Progress {
  double done = 0;
  double total = 0;
  std::string message;
};

/// One event a pack logged; field values as text.
struct LogLine {
  std::int32_t level = 0;
  std::string event;
  std::vector<std::pair<std::string, std::string>> fields;
};

/// What came of one call.
struct Result {
  packhost_status status = PACKHOST_PENDING; // still PENDING: it did not end in time
  std::string error;                         // call_set_error: the message
  std::string details;                       //   and the JSON details
  std::vector<Part> parts;                   // as added, also when the status is no OK
  std::vector<Progress> progress;
  std::uint64_t item_count = 0;

  /// All TEXT parts, one after the other.
  std::string text() const { return all(PACKHOST_PART_TEXT); }

  /// The structured result, or empty.
  std::string json() const { return all(PACKHOST_PART_JSON); }

  /// The META part, or empty.
  std::string meta() const { return all(PACKHOST_PART_META); }

  /// What call_set_items said last.
  std::uint64_t items() const { return item_count; }

private:
  std::string all(std::uint32_t type) const {
    std::string out;
    for (const Part &part : parts) {
      if (part.type == type) out += part.data;
    }
    return out;
  }
};

/// How one call is made.
struct CallSetup {
  std::uint32_t flags = PACKHOST_REQ_WANTS_PROGRESS;
  /// From the harness's clock, which stands still but for Harness::advance(). 0 or less: passed
  /// before the call starts. Without it there is no deadline.
  std::int64_t deadline_ms = INT64_MAX;
  std::uint64_t max_result_bytes = 0; // 0: what the manifest says
  bool check_input = true;            // as a host does, unless the pack checks its own
  bool cancelled_at_start = false;
};

/// What the pack finds around it.
struct Setup {
  Setup() = default;

  // NOLINTNEXTLINE(google-explicit-constructor): Harness(so, "{}")
  Setup(const char *json) : options(json) {}

  // NOLINTNEXTLINE(google-explicit-constructor)
  Setup(std::string json) : options(std::move(json)) {}

  /// Completed with the manifest's defaults, and by plan() where the manifest has one.
  std::string options = "{}";
  /// packhost.net/1: granted endpoints. The script gets the other end of a socket pair, blocking,
  /// on a thread of its own, and the harness closes it. An empty function: nobody listens.
  std::map<std::string, std::function<void(int fd)>> peers;
  /// packhost.process/1: name in the manifest's "exec" -> path of the program.
  std::map<std::string, std::string> programs;
  /// packhost.secret/1: JSON pointer into the options -> the bytes.
  std::map<std::string, std::string> secrets;
  /// How long a call, or the end of one at close(), may take before the harness gives it up.
  int patience_ms = 10'000;
};

class Harness;

/// A call under way.
class Running {
public:
  /// As a client, a deadline or a shutdown does it. Once is enough.
  void cancel();

  bool finished() const;

  /// Waits until the call is completed and its call() has returned, at most as long as the
  /// harness's patience.
  Result wait();

  struct State; // the harness's own

  explicit Running(std::shared_ptr<State> state) : state_(std::move(state)) {}

private:
  std::shared_ptr<State> state_;
};

/// One opened pack. Not for several threads at once, but for Running.
class Harness {
public:
  /// Loads the file as a host does, checks it and opens it. Throws OpenFailed.
  explicit Harness(const std::string &file, Setup setup = {});
  /// The same for a pack linked into the test. entry: lives as long as the harness.
  explicit Harness(const packhost_entry &entry, Setup setup = {});
  explicit Harness(packhost_entry &&entry, Setup setup = {}) = delete;
  Harness(const Harness &) = delete;
  Harness &operator=(const Harness &) = delete;
  /// close(); violations that nobody asked for are printed to stderr.
  ~Harness();

  Result tool(std::string_view name, std::string_view args = "{}", const CallSetup &setup = {});
  Result resource(std::string_view uri, const CallSetup &setup = {});
  Result prompt(std::string_view name, std::string_view args = "{}", const CallSetup &setup = {});
  /// name: the prompt's name or the template; args: as in the ABI.
  Result complete(std::string_view name, std::string_view args, const CallSetup &setup = {});
  /// name: the dotted path.
  Result command(std::string_view name, std::string_view args = "{}", bool dry_run = false);
  /// Any call. A serial pack, or one that is full, makes it wait for its turn.
  Running start(std::uint32_t kind, std::string_view name, std::string_view args = "{}",
                const CallSetup &setup = {});

  /// What packhost.about/1 said when the pack was opened; empty without it.
  std::string about() const;
  /// One list of packhost.catalog/1, by a PACKHOST_CHANGED_* bit, asked anew.
  std::string catalog(std::uint32_t which);

  /// Moves the clock that deadlines are measured with; calls whose deadline passes are cancelled.
  void advance(std::int64_t ms);

  /// The options the pack was opened with, its defaults filled in.
  std::string with_defaults() const;
  /// The path of its "data", "state", "cache" or "tmp" directory, made for this harness.
  std::string directory(std::string_view which) const;
  void set_secret(const std::string &pointer, std::string bytes);

  std::vector<LogLine> log() const;
  /// The PACKHOST_CHANGED_* bits announced so far, and the URIs of changed resources.
  std::uint32_t changed() const;
  std::vector<std::string> changed_resources() const;

  /// Cancels what runs, shuts the pack down and looks for what it left behind: threads,
  /// descriptors, calls that were never completed.
  void close();

  /// Every breach of the contract so far, one sentence each. Descriptors and threads that the test
  /// itself makes while the harness lives, and keeps beyond close(), count as the pack's.
  std::vector<std::string> violations() const;

  struct Impl; // the harness's own

private:
  std::unique_ptr<Impl> impl_;
};

} // namespace packhost::testing

#endif
