#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs one client script against a build: run.sh NAME BUILD-FOLDER
# The script is copied beside the installed packages, since that is where Node looks for them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$2")
cp "$here"/*.mjs "$build/clients/"
export PACKHOST_EXE=$build/host/packhost
export PACKHOST_TEST_PACKS=$build/tests/packs
export PACKHOST_FILES_PACK=$build/plugins/files/files.so
cd "$build/clients"
export PATH="$build/clients/node_modules/node/bin:$PATH"
exec timeout 300 node "$1.mjs"
