#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# From a fresh Debian 12 to a running server: installs what the build needs, builds a release, and serves a directory
# with the files pack, driven over stdio as a harness would drive it. Usage: packaging/quickstart.sh [DIRECTORY]
# DIRECTORY is what is served and searched; without it, this checkout. A second run takes seconds.
set -euo pipefail
umask 022
top=$(cd "$(dirname "$0")/.." && pwd)
directory=$(realpath -e -- "${1-$top}" 2>/dev/null) || { echo "quickstart.sh: there is no directory '${1-}'" >&2; exit 2; }
[ -d "$directory" ] || { echo "quickstart.sh: '$directory' is not a directory" >&2; exit 2; }
build=$top/build-release
export PATH="/usr/bin:/bin:$PATH" LC_ALL=C.UTF-8

"$top/packaging/install-packages.sh" build

if [ ! -f "$build/build.ninja" ]; then
  rm -rf "$build"
  echo "Configuring $build"
  if ! meson setup "$build" "$top" --buildtype release --prefix /usr --libdir lib \
    --wrap-mode=nofallback >"$top/build-release.log" 2>&1; then
    cat "$top/build-release.log" >&2
    exit 1
  fi
  mv "$top/build-release.log" "$build/configure.log"
fi
echo "Building (several minutes the first time on two cores)"
"$top/packaging/build-quietly.sh" "$build" host/packhost plugins/files/files.so

exec python3 "$top/packaging/tour.py" "$build/host/packhost" "$directory"
