#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls that cross into packs, seen from the client: deadlines, limits, memory, order, errors, logs."""
import json
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from e2e_case import HostCase, call, cancel, main, modern, request, text_of  # noqa: E402

MIB = 1 << 20
SANITIZED = bool(os.environ.get("PACKHOST_SANITIZERS"))
GRACE_S = 2


class Deadlines(HostCase):
    def test_a_polite_pack(self):
        """[A-6] A pack that hears its cancellation is answered for at its deadline of 0.2 s."""
        host = self.start("slow")
        self.handshake(host)
        start = time.monotonic()
        answer = host.request(call(1, "slow_deadline", {"ms": 30000}))
        self.assertTrue(answer["result"]["isError"])
        self.assertIn("timed out", text_of(answer))
        self.assert_within(0.2 + GRACE_S + 0.1, start)

    def test_a_deaf_pack(self):
        """[A-6] One that does not is answered for after the grace time, and its late answer goes nowhere."""
        host = self.start("slow", "echo")
        self.handshake(host)
        start = time.monotonic()
        answer = host.request(call(1, "slow_stuck", {"ms": 3000}))
        self.assertTrue(answer["result"]["isError"])
        self.assert_within(0.2 + GRACE_S + 0.1, start)
        self.assertGreater(time.monotonic() - start, 0.2)
        self.assertEqual(text_of(host.request(call(2, "slow_sleep", {"ms": 1200}))), "slept")
        self.assertEqual(text_of(host.request(call(3, "echo", {"text": "alive"}))), "alive")
        self.assertEqual(host.finish(), [])

    def test_a_pending_call(self):
        """[A-6] A cancelled pending call gets cancel() exactly once, and no answer goes out."""
        host = self.start("slow")
        self.handshake(host)
        host.send(call(1, "slow_later", {"how": "thread", "ms": 60000}))
        host.request(request(2, "ping"))
        self.assertEqual(text_of(host.request(call(3, "slow_cancels"))), "0")
        host.send(cancel(1))
        self.assertEqual(text_of(host.request(call(4, "slow_sleep", {"ms": 200}))), "slept")
        self.assertEqual(text_of(host.request(call(5, "slow_cancels"))), "1")
        self.assertEqual(host.finish(), [])


