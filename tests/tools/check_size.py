#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an installation weighs, stripped: [B-4] host and packs at most 6 MB. check_size.py STAGED-FOLDER"""
import os
import shutil
import subprocess
import sys
import tempfile

LIMIT_BYTES = 6_000_000


def main(staged):
    total, found = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for place, _, names in os.walk(staged):
            for name in names:
                path = os.path.join(place, name)
                if name != "packhost" and not (name.endswith(".so") and place.endswith("/packs")):
                    continue
                copy = os.path.join(folder, name)
                shutil.copy(path, copy)
                subprocess.run(["strip", copy], check=True)
                size = os.path.getsize(copy)
                found.append(f"{name} {size / 1e6:.2f} MB")
                total += size
    print(", ".join(found), f"- together {total / 1e6:.2f} MB, the limit is {LIMIT_BYTES / 1e6:.0f} MB")
    return 0 if len(found) >= 2 and total <= LIMIT_BYTES else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
