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

# The build shows a line now and then, and keeps all of its own in the build folder.
if grep -n 'Compiling' "$folder/output"; then echo "the build's own lines are shown" >&2; exit 1; fi
[ -s "$top/build-release/build.log" ] || { echo "the build left no log" >&2; exit 1; }

# A build that fails shows what ninja says of it, and only from there on.
mkdir "$folder/broken"
cat >"$folder/broken/build.ninja" <<'NINJA'
rule say
  command = echo $out is noisy; $how
  description = Making $out
build fine: say
  how = true
build wrong: say fine
  how = false
NINJA
if "$top/packaging/build-quietly.sh" "$folder/broken" wrong >"$folder/progress" 2>"$folder/failure"; then exit 1; fi
grep -qx '  step 1 of 2' "$folder/progress"
[ "$(wc -l <"$folder/progress")" -eq 1 ]
grep -q '^FAILED: wrong' "$folder/failure"
grep -qx 'wrong is noisy' "$folder/failure"
if grep -q 'fine is noisy' "$folder/failure"; then exit 1; fi
grep -q 'fine is noisy' "$folder/broken/build.log"
grep -qF "all of it is in $folder/broken/build.log" "$folder/failure"

# Run again, it takes seconds; a directory that is not there is refused by name.
start=$SECONDS
"$top/packaging/quickstart.sh" "$folder/a directory" >/dev/null </dev/null
[ $((SECONDS - start)) -le 20 ] || { echo "the second run took $((SECONDS - start)) s" >&2; exit 1; }
if "$top/packaging/quickstart.sh" "$folder/nowhere" 2>"$folder/refusal"; then exit 1; fi
grep -qF "$folder/nowhere" "$folder/refusal"
