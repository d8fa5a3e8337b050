// SPDX-License-Identifier: MIT
// Packs that no host takes, one vice each, chosen by a macro: BAD_ABI, LIES_ABI, NEEDS_MINOR,
// NEEDS_INTERFACE, NO_ENTRY, NO_MANIFEST, TWO_FACED, BAD_SUBSET, BAD_PROFILE, UNDEFINED.
#include "tests/packs/pieces.hpp"
#include "tests/packs/raw_pack.hpp"

#if defined(BAD_ABI)
#define HEAD R"({"manifest": 1, "name": "badabi", "version": "1.0.0", "abi": "2.0")"
#elif defined(LIES_ABI)
#define HEAD R"({"manifest": 1, "name": "liesabi", "version": "1.0.0", "abi": "1.0")"
#elif defined(NEEDS_MINOR)
#define HEAD R"({"manifest": 1, "name": "needsminor", "version": "1.0.0", "abi": "1.5")"
#elif defined(NEEDS_INTERFACE)
#define HEAD                                                                                       \
  R"({"manifest": 1, "name": "needsnet", "version": "1.0.0", "abi": "1.0", "requires": ["packhost.net/2"])"
#elif defined(NO_ENTRY)
#define HEAD R"({"manifest": 1, "name": "noentry", "version": "1.0.0", "abi": "1.0")"
#elif defined(TWO_FACED)
#define HEAD R"({"manifest": 1, "name": "twofaced", "version": "1.0.0", "abi": "1.0")"
#elif defined(UNDEFINED)
#define HEAD R"({"manifest": 1, "name": "undefined", "version": "1.0.0", "abi": "1.0")"
#elif defined(BAD_SUBSET)
#define HEAD R"({"manifest": 1, "name": "badsubset", "version": "1.0.0", "abi": "1.0")"
#elif defined(BAD_PROFILE)
#define HEAD R"({"manifest": 1, "name": "badprofile", "version": "1.0.0", "abi": "1.0")"
#endif

// clang-format off
#if defined(BAD_SUBSET)
PACKHOST_MANIFEST(HEAD R"json(,
  "tools": [
    {"name": "one", "description": "Fits.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "two", "description": "Fits.", )json" NO_ARGUMENTS "," READS R"json(},
    {"name": "three", "description": "Does not fit.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "count": {"type": "integer", "exclusiveMinimum": 0, "description": "How many"}}},
     )json" READS R"json(}
  ]
})json");
#elif defined(BAD_PROFILE)
PACKHOST_MANIFEST(HEAD R"json(,
  "tools": [
    {"name": "one", "description": "An array of anything.",
     "input": {"type": "object", "additionalProperties": false, "properties": {
       "list": {"type": "array", "description": "No items named"}}},
     )json" READS R"json(}
  ]
})json");
#elif !defined(NO_MANIFEST)
PACKHOST_MANIFEST(HEAD R"json(,
  "tools": [{"name": "run", "description": "Never runs.", )json" NO_ARGUMENTS "," READS R"json(}]
})json");
#endif
// clang-format on

class Refused {
public:
  explicit Refused(const packhost_host *) {}

  packhost_status call(packhost_call *, const packhost_request &) { return PACKHOST_OK; }
};

#if defined(BAD_ABI) || defined(LIES_ABI)
RAW_ENTRY(Refused, 2, 0)
#elif defined(NEEDS_MINOR)
RAW_ENTRY(Refused, PACKHOST_ABI_MAJOR, 5)
#elif defined(TWO_FACED)
// The loaded object shows another manifest than the file.
static constexpr char kOther[] =
    R"({"manifest": 1, "name": "twofaced", "version": "2.0.0", "abi": "1.0"})";
extern "C" PACKHOST_EXPORT constexpr packhost_entry packhost_pack_v1 = {sizeof(packhost_entry),
                                                                        PACKHOST_ABI_MAJOR,
                                                                        PACKHOST_ABI_MINOR,
                                                                        0,
                                                                        kOther,
                                                                        sizeof(kOther) - 1,
                                                                        nullptr,
                                                                        &raw::open<Refused>,
                                                                        &raw::call<Refused>,
                                                                        nullptr,
                                                                        &raw::shutdown<Refused>,
                                                                        nullptr};
#elif defined(UNDEFINED)
extern "C" int packhost_test_missing_function(void);

__attribute__((used)) static int uses_missing() {
  return packhost_test_missing_function();
}
RAW_PACK(Refused)
#elif defined(NO_ENTRY) || defined(NO_MANIFEST)
// No entry: nothing is exported at all.
__attribute__((used)) static Refused the_refused(nullptr);
#else
RAW_PACK(Refused)
#endif
