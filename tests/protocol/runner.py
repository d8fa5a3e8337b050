#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plays transcripts against the real executable.

  runner.py --host EXECUTABLE --packs FOLDER --revision DATE FOLDER-OR-FILE...

README.md beside this file says how a transcript is written. After each run every line that the host wrote is
checked against the schema of its revision: ours, and the published one where it lies at hand.
"""
import argparse
import ast
import glob
import json
import os
import re
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))

from host_process import Host, LIMIT_S, parse_line  # noqa: E402
from line_pattern import match, parse_pattern, substitute  # noqa: E402
from mcp_lines import K, MODERN, LineChecker  # noqa: E402

# Stage directions that describe the launch: they come before the first line.
LAUNCH = ("packs", "pack-options", "serve-args", "raw", "pack", "revisions")


class Failure(Exception):
    """A transcript that did not go as written."""


def unescape(text):
    """Bytes from a text with Python's escapes in it."""
    return ast.literal_eval("b'" + text.replace("'", "\\'") + "'")


def envelope(text):
    """A modern request gets what every one of them carries, unless it brings its own claim."""
    try:
        message = json.loads(text)
    except ValueError:
        return text
    if not isinstance(message, dict) or "id" not in message or not isinstance(message.get("method"), str):
        return text
    params = message.setdefault("params", {})
    if not isinstance(params, dict):
        return text
    meta = params.setdefault("_meta", {})
    if not isinstance(meta, dict) or any(name.startswith(K) and name != K + "logLevel" for name in meta):
        return text
    meta[K + "protocolVersion"] = MODERN
    meta[K + "clientCapabilities"] = {}
    meta[K + "clientInfo"] = {"name": "transcript", "version": "1"}
    return json.dumps(message)  # escaped: half a surrogate pair has to stay what it was


class Transcript:
    """One file: its launch and its steps."""

    def __init__(self, path, revision):
        self.path, self.revision = path, revision
        self.packs, self.serve_args, self.raw, self.revisions = [], [], False, None
        self.steps = []
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            if line.strip() and not line.startswith("#"):
                self._read(number, line)
        if not self.raw:
            self._prepend_handshake()

    def _read(self, number, line):
        found = re.match(r"@(\S+)\s*(.*)$", line)
        if found and found.group(1) in LAUNCH:
            self._launch(found.group(1), found.group(2).split())
            return
        times = 1
        if found and found.group(1) == "repeat":
            count, line = found.group(2).split(" ", 1)
            times, found = int(count), re.match(r"@(\S+)\s*(.*)$", line)
        if found:
            kind, text = found.group(1), line.split(" ", 1)[1] if " " in line else ""
            if not hasattr(Run, "at_" + kind.replace("-", "_")):
                raise Failure(f"line {number}: no stage direction is called @{kind}")
            kind = "@" + kind
        else:
            found = re.match(r"(>|<\??)\s?(.*)$", line)
            if not found:
                raise Failure(f"line {number}: neither > nor < nor @ nor #: {line[:60]}")
            kind, text = found.group(1), found.group(2)
        for turn in range(1, times + 1):
            self.steps.append((number, kind, text, turn))

    def _launch(self, word, rest):
        if word == "packs":
            self.packs += [[name] for name in rest]
        elif word == "pack":
            self.packs.append(rest)
        elif word == "pack-options":
            self.packs[-1] += rest
        elif word == "serve-args":
            self.serve_args += rest
        elif word == "revisions":
            self.revisions = rest
        else:
            self.raw = True

    def _prepend_handshake(self):
        path = os.path.join(HERE, self.revision, "handshake")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            own, self.steps = self.steps, []
            for line in text.split("\n"):
                if line.strip() and not line.startswith("#"):
                    self._read(0, line)
            self.steps += own


