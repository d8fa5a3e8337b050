#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What quickstart.sh shows: the files pack serving a directory, driven over stdio, in a form for people.

Usage: tour.py PACKHOST DIRECTORY. Standard library only.
"""
import collections
import json
import re
import shlex
import subprocess
import sys
import time

REVISION = "2026-07-28"
WIDTH = 100


class Server:
    """A packhost over pipes: one request, one answer."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0

    def ask(self, method, params=None):
        """Send a request; give back its result and the milliseconds it took."""
        self.count += 1
        params = dict(params or {}, _meta={
            "io.modelcontextprotocol/protocolVersion": REVISION, "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "quickstart", "version": "1"}})
        line = json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        start = time.perf_counter()
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        took = (time.perf_counter() - start) * 1000
        if not answer:
            sys.exit(f"the server ended with status {self.process.wait()}")
        answer = json.loads(answer)
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']['message']}")
        return answer["result"], took

    def call(self, tool, arguments):
        """Call a tool; give back its structured result."""
        result, took = self.ask("tools/call", {"name": tool, "arguments": arguments})
        document = result["structuredContent"]
        if not document["ok"]:
            sys.exit(f"{tool}: {document['error']['message']}")
        return document["result"], took

    def close(self):
        """End of input, as a harness ends a server."""
        self.process.stdin.close()
        if self.process.wait(10) != 0:
            sys.exit(f"the server ended with status {self.process.returncode}")


def heading(text):
    """A line that opens a part of the tour."""
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}")


def first_sentence(text):
    """What fits on a line of a description."""
    sentence = re.split(r"(?<=[.!?])\s", text.strip(), maxsplit=1)[0]
    return sentence if len(sentence) <= WIDTH - 24 else sentence[:WIDTH - 27] + "..."


def show_tools(server):
    """The list of tools, as a person wants to see it."""
    result, took = server.ask("tools/list")
    heading(f"{len(result['tools'])} tools ({took:.1f} ms)")
    for tool in result["tools"]:
        print(f"  {tool['name']:<18} {first_sentence(tool['description'])}")


def choose(server):
    """A text file to read and a word of it to search for: a README where there is one."""
    for glob in ("README*", "*.{md,txt,rst}", "*.{py,c,h,cpp,hpp,js,ts,go,rs,java,json}", "*"):
        found, _ = server.call("file_search", {"path": ".", "glob": glob})
        names = [match["path"] for match in found["matches"] if match["kind"] == "file"]
        for name in sorted(names, key=lambda name: (name.count("/"), name))[:20]:
            answer, _ = server.ask("tools/call", {"name": "file_read", "arguments": {"path": name}})
            if answer.get("isError"):
                continue
            content = answer["structuredContent"]["result"]["content"]
            words = collections.Counter(re.findall(r"[A-Za-z]{6,}", content))
            if words:
                return name, words.most_common(1)[0][0]
    return None, None


def show_search(server, word):
    """A search and its first hits."""
    result, took = server.call("content_search", {"path": ".", "query": word})
    heading(f"Search for '{word}' ({took:.1f} ms)")
    for hit in result["matches"][:8]:
        print(f"  {hit['path']}:{hit['line']}: {hit['text'].strip()}"[:WIDTH])
    more = len(result["matches"]) - 8
    if more > 0:
        print(f"  ... and {more} more")


def show_read(server, name):
    """The start of a file."""
    result, took = server.call("file_read", {"path": name})
    heading(f"{name} ({took:.1f} ms)")
    for line in result["content"].splitlines()[:12]:
        print(f"  {line}"[:WIDTH])


def main(host, directory):
    words = [host, "serve", "--pack", "files", "--root", directory]
    server = Server(words)
    discovered, took = server.ask("server/discover")
    info = discovered["_meta"]["io.modelcontextprotocol/serverInfo"]
    heading(f"packhost {info['version']} serves {directory} (first answer after {took:.0f} ms)")
    show_tools(server)
    name, word = choose(server)
    if name is None:
        print("\nThere is no text file in it to search and read.")
    else:
        show_search(server, word)
        show_read(server, name)
    server.close()
    heading("Paste this launch line into your harness:")
    print("  " + shlex.join(words))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
