#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Lays out every C and C++ file by .clang-format; with --check it changes nothing and names what differs.
set -euo pipefail
cd "$(dirname "$0")/../.."
options=(-i)
[ "${1-}" = --check ] && options=(--dry-run --Werror)
git ls-files -co --exclude-standard -- '*.cpp' '*.hpp' '*.c' '*.h' |
  grep -vx sdk/include/packhost/packhost.h |
  while read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done |
  xargs -r -d '\n' clang-format-14 --style=file "${options[@]}"
