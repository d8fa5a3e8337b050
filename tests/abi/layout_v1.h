// SPDX-License-Identifier: MIT
// The golden layout of ABI 1.0 on LP64: numbers written by hand, never derived. Lines are only ever
// added. An old pack binary must not be able to tell that the host got newer.
#include <packhost/packhost.h>

#ifdef __cplusplus
#define SAME(what, number) static_assert((what) == (number), #what " moved")
#else
#define SAME(what, number) _Static_assert((what) == (number), #what " moved")
#endif
#define AT(type, member, number) SAME(offsetof(type, member), number)

SAME(sizeof(void *), 8);
SAME(sizeof(size_t), 8);

SAME(sizeof(packhost_status), 4);

SAME(sizeof(packhost_str), 16);
AT(packhost_str, ptr, 0);
AT(packhost_str, len, 8);

SAME(sizeof(packhost_buf), 32);
AT(packhost_buf, ptr, 0);
AT(packhost_buf, len, 8);
AT(packhost_buf, release, 16);
AT(packhost_buf, release_ctx, 24);

SAME(sizeof(packhost_request), 72);
AT(packhost_request, struct_size, 0);
AT(packhost_request, kind, 4);
AT(packhost_request, name, 8);
AT(packhost_request, args, 24);
AT(packhost_request, deadline_ns, 40);
AT(packhost_request, max_result_bytes, 48);
AT(packhost_request, call_id, 56);
AT(packhost_request, flags, 64);
AT(packhost_request, reserved0, 68);

SAME(sizeof(packhost_part), 112);
AT(packhost_part, struct_size, 0);
AT(packhost_part, type, 4);
AT(packhost_part, flags, 8);
AT(packhost_part, reserved0, 12);
AT(packhost_part, mime, 16);
AT(packhost_part, uri, 32);
AT(packhost_part, name, 48);
AT(packhost_part, annotations, 64);
AT(packhost_part, data, 80);

SAME(sizeof(packhost_field), 56);
AT(packhost_field, key, 0);
AT(packhost_field, type, 16);
AT(packhost_field, reserved0, 20);
AT(packhost_field, str, 24);
AT(packhost_field, i64, 40);
AT(packhost_field, f64, 48);

SAME(sizeof(packhost_host), 152);
AT(packhost_host, struct_size, 0);
AT(packhost_host, abi_major, 4);
AT(packhost_host, abi_minor, 8);
AT(packhost_host, reserved0, 12);
AT(packhost_host, host_data, 16);
AT(packhost_host, get_interface, 24);
AT(packhost_host, log, 32);
AT(packhost_host, notify_changed, 40);
AT(packhost_host, notify_resource, 48);
AT(packhost_host, set_open_error, 56);
AT(packhost_host, call_cancelled, 64);
AT(packhost_host, call_cancel_fd, 72);
AT(packhost_host, call_progress, 80);
AT(packhost_host, call_add, 88);
AT(packhost_host, call_append, 96);
AT(packhost_host, call_reset, 104);
AT(packhost_host, call_set_error, 112);
AT(packhost_host, call_set_items, 120);
AT(packhost_host, call_set_data, 128);
AT(packhost_host, call_data, 136);
AT(packhost_host, call_complete, 144);

SAME(sizeof(packhost_entry), 80);
AT(packhost_entry, struct_size, 0);
AT(packhost_entry, abi_major, 4);
AT(packhost_entry, abi_minor, 8);
AT(packhost_entry, needs_minor, 12);
AT(packhost_entry, manifest, 16);
AT(packhost_entry, manifest_len, 24);
AT(packhost_entry, plan, 32);
AT(packhost_entry, open, 40);
AT(packhost_entry, call, 48);
AT(packhost_entry, cancel, 56);
AT(packhost_entry, shutdown, 64);
AT(packhost_entry, get_interface, 72);

SAME(sizeof(packhost_catalog), 16);
AT(packhost_catalog, struct_size, 0);
AT(packhost_catalog, reserved0, 4);
AT(packhost_catalog, list, 8);

