# SPDX-License-Identifier: MIT
"""The real executable over pipes, as a client starts it: lines in, lines out, with a time limit on each wait.

Every byte the host writes is kept and checked: it has to be lines of strict UTF-8 JSON and nothing else.
"""
import json
import os
import queue
import signal
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT_S = float(os.environ.get("PACKHOST_TEST_LIMIT_S", "30"))


def _no_twice(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def _no_constant(word):
    raise ValueError(f"{word} is not JSON")


def parse_line(raw):
    """One line as the host wrote it, its LF included. Raises ValueError unless it is one strict JSON message."""
    if not raw.endswith(b"\n"):
        raise ValueError("the line has no end")
    if b"\r" in raw:
        raise ValueError("the line has a carriage return")
    message = json.loads(raw.decode("utf-8"), object_pairs_hook=_no_twice, parse_constant=_no_constant)
    json.dumps(message, ensure_ascii=False).encode("utf-8")  # half a surrogate pair does not encode
    if not isinstance(message, (dict, list)):
        raise ValueError("the line is no message")
    return message


class Host:
    """A running packhost. Use it in a with statement: what still runs at its end is killed."""

    def __init__(self, executable, words, *, env=None, cwd=None, stderr=subprocess.PIPE, stdout=None,
                 read_output=True):
        self.sent = []  # what went in, as bytes
        self.lines = []  # what came out, as bytes
        self._queue = queue.Queue()
        self._stderr = bytearray()
        self._stderr_ended = threading.Event()
        command = [executable, *words]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=stdout if stdout is not None else subprocess.PIPE,
            stderr=stderr, env=env, cwd=cwd, bufsize=0, start_new_session=True)
        self._threads = []
        self._may_read = threading.Event()
        if read_output:
            self._may_read.set()
        if stdout is None:
            self._start(self._read_lines)
        if stderr == subprocess.PIPE:
            self._start(self._read_stderr)
        else:
            self._stderr_ended.set()

    def _start(self, target):
        thread = threading.Thread(target=target, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _read_lines(self):
        pending = bytearray()
        fd = self.process.stdout.fileno()
        while True:
            self._may_read.wait()
            try:
                chunk = os.read(fd, 1 << 16)
            except (OSError, ValueError):
                chunk = b""
            if not chunk:
                break
            pending += chunk
            *whole, rest = pending.split(b"\n")
            for line in whole:
                self._queue.put(bytes(line) + b"\n")
            pending = bytearray(rest)
        if pending:
            self._queue.put(bytes(pending))
        self._queue.put(None)

    def _read_stderr(self):
        fd = self.process.stderr.fileno()
        while True:
            try:
                chunk = os.read(fd, 1 << 16)
            except (OSError, ValueError):
                break
            if not chunk:
                break
            self._stderr += chunk
        self._stderr_ended.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def start_reading(self):
        """Begin to read what a host with read_output=False wrote."""
        self._may_read.set()

    def pause_reading(self):
        """Read no more than what is being read at this moment, until start_reading()."""
        self._may_read.clear()

    @property
    def pid(self):
        return self.process.pid

    @property
    def stderr_text(self):
        if self.process.poll() is not None:
            self._stderr_ended.wait(5)  # what it wrote last may still stand in the pipe
        return bytes(self._stderr).decode("utf-8", "replace")

    def send_bytes(self, data):
        """Bytes as they are."""
        self.sent.append(data if len(data) < 1000 else data[:997] + b"...")
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view):]

    def send(self, message):
        """One message, one line."""
        self.send_bytes(json.dumps(message, ensure_ascii=False).encode("utf-8") + b"\n")

    def next_line(self, limit_s=LIMIT_S):
        """The next line as bytes, or None at the end of the output. Raises TimeoutError."""
        try:
            raw = self._queue.get(timeout=limit_s)
        except queue.Empty:
            raise TimeoutError(f"nothing came within {limit_s} s{self.story()}") from None
        if raw is not None:
            self.lines.append(raw)
        else:
            self._queue.put(None)
        return raw

    def next(self, limit_s=LIMIT_S):
        """The next message, parsed and checked. Fails at the end of the output."""
        raw = self.next_line(limit_s)
        if raw is None:
            raise AssertionError("the output ended" + self.story())
        try:
            return parse_line(raw)
        except ValueError as error:
            raise AssertionError(f"not a message ({error}): {raw[:300]!r}{self.story()}") from None

    def request(self, message, limit_s=LIMIT_S):
        """Send a request and give back its answer; whatever else comes before it is passed over."""
        self.send(message)
        return self.answer_to(message["id"], limit_s)

    def answer_to(self, identifier, limit_s=LIMIT_S):
        """The next answer with this id; other lines before it are passed over."""
        end = time.monotonic() + limit_s
        while True:
            message = self.next(max(0.01, end - time.monotonic()))
            if isinstance(message, dict) and "method" not in message and message.get("id") == identifier \
                    and isinstance(message["id"], bool) == isinstance(identifier, bool):
                return message

    def rest(self, limit_s=LIMIT_S):
        """All messages up to the end of the output."""
        messages = []
        while True:
            raw = self.next_line(limit_s)
            if raw is None:
                return messages
            messages.append(parse_line(raw))

    def close_input(self):
        """End of input."""
        self.process.stdin.close()

    def signal(self, number):
        """Send a signal to the host alone."""
        self.process.send_signal(number)

    def wait(self, limit_s=LIMIT_S):
        """The exit status; negative for a signal. Raises AssertionError when the host does not end in time."""
        try:
            status = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {limit_s} s{self.story()}") from None
        self.start_reading()
        for thread in self._threads:
            thread.join(2)
        return status

    def finish(self, limit_s=LIMIT_S):
        """End of input, then all that still comes, then the exit status, which has to be 0."""
        self.close_input()
        messages = self.rest(limit_s)
        status = self.wait(limit_s)
        assert status == 0, f"exit status {status}{self.story()}"
        return messages

    def kill(self):
        """End it, and the children it has left, whatever it does."""
        self.start_reading()
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait(10)
        for thread in self._threads:
            thread.join(2)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                try:
                    pipe.close()
                except OSError:
                    pass

    def story(self):
        """What went in and what came out, for a failure's text."""
        shown = [">> " + line.decode("utf-8", "backslashreplace").rstrip("\n")[:600] for line in self.sent[-12:]]
        shown += ["<< " + line.decode("utf-8", "backslashreplace").rstrip("\n")[:600] for line in self.lines[-12:]]
        if self._stderr:
            shown.append("stderr: " + self.stderr_text[-1500:])
        return "\n  " + "\n  ".join(shown)

    # -- facts about the process, from /proc ------------------------------------------------------------

    def resident_bytes(self, member="VmRSS"):
        """VmRSS, or VmHWM for the peak."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith(member + ":"):
                    return int(line.split()[1]) * 1024
        raise AssertionError("no such line in /proc")

    def cpu_seconds(self):
        """Processor time used so far, of all threads."""
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