class Sizes(HostCase):
    def test_a_large_part_is_not_copied(self):
        """[A-8] A text of 4 MiB handed over raises the peak by less than 1.3 times its encoded size."""
        host = self.start("huge")
        self.handshake(host)
        host.request(call(0, "huge_wide", {"bytes": 1000}))
        before = host.resident_bytes("VmHWM")
        answer = host.request(call(1, "huge_wide", {"bytes": 4 * MIB}))
        encoded = len(host.lines[-1])
        self.assertEqual(len(text_of(answer)), 4 * MIB)
        if not SANITIZED:
            # The pack's own buffer of 4 MiB is memory of the process as well.
            self.assertLess(host.resident_bytes("VmHWM") - before - 4 * MIB, 1.3 * encoded)

    def test_bytes_come_as_they_are(self):
        """[A-8, P-92] 1 MiB of bytes arrives identical after base64."""
        import base64
        host = self.start("parts")
        self.handshake(host)
        answer = host.request(call(1, "parts_blob", {"mime": "image/png", "bytes": MIB}))
        data = answer["result"]["content"][0]["data"]
        self.assertEqual(base64.b64decode(data, validate=True), bytes(range(256)) * (MIB // 256))

    def test_a_pack_that_goes_on_above_the_limit(self):
        """[A-9] A pack that insists gets nowhere, and the host's memory stays near the limit."""
        host = self.start("huge")
        self.handshake(host)
        host.request(call(0, "huge_insist", {"bytes": 2 * MIB}))
        before = host.resident_bytes("VmHWM")
        for n in range(1, 6):
            answer = host.request(call(n, "huge_huge", {"bytes": 64 * MIB, "how": "append"}))
            self.assertTrue(answer["result"]["isError"])
        if not SANITIZED:
            self.assertLess(host.resident_bytes("VmHWM") - before, 3 * MIB)

    def test_lower_result_limit(self):
        """[A-9] The operator may lower the limit of a result."""
        host = self.start("huge", serve=["--max-result-bytes", "1000"])
        self.handshake(host)
        self.assertEqual(len(text_of(host.request(call(1, "huge_huge", {"bytes": 1000})))), 1000)
        self.assertTrue(host.request(call(2, "huge_huge", {"bytes": 1001}))["result"]["isError"])

    def test_size_hint(self):
        """[A-26] The hint's bytes are the length of the line, its items what the pack said; above its limit: the text."""
        for build in (call, lambda n, name, arguments: modern(
                n, "tools/call", {"name": name, "arguments": arguments})):
            host = self.start("sized")
            if build is call:
                self.handshake(host)
            for rows in (0, 1, 9, 10, 99, 100, 120):
                answer = host.request(build(rows, "sized_rows", {"rows": rows}))
                self.assertEqual(answer["result"]["_meta"]["io.example/result-size"],
                                 {"bytes": len(host.lines[-1]) - 1, "items": rows, "maxBytes": 2000})
            answer = host.request(build(1000, "sized_rows", {"rows": 1000}))
            self.assertTrue(answer["result"]["isError"])
            self.assertEqual(text_of(answer), "The answer is too long; ask for fewer rows")
            self.assertEqual(answer["result"]["_meta"]["io.example/result-size"]["items"], 0)
            answer = host.request(build(1, "sized_reserved", {}))
            self.assertTrue(answer["result"]["isError"])

    def test_reads_have_no_hint(self):
        """[A-26] A resource read carries no hint; one above the limit says so."""
        host = self.start("sized")
        self.handshake(host)
        answer = host.request(request(1, "resources/read", {"uri": "sized://short"}))
        self.assertNotIn("_meta", answer["result"])
        answer = host.request(request(2, "resources/read", {"uri": "sized://long"}))
        self.assertEqual((answer["error"]["code"], answer["error"]["message"]), (-32603, "The resource is too long"))


class Order(HostCase):
    def peak(self, host, pack):
        return host.request(call("peak", pack + "_peak"))["result"]["structuredContent"]

    def test_serial(self):
        """[A-13] A serial pack never has two incomplete calls, pending ones included."""
        host = self.start("serial")
        self.handshake(host)
        for n in range(24):
            host.send(call(n, "serial_hold", {"ms": 5, "pending": n % 2 == 0}))
        for _ in range(24):
            host.next()
        self.assertEqual(self.peak(host, "serial")["peak"], 1)

    def test_parallel(self):
        """[A-13] A parallel pack of at most four never has five; an exclusive call has no company."""
        host = self.start("parallel")
        self.handshake(host)
        for n in range(40):
            host.send(call(n, "parallel_alone" if n % 8 == 5 else "parallel_hold", {"ms": 5, "pending": n % 3 == 0}))
        for _ in range(40):
            host.next()
        peak = self.peak(host, "parallel")
        self.assertEqual(peak["beside_exclusive"], 0)
        self.assertGreaterEqual(peak["peak"], 2)
        self.assertLessEqual(peak["peak"], 4)

    def test_bursts_of_notices(self):
        """[A-14] A thousand change notices in a burst reach the client as one or two."""
        host = self.start("dynamic")
        self.handshake(host)
        host.send(call(1, "dynamic_change", {"to": "describe", "notices": 1000}))
        host.send(call(2, "dynamic_change", {"to": "restore", "notices": 0}))
        notes, end = 0, time.monotonic() + 1
        while time.monotonic() < end:
            try:
                notes += host.next(max(0.01, end - time.monotonic())).get("method", "").endswith("list_changed")
            except TimeoutError:
                break
        self.assertIn(notes, (1, 2))

    def test_shutdown_with_pending_calls(self):
        """[A-23] A shutdown with ten calls pending ends within 5 s, each of them completed."""
        host = self.start("slow", serve=["--log-level", "info"])
        self.handshake(host)
        for n in range(10):
            host.send(call(n, "slow_later", {"how": "thread", "ms": 60000}))
        host.request(request("p", "ping"))
        start = time.monotonic()
        rest = host.finish()
        self.assert_within(5, start)
        self.assertEqual(sorted(message["id"] for message in rest), list(range(10)))
        self.assertTrue(all(message["result"]["isError"] for message in rest))

    def test_shutdown_of_a_mute_pack(self):
        """[A-23] A pack that completes nothing does not hold the exit for more than 5 s."""
        host = self.start("mute")
        self.handshake(host)
        for n in range(10):
            host.send(call(n, "mute_never"))
        host.request(request("p", "ping"))
        start = time.monotonic()
        host.close_input()
        host.rest()
        self.assertEqual(host.wait(), 0)
        self.assert_within(5.5, start)


class Forms(HostCase):
    def test_a_pack_that_checks_for_itself(self):
        """[A-22] An unknown property reaches the pack, and the host's own errors take the pack's form."""
        host = self.start("strict")
        self.handshake(host)
        answer = host.request(call(1, "strict_take", {"name": "x", "colour": "red"}))
        self.assertEqual(answer["result"]["structuredContent"]["error"]["message"], "unknown property 'colour'")
        answer = host.request(call(2, "strict_overrun"))
        self.assertTrue(answer["result"]["isError"])
        error = answer["result"]["structuredContent"]["error"]
        self.assertEqual((error["code"], error["effects"]), ("timeout", "effects: unknown"))
        self.assertIsInstance(error["retryable"], bool)
        self.assertEqual(json.loads(text_of(answer)), answer["result"]["structuredContent"])
        answer = host.request(call(3, "strict_internal"))
        error = answer["result"]["structuredContent"]["error"]
        self.assertEqual(error["code"], "broken")
        self.assertNotIn("secret", json.dumps(answer))
        answer = host.request(call(4, "strict_too_much"))
        self.assertEqual(answer["result"]["structuredContent"]["error"]["code"], "limit")

    def test_output_that_was_not_promised(self):
        """[P-61] A pack that breaks its own output schema fails the call; the value is not shown."""
        host = self.start("lying")
        self.handshake(host)
        for tool in ("mismatch", "missing", "no_json"):
            answer = host.request(call(tool, "lying_" + tool))
            self.assertTrue(answer["result"]["isError"], tool)
            self.assertNotIn("structuredContent", answer["result"])
            self.assertNotIn("many", text_of(answer))
        self.assertEqual(host.request(call(1, "lying_honest"))["result"]["structuredContent"], {"n": 1})
        answer = host.request(call(2, "lying_failing"))
        self.assertEqual((answer["result"]["isError"], text_of(answer)), (True, "nothing to count"))

    def about(self, kind):
        host = self.start(["dynamic", "--about", kind], serve=["--log-level", "warn"])
        legacy = self.handshake(host)
        discovered = host.request(modern("d", "server/discover"))["result"]
        host.finish()
        return legacy, discovered, host.stderr_text

    def test_about(self):
        """[A-24] What a pack says of itself stands in for its manifest in every era."""
        legacy, discovered, log = self.about("good")
        self.assertIn("Instructions of about.", legacy["instructions"])
        self.assertEqual(legacy["serverInfo"]["title"], "Title of about")
        self.assertEqual(discovered["instructions"], legacy["instructions"])
        self.assertEqual(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["title"], "Title of about")
        self.assertEqual(log, "")

    def test_about_that_cannot_be_used(self):
        """[A-24] Too long, no object, broken, late or failing: the manifest's texts, and one log line."""
        for kind in ("long", "array", "broken", "slow", "fails"):
            legacy, _, log = self.about(kind)
            self.assertIn("Instructions of the manifest.", legacy["instructions"], kind)
            self.assertEqual(legacy["serverInfo"]["title"], "Title of the manifest", kind)
            self.assertEqual(len(log.strip().split("\n")), 1, f"{kind}: {log}")


class Crashes(HostCase):
    def crash(self, tool, status):
        host = self.start("throws", "echo")
        self.handshake(host)
        self.assertEqual(text_of(host.request(call(1, "throws_fine"))), "fine")
        host.send(call(2, "throws_" + tool))
        host.rest()
        self.assertEqual(host.wait(), status)
        return host.stderr_text

    def test_an_exception(self):
        """[A-11] An exception that leaves call() ends the process with a report that names pack and tool."""
        report = self.crash("throw", -signal.SIGABRT)
        self.assertRegex(report, r"throws\b.*\bthrow|throw\b.*\bthrows")

    def test_an_abort(self):
        """[A-11] So does an abort."""
        report = self.crash("abort", -signal.SIGABRT)
        self.assertIn("throws", report)
        self.assertIn("abort", report)


class Logs(HostCase):
    CANARY = "canary-7f3a9"

    def test_one_line_a_call(self):
        """[A-26] At info each call is one line with its members, and none of its content."""
        host = self.start("sized", "echo", serve=["--log-level", "info"])
        self.handshake(host)
        host.request(call(1, "sized_rows", {"rows": 7}))
        length = len(host.lines[-1]) - 1
        host.request(call(2, "echo", {"text": self.CANARY}))
        host.finish()
        lines = [line for line in host.stderr_text.split("\n") if "call.done" in line]
        self.assertEqual(len(lines), 2)
        lines.sort(key=lambda line: "pack=sized" not in line)  # two threads may have written them
        self.assertRegex(lines[0], r"\bpack=sized\b")
        self.assertRegex(lines[0], r"\btool=(sized_)?rows\b")
        self.assertRegex(lines[0], r"\bitems=7\b")
        self.assertRegex(lines[0], rf"\bbytes={length}\b")
        self.assertRegex(lines[0], r"\belapsed_ms=\d")
        import hashlib
        digest = hashlib.sha256(b'{"rows":7}').hexdigest()[:12]
        self.assertRegex(lines[0], rf"\binput_digest={digest}\b")
        self.assertNotIn(self.CANARY, host.stderr_text)

    def test_no_content_at_any_level(self):
        """[A-12] What arguments, options and results hold stands in no log, at no level."""
        folder = self.folder()
        os.mkdir(os.path.join(folder, self.CANARY))
        for level in ("error", "warn", "info", "debug", "trace"):
            host = self.start("echo", "strict", "vices", ["opener", "--sleep-ms", "0"], serve=["--log-level", level])
            self.handshake(host)
            host.request(call(1, "echo", {"text": self.CANARY}))
            host.request(call(2, "fail", {"status": -2, "message": self.CANARY}))
            host.request(call(3, "fail", {"status": -8, "message": self.CANARY}))
            host.request(call(4, "structured", {"text": "x", self.CANARY: 1}))
            host.request(call(5, "strict_take", {"name": self.CANARY}))
            host.request(call(6, "echo", {"text": 5, "message": self.CANARY}))
            host.request(modern(7, "tools/call", {"name": "raw", "arguments": {self.CANARY: self.CANARY}}))
            host.send_bytes(b'{"jsonrpc":"2.0","id":8,"method":"' + self.CANARY.encode() + b'",}\n')
            host.next()
            host.finish()
            self.assertNotIn(self.CANARY, host.stderr_text, level)

    def test_bytes_only_on_demand(self):
        """[A-12] With the explicit option, and at trace alone, the lines of the protocol are shown."""
        for words, shown in ((["--log-level", "trace", "--log-bytes"], True), (["--log-level", "trace"], False)):
            host = self.start("echo", serve=words)
            self.handshake(host)
            host.request(call(1, "echo", {"text": self.CANARY}))
            host.finish()
            self.assertEqual(self.CANARY in host.stderr_text, shown)

    def test_silence(self):
        """[A-12] At the default level nothing is said in normal operation."""
        host = self.start("echo", "library", "parts", "slow")
        self.handshake(host)
        host.request(call(1, "echo", {"text": "x"}))
        host.request(call(2, "structured", {}))
        host.request(call(3, "nope", {}))
        host.request(request(4, "resources/read", {"uri": "library://readme"}))
        host.send(call(5, "slow_sleep", {"ms": 1000}))
        host.send(cancel(5))
        host.finish()
        self.assertEqual(re.sub(r"==\d+==.*", "", host.stderr_text).strip(), "")


if __name__ == "__main__":
    main()
