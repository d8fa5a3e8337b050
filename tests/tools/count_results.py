#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Add up a meson testlog.json: prints "PASSED FAILED", then a failed test per line.

A skipped test counts as failed: on the reference system nothing has a reason to be skipped.
"""
import json
import sys


def main(path):
    passed, failures = 0, []
    with open(path, encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            if test["result"] in ("OK", "EXPECTEDFAIL"):
                passed += 1
            else:
                failures.append(f"{test['name']} ({test['result']})")
    if passed + len(failures) == 0:
        return 1
    print(passed, len(failures))
    print("\n".join(failures), end="\n" if failures else "")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except (OSError, ValueError) as error:
        sys.exit(f"count_results.py: {error}")