class Run:
    """One transcript against one process."""

    def __init__(self, transcript, options):
        self.transcript, self.options = transcript, options
        self.bound = {"revision": transcript.revision}
        self.checker = LineChecker(transcript.revision)
        self.exited = False
        self.ended = False
        self.messages = []
        self.unfinished = b""
        self.host = None

    def words(self, folder):
        """The launch line. @tmp is a folder of this run, @packs the folder of the test packs."""
        words = ["serve", *self.transcript.serve_args]
        for name, *rest in self.transcript.packs:
            path = name if "/" in name or name == "files" else os.path.join(self.options.packs, name + ".so")
            words += ["--pack", path, *rest]
        return [word.replace("@tmp", folder).replace("@packs", self.options.packs) for word in words]

    def play(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            self.folder = folder
            with Host(self.options.host, self.words(folder), env={}) as self.host:
                try:
                    self._steps()
                    self._end()
                except (Failure, AssertionError, TimeoutError) as error:
                    text = str(error)
                    raise Failure(text if "\n" in text else text + self.host.story()) from None

    def _steps(self):
        steps = self.transcript.steps
        index = 0
        while index < len(steps):
            number, kind, text, turn = steps[index]
            self.bound["n"] = turn
            if kind == "<?":
                group = []
                while index < len(steps) and steps[index][1] == "<?":
                    self.bound["n"] = steps[index][3]
                    group.append((steps[index][0], substitute(steps[index][2], {"n": steps[index][3]})))
                    index += 1
                self._expect_any_order(group)
                continue
            index += 1
            try:
                if kind == ">":
                    self._say(text)
                elif kind == "<":
                    self._expect(number, substitute(text, {"n": turn}))
                else:
                    getattr(self, "at_" + kind[1:].replace("-", "_"))(substitute(text, {"n": turn}))
            except (TimeoutError, AssertionError) as error:
                raise Failure(f"line {number}: {error}") from None

    def _say(self, text):
        text = substitute(text, self.bound)
        if self.transcript.revision == MODERN and not self.transcript.raw:
            text = envelope(text)
        self._send(text.encode("utf-8") + b"\n")

    def _send(self, data):
        """Send bytes, and tell the checker of each line that they complete."""
        *lines, self.unfinished = (self.unfinished + data).split(b"\n")
        for line in lines:
            self.checker.sent(line)
        self.host.send_bytes(data)

    def _next(self):
        message = self.host.next(LIMIT_S)
        self.messages.append(message)
        return message

    def _expect(self, number, text):
        message = self._next()
        fault = match(parse_pattern(text), message, self.bound)
        if fault:
            raise Failure(f"line {number}: {fault}{self.host.story()}")

    def _expect_any_order(self, group):
        waiting = [(number, parse_pattern(text)) for number, text in group]
        while waiting:
            message = self._next()
            faults = []
            for entry in waiting:
                trial = dict(self.bound)
                fault = match(entry[1], message, trial)
                if fault is None:
                    self.bound = trial
                    waiting.remove(entry)
                    break
                faults.append(f"line {entry[0]}: {fault}")
            else:
                raise Failure("\n  ".join(faults[:8]) + self.host.story())

    def _end(self):
        """End of input, unless the transcript closed it; nothing unexpected may come, and the exit is 0."""
        if not self.ended:
            self.at_close_input("")
        rest = self.host.rest()
        self.messages += rest
        if rest:
            raise Failure(f"came unexpected: {json.dumps(rest[0])[:400]}{self.host.story()}")
        if not self.exited:
            self.at_expect_exit("0")
        faults = []
        for message in self.messages:
            for fault in self.checker.check(message):
                faults.append(f"{fault}\n    in {json.dumps(message, ensure_ascii=False)[:500]}")
        if faults:
            raise Failure("\n  ".join(faults[:6]))

    # -- stage directions during the play -------------------------------------------------------------------

    def at_send_bytes(self, text):
        """Bytes, written with Python's escapes; no line end is added."""
        self._send(unescape(text))

    def at_send_repeated(self, text):
        """A count, then the bytes that are sent so often; no line end is added."""
        count, text = text.split(" ", 1)
        self._send(unescape(text) * int(count))

    def at_say(self, text):
        """A line as it stands, without an envelope."""
        self._send(substitute(text, self.bound).encode("utf-8") + b"\n")

    def at_close_input(self, _):
        """End of input."""
        self.ended = True
        self.host.close_input()

    def at_signal(self, name):
        """A signal to the host."""
        self.ended = True
        self.host.signal(getattr(signal, "SIG" + name))

    def at_expect_exit(self, text):
        """The process ends with this status."""
        self.exited = True
        status = self.host.wait()
        if status != int(text):
            raise Failure(f"exit status {status}, expected {text}{self.host.story()}")

    def at_stderr_contains(self, text):
        """Standard error has this text in it, now or within the limit."""
        end = time.monotonic() + LIMIT_S
        while text not in self.host.stderr_text:
            if time.monotonic() > end:
                raise Failure(f"standard error has no {text!r}{self.host.story()}")
            time.sleep(0.01)

    def at_file_exists(self, name):
        """A file in the run's own folder exists."""
        if not os.path.exists(name.replace("@tmp", self.folder)):
            raise Failure(f"{name} does not exist{self.host.story()}")

    def at_file_missing(self, name):
        """A file in the run's own folder does not exist."""
        if os.path.exists(name.replace("@tmp", self.folder)):
            raise Failure(f"{name} exists{self.host.story()}")


def transcripts(paths):
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(glob.glob(os.path.join(path, "*.txt")))
        else:
            yield path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", required=True)
    parser.add_argument("--packs", required=True)
    parser.add_argument("--revision", required=True)
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    options.host = os.path.abspath(options.host)
    options.packs = os.path.abspath(options.packs)
    played, failed, lines, published = 0, 0, 0, None
    for path in transcripts(options.paths):
        name = os.path.relpath(path, HERE)
        try:
            transcript = Transcript(path, options.revision)
            if transcript.revisions is not None and options.revision not in transcript.revisions:
                continue
            played += 1
            run = Run(transcript, options)
            run.play()
            lines += run.checker.checked
            published = run.checker.published
            print(f"ok    {name}")
        except Failure as error:
            failed += 1
            print(f"FAIL  {name} under {options.revision}: {error}")
    print(f"{options.revision}: {played - failed} transcripts passed, {failed} failed; {lines} lines checked against "
          + ("our schema and the published one" if published else "our schema (the published one is not at hand)"))
    return 1 if failed or not played else 0


if __name__ == "__main__":
    sys.exit(main())
