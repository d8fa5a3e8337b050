#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what the tests need, builds, runs every suite and ends with one line: N passed, N failed.
#   tests/run.sh              all stages, cheapest first
#   tests/run.sh --quick      the inner loop: lint, and a gcc build with the suites unit and protocol
#   tests/run.sh STAGE...     lint gcc clang asan tsan fuzz tidy release install clients
#   tests/run.sh bench        a release build with its benchmarks, and their table; on a quiet machine
#   tests/run.sh tidy-all     clang-tidy on every file, not only on the changed ones
#   tests/run.sh golden       write the golden files anew, to be read as code afterwards
# The exit status is 1 if a test failed, or if a stage could not run.
set -uo pipefail
umask 022
cd "$(dirname "$0")/.." || exit 1
export PATH="/usr/lib/ccache:/usr/bin:/bin:$PATH" # the system's python3 has the modules that the tests import
export LC_ALL=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1
unset CC CXX CFLAGS CXXFLAGS LDFLAGS DESTDIR

readonly all_stages=(lint gcc clang asan tsan fuzz tidy release install clients)
readonly jobs=2
readonly lines_only=(-Dc_args=-g1 -Dcpp_args=-g1) # lines for stack traces: whole debug information doubles the compile
passed=0
failed=0
failures=()

note() { printf '\n== %s\n' "$*"; }

count() { # count NAME STATUS: one script check
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    failures+=("$1")
  fi
}

check() { # check NAME COMMAND...: run it, show its output only when it fails
  local name=$1 log status=0 start=$SECONDS
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -eq 0 ]; then
    printf 'ok    %s (%d s)\n' "$name" $((SECONDS - start))
  else
    printf 'FAIL  %s (exit status %d, %d s)\n' "$name" "$status" $((SECONDS - start))
    tail -n 200 "$log"
  fi
  rm -f "$log"
  count "$name" "$status"
  return "$status"
}

configure() { # configure DIR OPTIONS...: once; ninja configures anew by itself when a build file changed
  local dir=$1 options
  shift
  options="${CC-} ${CXX-} $*"
  [ -f "$dir/build.ninja" ] && [ "$(cat "$dir/configured" 2>/dev/null)" = "$options" ] && return 0
  rm -rf "$dir"
  meson setup "$dir" --werror --wrap-mode=nofallback -Dtests=enabled "$@" && printf '%s\n' "$options" >"$dir/configured"
}

build() { # build NAME DIR OPTIONS...: configure and compile all of it
  local name=$1 dir=$2
  shift 2
  check "$name: configure" configure "$dir" "$@" || return 1
  check "$name: compile" ninja -j "$jobs" -C "$dir"
}

suites() { # suites NAME DIR MESON-TEST-OPTIONS...: run tests of a finished build and add up its log
  local name=$1 dir=$2 log counts
  shift 2
  log=$dir/meson-logs/testlog.json
  rm -f "$log"
  meson test -C "$dir" --no-rebuild --num-processes "$jobs" --print-errorlogs "$@" </dev/null
  if ! counts=$(python3 tests/tools/count_results.py "$log"); then
    count "$name: the suites left no log" 1
    return 1
  fi
  local name_of_failure
  {
    read -r p f
    passed=$((passed + p))
    failed=$((failed + f))
    while read -r name_of_failure; do failures+=("$name: $name_of_failure"); done
  } <<<"$counts"
}

check_scripts() {
  git ls-files -co --exclude-standard -- '*.sh' .ci/run | xargs -r -d '\n' shellcheck -x
}

check_spelling() {
  git ls-files -co --exclude-standard -- '*.md' '*.hpp' '*.cpp' '*.h' '*.c' '*.py' '*.sh' '*.mjs' '*.json' |
    grep -vE '/(corpus|regressions|manifests)/' |
    xargs -r -d '\n' codespell --ignore-words tests/tools/codespell-ignore.txt
}

stage_lint() {
  check 'lint: its own test' python3 tests/tools/lint_test.py
  check 'lint: format' tests/tools/format.sh --check
  check 'lint: layering' python3 tests/tools/check_layering.py
  check 'lint: headers' python3 tests/tools/check_headers.py
  check 'lint: statements' python3 tests/tools/check_statements.py
  check 'lint: text' python3 tests/tools/check_text.py
  check 'lint: shellcheck' check_scripts
  check 'lint: spelling' check_spelling
}

stage_gcc() {
  CC='ccache gcc' CXX='ccache g++' build gcc build "${lines_only[@]}" || return
  suites gcc build --no-suite lint --no-suite bench
}

stage_clang() {
  CC='ccache clang-14' CXX='ccache clang++-14' build clang build-clang "${lines_only[@]}" || return
  suites clang build-clang --no-suite lint --no-suite bench
}

stage_asan() {
  CC='ccache gcc' CXX='ccache g++' build asan build-asan --native-file tests/presets/asan.ini || return
  suites asan build-asan --no-suite lint --no-suite bench --timeout-multiplier 4
}

