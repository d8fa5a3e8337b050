#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the process starts and ends: end of input, signals, closed pipes, an empty environment."""
import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from e2e_case import EXE, SLOWNESS, HostCase, call, main, modern, pack_path, request, text_of  # noqa: E402
from host_process import Host  # noqa: E402


class Endings(HostCase):
    def test_end_of_input_before_any_message(self):
        """[P-29] End of input as the first thing ends the process with 0 within 2 s."""
        host = self.start("echo")
        start = time.monotonic()
        self.assertEqual(host.finish(), [])
        self.assert_within(2, start)

    def test_end_of_input_when_idle(self):
        """[P-29] End of input while idle ends the process with 0 within 2 s."""
        host = self.start("echo", "slow", "library")
        self.handshake(host)
        host.request(call(1, "echo", {"text": "x"}))
        start = time.monotonic()
        self.assertEqual(host.finish(), [])
        self.assert_within(2, start)

    def test_quick_requests_are_answered_at_the_end(self):
        """[P-30] Twenty requests right before the end of input get their twenty answers."""
        host = self.start("echo")
        self.handshake(host)
        host.send_bytes(b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % n for n in range(20)))
        for n in range(20, 40):
            host.send(call(n, "echo", {"text": "x"}))
        answers = host.finish()
        self.assertEqual(sorted(answer["id"] for answer in answers), list(range(40)))

    def test_a_long_call_does_not_hold_the_exit(self):
        """[P-30] A call of 30 s at the end of input: gone within 5 s."""
        host = self.start("slow")
        self.handshake(host)
        host.send(call(1, "slow_sleep", {"ms": 30000}))
        host.send(request(2, "ping"))
        host.answer_to(2)
        start = time.monotonic()
        host.close_input()
        host.rest()
        self.assertEqual(host.wait(), 0)
        self.assert_within(5, start)

    def test_a_deaf_call_does_not_hold_the_exit(self):
        """[P-30] Not even one that ignores its cancellation: gone within 5 s."""
        host = self.start("slow")
        self.handshake(host)
        host.send(call(1, "slow_deaf", {"ms": 30000}))
        host.send(request(2, "ping"))
        host.answer_to(2)
        start = time.monotonic()
        host.close_input()
        host.rest()
        self.assertEqual(host.wait(), 0)
        self.assert_within(5.5, start)

    def test_a_client_that_never_reads_does_not_hold_the_exit(self):
        """[P-30] The input is closed and nobody takes the answers before its end: gone within 5 s."""
        host = self.start("echo", read_output=False)
        for n in range(4):  # answered by the thread that reads, which then waits before the end of input
            host.send(modern(str(n) * 30000, "ping"))
        self.wait_for_full_pipe(host)
        start = time.monotonic()
        host.close_input()
        self.assertEqual(host.process.wait(30), 0)
        self.assert_within(5.5, start)
        self.assertIn("nobody reads the answers", host.stderr_text)

    def wait_for_full_pipe(self, host):
        """Until the host is stuck in a write of its answers."""
        output = host.process.stdout.fileno()
        capacity = fcntl.fcntl(output, fcntl.F_GETPIPE_SZ)
        end = time.monotonic() + 30
        while struct.unpack("i", fcntl.ioctl(output, termios.FIONREAD, b"\0" * 4))[0] < capacity - 4096:
            self.assertLess(time.monotonic(), end, "the pipe never filled")
            time.sleep(0.01)

    def test_sigterm_when_idle(self):
        """[P-32] SIGTERM ends the process within 1 s, with 0."""
        host = self.start("echo")
        self.handshake(host)
        start = time.monotonic()
        host.signal(signal.SIGTERM)
        self.assertEqual(host.wait(), 0)
        self.assert_within(1, start)

    def test_sigterm_during_a_call(self):
        """[P-32] SIGTERM and SIGINT end it within 1 s during calls, polite ones and deaf ones."""
        for number in (signal.SIGTERM, signal.SIGINT):
            for tool in ("slow_sleep", "slow_deaf"):
                host = self.start("slow")
                self.handshake(host)
                host.send(call(1, tool, {"ms": 30000}))
                host.send(request(2, "ping"))
                host.answer_to(2)
                start = time.monotonic()
                host.signal(number)
                self.assertEqual(host.wait(), 0)
                self.assert_within(1.2, start)

    def test_sigterm_when_nobody_reads(self):
        """[P-32] SIGTERM ends a host that waits for a client which does not read."""
        host = self.start("huge", read_output=False)
        for n in range(10):
            host.send(modern(n, "tools/call", {"name": "huge_huge", "arguments": {"bytes": 1000000}}))
        self.wait_for_full_pipe(host)
        start = time.monotonic()
        host.signal(signal.SIGTERM)
        self.assertEqual(host.process.wait(10), 0)
        self.assert_within(1.2, start)

    def test_closed_output(self):
        """[P-33] When nobody can read the answers any more the process ends, and burns no processor time."""
        host = self.start("echo", read_output=False)
        host.process.stdout.close()
        try:
            for n in range(50):
                host.send(modern(n, "tools/call", {"name": "echo", "arguments": {"text": "x" * 4000}}))
        except BrokenPipeError:
            self.assertIsNotNone(host.process.wait(10))
        start = time.monotonic()
        host.process.wait(5)
        self.assert_within(3, start)

    def test_idle_host_costs_nothing(self):
        """[P-33] An idle host uses no processor time."""
        host = self.start("echo", "slow")
        self.handshake(host)
        host.request(call(1, "slow_sleep", {"ms": 20}))
        before = host.cpu_seconds()
        time.sleep(1)  # the time over which nothing may happen
        self.assertLessEqual(host.cpu_seconds() - before, 0.02)

    def test_subscriptions_do_not_delay_the_exit(self):
        """[P-78] Sixty-four open subscriptions get their closing results, and the exit is as quick as ever."""
        host = self.start("dynamic")
        for n in range(64):
            host.send(modern(n, "subscriptions/listen", {"notifications": {"toolsListChanged": True}}))
            self.assertEqual(host.next()["method"], "notifications/subscriptions/acknowledged")
        host.send(modern(64, "subscriptions/listen", {"notifications": {}}))
        self.assertEqual(host.next()["error"]["code"], -32603)
        start = time.monotonic()
        rest = host.finish()
        self.assert_within(2, start)
        self.assertEqual({message["id"] for message in rest if "result" in message}, set(range(64)))

    def test_sigterm_closes_subscriptions(self):
        """[P-78] SIGTERM ends subscriptions with their closing results as well."""
        host = self.start("dynamic")
        host.send(modern("s", "subscriptions/listen", {"notifications": {"toolsListChanged": True}}))
        host.next()
        host.signal(signal.SIGTERM)
        rest = host.rest()
        self.assertEqual([message["id"] for message in rest if "result" in message], ["s"])
        self.assertEqual(host.wait(), 0)


