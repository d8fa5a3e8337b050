#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which sources clang-tidy looks at: changed_sources.py [--all] BUILD-FOLDER

Changed means: in the work tree, or since the branch left its upstream; where there is no upstream, in
the last commit. A changed header stands for the source beside it that bears its name.
"""
import json
import os
import subprocess
import sys

FOLDERS = ("host/", "sdk/", "plugins/")


def git(*words):
    done = subprocess.run(["git", *words], capture_output=True, text=True)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed():
    base = (git("merge-base", "HEAD", "@{upstream}") or git("rev-parse", "HEAD~1") or [""])[0]
    if base and base == (git("rev-parse", "HEAD") or [""])[0]:
        base = (git("rev-parse", "HEAD~1") or [base])[0]
    return set(git("diff", "--name-only", base or "HEAD")) | set(
        git("ls-files", "-o", "--exclude-standard"))


def main(words):
    folder = words[-1]
    wanted = None if "--all" in words else {os.path.splitext(name)[0] for name in changed()}
    try:
        with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
            commands = json.load(file)
    except OSError:
        commands = []
    known = {os.path.relpath(os.path.join(row["directory"], row["file"])) for row in commands}
    if not commands:  # nothing is built yet: the caller builds first, and asks about the same files
        known = set(git("ls-files", "--", "*.cpp", "*.c"))
    for name in sorted(known):
        if name.startswith(FOLDERS) and (wanted is None or os.path.splitext(name)[0] in wanted):
            print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
