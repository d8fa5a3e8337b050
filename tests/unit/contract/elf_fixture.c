/* SPDX-License-Identifier: MIT */
/* A shared object that looks like a pack to whoever only reads it. */
#include <packhost/packhost.h>

PACKHOST_MANIFEST(
    "{\"manifest\": 1, \"name\": \"fixture\", \"version\": \"1.0.0\", \"abi\": \"1.0\"}");

PACKHOST_EXPORT const packhost_entry packhost_pack_v1 = {
    .struct_size = sizeof(packhost_entry),
    .abi_major = PACKHOST_ABI_MAJOR,
    .abi_minor = PACKHOST_ABI_MINOR,
    .manifest = packhost_manifest_text,
    .manifest_len = sizeof(packhost_manifest_text) - 1,
};
