#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The first command of the README, over a directory of its own: the list, a search, a read, a launch line that works.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/a directory"
printf '# Harbour\n\nEvery harbour has a harbour master.\n' >"$folder/a directory/README.md"

"$top/packaging/quickstart.sh" "$folder/a directory" >"$folder/output" </dev/null
cat "$folder/output"
for wanted in 'file_read' 'content_search' "Search for 'harbour'" 'README.md:3:' '# Harbour' 'launch line'; do
  grep -qF -- "$wanted" "$folder/output" || { echo "the output lacks: $wanted" >&2; exit 1; }
done

# The launch line it ends with is one a shell, and so a harness, can start: its server answers.
launch=$(tail -n 1 "$folder/output")
answer=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping"}' | sh -c "$launch")
[ "$answer" = '{"jsonrpc":"2.0","id":1,"result":{}}' ] || { echo "the launch line answered: $answer" >&2; exit 1; }

# Run again, it takes seconds; a directory that is not there is refused by name.
start=$SECONDS
"$top/packaging/quickstart.sh" "$folder/a directory" >/dev/null </dev/null
[ $((SECONDS - start)) -le 20 ] || { echo "the second run took $((SECONDS - start)) s" >&2; exit 1; }
if "$top/packaging/quickstart.sh" "$folder/nowhere" 2>"$folder/refusal"; then exit 1; fi
grep -qF "$folder/nowhere" "$folder/refusal"
