#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cold start of a release build beside the same of /bin/cat: check_startup.py PACKHOST FILES-PACK

From spawn to the first tools/list answered, medians, in turn. Not the benchmark (tests/bench has that, with a
floor of its own): a guard against a start that has become slow by an order of magnitude.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 30
LIMIT_RATIO = 8.0
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {}}}}).encode() + b"\n"


def once(command):
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(LIST)
        process.stdin.flush()
        line = process.stdout.readline()
        took = time.perf_counter() - start
        process.stdin.close()
        process.stdout.read()
    if process.returncode != 0 or b'"id":1' not in line.replace(b" ", b""):
        sys.exit(f"{command[0]}: exit status {process.returncode}, answered {line[:200]!r}")
    return took


def main(host, pack):
    with tempfile.TemporaryDirectory() as root:
        ours, floor = [], []
        serve = [host, "serve", "--pack", os.path.abspath(pack), "--root", root]
        for _ in range(ROUNDS):
            ours.append(once(serve))
            floor.append(once(["/bin/cat"]))
    ratio = statistics.median(ours) / statistics.median(floor)
    print(f"first list after {statistics.median(ours) * 1e3:.2f} ms, an echo by cat after "
          f"{statistics.median(floor) * 1e3:.2f} ms: {ratio:.2f} times, the limit is {LIMIT_RATIO}")
    return 0 if ratio <= LIMIT_RATIO else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
