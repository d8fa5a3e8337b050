// SPDX-License-Identifier: MIT
// Between a call of a pack and the client that asked for it: progress, the one answer, and the
// place in flight. What the answer looks like is the business of each method.
#pragma once

#include "host/mcp/methods.hpp"
#include "host/mcp/revision.hpp"
#include "host/pack/call.hpp"
#include "host/pack/instance.hpp"
#include "host/rpc/inflight.hpp"
#include "host/rpc/reply_once.hpp"
#include "sdk/contract/manifest.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace packhost::mcp {

class CallAnswer : public pack::CallListener, public rpc::Work {
public:
  CallAnswer(Context &context, rpc::ReplyOnce reply);

  [[nodiscard]] const rpc::Id &id() const { return reply_.id(); }

  /// The call this listens to, and the number of its place in flight. Before the call runs.
  void set_call(const std::shared_ptr<pack::PackCall> &call) { call_ = call; }

  void set_place(std::uint64_t number) { place_ = number; }

  [[nodiscard]] bool wants_progress() const { return !progress_token_.empty(); }

  void on_progress(double done, double total, std::string_view message) final;
  void on_late_progress() final;
  std::size_t on_done(pack::CallOutcome &outcome, bool may_wait) final;
  void on_leaving() final;
  void on_dropped() final;
  void on_ended() final;

  // What the table of running requests asks for.
  void cancel() final { end(pack::EndedBy::client); }

  void expire() final { end(pack::EndedBy::deadline); }

  void give_up() final;

  void stop() final { end(pack::EndedBy::shutdown); }

protected:
  /// The whole response. Called once, on any thread.
  [[nodiscard]] virtual std::string encode(pack::CallOutcome &outcome) = 0;

  [[nodiscard]] Server &server() const { return server_; }

  [[nodiscard]] const Revision &revision() const { return revision_; }

private:
  /// The place in flight is given back when the answer is out (or none is due) and the pack has let
  /// go of the call, whichever comes last.
  void close_one_end();
  void end(pack::EndedBy cause);

  Server &server_;
  const Revision &revision_;
  rpc::ReplyOnce reply_;
  std::string progress_token_;
  std::weak_ptr<pack::PackCall> call_; // owns this
  std::uint64_t place_ = 0;
  double written_progress_ = -std::numeric_limits<double>::infinity(); // under the writer's lock
  std::atomic<int> open_ends_{2};
  std::atomic<bool> is_settled_{false};
};

/// What a failed call says to a model or a person, by the table of abi.md section 5.
[[nodiscard]] std::string failure_text(const pack::CallOutcome &outcome,
                                       const pack::Instance &instance, std::uint64_t timeout_ms,
                                       std::string_view tool);

/// The manifest's error_shape filled in; empty if it has none.
[[nodiscard]] std::string fill_error_shape(const contract::Manifest &manifest,
                                           const pack::CallOutcome &outcome,
                                           std::string_view message);

} // namespace packhost::mcp