stage_tsan() {
  CC='ccache gcc' CXX='ccache g++' build tsan build-tsan --native-file tests/presets/tsan.ini || return
  # By default each process waits a second at its end for reports of threads that still run.
  TSAN_OPTIONS=atexit_sleep_ms=50 suites tsan build-tsan --suite unit --suite protocol --suite e2e --timeout-multiplier 6
}

stage_fuzz() {
  local targets
  check 'fuzz: configure' configure build-fuzz --native-file tests/presets/fuzz.ini || return
  targets=$(python3 tests/tools/list_targets.py build-fuzz 'fuzz_*') || targets=
  if [ -z "$targets" ]; then
    count 'fuzz: no target found' 1
    return
  fi
  # shellcheck disable=SC2086 # one word a target
  check 'fuzz: compile' ninja -j "$jobs" -C build-fuzz $targets tests/packs/echo.so || return
  suites fuzz build-fuzz --suite fuzz --timeout-multiplier 2
}

tidy() { # tidy FILES...: with the flags of the clang build
  if [ ! -f build-clang/compile_commands.json ]; then
    CC='ccache clang-14' CXX='ccache clang++-14' build clang build-clang "${lines_only[@]}" || return
  fi
  if [ $# -eq 0 ]; then
    echo 'no file to look at'
    count 'tidy: nothing changed' 0
    return
  fi
  check "tidy: $# files" bash -c \
    'printf "%s\n" "$@" | xargs -d "\n" -n 1 -P '"$jobs"' clang-tidy-14 -p build-clang --quiet' tidy "$@"
}

stage_tidy() {
  local files
  mapfile -t files < <(python3 tests/tools/changed_sources.py build-clang)
  tidy "${files[@]}"
}

stage_tidy-all() {
  local files
  mapfile -t files < <(python3 tests/tools/changed_sources.py --all build-clang)
  tidy "${files[@]}"
}

build_release() {
  CC='ccache gcc' CXX='ccache g++' build release build-release --buildtype release --prefix /usr --libdir lib
}

stage_release() {
  build_release || return
  check 'release: stage' stage_tree build-release/staging || return
  check 'release: size on disk' python3 tests/tools/check_size.py build-release/staging
  check 'release: start-up' python3 tests/tools/check_startup.py build-release/host/packhost \
    build-release/plugins/files/files.so
  check 'release: linkage' python3 tests/tools/check_linkage.py build-release/host/packhost
  check 'release: one symbol per pack' tests/abi/one_symbol.sh build-release/staging/usr/lib/packhost/packs/*.so
  check 'quickstart' tests/e2e/quickstart.sh
}

stage_tree() { # an installation of its own below DIR
  rm -rf "$1"
  DESTDIR=$(realpath -m "$1") meson install -C build-release --no-rebuild --quiet
}

stage_install() {
  build_release || return
  check 'install: stage' stage_tree build-release/staging || return
  check 'install: a pack from the installed SDK alone' tests/e2e/outside_pack.sh "$(realpath build-release/staging)/usr"
}

stage_clients() {
  build_release || return
  check 'clients: npm packages' tests/e2e/clients/install.sh build-release/clients || return
  local script
  for script in sdk_legacy sdk_modern inspector conformance; do
    check "clients: $script" tests/e2e/clients/run.sh "$script" build-release
  done
}

stage_bench() {
  check 'bench: packages' packaging/install-packages.sh bench || return
  CC='ccache gcc' CXX='ccache g++' build bench build-bench --buildtype release -Dbench=enabled || return
  suites bench build-bench --suite bench
  build-bench/tests/bench/bench_parts --benchmark_min_time=0.2
  count 'bench: parts' $?
  python3 tests/bench/run.py --build build-bench --work build-bench/work --out build-bench/bench
  count 'bench: table' $?
}

stage_golden() {
  CC='ccache gcc' CXX='ccache g++' build gcc build "${lines_only[@]}" || return
  PACKHOST_UPDATE_GOLDEN=1 suites golden build cli_commands cli_options cli_refusals
  git status --short -- tests/support/golden
}

finish() {
  local name
  if [ "$failed" -gt 0 ]; then
    note 'failed'
    printf '  %s\n' "${failures[@]}"
  fi
  printf '\n%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

main() {
  local stages=("$@") stage
  if [ $# -eq 0 ]; then
    stages=("${all_stages[@]}")
  elif [ "$1" = --quick ]; then
    stages=(quick)
  fi
  for stage in "${stages[@]}"; do
    if [ "$stage" != quick ] && ! declare -F "stage_$stage" >/dev/null; then
      echo "tests/run.sh: there is no stage '$stage'; there are: ${all_stages[*]} bench tidy-all golden" >&2
      exit 2
    fi
  done
  if ! packaging/install-packages.sh tests; then
    count 'packages' 1
    finish
    return
  fi
  for stage in "${stages[@]}"; do
    note "$stage"
    if [ "$stage" = quick ]; then
      stage_lint
      CC='ccache gcc' CXX='ccache g++' build gcc build "${lines_only[@]}" && suites gcc build --suite unit --suite protocol
    else
      "stage_$stage"
    fi
  done
  finish
}

main "$@"
