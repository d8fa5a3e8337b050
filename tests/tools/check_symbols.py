#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every installed pack shows one symbol, and the host carries its C++ run time. check_symbols.py STAGED-FOLDER"""
import os
import subprocess
import sys


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def main(staged):
    faults, packs = [], 0
    for place, _, names in os.walk(staged):
        for name in names:
            path = os.path.join(place, name)
            if name.endswith(".so") and place.endswith("/packs"):
                packs += 1
                symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path).splitlines()]
                if symbols != ["packhost_pack_v1"]:
                    faults.append(f"{name} shows {' '.join(symbols) or 'nothing'}")
            elif name == "packhost":
                needed = [line for line in run("readelf", "-d", path).splitlines() if "NEEDED" in line]
                for library in ("libstdc++", "libgcc_s", "libfmt", "libre2", "libcrypto", "libboost"):
                    faults += [f"the host needs {library}" for line in needed if library in line]
    if packs == 0:
        faults.append("no pack found")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
