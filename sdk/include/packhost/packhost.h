/* SPDX-License-Identifier: MIT */
/* packhost.h - the whole binary contract between packhost and a tool pack.
 * Plain C11 / C++17. Includes nothing but <stddef.h> and <stdint.h>.
 *
 * Thread tags used below
 *   [control]  called by the host from whichever of its threads has the control role for this pack;
 *              never overlaps another [control] call into the same pack
 *   [worker]   called by the host on any of its threads; for call() overlap is governed by the
 *              manifest's "concurrency"
 *   [any]      may be called by the pack from any thread, at any time between open() returning OK
 *              and shutdown() returning, and during open()
 *   [call]     like [any], but only between the start of call() and the completion of that call
 */
#ifndef PACKHOST_PACKHOST_H
#define PACKHOST_PACKHOST_H

#include <stddef.h>
#include <stdint.h>

#define PACKHOST_ABI_MAJOR 1u
#define PACKHOST_ABI_MINOR 0u

#define PACKHOST_EXPORT __attribute__((visibility("default")))
#define PACKHOST_MANIFEST_SECTION ".packhost.manifest"

/* True when the object behind p is new enough to have member m. */
#define PACKHOST_HAS(p, m)                                                             \
  ((p) != NULL && (p)->struct_size >= offsetof(__typeof__(*(p)), m) + sizeof((p)->m))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vocabulary ----------------------------------------------------------------------- */

/* A borrowed run of bytes. Text is UTF-8. Not NUL-terminated. len 0 allows ptr NULL. */
typedef struct packhost_str {
  const char *ptr;
  size_t len;
} packhost_str;

/* A run of bytes that may be handed over. release == NULL: borrowed, the receiver is done with it
 * before it returns. release != NULL: ownership passes at the call, success or not, and the
 * receiver calls release(release_ctx, ptr, len) exactly once, later, from any thread. */
typedef struct packhost_buf {
  const void *ptr;
  size_t len;
  void (*release)(void *release_ctx, const void *ptr, size_t len);
  void *release_ctx;
} packhost_buf;

typedef int32_t packhost_status;
enum {
  PACKHOST_OK = 0,
  PACKHOST_PENDING = 1,            /* only from call(): the call is completed later            */
  PACKHOST_E_INVALID_ARGS = -1,    /* arguments well-formed but wrong; the model can retry     */
  PACKHOST_E_NOT_FOUND = -2,       /* tool, resource, key, path ... does not exist             */
  PACKHOST_E_DENIED = -3,          /* forbidden by policy, permissions or read-only mode       */
  PACKHOST_E_CONFLICT = -4,        /* state moved under the caller (stale edit, lost watch)    */
  PACKHOST_E_CANCELLED = -5,
  PACKHOST_E_DEADLINE = -6,
  PACKHOST_E_LIMIT = -7,           /* a size, count or depth limit was reached                 */
  PACKHOST_E_IO = -8,
  PACKHOST_E_UNAVAILABLE = -9,     /* backend down, pack not ready; retrying may help          */
  PACKHOST_E_UNSUPPORTED = -10,    /* kind, interface or feature not implemented               */
  PACKHOST_E_CONFIG = -11,         /* open(): options are valid JSON but cannot work           */
  PACKHOST_E_NOMEM = -12,
  PACKHOST_E_MISUSE = -13,         /* the contract in this file was broken by the caller       */
  PACKHOST_E_INTERNAL = -14,
  PACKHOST_E_TOOL = -15            /* the parts already describe the failure; sent as an error  */
};

typedef struct packhost_pack packhost_pack; /* defined by the pack, opaque to the host          */
typedef struct packhost_call packhost_call; /* defined by the host, opaque to the pack          */
typedef struct packhost_host packhost_host;

/* ---- one call ------------------------------------------------------------------------- */

enum {
  PACKHOST_CALL_TOOL = 1,
  PACKHOST_CALL_RESOURCE_READ = 2, /* name = URI                                               */
  PACKHOST_CALL_PROMPT = 3,
  PACKHOST_CALL_COMPLETE = 4,      /* argument completion                                      */
  PACKHOST_CALL_COMMAND = 5        /* operator command, name = dotted path: "workspace.add"    */
};

enum {
  PACKHOST_REQ_WANTS_PROGRESS = 1u << 0,
  PACKHOST_REQ_DRY_RUN = 1u << 1   /* operator command asked to change nothing                 */
};

