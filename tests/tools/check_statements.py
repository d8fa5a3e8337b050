#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every numbered statement of tests/statements/*.md needs a test that names it.

A test names a statement by its id in brackets: in the name of a doctest case, in a comment of a transcript,
in the docstring or a comment of a Python or shell test. Several may share brackets: [P-1, P-2]. Prints
each id that no test names, and each id a test names that no statement has; the exit status is 1 then.
With --table it prints every id with the files that name it.
"""
import os
import re
import subprocess
import sys

STATEMENT = re.compile(r"^- \*\*([A-Z]{1,2}-\d+)\*\* ", re.MULTILINE)
BRACKET = re.compile(r"\[([A-Z]{1,2}-\d+(?:, ?[A-Z]{1,2}-\d+)*)\]")
CASE = re.compile(r"(?:TEST_CASE|TEST_CASE_FIXTURE|TEST_CASE_TEMPLATE|SUBCASE)\s*\((.*?)\)\s*\{", re.DOTALL)
OWN = ("check_statements.py", "lint_test.py")  # ids in them are examples
INVARIANTS = re.compile(r"I-[1-9]$")


def tracked(*patterns):
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
                          check=True, capture_output=True, text=True)
    return [name for name in done.stdout.split("\n") if name and os.path.exists(name)]


def ids_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".cpp"):
        text = "\n".join(CASE.findall(text))
    elif path.endswith(".txt"):
        text = "\n".join(line for line in text.split("\n") if line.startswith("#"))
    for group in BRACKET.findall(text):
        yield from group.replace(" ", "").split(",")


def main(words):
    statements = {}
    for path in tracked("tests/statements/*.md"):
        with open(path, encoding="utf-8") as file:
            for identifier in STATEMENT.findall(file.read()):
                if identifier in statements:
                    print(f"{identifier} stands twice: in {statements[identifier]} and in {path}")
                    return 1
                statements[identifier] = path
    named = {}
    for path in tracked("tests/*.cpp", "tests/*.txt", "tests/*.py", "tests/*.sh", "tests/*.mjs"):
        if os.path.basename(path) not in OWN:
            for identifier in ids_of(path):
                named.setdefault(identifier, set()).add(path)

    def order(identifier):
        letter, number = identifier.split("-")
        return letter, int(number)

    faults = 0
    for identifier in sorted(statements, key=order):
        if "--table" in words:
            print(f"{identifier}: {' '.join(sorted(named.get(identifier, ['NO TEST'])))}")
        if identifier not in named:
            faults += 1
            if "--table" not in words:
                print(f"{identifier} has no test ({statements[identifier]})")
    for identifier in sorted(named, key=order):
        if identifier not in statements and not INVARIANTS.match(identifier):
            faults += 1
            print(f"{identifier} is named by {' '.join(sorted(named[identifier]))}, but no statement has that id")
    if not statements:
        print("no statement found in tests/statements")
        return 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
