// SPDX-License-Identifier: MIT
// Pieces of manifest text that nearly every test pack repeats.
#pragma once

#define NO_ARGUMENTS                                                                               \
  R"("input": {"type": "object", "properties": {}, "additionalProperties": false})"
#define READS                                                                                      \
  R"("annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})"
#define WRITES                                                                                     \
  R"("annotations": {"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": false})"
