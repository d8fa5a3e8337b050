// SPDX-License-Identifier: MIT
// The smallest C pack: one tool that says hello. It needs packhost.h and the C library.
#include <packhost/packhost.h>

#include <stdlib.h>
#include <string.h>

PACKHOST_MANIFEST(
    "{\"manifest\": 1, \"name\": \"helloc\", \"version\": \"1.0.0\", \"abi\": \"1.0\",\n"
    " \"tools\": [{\"name\": \"greet\", \"description\": \"Say hello.\",\n"
    "   \"input\": {\"type\": \"object\", \"properties\": {}, \"additionalProperties\": false},\n"
    "   \"annotations\": {\"readOnlyHint\": true, \"destructiveHint\": false,\n"
    "     \"idempotentHint\": true, \"openWorldHint\": false}}]}\n");

struct packhost_pack {
  const packhost_host *host;
};

static packhost_status on_open(const packhost_host *host, packhost_str options,
                               packhost_pack **out) {
  (void)options;
  if (!PACKHOST_HAS(host, call_complete)) return PACKHOST_E_UNSUPPORTED;
  *out = malloc(sizeof **out);
  if (*out == NULL) return PACKHOST_E_NOMEM;
  (*out)->host = host;
  return PACKHOST_OK;
}

static packhost_status on_call(packhost_pack *pack, packhost_call *call,
                               const packhost_request *request) {
  static const char words[] = "Hello from C!";
  packhost_part part = {.struct_size = sizeof part, .type = PACKHOST_PART_TEXT};
  if (request->kind != PACKHOST_CALL_TOOL) return PACKHOST_E_UNSUPPORTED;
  if (request->name.len != 5 || memcmp(request->name.ptr, "greet", 5) != 0)
    return PACKHOST_E_NOT_FOUND;
  part.data.ptr = words;
  part.data.len = sizeof words - 1;
  return pack->host->call_add(call, &part);
}

static void on_shutdown(packhost_pack *pack) {
  free(pack);
}

const packhost_entry packhost_pack_v1 = {
    .struct_size = sizeof(packhost_entry),
    .abi_major = PACKHOST_ABI_MAJOR,
    .abi_minor = PACKHOST_ABI_MINOR,
    .manifest = packhost_manifest_text,
    .manifest_len = sizeof packhost_manifest_text - 1,
    .open = on_open,
    .call = on_call,
    .shutdown = on_shutdown,
};
