#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds ninja targets and shows how far it is: in one line on a terminal, else by a line now and then. All that ninja
# says is in build.log of the folder, and shown from the first failure on. Usage: packaging/build-quietly.sh FOLDER TARGET...
set -euo pipefail
folder=$1
shift
log=$folder/build.log

show_progress() { # reads ninja's lines "[step/steps] what"
  local line steps last=-1000
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    steps="step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
    if [ -t 1 ]; then
      printf '\r  %s ' "$steps"
    elif [ $((SECONDS - last)) -ge 15 ]; then
      printf '  %s\n' "$steps"
      last=$SECONDS
    fi
  done
  if [ -t 1 ] && [ -n "${steps-}" ]; then printf '\r  %s\n' "$steps"; fi
}

if ! NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "$@" 2>&1 | tee "$log" | show_progress; then
  if grep -q '^FAILED' "$log"; then sed -n '/^FAILED/,$p' "$log" >&2; else tail -n 50 "$log" >&2; fi
  echo "build-quietly.sh: the build failed; all of it is in $log" >&2
  exit 1
fi