/* Owned by the host. Valid until the call is completed. */
typedef struct packhost_request {
  uint32_t struct_size;
  uint32_t kind;
  packhost_str name;        /* without the pack prefix                                          */
  packhost_str args;        /* JSON object: the client's own bytes, number spelling intact; checked
                             * against the input schema unless the manifest says
                             * "input_check": "pack"                                            */
  uint64_t deadline_ns;     /* CLOCK_MONOTONIC; UINT64_MAX when there is none                   */
  uint64_t max_result_bytes;/* sum over all parts, before JSON escaping                         */
  uint64_t call_id;         /* host-unique, for log correlation; not the JSON-RPC id            */
  uint32_t flags;
  uint32_t reserved0;
} packhost_request;

enum {
  PACKHOST_PART_TEXT = 1,      /* UTF-8                                                         */
  PACKHOST_PART_JSON = 2,      /* structured result, at most one, a JSON object                 */
  PACKHOST_PART_BLOB = 3,      /* raw bytes + mime; the host does the base64                    */
  PACKHOST_PART_LINK = 4,      /* uri + name (+ mime): a resource link, no data                 */
  PACKHOST_PART_RESOURCE = 5,  /* uri + mime + data: an embedded resource                       */
  PACKHOST_PART_META = 6       /* at most one JSON object: becomes members of the result's _meta;
                                * every key carries a reverse-DNS prefix                        */
};

enum { PACKHOST_PART_IS_TEXT = 1u << 0 }; /* RESOURCE only: data is UTF-8, not a blob            */

typedef struct packhost_part {
  uint32_t struct_size;
  uint32_t type;
  uint32_t flags;
  uint32_t reserved0;
  packhost_str mime;
  packhost_str uri;
  packhost_str name;
  packhost_str annotations;  /* JSON object or empty: audience, priority, lastModified           */
  packhost_buf data;
} packhost_part;

/* ---- what the host offers -------------------------------------------------------------- */

enum {
  PACKHOST_LOG_DEBUG = 0,
  PACKHOST_LOG_INFO = 1,
  PACKHOST_LOG_NOTICE = 2,
  PACKHOST_LOG_WARNING = 3,
  PACKHOST_LOG_ERROR = 4
};

enum { PACKHOST_FIELD_STR = 1, PACKHOST_FIELD_I64 = 2, PACKHOST_FIELD_F64 = 3, PACKHOST_FIELD_BOOL = 4 };

typedef struct packhost_field {
  packhost_str key;          /* ^[a-z][a-z0-9_]{0,31}$                                           */
  uint32_t type;
  uint32_t reserved0;
  packhost_str str;
  int64_t i64;               /* also BOOL: 0 or 1                                                */
  double f64;
} packhost_field;

enum {
  PACKHOST_CHANGED_TOOLS = 1u << 0,
  PACKHOST_CHANGED_RESOURCES = 1u << 1,
  PACKHOST_CHANGED_PROMPTS = 1u << 2
};

/* Lives from before open() until after shutdown() returns. Packs keep the pointer, never a copy. */
struct packhost_host {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t reserved0;
  void *host_data; /* hands off */

  /* [any] Optional host interface by id ("packhost.net/1"), or NULL. Lives as long as the host. */
  const void *(*get_interface)(const packhost_host *, const char *id);

  /* [any] event: short constant such as "reconnect". Never pass call arguments, file contents,
   * keys or values as event or field. Never blocks for long; drops and counts when flooded. */
  void (*log)(const packhost_host *, int32_t level, packhost_str event,
              const packhost_field *fields, size_t n_fields);

  /* [any] The lists below have changed; the host re-reads them (packhost.catalog/1). */
  void (*notify_changed)(const packhost_host *, uint32_t changed_bits);
  /* [any] One resource changed; the host tells subscribers. */
  void (*notify_resource)(const packhost_host *, packhost_str uri);

  /* [control] only inside open() and plan(): a one-line reason to show the operator. Copied. */
  void (*set_open_error)(const packhost_host *, packhost_str message);

  /* ---- per call ---- */

