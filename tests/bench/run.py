#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All benchmarks of one build folder, as ratios to floors measured in the same run.

    run.py --build DIR [--out DIR] [--work DIR] [--baselines FILE] [--only B-5,B-8] [--quick]

DIR is a release build with -Dbench=enabled, built already. Prints the table "id | what | measured | must | aim | met",
and writes table.json and curves.svg into the folder --out (without it: nothing). --baselines writes the ratios of a
whole run, no seconds, as the text of baselines.md. --work keeps the generated files, among
them a tree of 50,000 for the searches, for the next run. --quick takes seconds and looks at the answers alone: its
figures mean nothing. The exit status is 1 if an answer was wrong or, without --quick, a "must" was missed.

Servers are measured in turn, medians count.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import curves
import search_vs_rg

MIB = 1 << 20


class Bench:
    """Where the things under measurement lie, how much to measure, and the rows measured so far."""

    def __init__(self, build, work, quick):
        self.quick, self.work = quick, work
        self.host = os.path.join(build, "host", "packhost")
        self.files_pack = os.path.join(build, "plugins", "files", "files.so")
        self.echo_pack = os.path.join(build, "tests", "packs", "echo.so")
        self.floor_path = os.path.join(build, "tests", "bench", "bench_floor")
        self.parsing_floor_path = os.path.join(build, "tests", "bench", "bench_floor_server")
        self.driver = os.path.join(build, "tests", "bench", "bench_drive")
        for path in (self.host, self.files_pack, self.echo_pack, self.floor_path, self.parsing_floor_path, self.driver):
            if not os.path.exists(path):
                sys.exit(f"run.py: {path} is missing: build {build} with -Dbench=enabled")
        self.root = os.path.join(work, "root")
        self.rows, self.panels, self.figures = [], [], {}
        os.makedirs(self.root, exist_ok=True)
        for name, size in (("1k", 1024), ("64k", 64 * 1024), ("1m", MIB), ("3m", 3 * MIB)):
            line = f'  if (has_room("{name}")) return take(next, size); // line of source\n'
            text = f"MARKER-{name}\n" + line * (size // len(line) + 1)
            with open(os.path.join(self.root, name + ".txt"), "w", encoding="ascii") as file:
                file.write(text[:size - 1] + "\n")

    # ---- servers
    def packhost(self, pack, *words, name="packhost", **rest):
        return {"name": name, "argv": [self.host, "serve", "--pack", pack, *words], **rest}

    def serve_echo(self, **rest):
        return self.packhost(self.echo_pack, tool="echo", arguments={"message": "hello"}, expect="hello", **rest)

    def serve_files(self, file, size, **rest):
        return self.packhost(self.files_pack, "--root", self.root, "--max-read-bytes", str(3 * MIB), tool="file_read",
                             arguments={"path": file + ".txt"}, expect=f"MARKER-{file}", min_bytes=2 * size,
                             payload_bytes=2 * size, **rest)

    def floor(self, kib=0, **rest):
        arguments = {"size_kib": kib} if kib else {"message": "hello"}
        return {"name": "floor", "argv": [self.floor_path], "tool": "big" if kib else "echo", "arguments": arguments,
                "expect": "xxx" if kib else "hello", "min_bytes": kib * 1024, "payload_bytes": kib * 1024, **rest}

    def parsing_floor(self, file=None, size=0, **rest):
        arguments = {"path": os.path.join(self.root, file + ".txt")} if file else {"message": "hello"}
        return {"name": "parsing floor", "argv": [self.parsing_floor_path], "tool": "read" if file else "echo",
                "arguments": arguments, "expect": f"MARKER-{file}" if file else "hello", "min_bytes": size,
                "payload_bytes": size, **rest}

    # ---- measuring
    def drive(self, measure, servers, rounds, calls=1, **rest):
        """{server: {figure: {"median", "least", "most"}}}"""
        if self.quick:
            rounds, calls = 1, min(calls, 40)
        plan = {"measure": measure, "servers": servers, "rounds": rounds, "calls": calls, **rest}
        done = subprocess.run([self.driver], input=json.dumps(plan), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"run.py: {measure}: {done.stderr.strip() or f'ended with status {done.returncode}'}")
        return json.loads(done.stdout)

    def row(self, label, measured, must=None, aim=None, unit="x", least=False):
        """One figure; the label opens with its id in brackets. With `least`, more is better."""
        def holds(bound):
            return measured >= bound if least else measured <= bound
        met = ("aim" if aim is not None and holds(aim) else "" if must is None else "must" if holds(must) else "NO")
        goal = label[label.index("[") + 1:label.index("]")]
        what = label[label.index("]") + 2:]
        self.rows.append({"id": goal, "what": what, "measured": measured, "unit": unit, "must": must, "aim": aim,
                          "bound": "least" if least else "most", "met": met})
        sign = ">=" if least else "<="

        def bound(value):
            return "" if value is None else f"{sign} {value:g} {unit}"
        print(f"{goal:5} | {what:74} | {measured:9.2f} {unit:4} | {bound(must):>10} | {bound(aim):>10} | {met}",
              flush=True)


def ratio(result, figure, server, floor):
    return result[server][figure]["median"] / result[floor][figure]["median"]


def start_and_exit(bench):
    files = bench.serve_files("1k", 1024)
    for era in (False, True):
        word = "2026-07-28" if era else "2025-06-18"
        cold = bench.drive("cold", [{**files, "modern": era}, bench.floor(modern=era)], 40, dropped_rounds=1)
        bench.row(f"[B-1] cold start to the first list, {word}: of the floor's",
                  ratio(cold, "first_list_us", "packhost", "floor"), 3, 2)
        bench.row(f"[B-2] exit after the end of input, {word}: the longest of all",
                  cold["packhost"]["exit_us"]["most"] / 1e3, 20, 5, "ms")


def idle(bench):
    result = bench.drive("idle", [bench.serve_files("1m", MIB)], 3)["packhost"]  # what the read took has to go back
    bench.row("[B-3] idle memory beside shared library pages", result["beside_shared_kib"]["median"] / 1024, 8, 6, "MiB")
    bench.row("[B-3] idle anonymous memory", result["anonymous_kib"]["median"] / 1024, 2, unit="MiB")
    bench.row("[B-3] processor time of an idle second", result["cpu_ns_per_idle_s"]["median"] / 1e3, 0, unit="us")


def disk(bench):
    total = 0
    for path in (bench.host, bench.files_pack):
        copy = os.path.join(bench.work, os.path.basename(path) + ".stripped")
        subprocess.run(["strip", "-o", copy, path], check=True)
        total += os.path.getsize(copy)
    bench.row("[B-4] host and packs on disk, stripped", total / 1e6, 6, 3, "MB")


def serial(bench):
    for era in (False, True):
        word = "2026-07-28" if era else "2025-06-18"
        result = bench.drive("latency", [{**bench.serve_echo(), "modern": era}, bench.floor(modern=era),
                                         bench.parsing_floor(modern=era)], 9, 5000)
        bench.row(f"[B-5] a call's p50, {word}: of the floor's", ratio(result, "p50_us", "packhost", "floor"), 1.3, 1.1)
        bench.row(f"[B-5] a call's p50, {word}: of the parsing floor's",
                  ratio(result, "p50_us", "packhost", "parsing floor"), 1.2)
        bench.row(f"[B-6] a call's p99, {word}: of the floor's", ratio(result, "p99_us", "packhost", "floor"), 2)


def in_flight(bench):
    for era in (False, True):
        word = "2026-07-28" if era else "2025-06-18"
        servers = [{**bench.serve_echo(), "modern": era}, bench.floor(modern=era), bench.parsing_floor(modern=era)]
        lines = {server["name"]: [] for server in servers}
        for window in (1, 2, 4, 8, 16, 32, 64, 128):
            if window not in (16, 128) and (bench.quick or not era):
                continue
            result = bench.drive("pipelined", servers, 5, 20000 if window < 16 else 60000, window=window)
            for name, points in lines.items():
                points.append((window, result[name]["us_per_call"]["median"]))
            if window == 128:
                bench.row(f"[B-7] processor time of a call, 128 in flight, {word}", result["packhost"]["cpu_us"]["median"],
                          3, 1.5, "us")
                bench.row(f"[B-7] processor time of a call, 128 in flight, {word}: of the parsing floor's",
                          ratio(result, "cpu_us", "packhost", "parsing floor"))
            if window in (16, 128):
                must, aim = (0.4, 0.6) if window == 16 else (0.25, 0.4)
                bench.row(f"[B-8] throughput, {window} in flight, {word}: of the floor's",
                          ratio(result, "calls_per_s", "packhost", "floor"), must, aim, least=True)
        if era:
            bench.panels.append(("A call's cost against calls in flight", "calls in flight", "us per call", lines))


def reads(bench):
    result = bench.drive("latency", [bench.serve_files("1k", 1024), bench.parsing_floor("1k", 1000)], 9, 3000)
    bench.row("[B-9] a read of 1 KiB, p50: of the parsing floor's open and read",
              ratio(result, "p50_us", "packhost", "parsing floor"), 1.5, 1.25)
    for file, size in (("1m", MIB), ("3m", 3 * MIB)):
        servers = [bench.serve_files(file, size), bench.parsing_floor(file, size), bench.floor(size // 1024)]
        result = bench.drive("large", servers, 5, 40)
        bench.row(f"[B-10] a read of {size // MIB} MiB, payload per second: of the parsing floor's",
                  ratio(result, "payload_mb_per_s", "packhost", "parsing floor"), 1, least=True)
        bench.row(f"[B-10] a read of {size // MIB} MiB, payload per second: of the floor's",
                  ratio(result, "payload_mb_per_s", "packhost", "floor"), None, 0.35, least=True)


def searches(bench):
    """[B-12] to [B-15]: the searches of search_vs_rg.py, and their cost against the number of files."""
    musts = {"B-12": 1.1, "B-13": None, "B-14": None, "B-15": 1.0}
    labels = {"B-12": "[B-12] content_search", "B-13": "[B-13] content_search", "B-14": "[B-14] content_search",
              "B-15": "[B-15] file_search"}
    files = 1500 if bench.quick else search_vs_rg.FILES
    folder = os.path.join(bench.work, f"tree-{files}")
    search_vs_rg.generate(folder, files)
    host = search_vs_rg.Host(bench.host, bench.files_pack, folder)
    for row in search_vs_rg.measure(host, folder, 1 if bench.quick else 11):
        aim = {"regex with a literal": 1.2, "regex without a literal": 1.5}.get(row["search"], musts[row["goal"]])
        bench.row(f"{labels[row['goal']]}, {row['search']}: of ripgrep's time", row["ratio"], row["must"], aim)
    host.close()
    if bench.quick:
        return
    lines = {"content_search": [], "file_search": [], "rg": []}
    for tops in (1, 5, 10, 20, 30, 40):
        part = os.path.join(bench.work, f"part-{tops}")
        if not os.path.exists(part):  # the same files under second names
            for top in range(tops):
                shutil.copytree(os.path.join(folder, f"d{top:02}"), os.path.join(part, f"d{top:02}"),
                                copy_function=os.link)
        count = sum(len(names) for _, _, names in os.walk(part))
        host = search_vs_rg.Host(bench.host, bench.files_pack, part)
        every = {"path": ".", "ignore": "none", "max_results": 200}
        took = {label: [] for label in lines}
        for _ in range(6):
            took["content_search"].append(host.call("content_search", {**every, "query": "zzz_not_there"})[0])
            took["file_search"].append(host.call("file_search", {**every, "glob": "*.nothere"})[0])
            took["rg"].append(search_vs_rg.ripgrep(part, ["-n", "--no-heading", "-uuu", "-F", "zzz_not_there"])[0])
        host.close()
        for label, values in took.items():
            lines[label].append((count, sorted(values[1:])[2] * 1e3))
    bench.panels.append(("A search's cost against files", "files", "ms", lines))


def growth(bench):
    servers = {"echo": bench.serve_echo(), "files": bench.serve_files("1k", 1024)}
    lines = {}
    for name, server in servers.items():
        figures = bench.drive("growth", [server], 1, 100_000, window=16)["packhost"]
        bench.row(f"[B-23] {name}: memory over the second half of 100,000 calls",
                  figures["second_half_kib"]["median"], 256, 0, "KiB")
        bench.row(f"[B-23] {name}: p50 after 100,000 calls, of the one before",
                  figures["p50_after_us"]["median"] / figures["p50_before_us"]["median"], 1.1)
        lines[name] = [(int(key.rsplit("_", 1)[1]), value["median"] / 1024) for key, value in figures.items()
                       if key.startswith("rss_kib_at_")]
    bench.panels.append(("Memory against calls made", "calls", "MiB resident", lines))


def slow_reader(bench):
    result = bench.drive("slow_reader", [bench.serve_files("64k", 64 * 1024)], 3, 512, window=128)["packhost"]
    bench.row("[B-24] peak memory, 128 reads of 64 KiB in flight, slow reader", result["peak_kib"]["most"] / 1024, 64, 24,
              "MiB")


def lists(bench):
    for words, label, must, aim in (((), "[B-25] tool list of files", 26, 20),
                                    (("--read-only",), "[B-25] tool list of files, read-only", 24, None)):
        for era in (False, True):
            server = bench.serve_files("1k", 1024, modern=era)
            server["argv"][2:2] = words
            size = bench.drive("cold", [server], 1)["packhost"]["list_bytes"]["most"]
            bench.row(f"{label}, {'2026-07-28' if era else '2025-06-18'}", size / 1024, must, aim, "KiB")


def baselines(rows):
    """The text of baselines.md: what does not change with the speed of the machine."""
    text = ("# Baselines\n\nWhat `tests/bench/run.py` measured of a release build on a quiet machine of two x86_64 cores: ratios to "
            "floors that\nran in the same minutes, and sizes. Times are left out: they tell of the machine. Written by `run.py "
            "--baselines`.\n\n| id | what | measured | must | aim |\n| --- | --- | --- | --- | --- |\n")
    for row in rows:
        if row["unit"] not in ("us", "ms"):
            sign = ">=" if row["bound"] == "least" else "<="
            bounds = ["" if row[key] is None else f"{sign} {row[key]:g}" for key in ("must", "aim")]
            text += f"| {row['id']} | {row['what']} | {row['measured']:.2f} {row['unit']} | {bounds[0]} | {bounds[1]} |\n"
    return text


PARTS = {"B-1 B-2": start_and_exit, "B-3": idle, "B-4": disk, "B-5 B-6": serial, "B-7 B-8": in_flight,
         "B-9 B-10": reads, "B-12 B-13 B-14 B-15": searches, "B-23": growth, "B-24": slow_reader, "B-25": lists}


def run(options, work):
    bench = Bench(os.path.abspath(options.build), work, options.quick)
    wanted = set(options.only.split(",")) if options.only else None
    print(f"{'id':5} | {'what':74} | {'measured':14} | {'must':>10} | {'aim':>10} | met")
    for goals, part in PARTS.items():
        if wanted is None or wanted & set(goals.split()):
            part(bench)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        with open(os.path.join(options.out, "table.json"), "w", encoding="utf-8") as file:
            json.dump(bench.rows, file, indent=1)
        if bench.panels:
            with open(os.path.join(options.out, "curves.svg"), "w", encoding="utf-8") as file:
                file.write(curves.picture(bench.panels))
    if options.baselines:
        with open(options.baselines, "w", encoding="utf-8") as file:
            file.write(baselines(bench.rows))
    missed = [row for row in bench.rows if row["met"] == "NO"]
    if not options.quick:
        print(f"{len(bench.rows)} figures, {len(missed)} below must")
    return 1 if not bench.rows or (missed and not options.quick) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--out")
    parser.add_argument("--work")
    parser.add_argument("--baselines", help="write this file; for a whole run")
    parser.add_argument("--only", help="ids with commas between them")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.baselines and (options.quick or options.only):
        parser.error("--baselines is for a whole run")
    if options.work:
        os.makedirs(options.work, exist_ok=True)
        return run(options, os.path.abspath(options.work))
    with tempfile.TemporaryDirectory() as work:
        return run(options, work)


if __name__ == "__main__":
    sys.exit(main())
