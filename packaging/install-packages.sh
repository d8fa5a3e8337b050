#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The one list of Debian packages. Usage: packaging/install-packages.sh build | tests | bench
# "build" is what a release build needs, "tests" adds what the suites need, "bench" what the benchmarks need. Installs what is missing
# (as root, or with sudo) and does nothing, fast, when all of it is there.
set -euo pipefail

build_packages=(
  g++ meson ninja-build pkg-config python3
  libboost1.74-dev libcxxopts-dev libexpected-dev libfmt-dev libre2-dev libssl-dev libutf8proc-dev
  rapidjson-dev
)
tests_packages=(
  binutils ccache clang-14 clang-format-14 clang-tidy-14 codespell doctest-dev git
  json-schema-test-suite libclang-rt-14-dev python3-jsonschema ripgrep shellcheck util-linux
)
bench_packages=(libbenchmark-dev)
# Present already in whatever way, these commands need no package; else the package of the second word brings them.
tests_commands=(node:nodejs npm:npm)

case "${1-}" in
  build) wanted=("${build_packages[@]}") ;;
  tests) wanted=("${build_packages[@]}" "${tests_packages[@]}") ;;
  bench) wanted=("${build_packages[@]}" "${tests_packages[@]}" "${bench_packages[@]}") ;;
  *)
    echo "usage: packaging/install-packages.sh build | tests | bench" >&2
    exit 2
    ;;
esac
if [ "$1" != build ]; then
  for pair in "${tests_commands[@]}"; do
    command -v "${pair%%:*}" >/dev/null || wanted+=("${pair##*:}")
  done
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-packages.sh: this is not a Debian system; these packages, or what they are called here," \
    "have to be there: ${wanted[*]}" >&2
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
  grep -qx installed <<<"$state" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-packages.sh: not root and no sudo. As root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${#missing[@]} packages: ${missing[*]}" >&2
"${as_root[@]}" apt-get -q update >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get -q install -y --no-install-recommends "${missing[@]}" >&2
