#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Searches of the files pack beside ripgrep, on one generated tree, in turns (A B A B), as ratios of medians.

    search_vs_rg.py PACKHOST FILES_PACK FOLDER [--runs N] [--json FILE]

FOLDER gets the tree when it is not there yet: the same 50,000 files every time. Each answer is checked against what
ripgrep found, so that a fast error does not win. A call is timed from the request's line to the answer's, on a host that
is already running; ripgrep from its start to its end, read through a pipe. Prints one row per goal, exits 1 if a "must"
is missed.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

FILES = 50_000
WORDS = ("lock unlock mutex buffer index return static const value node list head next size offset error flags state "
         "device driver queue packet header table entry cache page region cursor token parse emit check range").split()


def generate(folder, files=FILES):
    """A tree like a large source checkout: 50,000 files in some 3,000 folders, 11 KB each on average."""
    if os.path.exists(os.path.join(folder, ".complete")):
        return
    rng = random.Random(20260101)
    lines = []
    for _ in range(20_000):
        words = rng.choices(WORDS, k=rng.randint(2, 12))
        lines.append("\t" * rng.randint(0, 3) + "_".join(words[:2]) + "(" + ", ".join(words[2:]) + ");\n")
    folders = []
    for top in range(40):
        for middle in range(12):
            folders += [f"d{top:02}/m{middle:02}/s{leaf}" for leaf in range(6)]
    for number in range(files):
        path = os.path.join(folder, folders[rng.randrange(len(folders))])
        os.makedirs(path, exist_ok=True)
        extension = rng.choices(["c", "h", "txt", "rst"], weights=[55, 35, 7, 3])[0]
        start = rng.randrange(len(lines))
        text = "".join(lines[(start + i) % len(lines)] for i in range(int(rng.lognormvariate(5, 0.8))))
        if number % 700 == 0:
            text += "\tif (rare_needle_in_the_stack(&node->lock)) return;\n"
        if number % 900 == 0:
            text += "/* QXZWKJ_2041 */\n"
        with open(os.path.join(path, f"f{number:05}.{extension}"), "w", encoding="ascii") as file:
            file.write(text)
    with open(os.path.join(folder, ".complete"), "w", encoding="ascii"):
        pass


class Host:
    """The host over pipes, serving the tree."""

    def __init__(self, executable, pack, folder):
        self.process = subprocess.Popen([executable, "serve", "--pack", pack, "--root", folder],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.process.stdout.readline()

    def call(self, tool, arguments):
        start = time.perf_counter()
        line = self.request("tools/call", {"name": tool, "arguments": arguments})
        took = time.perf_counter() - start
        document = json.loads(line)["result"]["structuredContent"]
        if not document["ok"]:
            sys.exit(f"{tool} {arguments}: {document}")
        return took, document["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def ripgrep(folder, words, stop_after=None):
    """The time and the lines of one run; with stop_after it is ended after that many lines, as head does."""
    start = time.perf_counter()
    process = subprocess.Popen(["rg", "--no-config", *words], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE)
    if stop_after is None:
        lines = process.communicate()[0].splitlines()
    else:
        lines = [process.stdout.readline() for _ in range(stop_after)]
        process.stdout.close()
        process.wait()
    return time.perf_counter() - start, lines


def cases():
    """Goal, label, the call, ripgrep's words, stop, must."""
    every = {"path": ".", "ignore": "none", "max_results": 200}
    grep = ["-n", "--no-heading", "-uuu"]
    return [
        ("B-12", "literal, rare", "content_search", {**every, "query": "rare_needle_in_the_stack"},
         [*grep, "-F", "rare_needle_in_the_stack"], None, 1.25),
        ("B-12", "literal, none", "content_search", {**every, "query": "zzz_not_there"},
         [*grep, "-F", "zzz_not_there"], None, 1.25),
        ("B-13", "regex with a literal", "content_search",
         {**every, "query": r"[a-z_]+_in_the_stack\(&[a-z]+->lock", "regex": True},
         [*grep, r"[a-z_]+_in_the_stack\(&[a-z]+->lock"], None, 1.5),
        ("B-13", "regex without a literal", "content_search",
         {**every, "query": r"[A-Z]{6}_[0-9]{4}", "regex": True}, [*grep, r"[A-Z]{6}_[0-9]{4}"], None, 2.0),
        ("B-14", "first 100 of a frequent word", "content_search", {**every, "max_results": 100, "query": "mutex"},
         [*grep, "-F", "mutex"], 100, 1.5),
        ("B-15", "glob without a match", "file_search", {"path": ".", "glob": "*.nothere", "ignore": "none"},
         ["--files", "-uuu", "-g", "*.nothere"], None, 1.3),
        ("B-15", "glob *77?.txt", "file_search", {"path": ".", "glob": "*77?.txt", "ignore": "none"},
         ["--files", "-uuu", "-g", "*77?.txt"], None, 1.3),
    ]


def check(label, result, lines, stop):
    if stop is not None:
        if len(result["matches"]) != stop or not result["truncated"]:
            sys.exit(f"{label}: {len(result['matches'])} matches")
        return
    if result["truncated"] or len(result["matches"]) != len(lines):
        sys.exit(f"{label}: {len(result['matches'])} matches, ripgrep has {len(lines)}")


def measure(host, folder, runs):
    """A row per case, one after another: host and ripgrep in turn."""
    for goal, label, tool, arguments, words, stop, must in cases():
        ours, theirs = [], []
        for run in range(runs + 1):
            took, result = host.call(tool, arguments)
            rg_took, lines = ripgrep(folder, words, stop)
            check(label, result, lines, stop)
            if run > 0:  # the first warms the cache
                ours.append(took)
                theirs.append(rg_took)
        mine, other = statistics.median(ours), statistics.median(theirs)
        yield {"goal": goal, "search": label, "files_ms": mine * 1e3, "rg_ms": other * 1e3,
               "ratio": mine / other, "must": must}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("packhost")
    parser.add_argument("pack")
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json")
    options = parser.parse_args()
    generate(options.folder)
    host = Host(options.packhost, options.pack, options.folder)
    rows, missed = [], 0
    print(f"{'goal':5} {'search':30} {'files ms':>9} {'rg ms':>9} {'ratio':>6} {'must':>5}")
    for row in measure(host, options.folder, options.runs):
        missed += row["ratio"] > row["must"]
        print(f"{row['goal']:5} {row['search']:30} {row['files_ms']:9.1f} {row['rg_ms']:9.1f} {row['ratio']:6.2f} "
              f"{row['must']:5.2f}", flush=True)
        rows.append(row)
    host.close()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