class Beginnings(HostCase):
    def test_empty_environment_any_directory(self):
        """[P-37] An empty environment and a directory that is gone will do."""
        folder = self.folder()
        gone = os.path.join(folder, "gone")
        os.mkdir(gone)
        script = f"cd {gone} && rmdir {gone} && exec {EXE} serve --pack {pack_path('echo')}"
        host = Host("/bin/sh", ["-c", script], env={})
        self.addCleanup(host.kill)
        self.assertEqual(text_of(host.request(modern(1, "tools/call", {
            "name": "echo", "arguments": {"text": "here"}}))), "here")
        self.assertEqual(host.finish(), [])

    def test_killed_and_started_again(self):
        """[P-38] A start that is killed at once does not hinder the next one, whenever the kill comes."""
        for delay_ms in (0, 1, 2, 5, 10, 20):
            first = self.start("echo", "library")
            time.sleep(delay_ms / 1000)  # how far the first start gets
            first.kill()
            second = self.start("echo", "library")
            self.assertIn("tools", second.request(modern(1, "tools/list"))["result"])
            second.kill()

    def test_probe_reaped_at_once(self):
        """[P-38] End of input and SIGTERM right after the first answer end a probe cleanly."""
        host = self.start("echo")
        host.request(modern("probe", "server/discover"))
        host.close_input()
        host.signal(signal.SIGTERM)
        self.assertEqual(host.wait(), 0)

    def test_discovery_is_prompt(self):
        """[P-63] Discovery and the handshake are answered within a second of the start."""
        for first in (modern("p", "server/discover"),
                      request("p", "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                                  "clientInfo": {"name": "c", "version": "1"}})):
            start = time.monotonic()
            host = self.start("echo", "dynamic", "library", "parts")
            self.assertIn("result", host.request(first))
            self.assert_within(1, start)


class StandardError(HostCase):
    def test_unread(self):
        """[P-36] A pack that writes 1 MiB to standard error, which nobody reads, stalls nothing."""
        reader, writer = os.pipe()
        try:
            host = self.start("prints", stderr=writer)
            self.handshake(host)
            for _ in range(300):  # of 100 calls, each of which prints three dozen bytes
                for n in range(100):
                    host.send(call(n, "prints_print"))
                for _ in range(100):
                    self.assertEqual(text_of(host.next()), "printed")
            start = time.monotonic()
            self.assertEqual(host.request(request("p", "ping"))["result"], {})
            self.assert_within(1, start)
            self.assertEqual(host.finish(), [])
        finally:
            os.close(reader)
            os.close(writer)

    def test_closed(self):
        """[P-36] Without a standard error the host serves."""
        script = f"exec {EXE} serve --pack {pack_path('prints')} 2>&-"
        host = Host("/bin/sh", ["-c", script], env={}, stderr=subprocess.DEVNULL)
        self.addCleanup(host.kill)
        self.handshake(host)
        self.assertEqual(text_of(host.request(call(1, "prints_print"))), "printed")
        self.assertEqual(host.finish(), [])

    def test_broken(self):
        """[P-36] A standard error whose reader is gone kills nobody."""
        reader, writer = os.pipe()
        os.close(reader)
        host = self.start("prints", stderr=writer)
        os.close(writer)
        self.handshake(host)
        self.assertEqual(text_of(host.request(call(1, "prints_print"))), "printed")
        self.assertEqual(host.finish(), [])


if __name__ == "__main__":
    assert SLOWNESS >= 1
    main()
