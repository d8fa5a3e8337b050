#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The released host carries its C++ run time and links nothing dear: check_linkage.py PACKHOST"""
import subprocess
import sys

ALLOWED = ("libc.so", "libm.so", "ld-linux", "libdl.so", "libpthread.so")


def main(host):
    text = subprocess.run(["readelf", "-d", host], check=True, capture_output=True, text=True).stdout
    needed = [line.split("[")[1].rstrip("]") for line in text.splitlines() if "(NEEDED)" in line]
    dear = [name for name in needed if not name.startswith(ALLOWED)]
    print("the host needs", ", ".join(needed), "- too much:" if dear else "", ", ".join(dear))
    return 1 if dear or not needed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
