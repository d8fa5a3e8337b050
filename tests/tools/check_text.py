#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What every text file has: a newline at its end, no blanks at line ends, an SPDX line where it is code,
and none of the words that do not belong into the project.
"""
import os
import re
import subprocess
import sys

# Written in pieces, so that this file does not hold what it looks for.
PLACES = re.compile("|".join(["/" + "work/", "/" + "farm/", "/" + "root/", "registry" + r"\.npmjs",
                              "deb" + r"\.debian\.org"]))
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b|not "
                        + r"implemented|un" + r"implemented")
SKIPPED = re.compile(r"\b(?:pytest\.)?" + "skip" + r"\(|doctest::" + "skip|should" + "_fail|may" + "_fail|return "
                     + "77|skip" + "Test|unittest" + r"\.skip")
CODE = (".cpp", ".hpp", ".c", ".h", ".py", ".sh", ".mjs", ".build")
# Its words for what a status means are part of the contract.
CONTRACT = "sdk/include/packhost/packhost.h"
# Inputs that have to be broken, or bytes that are not text.
RAW = re.compile(r"/(corpus|regressions|fixtures|manifests|golden)/")


def tracked():
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True,
                          capture_output=True, text=True)
    return [name for name in done.stdout.split("\n") if name and os.path.isfile(name)]


def check(path, text, faults):
    if text and not text.endswith("\n"):
        faults.append(f"{path}: no newline at the end")
    if path.endswith(CODE) and "SPDX-License-Identifier: MIT" not in "".join(text.splitlines(True)[:3]):
        faults.append(f"{path}: no SPDX line at the top")
    for number, line in enumerate(text.split("\n"), 1):
        place = f"{path}:{number}:"
        if line != line.rstrip(" \t\r"):
            faults.append(f"{place} blanks at the end of the line")
        if PLACES.search(line):
            faults.append(f"{place} names a place that only one machine has: {line.strip()[:80]}")
        if path.endswith(CODE) and path != CONTRACT and UNFINISHED.search(line):
            faults.append(f"{place} unfinished by its own word: {line.strip()[:80]}")
        if path.startswith("tests/") and SKIPPED.search(line):
            faults.append(f"{place} a test that can be left out: {line.strip()[:80]}")


def main():
    faults = []
    for path in tracked():
        if RAW.search("/" + path):
            continue
        with open(path, "rb") as file:
            data = file.read()
        try:
            check(path, data.decode("utf-8"), faults)
        except UnicodeDecodeError:
            faults.append(f"{path}: not UTF-8")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
