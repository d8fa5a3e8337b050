#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names the files of a build folder's targets that fit a pattern, as ninja wants to hear them."""
import fnmatch
import json
import os
import subprocess
import sys


def main(folder, pattern):
    text = subprocess.run(["meson", "introspect", "--targets", folder], check=True,
                          capture_output=True, text=True).stdout
    for target in json.loads(text):
        if target["type"] == "executable" and fnmatch.fnmatch(target["name"], pattern):
            print(os.path.relpath(target["filename"][0], os.path.realpath(folder)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
