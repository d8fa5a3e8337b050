#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How bytes become messages: fragments, very long lines, very long strings, and what may not go out."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from e2e_case import HostCase, call, main, modern, request, text_of  # noqa: E402

MIB = 1 << 20


def long_ping(identifier, size):
    """A ping whose line, its end not counted, has this many bytes."""
    head = b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"' % identifier
    return head + b"y" * (size - len(head) - 3) + b'"}}'


class Framing(HostCase):
    def test_byte_by_byte(self):
        """[P-3] A message that comes one byte a write is served."""
        host = self.start("echo")
        for byte in b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n':
            host.send_bytes(bytes([byte]))
        self.assertEqual(host.next(), {"jsonrpc": "2.0", "id": 1, "result": {}})

    def test_many_in_one_write(self):
        """[P-3] A hundred requests in one write are all served, each once."""
        host = self.start("echo")
        self.handshake(host)
        lines = [json.dumps(call(n, "echo", {"text": f"number {n}"})) for n in range(100)]
        host.send_bytes(("\n".join(lines) + "\n").encode())
        answers = {}
        for _ in range(100):
            answer = host.next()
            self.assertNotIn(answer["id"], answers)
            answers[answer["id"]] = text_of(answer)
        self.assertEqual(answers, {n: f"number {n}" for n in range(100)})

    def test_odd_pieces(self):
        """[P-3] Messages cut at every place, with characters of several bytes, come together again."""
        host = self.start("echo")
        self.handshake(host)
        line = json.dumps(call(1, "echo", {"text": "ä漢🙂"}), ensure_ascii=False).encode() + b"\n"
        for cut in range(1, len(line)):
            host.send_bytes(line[:cut])
            host.send_bytes(line[cut:])
            self.assertEqual(text_of(host.next()), "ä漢🙂")

    def test_lines_up_to_the_limit(self):
        """[P-10] Lines of 4 MiB, 60 MiB and exactly 64 MiB are served."""
        host = self.start("echo")
        for identifier, size in ((1, 4 * MIB), (2, 60 * MIB), (3, 64 * MIB)):
            host.send_bytes(long_ping(identifier, size) + b"\n")
            self.assertEqual(host.next(), {"jsonrpc": "2.0", "id": identifier, "result": {}})

    def test_lines_above_the_limit(self):
        """[P-10] Longer lines are refused once, in bounded memory, and the stream goes on."""
        host = self.start("echo")
        host.send_bytes(long_ping(1, 64 * MIB + 1) + b"\n")
        refusal = host.next()
        self.assertEqual(refusal["error"]["code"], -32600)
        self.assertIn(refusal.get("id", 1), (1,))
        chunk = b"[" * MIB
        for _ in range(256):
            host.send_bytes(chunk)
        host.send_bytes(b"\n")
        self.assertEqual(host.next()["error"]["code"], -32600)
        host.send(request(2, "ping"))
        self.assertEqual(host.next(), {"jsonrpc": "2.0", "id": 2, "result": {}})
        if not os.environ.get("PACKHOST_SANITIZERS"):  # they have memory of their own
            self.assertLess(host.resident_bytes("VmHWM"), 160 * MIB)

    def test_lower_line_limit(self):
        """[P-10] The operator may lower the limit of a line."""
        host = self.start("echo", serve=["--max-line-bytes", "1000"])
        host.send_bytes(long_ping(1, 1000) + b"\n")
        self.assertEqual(host.next(), {"jsonrpc": "2.0", "id": 1, "result": {}})
        host.send_bytes(long_ping(2, 1001) + b"\n")
        self.assertEqual(host.next()["error"]["code"], -32600)

    def test_long_strings(self):
        """[P-17, P-27] An id of 5,000 characters and a text of 200 kB come back whole."""
        host = self.start("echo")
        self.handshake(host)
        identifier, text = "ü" * 5000, "漢字 \u0000\n" * 25000
        answer = host.request(call(identifier, "echo", {"text": text}))
        self.assertEqual(text_of(answer), text)

    def test_results_stay_below_what_clients_read(self):
        """[P-39] A tool that would answer with 20 MiB answers with an error, and no line is above 8 MiB."""
        host = self.start("huge")
        self.handshake(host)
        for how in ("released", "append", "borrowed", "blob"):
            answer = host.request(call(how, "huge_huge", {"bytes": 20 * MIB, "how": how}))
            self.assertTrue(answer["result"]["isError"])
        answer = host.request(call("wide", "huge_wide", {"bytes": 4 * MIB}))
        self.assertEqual(len(text_of(answer)), 4 * MIB)
        self.assertLess(max(len(line) for line in host.lines), 8 * MIB)

    def test_escaped_result_above_the_line(self):
        """[P-39] A result that only its escaping makes too long is an error as well."""
        host = self.start("echo")
        self.handshake(host)
        text = "\u0001" * (1 << 20)  # six bytes each in JSON, under the result limit by itself
        answer = host.request(call(1, "structured", {"text": "x"}))
        self.assertIn("structuredContent", answer["result"])
        answer = host.request(modern("big", "tools/call", {"name": "echo", "arguments": {"text": text}}))
        self.assertLess(max(len(line) for line in host.lines), 8 * MIB)
        if not answer["result"].get("isError"):
            self.assertEqual(text_of(answer), text)


if __name__ == "__main__":
    main()