  /* [call] Non-zero once cancelled or past the deadline. Cheap enough for inner loops. */
  int32_t (*call_cancelled)(const packhost_call *);
  /* [call] A descriptor that turns readable on cancellation, for poll(). -1 if there is none.
   * Owned by the host; do not read or close it. */
  int32_t (*call_cancel_fd)(packhost_call *);
  /* [call] done must not decrease; total < 0 = unknown. Rate-limited by the host. */
  void (*call_progress)(packhost_call *, double done, double total, packhost_str message);

  /* [call] Append a finished part. */
  packhost_status (*call_add)(packhost_call *, const packhost_part *);
  /* [call] Append bytes to the part added last (not LINK, not META), copying them once, straight
   * into the outgoing buffer. E_LIMIT means: stop producing. */
  packhost_status (*call_append)(packhost_call *, const void *bytes, size_t len);
  /* [call] Drop every part added so far (to answer with something else). */
  void (*call_reset)(packhost_call *);
  /* [call] Message for the model or operator, optional JSON details. Copied. */
  void (*call_set_error)(packhost_call *, packhost_str message, packhost_str details);
  /* [call] How many items (records, matches, keys ...) the answer holds: for the call's log line
   * and the result-size hint. */
  void (*call_set_items)(packhost_call *, uint64_t items);

  /* [call] One pointer of pack context on the call; NULL at first. */
  void (*call_set_data)(packhost_call *, void *);
  void *(*call_data)(const packhost_call *);

  /* [call] Ends a PENDING call: exactly once, from any thread. Nothing that belongs to the call
   * may be touched afterwards. Never used by a call() that returns something else. Does not wait
   * for the client: what cannot be written at once is written by a thread of the host. */
  void (*call_complete)(packhost_call *, packhost_status);
  /* -- minor versions append here -- */
};

/* ---- what the pack offers --------------------------------------------------------------- */

typedef struct packhost_entry {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;        /* the header it was compiled with                                  */
  uint32_t needs_minor;      /* oldest host minor it can run on                                  */

  const char *manifest;      /* the same bytes as in PACKHOST_MANIFEST_SECTION                   */
  size_t manifest_len;

  /* [control] optional; only when the manifest has "plan". Completes the options from the pack's
   * own data (a registry of names, say) before confinement is decided: calls sink once with the
   * whole options object. Runs alone in a throw-away process that may read ${data} and nothing
   * else; of the host it may use log, set_open_error and packhost.dirs/1. What it adds is checked
   * against the grants; it cannot widen them. */
  packhost_status (*plan)(const packhost_host *, packhost_str options,
                          void (*sink)(void *sink_ctx, packhost_str json), void *sink_ctx);

  /* [control] options: JSON object, checked and completed with defaults. On anything but OK the
   * pack must have released everything; *out is ignored. Must return within the open limit. */
  packhost_status (*open)(const packhost_host *, packhost_str options, packhost_pack **out);

  /* [worker] Either do the work and return its status, or keep the handle, return PENDING at once
   * and call_complete() later. */
  packhost_status (*call)(packhost_pack *, packhost_call *, const packhost_request *);

  /* [control] optional. At most once per PENDING call; the handle stays valid until this returns
   * even when another thread completes the call meanwhile. Must not block. */
  void (*cancel)(packhost_pack *, packhost_call *);

  /* [control] No call() is running or will start; every PENDING call has been cancelled. Complete
   * what is left, join every thread, release everything. */
  void (*shutdown)(packhost_pack *);

  /* [worker] optional; after open() and before shutdown(). Pack interface by id
   * ("packhost.catalog/1", "packhost.about/1"), or NULL; lives as long as the pack. */
  const void *(*get_interface)(packhost_pack *, const char *id);
  /* -- minor versions append here -- */
} packhost_entry;

/* The one symbol a pack exports. The number is PACKHOST_ABI_MAJOR. */
PACKHOST_EXPORT extern const packhost_entry packhost_pack_v1;

/* ---- optional interfaces, revision 1 ------------------------------------------------------ */

/* Pack side: lists that differ from the manifest or change while running. */
#define PACKHOST_IFACE_CATALOG "packhost.catalog/1"
typedef struct packhost_catalog {
  uint32_t struct_size;
  uint32_t reserved0;
  /* [worker] which: one PACKHOST_CHANGED_* bit. Calls sink once with a JSON array in manifest
   * form. Every tool name must also stand in the manifest. */
  packhost_status (*list)(packhost_pack *, uint32_t which,
                          void (*sink)(void *sink_ctx, packhost_str json), void *sink_ctx);
} packhost_catalog;

