// SPDX-License-Identifier: MIT
// A pack from the future: compiled against packhost.h with one host function appended. With
// FORWARD_NEEDS it needs that minor; without, it asks PACKHOST_HAS first.
#include <stdlib.h>
#include <string.h>

#include "next_packhost.h"

#ifdef FORWARD_NEEDS
#define NEEDS_MINOR PACKHOST_ABI_MINOR
#define NAME_AND_ABI "\"name\": \"needsnext\", \"abi\": \"1.1\""
#else
#define NEEDS_MINOR 0
#define NAME_AND_ABI "\"name\": \"asksfirst\", \"abi\": \"1.0\""
#endif

PACKHOST_MANIFEST(
    "{\"manifest\": 1, \"version\": \"1.0.0\", " NAME_AND_ABI ",\n"
    " \"tools\": [{\"name\": \"ask\", \"description\": \"Say whether the host is new.\",\n"
    "   \"input\": {\"type\": \"object\", \"properties\": {}, \"additionalProperties\": false},\n"
    "   \"annotations\": {\"readOnlyHint\": true, \"destructiveHint\": false,\n"
    "     \"idempotentHint\": true, \"openWorldHint\": false}}]}\n");

struct packhost_pack {
  const packhost_host *host;
};

static packhost_status on_open(const packhost_host *host, packhost_str options,
                               packhost_pack **out) {
  (void)options;
  *out = malloc(sizeof **out);
  if (*out == NULL) return PACKHOST_E_NOMEM;
  (*out)->host = host;
  return PACKHOST_OK;
}

static packhost_status on_call(packhost_pack *pack, packhost_call *call,
                               const packhost_request *request) {
  packhost_part part = {.struct_size = sizeof part, .type = PACKHOST_PART_TEXT};
  const char *words = PACKHOST_HAS(pack->host, call_of_the_future) ? "new host" : "old host";
  if (request->kind != PACKHOST_CALL_TOOL) return PACKHOST_E_UNSUPPORTED;
  if (PACKHOST_HAS(pack->host, call_of_the_future)) pack->host->call_of_the_future(call);
  part.data.ptr = words;
  part.data.len = strlen(words);
  return pack->host->call_add(call, &part);
}

static void on_shutdown(packhost_pack *pack) {
  free(pack);
}

const packhost_entry packhost_pack_v1 = {
    .struct_size = sizeof(packhost_entry),
    .abi_major = PACKHOST_ABI_MAJOR,
    .abi_minor = PACKHOST_ABI_MINOR,
    .needs_minor = NEEDS_MINOR,
    .manifest = packhost_manifest_text,
    .manifest_len = sizeof packhost_manifest_text - 1,
    .open = on_open,
    .call = on_call,
    .shutdown = on_shutdown,
};
