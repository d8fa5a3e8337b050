#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lists and results hold: names, pages, nulls, codes, base64, sizes; and that nothing leads out of a root."""
import base64
import json
import os
import sys

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from e2e_case import HostCase, call, main, modern, request, text_of  # noqa: E402
from host_process import parse_line  # noqa: E402
from mcp_lines import LEGACY, LineChecker  # noqa: E402

PACKS = ("echo", "library", "parts", "slow", "dynamic", "everything", "lying", "huge", "strict", "sized")
LISTS = {"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates",
         "prompts/list": "prompts"}


def walk(host, build, method):
    """All pages of a list, as results."""
    pages, cursor = [], None
    while True:
        params = {} if cursor is None else {"cursor": cursor}
        result = host.request(build(f"{method} {len(pages)}", method, params))["result"]
        pages.append(result)
        cursor = result.get("nextCursor")
        if cursor is None or len(pages) > 64:
            return pages


class Lists(HostCase):
    def test_tool_names(self):
        """[P-60] Over all packs: names unique, of the safe form, short, described; the order is the launch line's."""
        host = self.start(["files", "--root", self.folder()], *PACKS)
        tools = [tool for page in walk(host, modern, "tools/list") for tool in page["tools"]]
        names = [tool["name"] for tool in tools]
        self.assertEqual(len(names), len(set(names)))
        for tool in tools:
            self.assertRegex(tool["name"], r"^[A-Za-z0-9_-]{1,64}$")
            self.assertTrue(tool["description"].strip())
        again = self.start(["files", "--root", self.folder()], *PACKS)
        self.assertEqual([tool["name"] for page in walk(again, modern, "tools/list") for tool in page["tools"]], names)
        self.assertLess(names.index("echo"), names.index("library_touch"))
        self.assertLess(names.index("file_read"), names.index("echo"))

    def test_schemas_are_valid(self):
        """[P-94] Every schema shown is valid under 2020-12, the dialect clients assume, and names no other."""
        host = self.start(["files", "--root", self.folder()], *PACKS)
        for page in walk(host, modern, "tools/list"):
            for tool in page["tools"]:
                for member in ("inputSchema", "outputSchema"):
                    schema = tool.get(member, {})
                    jsonschema.Draft202012Validator.check_schema(schema)
                    self.assertNotIn("$schema", json.dumps(schema))

    def test_nothing_is_fetched(self):
        """[P-95] The host opens no socket, whatever the packs' schemas say."""
        host = self.start(*PACKS)
        walk(host, modern, "tools/list")
        host.request(modern(1, "tools/call", {"name": "structured", "arguments": {"text": "x"}}))
        targets = []
        for descriptor in os.listdir(f"/proc/{host.pid}/fd"):
            try:
                targets.append(os.readlink(f"/proc/{host.pid}/fd/{descriptor}"))
            except FileNotFoundError:
                pass
        self.assertEqual([target for target in targets if target.startswith("socket:")], [])

    def test_pages(self):
        """[P-84] Pages end, repeat nothing and share one scope; so it is in the handshake era."""
        packs = [["files", "--root", self.folder()], *PACKS]
        for build in (modern, request):
            host = self.start(*packs)
            if build is request:
                self.handshake(host)
            for method, member in LISTS.items():
                pages = walk(host, build, method)
                self.assertLessEqual(len(pages), 64)
                entries = [json.dumps(entry) for page in pages for entry in page[member]]
                self.assertEqual(len(entries), len(set(entries)))
                if len(pages) > 1:
                    self.assertTrue(all(page[member] for page in pages))
                if build is modern:
                    self.assertEqual(len({page["cacheScope"] for page in pages}), 1)

    def test_many_pages(self):
        """[P-52, P-84] Of many tools the pages are walked to the end, and a cursor of one list is none of another."""
        many = [["parts", "--tool-prefix", f"p{n}_"] for n in range(60)]
        host = self.start(*many, "library", aliases=[f"p{n}" for n in range(60)])
        pages = walk(host, modern, "tools/list")
        self.assertGreater(len(pages), 1)
        self.assertLessEqual(len(pages), 64)
        names = [tool["name"] for page in pages for tool in page["tools"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(names), 60 * 14 + 1)
        self.assertEqual(len({page["cacheScope"] for page in pages}), 1)
        cursor = pages[0]["nextCursor"]
        for method in ("resources/list", "resources/templates/list", "prompts/list"):
            self.assertEqual(host.request(modern(method, method, {"cursor": cursor}))["error"]["code"], -32602)
        again = host.request(modern("again", "tools/list", {"cursor": cursor}))
        self.assertEqual(again["result"]["tools"], pages[1]["tools"])
        bent = cursor[:-1] + ("A" if cursor[-1] != "A" else "B")
        answer = host.request(modern("bent", "tools/list", {"cursor": bent + "x"}))
        self.assertEqual(answer["error"]["code"], -32602)

    def test_lists_do_not_change_by_themselves(self):
        """[P-98] Calls, other clients' eras and time change no list."""
        host = self.start("echo", "library", "parts")
        first = [walk(host, modern, method) for method in LISTS]
        self.handshake(host, "2024-11-05")
        host.request(call(1, "echo", {"text": "x"}))
        host.request(call(2, "library_touch"))
        host.request(request(3, "resources/subscribe", {"uri": "library://watched"}))
        self.assertEqual([walk(host, modern, method) for method in LISTS], first)

    def test_notice_after_the_change(self):
        """[P-98] Whenever a notice comes, the list already shows the change."""
        host = self.start("dynamic")
        self.handshake(host)
        for turn in range(6):
            to = "hide" if turn % 2 == 0 else "restore"
            host.send(call(turn, "dynamic_change", {"to": to}))
            while host.next().get("method") != "notifications/tools/list_changed":
                pass
            tools = host.request(request(f"list {turn}", "tools/list"))["result"]["tools"]
            self.assertEqual("dynamic_shy" in [tool["name"] for tool in tools], to == "restore")


class Everything(HostCase):
    """A tour through all methods in all revisions, every line of which is looked at."""

    def tour(self, build, revision):
        host = self.start(*PACKS, serve=["--max-calls", "16"])
        checker = LineChecker(revision)
        if build is request:
            self.handshake(host, revision)
        for method in LISTS:
            walk(host, build, method)
        n = 0
        for name, arguments in (("echo", {"text": "x"}), ("structured", {"text": "x"}), ("structured", {}),
                                ("fail", {"status": -2}), ("fail", {"status": -14}), ("tool_error", {}),
                                ("parts_blob", {"mime": "image/png"}), ("parts_blob", {"mime": "audio/wav"}),
                                ("parts_blob", {}), ("parts_link", {}), ("parts_resource", {}), ("parts_annotated", {}),
                                ("parts_meta", {}), ("parts_nothing", {}), ("parts_append_json", {}), ("nope", {}),
                                ("lying_mismatch", {}), ("strict_internal", {}), ("sized_rows", {"rows": 3}),
                                ("test_multiple_content_types", {}), ("huge_huge", {"bytes": 9999999})):
            n += 1
            host.request(build(n, "tools/call", {"name": name, "arguments": arguments}))
        for uri in ("library://readme", "library://picture", "library://two", "library://broken", "x://y",
                    "test://static-binary", "test://template/5/data"):
            n += 1
            host.request(build(n, "resources/read", {"uri": uri}))
        for name, arguments in (("review", {"title": "x"}), ("plain", {}), ("nope", {}),
                                ("test_prompt_with_embedded_resource", {"resourceUri": "test://x"}),
                                ("test_prompt_with_image", {})):
            n += 1
            host.request(build(n, "prompts/get", {"name": name, "arguments": arguments}))
        for value in ("", "zz"):
            n += 1
            host.request(build(n, "completion/complete", {
                "ref": {"type": "ref/resource", "uri": "library://book/{title}"},
                "argument": {"name": "title", "value": value}}))
        for line in (b"nonsense\n", b"[]\n", b'{"jsonrpc":"2.0","id":{},"method":"x"}\n', b'{"id":"e"}\n'):
            host.send_bytes(line)
            host.next()
        host.finish()
        messages = [parse_line(raw) for raw in host.lines]
        for raw in host.sent:
            checker.sent(raw)
        for message in messages:
            self.assertEqual(checker.check(message), [], json.dumps(message)[:500])
        return messages

    def test_legacy(self):
        """[P-42, P-47, P-85, P-89, P-92, P-93] All answers of the four handshake revisions: shapes, no null, no request."""
        for revision in LEGACY:
            messages = self.tour(request, revision)
            for message in messages:
                self.assertFalse("id" in message and "method" in message)
                self.assertNotIn("resultType", message.get("result", {}))
            self.blobs_decode(messages)

    def test_modern(self):
        """[P-68, P-85, P-86, P-89, P-92, P-93] All answers of 2026-07-28: types, no null, no request, no foreign code."""
        messages = self.tour(modern, "2026-07-28")
        for message in messages:
            self.assertFalse("id" in message and "method" in message)
            if "result" in message:
                self.assertEqual(message["result"]["resultType"], "complete")
            code = message.get("error", {}).get("code", 0)
            self.assertNotIn(code, (-32002, -32042))
            self.assertFalse(-32099 <= code <= -32020 and code not in (-32020, -32021, -32022))
        self.blobs_decode(messages)

    def blobs_decode(self, messages):
        count = 0

        def look(value):
            nonlocal count
            if isinstance(value, dict):
                for name, inner in value.items():
                    if name in ("data", "blob") and isinstance(inner, str):
                        count += 1
                        self.assertEqual(base64.b64encode(base64.b64decode(inner, validate=True)).decode(), inner)
                    else:
                        look(inner)
            elif isinstance(value, list):
                for inner in value:
                    look(inner)

        look(messages)
        self.assertGreater(count, 4)

    def test_sizes_are_exact(self):
        """[P-93] A size that a list gives is the number of bytes that a read brings."""
        host = self.start(*PACKS)
        for page in walk(host, modern, "resources/list"):
            for resource in page["resources"]:
                if "size" not in resource:
                    continue
                contents = host.request(modern(resource["uri"], "resources/read", {"uri": resource["uri"]}))
                size = sum(len(base64.b64decode(item["blob"])) if "blob" in item else len(item["text"].encode())
                           for item in contents["result"]["contents"])
                self.assertEqual(size, resource["size"], resource["uri"])


class Roots(HostCase):
    def test_no_way_out(self):
        """[P-96] Dots, encoded dots, absolute paths and symbolic links do not lead out of a pack's root."""
        folder = self.folder()
        root, outside = os.path.join(folder, "root"), os.path.join(folder, "outside")
        os.makedirs(os.path.join(root, "inner"))
        os.mkdir(outside)
        with open(os.path.join(outside, "secret.txt"), "w", encoding="ascii") as file:
            file.write("canary-outside")
        with open(os.path.join(root, "inner", "plain.txt"), "w", encoding="ascii") as file:
            file.write("inside")
        os.symlink(os.path.join(outside, "secret.txt"), os.path.join(root, "link.txt"))
        os.symlink("../outside", os.path.join(root, "door"))
        os.symlink("../../outside/secret.txt", os.path.join(root, "inner", "link"))
        host = self.start(["files", "--root", root])
        self.handshake(host)
        good = host.request(call("good", "file_read", {"path": "inner/plain.txt"}))
        self.assertIn("inside", text_of(good))
        for path in ("../outside/secret.txt", "inner/../../outside/secret.txt", "%2e%2e/outside/secret.txt",
                     "..%2foutside%2fsecret.txt", os.path.join(outside, "secret.txt"), "link.txt", "door/secret.txt",
                     "inner/link", "/etc/passwd", "inner/../../../etc/passwd", "./../outside/secret.txt",
                     "inner//..//..//outside/secret.txt", "/proc/self/root" + outside + "/secret.txt",
                     "..\\outside\\secret.txt", "inner/../link.txt"):
            answer = host.request(call(path, "file_read", {"path": path}))
            self.assertTrue(answer["result"].get("isError"), path)
            self.assertNotIn("canary-outside", json.dumps(answer))
        found = host.request(call("c", "content_search", {"path": ".", "query": "canary-outside"}))
        self.assertEqual(found["result"]["structuredContent"]["result"]["matches"], [])
        found = host.request(call("f", "file_search", {"path": ".", "glob": "secret*"}))
        self.assertEqual(found["result"]["structuredContent"]["result"]["matches"], [])


class Reading(HostCase):
    def test_two_lines_never_mix(self):
        """[P-1] Answers from many threads at once: every byte belongs to a whole message."""
        host = self.start("echo", "slow", "parts")
        self.handshake(host)
        for n in range(200):
            host.send(call(n, "echo", {"text": "y" * (37 * n % 7000)}) if n % 3 else call(n, "slow_sleep", {"ms": n % 4}))
        seen = sorted(host.next()["id"] for _ in range(200))
        self.assertEqual(seen, list(range(200)))


if __name__ == "__main__":
    main()
