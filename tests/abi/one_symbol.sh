#!/bin/sh
# SPDX-License-Identifier: MIT
# [A-18] Every pack defines one dynamic symbol, packhost_pack_v1. Usage: one_symbol.sh PACK.so ...
set -eu
failures=0
for pack in "$@"; do
  symbols=$(nm -D --defined-only "$pack" | awk '{print $NF}')
  if [ "$symbols" != packhost_pack_v1 ]; then
    echo "$pack defines: $(echo "$symbols" | tr '\n' ' ')"
    failures=$((failures + 1))
  fi
done
echo "$# packs, $failures failures"
[ "$#" -gt 0 ] && [ "$failures" -eq 0 ]