/* Pack side: what only an opened pack knows about itself (a base's name, generated instructions). */
#define PACKHOST_IFACE_ABOUT "packhost.about/1"
typedef struct packhost_about {
  uint32_t struct_size;
  uint32_t reserved0;
  /* [worker] Asked once, after open() and before any call(). Calls sink once with
   * {"title": "...", "instructions": "..."}; both optional, both replace the manifest's text.
   * Instructions obey the manifest's "instructions_max_bytes". */
  packhost_status (*about)(packhost_pack *,
                           void (*sink)(void *sink_ctx, packhost_str json), void *sink_ctx);
} packhost_about;

/* Host side: the only way out to the network. Endpoints are those granted at launch. */
#define PACKHOST_IFACE_NET "packhost.net/1"
typedef struct packhost_net {
  uint32_t struct_size;
  uint32_t reserved0;
  /* [any] Resolves and connects on the pack's behalf. endpoint is "host:port", "[v6]:port" or
   * "unix:/path", byte-equal to a granted one. On OK *out_fd is a connected, non-blocking,
   * close-on-exec stream socket owned by the pack. E_DENIED: not granted. cancel_with may be NULL. */
  packhost_status (*connect)(const packhost_host *, packhost_str endpoint, uint64_t deadline_ns,
                             packhost_call *cancel_with, int32_t *out_fd);
} packhost_net;

/* Host side: start a program named in the manifest's "exec" list and granted at launch. */
#define PACKHOST_IFACE_PROCESS "packhost.process/1"
typedef struct packhost_child {
  uint32_t struct_size;
  int32_t pid;
  uint64_t id;               /* host-unique; the only way to name the child later                 */
  int32_t stdout_fd;         /* non-blocking, close-on-exec, owned by the pack                     */
  int32_t stderr_fd;
  int32_t exit_fd;           /* readable once the child has ended; host-owned                     */
  uint32_t reserved0;
} packhost_child;
typedef struct packhost_process {
  uint32_t struct_size;
  uint32_t reserved0;
  /* [any] argv[0] is the granted program, args follow it (at most 1,024, 64 KiB in all; a grant with
   * a template refuses what does not fit it: E_DENIED). Own process group, standard input empty,
   * environment of granted names only, ends with the host whatever happens to the host. */
  packhost_status (*spawn)(const packhost_host *, packhost_str exec_name, const packhost_str *args,
                           size_t n_args, packhost_child *out);
  /* [any] To the whole group; only SIGTERM and SIGKILL. E_NOT_FOUND: not a child of this pack. */
  packhost_status (*signal)(const packhost_host *, uint64_t child_id, int32_t signal);
  /* [any] OK and the wait status once ended, E_UNAVAILABLE while running. */
  packhost_status (*wait_status)(const packhost_host *, uint64_t child_id, int32_t *out_status);
} packhost_process;

/* Host side: a secret option read anew, so that rotated credentials work without a restart. */
#define PACKHOST_IFACE_SECRET "packhost.secret/1"
typedef struct packhost_secret {
  uint32_t struct_size;
  uint32_t reserved0;
  /* [any] option: JSON pointer into the options, as "/targets/local/password_file". Calls sink once
   * with the bytes as they are now (one trailing line ending removed), valid during sink only.
   * File sources are read again; an environment source never changes. E_IO: cannot be read. */
  packhost_status (*read)(const packhost_host *, packhost_str option,
                          void (*sink)(void *sink_ctx, packhost_str secret), void *sink_ctx);
} packhost_secret;

/* Host side: directories that belong to this pack and launch. */
#define PACKHOST_IFACE_DIRS "packhost.dirs/1"
typedef struct packhost_dirs {
  uint32_t struct_size;
  uint32_t reserved0;
  /* [any] which: "data", "state", "cache", "tmp". An O_PATH directory descriptor, or -1. Host-owned. */
  int32_t (*dir_fd)(const packhost_host *, const char *which);
} packhost_dirs;

#ifdef __cplusplus
} /* extern "C" */
#endif

/* Puts the manifest where the host can read it without running any code of the pack. */
#define PACKHOST_MANIFEST(text)                                                        \
  __attribute__((section(PACKHOST_MANIFEST_SECTION), used)) static const char          \
      packhost_manifest_text[] = text

#endif
