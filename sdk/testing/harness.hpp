// SPDX-License-Identifier: MIT
// The inside of the harness: what Harness and Running of packhost/testing.hpp hold. The calls are
// in call.*, the functions packs get in host_table.cpp, what is watched in watch.*.
#pragma once

#include "sdk/contract/manifest.hpp"
#include "sdk/contract/validator.hpp"
#include "sdk/testing/watch.hpp"
#include "sdk/testing/world.hpp"

#include <packhost/testing.hpp>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packhost::testing {

/// A pack in this process, loaded and compared with its manifest, not yet open.
struct LoadedPack {
  contract::AcceptedManifest manifest;
  const packhost_entry *entry = nullptr;
  std::vector<std::string> violations; // while it was loaded
};

/// All bytes of a file. Throws OpenFailed.
[[nodiscard]] std::string read_pack_file(const std::string &file);
/// Reads, checks and loads a file. Throws OpenFailed with the text of a host's refusal.
[[nodiscard]] LoadedPack load_pack_file(const std::string &file);
/// The same for an entry that is linked in.
[[nodiscard]] LoadedPack accept_entry(const packhost_entry &entry);

struct Harness::Impl {
  Impl(LoadedPack loaded, Setup wanted);
  ~Impl() = default;
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  // constant after construction
  const Setup setup;
  const contract::AcceptedManifest manifest;
  const packhost_entry *const entry;
  packhost_host host{};
  std::map<std::string, contract::Schema, std::less<>> input_schemas;
  std::map<std::string, contract::Schema, std::less<>> output_schemas;

  // self-synchronised
  Violations violations;
  World world;

  // the life of the pack; by the test's thread only
  ProcessState state_at_start;
  std::vector<int> descriptors_at_start;
  std::vector<int> threads_at_start;
  std::string options;
  packhost_pack *pack = nullptr;
  bool is_open = false;
  std::string about_text;
  const packhost_catalog *catalog = nullptr;
  std::vector<std::shared_ptr<Running::State>> calls;
  std::uint64_t last_call_id = 0;

  /// Who has it is in a [control] function of the pack.
  std::mutex control;

  std::mutex mutex;
  std::condition_variable room;          // with mutex
  unsigned inside = 0;                   // guarded: calls that are not completed
  bool exclusive_inside = false;         // guarded
  std::int64_t now_ns = 0;               // guarded
  std::vector<LogLine> log;              // guarded
  std::uint32_t changed = 0;             // guarded
  std::vector<std::string> changed_uris; // guarded
  std::string open_error;                // guarded
  std::atomic<bool> accepts_calls_to_host{
      false}; // [any]: during plan(), open(), and until shutdown()

  /// Throws OpenFailed.
  void open();
  /// RETURNS: false when a call() never returned. The thread it runs on still needs this object
  /// then.
  bool close();
  [[nodiscard]] const contract::ToolEntry *find_tool(std::string_view name) const;
  std::string ask_catalog(std::uint32_t which);
  /// Reports and undoes what `who` changed in the process.
  void check_process_state(const std::string &who);

private:
  void compile_schemas();
  void complete_options();
  void run_plan();
  void call_open();
  void ask_interfaces();
  void ask_about(const packhost_about &about);
  void check_list(std::uint32_t which, const std::string &json);
  void check_leftovers();
};

/// Fills in the functions a pack gets from its host.
void fill_host_table(packhost_host &host, Harness::Impl &impl);

/// Runs work on a thread of its own, as hosts do with everything they ask of a pack.
template <class F>
void on_other_thread(F &&work) {
  std::thread(std::forward<F>(work)).join();
}

} // namespace packhost::testing
