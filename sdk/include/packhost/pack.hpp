// SPDX-License-Identifier: MIT
// The C++17 wrapper over packhost.h: class Pack, Call, Later, and the exception wall of every C++
// pack. It needs nothing but the standard library; json.hpp adds typed reading of arguments.
// Texts given as views are borrowed for the call; a std::string&& is handed over without a copy.
#ifndef PACKHOST_PACK_HPP
#define PACKHOST_PACK_HPP

#include <packhost/packhost.h>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace packhost {

inline packhost_str to_str(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

inline std::string_view to_view(packhost_str text) noexcept {
  return text.len == 0 ? std::string_view() : std::string_view(text.ptr, text.len);
}

/// How a tool says no: throw Error(PACKHOST_E_CONFLICT, "the file changed; read it again").
class Error : public std::runtime_error {
public:
  Error(packhost_status status, const std::string &message, std::string details = {})
      : std::runtime_error(message), status_(status), details_(std::move(details)) {}

  packhost_status status() const noexcept { return status_; }

  /// JSON for programs, or empty.
  const std::string &details() const noexcept { return details_; }

private:
  packhost_status status_;
  std::string details_;
};

/// A typed log field: {"attempt", 3}, {"backend", name}. Borrows its texts.
struct Field {
  Field(std::string_view key, std::string_view value)
      : raw{to_str(key), PACKHOST_FIELD_STR, 0, to_str(value), 0, 0.0} {}

  Field(std::string_view key, const char *value) : Field(key, std::string_view(value)) {}

  Field(std::string_view key, const std::string &value) : Field(key, std::string_view(value)) {}

  Field(std::string_view key, bool value)
      : raw{to_str(key), PACKHOST_FIELD_BOOL, 0, {nullptr, 0}, value ? 1 : 0, 0.0} {}

  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Field(std::string_view key, T value) : raw{to_str(key), 0, 0, {nullptr, 0}, 0, 0.0} {
    raw.type = std::is_floating_point_v<T> ? PACKHOST_FIELD_F64 : PACKHOST_FIELD_I64;
    if constexpr (std::is_floating_point_v<T>)
      raw.f64 = static_cast<double>(value);
    else
      raw.i64 = static_cast<std::int64_t>(value);
  }

  packhost_field raw;
};

/// What the host offers outside of calls. Usable from any thread while the pack is open.
class Host {
public:
  explicit Host(const packhost_host *host) noexcept : host_(host) {}

  /// event: a constant listed in the manifest's "log_events". At most 16 fields. Never pass
  /// arguments, contents, keys or values.
  void log(std::int32_t level, std::string_view event,
           std::initializer_list<Field> fields = {}) const {
    packhost_field raw[16];
    std::size_t count = 0;
    for (const Field &field : fields) {
      if (count == 16) break;
      raw[count++] = field.raw;
    }
    host_->log(host_, level, to_str(event), raw, count);
  }

  void tools_changed() const { host_->notify_changed(host_, PACKHOST_CHANGED_TOOLS); }

  void resources_changed() const { host_->notify_changed(host_, PACKHOST_CHANGED_RESOURCES); }

  void prompts_changed() const { host_->notify_changed(host_, PACKHOST_CHANGED_PROMPTS); }

  void resource_changed(std::string_view uri) const { host_->notify_resource(host_, to_str(uri)); }

  /// iface<packhost_net>(PACKHOST_IFACE_NET), or nullptr where the host does not offer it.
  template <class T>
  const T *iface(const char *id) const {
    return static_cast<const T *>(host_->get_interface(host_, id));
  }

  const packhost_host *raw() const noexcept { return host_; }

private:
  const packhost_host *host_;
};

/// What stands beside the data of a part. Borrowed for the add.
struct PartInfo {
  std::string_view mime = {};
  std::string_view uri = {};
  std::string_view name = {};
  std::string_view annotations = {}; // JSON object: audience, priority, lastModified, role
  std::uint32_t flags = 0;
};

/// View of one call, valid until the call is completed. Every function that adds throws Error when
/// the host refuses the part: E_LIMIT when the result would be too large.
class Call {
public:
  Call(Host host, packhost_call *call, const packhost_request *request) noexcept
      : host_(host), call_(call), request_(request) {}

  std::uint32_t kind() const noexcept { return request_->kind; }

  std::string_view name() const noexcept { return to_view(request_->name); }

  std::string_view args() const noexcept { return to_view(request_->args); }

  const packhost_request &request() const noexcept { return *request_; }

  bool wants_progress() const noexcept {
    return (request_->flags & PACKHOST_REQ_WANTS_PROGRESS) != 0;
  }

  bool dry_run() const noexcept { return (request_->flags & PACKHOST_REQ_DRY_RUN) != 0; }

  bool cancelled() const { return host_.raw()->call_cancelled(call_) != 0; }

  /// Throws Error(E_CANCELLED) once the call is cancelled or past its deadline.
  void check() const {
    if (cancelled()) throw Error(PACKHOST_E_CANCELLED, "the call was cancelled");
  }

  /// For poll(): readable once cancelled; -1 if there is none. Not to be read or closed.
  int cancel_fd() const { return host_.raw()->call_cancel_fd(call_); }

  void progress(double done, double total = -1, std::string_view message = {}) const {
    host_.raw()->call_progress(call_, done, total, to_str(message));
  }

  Call &text(const char *words) { return text(std::string_view(words)); }

  Call &text(std::string_view words) { return add(PACKHOST_PART_TEXT, {}, words); }

  Call &text(std::string &&words) { return add(PACKHOST_PART_TEXT, {}, std::move(words)); }

  Call &json(const char *object) { return json(std::string_view(object)); }

  Call &json(std::string_view object) { return add(PACKHOST_PART_JSON, {}, object); }

  Call &json(std::string &&object) { return add(PACKHOST_PART_JSON, {}, std::move(object)); }

  Call &blob(std::string_view mime, std::string &&bytes) {
    return add(PACKHOST_PART_BLOB, {mime}, std::move(bytes));
  }

  Call &link(std::string_view uri, std::string_view name, std::string_view mime = {}) {
    return add(PACKHOST_PART_LINK, {mime, uri, name}, std::string_view());
  }

  Call &resource_text(std::string_view uri, std::string_view mime, std::string &&words) {
    return add(PACKHOST_PART_RESOURCE, {mime, uri, {}, {}, PACKHOST_PART_IS_TEXT},
               std::move(words));
  }

  Call &resource_blob(std::string_view uri, std::string_view mime, std::string &&bytes) {
    return add(PACKHOST_PART_RESOURCE, {mime, uri}, std::move(bytes));
  }

  /// A JSON object whose members become members of the result's _meta.
  Call &meta(std::string_view object) { return add(PACKHOST_PART_META, {}, object); }

  /// Any part, its data borrowed: the host is done with it on return.
  Call &add(std::uint32_t type, const PartInfo &info, std::string_view data) {
    return add_buffer(type, info, {data.data(), data.size(), nullptr, nullptr});
  }

  /// Any part, its data handed over. Short ones are copied: that is cheaper than the hand-over.
  Call &add(std::uint32_t type, const PartInfo &info, std::string &&data) {
    if (data.size() < 256) return add(type, info, std::string_view(data));
    auto *owned = new std::string(std::move(data));
    return add_buffer(type, info, {owned->data(), owned->size(), &release_string, owned});
  }

  Call &add(std::uint32_t type, const PartInfo &info, const char *data) {
    return add(type, info, std::string_view(data));
  }

  /// Appends to the part added last.
  Call &append(std::string_view bytes) {
    expect_ok(host_.raw()->call_append(call_, bytes.data(), bytes.size()));
    return *this;
  }

  /// Drops every part added so far.
  Call &reset() {
    host_.raw()->call_reset(call_);
    return *this;
  }

  /// How many items (records, matches, keys) the answer holds: for the log line and the size hint.
  Call &items(std::uint64_t count) {
    host_.raw()->call_set_items(call_, count);
    return *this;
  }

  /// The parts say what went wrong: the call ends with E_TOOL.
  void failed() noexcept { outcome_ = PACKHOST_E_TOOL; }

  class Later;
  /// Makes the call a PENDING one, completed through the Later. At most once a call; afterwards
  /// only the Later may be used.
  Later later();

  Host host() const noexcept { return host_; }

  packhost_call *raw() const noexcept { return call_; }

private:
  friend class Pack;

  static void release_string(void *context, const void *, size_t) noexcept {
    delete static_cast<std::string *>(context);
  }

  Call &add_buffer(std::uint32_t type, const PartInfo &info, const packhost_buf &data) {
    packhost_part part{};
    part.struct_size = static_cast<std::uint32_t>(sizeof(part));
    part.type = type;
    part.flags = info.flags;
    part.mime = to_str(info.mime);
    part.uri = to_str(info.uri);
    part.name = to_str(info.name);
    part.annotations = to_str(info.annotations);
    part.data = data;
    expect_ok(host_.raw()->call_add(call_, &part));
    return *this;
  }

  void expect_ok(packhost_status status) const {
    if (status == PACKHOST_OK) return;
    if (status == PACKHOST_E_LIMIT) {
      throw Error(status, "the result is larger than the limit of " +
                              std::to_string(request_->max_result_bytes) +
                              " bytes; ask for less at once");
    }
    throw Error(status, "the host refused a part of the result");
  }

  Host host_;
  packhost_call *call_;
  const packhost_request *request_;
  packhost_status outcome_ = PACKHOST_OK;
  bool pending_ = false;
};

/// Completes a call exactly once, from any thread. Dropped, it completes the call with E_INTERNAL.
class Call::Later {
public:
  explicit Later(const Call &call) noexcept : call_(call), open_(true) {}

  Later(Later &&other) noexcept : call_(other.call_), open_(std::exchange(other.open_, false)) {}

  Later &operator=(Later &&other) noexcept {
    if (this != &other) {
      drop();
      call_ = other.call_;
      open_ = std::exchange(other.open_, false);
    }
    return *this;
  }

  ~Later() { drop(); }

  Call *operator->() noexcept { return &call_; }

  Call &operator*() noexcept { return call_; }

  /// Completes with the parts added: OK, or E_TOOL after failed(). Later calls do nothing.
  void done() noexcept { complete(call_.outcome_); }

  void fail(packhost_status status, std::string_view message,
            std::string_view details = {}) noexcept {
    if (!open_) return;
    call_.host_.raw()->call_set_error(call_.call_, to_str(message), to_str(details));
    complete(status);
  }

  /// Runs work(Call&) behind the exception wall and completes the call with what comes of it.
  template <class F>
  void run(F &&work) noexcept;

private:
  void complete(packhost_status status) noexcept {
    if (std::exchange(open_, false)) call_.host_.raw()->call_complete(call_.call_, status);
  }

  void drop() noexcept { fail(PACKHOST_E_INTERNAL, "the pack dropped the call"); }

  Call call_;
  bool open_;
};

inline Call::Later Call::later() {
  if (std::exchange(pending_, true)) throw Error(PACKHOST_E_INTERNAL, "later() was called twice");
  return Later(*this);
}

/// What a pack is opened with. options: a JSON object, checked and completed with defaults; zeroed
/// by the host after open: copy what is needed.
struct Open {
  Host host;
  std::string_view options;
};

namespace detail {

/// Runs f and says what it threw: say(status, message, details). REQUIRES: say does not throw.
template <class F, class Say>
packhost_status behind_wall(F &&f, Say &&say) noexcept {
  try {
    return f();
  } catch (const Error &error) {
    const packhost_status status = error.status() < 0 ? error.status() : PACKHOST_E_INTERNAL;
    say(std::string_view(error.what()), std::string_view(error.details()));
    return status;
  } catch (const std::bad_alloc &) {
    say(std::string_view("out of memory"), std::string_view());
    return PACKHOST_E_NOMEM;
  } catch (const std::exception &error) {
    say(std::string_view(error.what()), std::string_view());
  } catch (...) {
    say(std::string_view("an exception of unknown type"), std::string_view());
  }
  return PACKHOST_E_INTERNAL;
}

using Sink = void (*)(void *, packhost_str);

template <class C, class = void>
struct HasPlan : std::false_type {};

template <class C>
struct HasPlan<C, std::void_t<decltype(std::string(C::plan(std::declval<Open &>())))>>
    : std::true_type {};

} // namespace detail

template <class F>
void Call::Later::run(F &&work) noexcept {
  if (!open_) return;
  const packhost_status status = detail::behind_wall(
      [&] {
        work(call_);
        return call_.outcome_;
      },
      [&](std::string_view message, std::string_view details) noexcept {
        call_.host_.raw()->call_set_error(call_.call_, to_str(message), to_str(details));
      });
  complete(status);
}

/// Base of a pack: its constructor says which member answers what. Destroyed by shutdown(), when no
/// call runs: the destructor joins the pack's threads.
class Pack {
public:
  Pack() = default;
  Pack(const Pack &) = delete;
  Pack &operator=(const Pack &) = delete;
  virtual ~Pack() = default;

  template <class C>
  static constexpr packhost_entry entry(const char *manifest, size_t length) noexcept {
    return {static_cast<std::uint32_t>(sizeof(packhost_entry)),
            PACKHOST_ABI_MAJOR,
            PACKHOST_ABI_MINOR,
            0,
            manifest,
            length,
            plan_function<C>(),
            &on_open<C>,
            &on_call,
            &on_cancel,
            &on_shutdown,
            &on_get_interface};
  }

protected:
  template <class P>
  void tool(const char *name, void (P::*method)(Call &)) {
    add(PACKHOST_CALL_TOOL, name, method);
  }

  /// name: the dotted path, "workspace.add".
  template <class P>
  void command(const char *name, void (P::*method)(Call &)) {
    add(PACKHOST_CALL_COMMAND, name, method);
  }

  template <class P>
  void resources(void (P::*method)(Call &)) {
    add(PACKHOST_CALL_RESOURCE_READ, {}, method);
  }

  template <class P>
  void prompts(void (P::*method)(Call &)) {
    add(PACKHOST_CALL_PROMPT, {}, method);
  }

  template <class P>
  void completion(void (P::*method)(Call &)) {
    add(PACKHOST_CALL_COMPLETE, {}, method);
  }

  /// Offers packhost.about/1: the JSON object.
  template <class P>
  void about(std::string (P::*method)()) {
    about_ = static_cast<std::string (Pack::*)()>(method);
  }

  /// Offers packhost.catalog/1: one list as a JSON array, by a PACKHOST_CHANGED_* bit.
  template <class P>
  void catalog(std::string (P::*method)(std::uint32_t)) {
    catalog_ = static_cast<std::string (Pack::*)(std::uint32_t)>(method);
  }

  /// Once for a PENDING call that was cancelled; compare with Call::raw(). Must not block.
  virtual void cancel(packhost_call *) {}

private:
  using Method = void (Pack::*)(Call &);

  struct Row {
    std::uint32_t kind;
    std::string_view name; // empty: any
    Method method;
  };

  template <class P>
  void add(std::uint32_t kind, std::string_view name, void (P::*method)(Call &)) {
    rows_.push_back({kind, name, static_cast<Method>(method)});
  }

  void run(Call &call) {
    bool knows_kind = false;
    for (const Row &row : rows_) {
      if (row.kind != call.kind()) continue;
      if (row.name.empty() || row.name == call.name()) return (this->*row.method)(call);
      knows_kind = true;
    }
    if (knows_kind) throw Error(PACKHOST_E_NOT_FOUND, "this pack has nothing of that name");
    throw Error(PACKHOST_E_UNSUPPORTED, "this pack does not answer calls of this kind");
  }

  static Pack *self(packhost_pack *pack) noexcept { return reinterpret_cast<Pack *>(pack); }

  template <class C>
  static packhost_status on_open(const packhost_host *host, packhost_str options,
                                 packhost_pack **out) noexcept {
    // A host of ABI 1.0 has at least these members; nothing later is touched without asking.
    if (!PACKHOST_HAS(host, call_complete)) return PACKHOST_E_UNSUPPORTED;
    return detail::behind_wall(
        [&] {
          Open open{Host(host), to_view(options)};
          Pack *pack = new C(open);
          pack->host_ = host;
          *out = reinterpret_cast<packhost_pack *>(pack);
          return static_cast<packhost_status>(PACKHOST_OK);
        },
        [&](std::string_view message, std::string_view) noexcept {
          host->set_open_error(host, to_str(message));
        });
  }

  template <class C>
  static packhost_status on_plan(const packhost_host *host, packhost_str options, detail::Sink sink,
                                 void *sink_ctx) noexcept {
    if (!PACKHOST_HAS(host, set_open_error)) return PACKHOST_E_UNSUPPORTED;
    return detail::behind_wall(
        [&] {
          Open open{Host(host), to_view(options)};
          const std::string completed = C::plan(open);
          sink(sink_ctx, to_str(completed));
          return static_cast<packhost_status>(PACKHOST_OK);
        },
        [&](std::string_view message, std::string_view) noexcept {
          host->set_open_error(host, to_str(message));
        });
  }

  template <class C>
  static constexpr decltype(packhost_entry::plan) plan_function() noexcept {
    if constexpr (detail::HasPlan<C>::value)
      return &on_plan<C>;
    else
      return nullptr;
  }

  static packhost_status on_call(packhost_pack *pack, packhost_call *handle,
                                 const packhost_request *request) noexcept {
    const packhost_host *host = self(pack)->host_;
    Call call(Host(host), handle, request);
    const packhost_status status = detail::behind_wall(
        [&] {
          self(pack)->run(call);
          return call.outcome_;
        },
        [&](std::string_view message, std::string_view details) noexcept {
          // After later() the call is not ours any more: its Later has answered or will.
          if (!call.pending_) host->call_set_error(handle, to_str(message), to_str(details));
        });
    return call.pending_ ? static_cast<packhost_status>(PACKHOST_PENDING) : status;
  }

  static void on_cancel(packhost_pack *pack, packhost_call *call) noexcept {
    detail::behind_wall(
        [&] {
          self(pack)->cancel(call);
          return static_cast<packhost_status>(PACKHOST_OK);
        },
        [](std::string_view, std::string_view) noexcept {});
  }

  static void on_shutdown(packhost_pack *pack) noexcept { delete self(pack); }

  static const void *on_get_interface(packhost_pack *pack, const char *id) noexcept {
    static constexpr packhost_about kAbout{static_cast<std::uint32_t>(sizeof(packhost_about)), 0,
                                           &on_about};
    static constexpr packhost_catalog kCatalog{static_cast<std::uint32_t>(sizeof(packhost_catalog)),
                                               0, &on_list};
    const std::string_view wanted(id);
    if (self(pack)->about_ != nullptr && wanted == PACKHOST_IFACE_ABOUT) return &kAbout;
    if (self(pack)->catalog_ != nullptr && wanted == PACKHOST_IFACE_CATALOG) return &kCatalog;
    return nullptr;
  }

  static packhost_status on_about(packhost_pack *pack, detail::Sink sink, void *sink_ctx) noexcept {
    return answer_sink(sink, sink_ctx, [pack] { return (self(pack)->*self(pack)->about_)(); });
  }

  static packhost_status on_list(packhost_pack *pack, std::uint32_t which, detail::Sink sink,
                                 void *sink_ctx) noexcept {
    return answer_sink(sink, sink_ctx,
                       [pack, which] { return (self(pack)->*self(pack)->catalog_)(which); });
  }

  template <class F>
  static packhost_status answer_sink(detail::Sink sink, void *sink_ctx, F &&make) noexcept {
    return detail::behind_wall(
        [&] {
          const std::string json = make();
          sink(sink_ctx, to_str(json));
          return static_cast<packhost_status>(PACKHOST_OK);
        },
        [](std::string_view, std::string_view) noexcept {});
  }

  const packhost_host *host_ = nullptr;
  std::vector<Row> rows_;
  std::string (Pack::*about_)() = nullptr;
  std::string (Pack::*catalog_)(std::uint32_t) = nullptr;
};

} // namespace packhost

/// Defines the one exported symbol. Stands once, after PACKHOST_MANIFEST, in the same file.
#define PACKHOST_PACK(Class)                                                                       \
  extern "C" PACKHOST_EXPORT constexpr packhost_entry packhost_pack_v1 =                           \
      ::packhost::Pack::entry<Class>(packhost_manifest_text, sizeof(packhost_manifest_text) - 1);

#endif