SAME(sizeof(packhost_about), 16);
AT(packhost_about, struct_size, 0);
AT(packhost_about, reserved0, 4);
AT(packhost_about, about, 8);

SAME(sizeof(packhost_net), 16);
AT(packhost_net, struct_size, 0);
AT(packhost_net, reserved0, 4);
AT(packhost_net, connect, 8);

SAME(sizeof(packhost_child), 32);
AT(packhost_child, struct_size, 0);
AT(packhost_child, pid, 4);
AT(packhost_child, id, 8);
AT(packhost_child, stdout_fd, 16);
AT(packhost_child, stderr_fd, 20);
AT(packhost_child, exit_fd, 24);
AT(packhost_child, reserved0, 28);

SAME(sizeof(packhost_process), 32);
AT(packhost_process, struct_size, 0);
AT(packhost_process, reserved0, 4);
AT(packhost_process, spawn, 8);
AT(packhost_process, signal, 16);
AT(packhost_process, wait_status, 24);

SAME(sizeof(packhost_secret), 16);
AT(packhost_secret, struct_size, 0);
AT(packhost_secret, reserved0, 4);
AT(packhost_secret, read, 8);

SAME(sizeof(packhost_dirs), 16);
AT(packhost_dirs, struct_size, 0);
AT(packhost_dirs, reserved0, 4);
AT(packhost_dirs, dir_fd, 8);

// Values that stand in binaries.
SAME(PACKHOST_OK, 0);
SAME(PACKHOST_PENDING, 1);
SAME(PACKHOST_E_INVALID_ARGS, -1);
SAME(PACKHOST_E_NOT_FOUND, -2);
SAME(PACKHOST_E_DENIED, -3);
SAME(PACKHOST_E_CONFLICT, -4);
SAME(PACKHOST_E_CANCELLED, -5);
SAME(PACKHOST_E_DEADLINE, -6);
SAME(PACKHOST_E_LIMIT, -7);
SAME(PACKHOST_E_IO, -8);
SAME(PACKHOST_E_UNAVAILABLE, -9);
SAME(PACKHOST_E_UNSUPPORTED, -10);
SAME(PACKHOST_E_CONFIG, -11);
SAME(PACKHOST_E_NOMEM, -12);
SAME(PACKHOST_E_MISUSE, -13);
SAME(PACKHOST_E_INTERNAL, -14);
SAME(PACKHOST_E_TOOL, -15);
SAME(PACKHOST_CALL_TOOL, 1);
SAME(PACKHOST_CALL_RESOURCE_READ, 2);
SAME(PACKHOST_CALL_PROMPT, 3);
SAME(PACKHOST_CALL_COMPLETE, 4);
SAME(PACKHOST_CALL_COMMAND, 5);
SAME(PACKHOST_REQ_WANTS_PROGRESS, 1);
SAME(PACKHOST_REQ_DRY_RUN, 2);
SAME(PACKHOST_PART_TEXT, 1);
SAME(PACKHOST_PART_JSON, 2);
SAME(PACKHOST_PART_BLOB, 3);
SAME(PACKHOST_PART_LINK, 4);
SAME(PACKHOST_PART_RESOURCE, 5);
SAME(PACKHOST_PART_META, 6);
SAME(PACKHOST_PART_IS_TEXT, 1);
SAME(PACKHOST_LOG_DEBUG, 0);
SAME(PACKHOST_LOG_INFO, 1);
SAME(PACKHOST_LOG_NOTICE, 2);
SAME(PACKHOST_LOG_WARNING, 3);
SAME(PACKHOST_LOG_ERROR, 4);
SAME(PACKHOST_FIELD_STR, 1);
SAME(PACKHOST_FIELD_I64, 2);
SAME(PACKHOST_FIELD_F64, 3);
SAME(PACKHOST_FIELD_BOOL, 4);
SAME(PACKHOST_CHANGED_TOOLS, 1);
SAME(PACKHOST_CHANGED_RESOURCES, 2);
SAME(PACKHOST_CHANGED_PROMPTS, 4);
SAME(PACKHOST_ABI_MAJOR, 1);
