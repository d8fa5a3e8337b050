#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the npm clients into a folder: install.sh FOLDER. Does nothing when they are there already.
# The npm package "node" brings the Node that the clients need (22.19 or newer; Debian 12 has 18).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
mkdir -p "$folder"
if ! cmp -s "$here/package.json" "$folder/installed.json"; then
  cp "$here/package.json" "$folder/package.json"
  (cd "$folder" && npm install --no-audit --no-fund --no-package-lock --loglevel=error)
  # The Node is put into its place by an install script, which npm may have been told not to run.
  [ -x "$folder/node_modules/node/bin/node" ] ||
    (cd "$folder/node_modules/node" && node installArchSpecificPackage)
  cp "$folder/package.json" "$folder/installed.json"
fi
"$folder/node_modules/node/bin/node" --version
