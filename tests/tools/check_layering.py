#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may include whom, and which file may name which library.

Holds the table of layers, and fails on an include against it, on a header of a library outside the
files that are its home, and on a cycle of includes. Run it without arguments; it reads what git knows.
"""
import os
import re
import subprocess
import sys

# An arrow: the layer on the left may include those on the right, and all that these may include.
ARROWS = {
    "host": ["host/cli"],
    "host/cli": ["host/mcp", "host/harness", "host/confine", "host/pack"],
    "host/mcp": ["host/rpc", "host/pack"],
    "host/rpc": ["host/io"],
    "host/io": ["host/support"],
    "host/harness": ["host/support"],
    "host/pack": ["host/process", "host/support"],
    "host/process": ["host/confine"],
    "host/confine": ["host/support"],
    "host/support": ["sdk/contract"],
    "plugins": ["sdk/kit"],
    "sdk/testing": ["sdk/contract"],
    "sdk/contract": ["sdk/kit"],
    "sdk/kit": ["sdk/include"],
    "sdk/templates": ["sdk/include"],
    "sdk/include": [],
}

# Headers that the build makes, and the layer they belong to.
GENERATED = {"host/version.hpp": "host/support"}

# Library headers (a pattern for what stands between the angle brackets) and their homes; tests are free.
LIBRARIES = {
    r"cxxopts\.hpp": [r"host/cli/options\.cpp"],
    r"boost/.*": [r"host/pack/loader\.cpp"],
    r"git2(/.*|\.h)": [r"plugins/files/blob_store\.cpp"],
    r"openssl/.*": [r"sdk/kit/sha256\.cpp"],
    r"rapidjson/.*": [r"sdk/kit/json\.(cpp|hpp)", r"sdk/include/packhost/json\.hpp",
                      r"sdk/contract/validator\w*\.(cpp|hpp)", r"host/mcp/encode\w*\.cpp"],
    r"re2/.*": [r"sdk/contract/validator\.cpp", r"plugins/files/regex\.cpp"],
    r"utf8proc\.h": [r"plugins/files/names\.cpp"],
    r"tl/expected\.hpp": [r"sdk/kit/result\.hpp"],
    r"doctest(/.*)?": [],
    r"benchmark/.*": [],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def tracked():
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", "*.cpp", "*.hpp",
                           "*.c", "*.h"], check=True, capture_output=True, text=True)
    return [name for name in done.stdout.split("\n") if name and os.path.exists(name)]


def layer_of(path):
    if path in GENERATED:
        return GENERATED[path]
    if path.startswith("tests/"):
        return "tests"
    if path.startswith("plugins/"):
        return "plugins"
    parts = path.split("/")
    if parts[0] == "host":
        return "host" if len(parts) == 2 else "/".join(parts[:2])
    return "/".join(parts[:2])


def reachable(layer):
    seen, waiting = {layer}, [layer]
    while waiting:
        for below in ARROWS.get(waiting.pop(), []):
            if below not in seen:
                seen.add(below)
                waiting.append(below)
    return seen


def resolve(name, includer):
    """The file of ours that an include names, or None if it is none of ours."""
    if name.startswith("packhost/"):
        return "sdk/include/" + name
    if name.split("/")[0] in ("host", "sdk", "plugins", "tests"):
        return name
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), name))
    return beside if os.path.exists(beside) else None


def check_include(path, name, target, faults):
    if path.startswith("tests/"):
        return
    here = layer_of(path)
    if target is None:
        for pattern, homes in LIBRARIES.items():
            if re.fullmatch(pattern, name) and not any(re.fullmatch(home, path) for home in homes):
                faults.append(f"{path}: <{name}> belongs into {' or '.join(homes) or 'tests'} only")
        return
    there = layer_of(target)
    if there == "tests":
        faults.append(f"{path}: includes {target}; nothing includes tests")
    elif there not in reachable(here):
        faults.append(f"{path}: {here} may not include {there} ({target})")
    elif here == "plugins" == there and path.split("/")[1] != target.split("/")[1]:
        faults.append(f"{path}: one pack may not include another ({target})")


def find_cycle(graph):
    state, trail = {}, []

    def visit(node):
        state[node] = "open"
        trail.append(node)
        for below in graph.get(node, []):
            if state.get(below) == "open":
                return trail[trail.index(below):] + [below]
            if below not in state:
                found = visit(below)
                if found:
                    return found
        trail.pop()
        state[node] = "done"
        return None

    for node in graph:
        if node not in state:
            found = visit(node)
            if found:
                return found
    return None


def main():
    faults, graph = [], {}
    for path in tracked():
        if layer_of(path) != "tests" and layer_of(path) not in ARROWS:
            faults.append(f"{path}: no layer of this name; add it to the table in {sys.argv[0]}")
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for _, name in INCLUDE.findall(text):
            target = resolve(name, path)
            check_include(path, name, target, faults)
            if target is not None:
                graph.setdefault(path, []).append(target)
    cycle = find_cycle(graph)
    if cycle:
        faults.append("a cycle of includes: " + " -> ".join(cycle))
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
