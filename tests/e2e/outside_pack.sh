#!/bin/sh
# SPDX-License-Identifier: MIT
# Follows sdk/README.md in an empty directory outside the tree, with nothing but an installed SDK: writes
# every named block to its file and runs every shell block, in order. Usage: outside_pack.sh PREFIX
# PREFIX: where "meson install" put things; a staged one (DESTDIR plus prefix) will do.
set -eu

prefix=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A staged install names its later prefix; the copies here name the real place.
mkdir "$work/pkgconfig" "$work/pack"
find "$prefix" -name 'packhost-*.pc' | while read -r pc; do
  sed "s|^prefix=.*|prefix=$prefix|" "$pc" > "$work/pkgconfig/$(basename "$pc")"
done
PKG_CONFIG_PATH=$work/pkgconfig
PATH=$prefix/bin:$PATH
export PKG_CONFIG_PATH PATH

cd "$work/pack"
mkdir with_meson
readme=$(pkg-config --variable=sdkdir packhost-sdk)/README.md
awk '
  /^```[a-z]+ [^ ]+$/ { file = $2; if (file ~ /[.]sh$/) print file > "steps"; next }
  /^```/ { file = ""; next }
  file != "" { print > file }
' "$readme"

steps=0
while read -r step; do
  echo "== $step"
  sh -eu "$step"
  steps=$((steps + 1))
done < steps

for pack in hello.so helloc.so with_meson/build/hello.so; do
  symbols=$(nm -D --defined-only "$pack" | awk '{print $NF}')
  [ "$symbols" = packhost_pack_v1 ] || { echo "$pack defines: $symbols"; exit 1; }
done
lines=$(wc -l < pack.cpp)
[ "$lines" -le 40 ] || { echo "the pack of the README has $lines lines"; exit 1; }
[ "$steps" -ge 6 ] || { echo "only $steps steps were found in $readme"; exit 1; }
echo "$steps steps, 3 packs from the installed SDK alone"
