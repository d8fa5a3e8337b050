#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many requests at once: slow calls, slow readers, limits in flight, both eras on one stream, cancellations."""
import json
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from e2e_case import HostCase, call, cancel, main, modern, request, text_of  # noqa: E402


class SlowCalls(HostCase):
    def test_one_slow_call(self):
        """[P-35] Beside a call of 2 s a ping, a list and a cancellation take effect in under 0.5 s."""
        host = self.start("slow", "echo")
        self.handshake(host)
        host.send(call("slow", "slow_sleep", {"ms": 2000}))
        host.send(call("victim", "slow_sleep", {"ms": 30000}))
        start = time.monotonic()
        host.request(request(1, "ping"), 5)
        host.request(request(2, "tools/list"), 5)
        host.send(cancel("victim"))
        self.assertEqual(text_of(host.request(call(3, "echo", {"text": "quick"}), 5)), "quick")
        self.assert_within(0.5, start)
        self.assertEqual(text_of(host.answer_to("slow", 10)), "slept")

    def test_as_many_slow_calls_as_may_run(self):
        """[P-35] Beside 128 calls in flight a ping and a list take under 0.5 s; call 129 is refused at once."""
        host = self.start("slow", "echo", "library")
        self.handshake(host)
        for n in range(128):
            host.send(call(n, "slow_sleep", {"ms": 60000}))
        start = time.monotonic()
        host.request(request("p", "ping"), 5)
        host.request(request("l", "tools/list"), 5)
        refused = host.request(call("one more", "echo", {"text": "x"}), 5)
        self.assertTrue(refused["result"]["isError"])
        self.assertIn("128", text_of(refused))
        self.assertEqual(host.request(request("r", "resources/read", {"uri": "library://readme"}), 5)
                         ["error"]["code"], -32603)
        self.assert_within(0.5, start)
        host.send(cancel(100))
        host.send(cancel(101))
        self.assertEqual(self.until_served(host), "room again")
        for n in range(128):
            host.send(cancel(n))
        self.assertEqual(self.until_served(host), "room again")

    def until_served(self, host):
        """A call in flight ends only when its pack has completed it, so the first try may still be refused."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            answer = host.request(call("again", "echo", {"text": "room again"}), 5)
            if not answer["result"].get("isError"):
                return text_of(answer)
        return "still refused"

    def test_lower_limit_of_calls(self):
        """[P-35] The operator may lower the number of calls in flight; the refusal names the limit."""
        host = self.start("slow", "echo", serve=["--max-calls", "4"])
        self.handshake(host)
        for n in range(4):
            host.send(call(n, "slow_sleep", {"ms": 60000}))
        refused = host.request(call("five", "echo", {"text": "x"}), 5)
        self.assertTrue(refused["result"]["isError"])
        self.assertIn("4", text_of(refused))

    def test_slow_client(self):
        """[P-34] 3,000 requests to a client that does not read for a while get 3,000 answers, each once."""
        host = self.start("echo", read_output=False)
        threading.Timer(1.5, host.start_reading).start()
        for n in range(3000):
            host.send(request(n, "ping") if n % 2 else modern(n, "tools/call", {
                "name": "echo", "arguments": {"text": "x" * 200}}))
        seen = [host.next()["id"] for _ in range(3000)]
        self.assertEqual(sorted(seen), list(range(3000)))
        self.assertEqual(host.finish(), [])

    def test_id_in_use(self):
        """[P-20] An id that is used again while in flight harms nobody: at most one answer for each request."""
        host = self.start("slow")
        self.handshake(host)
        for _ in range(2):
            host.send(call(77, "slow_sleep", {"ms": 100}))
        host.send(call(78, "slow_sleep", {"ms": 500}))
        answers = []
        while True:
            answer = host.next()
            if answer["id"] == 78:
                break
            answers.append(answer)
        self.assertLessEqual(len(answers), 2)
        self.assertGreaterEqual(len(answers), 1)
        for _ in range(3):
            host.send(call(79, "slow_sleep", {"ms": 60000}))
        host.send(cancel(79))
        self.assertEqual(host.request(request(80, "ping"))["result"], {})
        self.assertEqual([m for m in host.finish() if m.get("id") not in (79,)], [])


class Cancelling(HostCase):
    def test_race_with_the_answer(self):
        """[P-56] Whether a cancellation or the answer comes first, no request is answered twice, and the others once."""
        host = self.start("slow", "echo")
        self.handshake(host)
        chance = random.Random(7)
        kept = []
        for n in range(400):
            host.send(call(n, "slow_sleep", {"ms": chance.choice((0, 1, 2))}))
            if chance.random() < 0.5:
                host.send(cancel(n))
            else:
                kept.append(n)
            if n % 50 == 49:
                host.request(request(f"sync {n}", "ping"))
        seen = [raw["id"] for raw in map(json.loads, host.lines) if "id" in raw] + [
            message["id"] for message in host.finish()]
        numbers = [identifier for identifier in seen if isinstance(identifier, int)]
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertEqual([n for n in kept if n not in set(numbers)], [])

    def test_cancel_and_call_in_one_read(self):
        """[P-56] A cancellation in the same read as its call finds it: nothing is sent."""
        host = self.start("slow")
        self.handshake(host)
        lines = json.dumps(call(1, "slow_sleep", {"ms": 60000})) + "\n" + json.dumps(cancel(1)) + "\n"
        host.send_bytes(lines.encode())
        self.assertEqual(host.request(request(2, "ping"))["result"], {})
        start = time.monotonic()
        self.assertEqual(host.finish(), [])
        self.assert_within(2, start)


class Progress(HostCase):
    def test_rises_and_ends(self):
        """[P-59] Of 100,000 reports a few a second come, rising, with the token, before the answer and not after."""
        host = self.start("parts")
        self.handshake(host)
        host.send(call(1, "parts_progress", {"steps": 100000}, progressToken="p1"))
        last, count = 0, 0
        while True:
            message = host.next()
            if "method" not in message:
                break
            self.assertEqual(message["method"], "notifications/progress")
            self.assertEqual(message["params"]["progressToken"], "p1")
            self.assertGreater(message["params"]["progress"], last)
            last, count = message["params"]["progress"], count + 1
        self.assertEqual(text_of(message), "reported")
        self.assertGreaterEqual(count, 1)
        self.assertLess(count, 400)
        self.assertEqual(host.request(request(2, "ping"))["result"], {})

    def test_last_value_of_a_burst(self):
        """[P-59] The last value of a burst comes while the call still runs, and nothing after its cancellation."""
        host = self.start("parts")
        host.send(modern(1, "tools/call", {"name": "parts_progress", "arguments": {"steps": 50, "stay": True}},
                         progressToken="p"))
        values = []
        while not values or values[-1] < 50:
            values.append(host.next()["params"]["progress"])
        self.assertEqual(values[0], 1)
        self.assertEqual(values, sorted(set(values)))
        host.send(cancel(1))
        self.assertEqual(host.request(modern(2, "tools/list"))["id"], 2)
        self.assertEqual(host.finish(), [])


class BothEras(HostCase):
    def test_interleaved(self):
        """[P-81, P-79] Of 200 interleaved requests each is answered in its own era."""
        host = self.start("echo")
        self.handshake(host)
        sent = []
        for n in range(200):
            message = (modern if n % 2 else request)(n, "tools/call", {"name": "echo", "arguments": {"text": str(n)}})
            sent.append(json.dumps(message))
        host.send_bytes(("\n".join(sent) + "\n").encode())
        for _ in range(200):
            answer = host.next()
            is_modern = answer["id"] % 2 == 1
            self.assertEqual(text_of(answer), str(answer["id"]))
            self.assertEqual("resultType" in answer["result"], is_modern)
            self.assertEqual("_meta" in answer["result"], is_modern)

    def test_nobody_else_hears_of_changes(self):
        """[P-88] A list change comes tagged to who listens, and untagged only to a legacy session."""
        host = self.start("dynamic")
        change = {"name": "dynamic_change", "arguments": {"to": "hide"}}
        restore = {"name": "dynamic_change", "arguments": {"to": "restore"}}
        host.send(modern("s", "subscriptions/listen", {"notifications": {"toolsListChanged": True}}))
        self.assertEqual(host.next()["method"], "notifications/subscriptions/acknowledged")
        host.send(modern(1, "tools/call", change))
        notes = [message for message in (host.next(), host.next()) if "method" in message]
        self.assertEqual([(note["method"], note["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"])
                          for note in notes], [("notifications/tools/list_changed", "s")])
        self.handshake(host)
        host.send(modern(2, "tools/call", restore))
        notes = [message for message in (host.next(), host.next(), host.next()) if "method" in message]
        self.assertEqual(sorted("params" in note and "_meta" in note["params"] for note in notes), [False, True])


if __name__ == "__main__":
    main()
