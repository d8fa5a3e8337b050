#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The files pack from a launch line: which workspace is served, what is refused, the operator's commands."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from e2e_case import EXE, FILES_PACK, HostCase, call, main, request  # noqa: E402

NAMES = ["workspace_list", "workspace_info", "file_read", "file_read_many", "directory_list", "file_info",
         "file_search", "content_search"]


class FilesCase(HostCase):
    def setUp(self):
        super().setUp()
        self.base = self.folder()
        self.home = os.path.join(self.base, "home")
        os.mkdir(self.home, 0o700)
        for name in ("one", "two"):
            os.mkdir(os.path.join(self.base, name))
            with open(os.path.join(self.base, name, "which.txt"), "w", encoding="utf-8") as file:
                file.write(name)

    def path(self, name):
        return os.path.join(self.base, name)

    def operate(self, *words):
        """An operator command of the pack."""
        done = subprocess.run([EXE, FILES_PACK, *words, "--home", self.home],
                              capture_output=True, text=True, timeout=60, env={}, cwd=self.base)
        return done

    def add(self, name, *words):
        done = self.operate("workspace", "add", name, self.path(name), *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def serve(self, *options):
        return self.start(["files", "--home", self.home, *options])

    def refusal(self, *options):
        """What a start that must be refused writes to stderr."""
        host = self.serve(*options)
        self.assertEqual(host.process.wait(30), 78)
        self.assertIsNone(host.next_line(5))
        return host.stderr_text

    def served(self, host):
        self.handshake(host)
        answer = host.request(call(1, "file_read", {"path": "which.txt"}))
        return answer["result"]["structuredContent"]["result"]["content"]


class Selection(FilesCase):
    def test_root_and_workspace(self):
        """[F-1] --root and --workspace together refuse the start: a line on stderr, nothing on stdout."""
        self.add("one")
        text = self.refusal("--root", self.path("one"), "--workspace", "one")
        self.assertIn("--root", text)
        self.assertIn("--workspace", text)

    def test_two_and_no_choice(self):
        """[F-2] Two registered workspaces and no choice refuse the start, with both names."""
        self.add("one")
        self.add("two")
        text = self.refusal()
        self.assertIn("one, two", text)

    def test_the_only_one(self):
        """[F-3] One registered workspace is served without a choice."""
        self.add("one")
        self.assertEqual(self.served(self.serve()), "one")

    def test_default(self):
        """[F-3] The default is served; with its root gone the start is refused, not another one served."""
        self.add("one")
        self.add("two", "--default")
        self.assertEqual(self.served(self.serve()), "two")
        os.rename(self.path("two"), self.path("elsewhere"))
        self.assertIn("two", self.refusal())

    def test_by_name(self):
        """A workspace is chosen by its name, and is told as the selected one."""
        self.add("one")
        self.add("two", "--default")
        host = self.serve("--workspace", "one")
        self.assertEqual(self.served(host), "one")
        listed = host.request(call(2, "workspace_list"))["result"]["structuredContent"]["result"]
        self.assertEqual([(each["name"], each["is_selected"], each["is_default"]) for each in listed["workspaces"]],
                         [("one", True, False), ("two", False, True)])
        self.assertIn("three", self.refusal("--workspace", "three"))

    def test_nothing_registered(self):
        """Without any workspace the refusal says what to do."""
        self.assertIn("--root", self.refusal())

    def test_missing_root(self):
        """A root that is no directory refuses the start."""
        self.refusal("--root", self.path("none"))
        self.refusal("--root", self.path("one/which.txt"))


class Tools(FilesCase):
    def test_tool_list(self):
        """[F-4] The tool list shows exactly the pack's names so far, each with its hints."""
        host = self.serve("--root", self.path("one"))
        self.handshake(host)
        tools = host.request(request(1, "tools/list"))["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], NAMES)
        for tool in tools:
            hints = {key: value for key, value in tool["annotations"].items() if key.endswith("Hint")}
            self.assertEqual(hints, {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True,
                                     "openWorldHint": False})
        self.assertLess(len(json.dumps(tools)), 7 * 1024)

    def test_both_forms_of_an_answer(self):
        """A refusal is a tool result with isError, once as structure and once as text."""
        host = self.serve("--root", self.path("one"))
        self.handshake(host)
        result = host.request(call(1, "file_read", {"path": "../two/which.txt"}))["result"]
        self.assertTrue(result["isError"])
        self.assertEqual(result["structuredContent"]["error"]["code"], "PATH_OUTSIDE_WORKSPACE")
        self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])

    def test_registered_while_serving(self):
        """[F-7] A root given on the launch line is in no list; what is registered meanwhile is."""
        host = self.serve("--root", self.path("one"))
        self.handshake(host)
        self.add("two")
        listed = host.request(call(1, "workspace_list"))["result"]["structuredContent"]["result"]
        self.assertEqual([each["name"] for each in listed["workspaces"]], ["two"])
        info = host.request(call(2, "workspace_info"))["result"]["structuredContent"]["result"]
        self.assertTrue(info["transient"])


class Commands(FilesCase):
    def test_life_of_a_registration(self):
        """Add, list, default and remove, for people and as JSON, with the exit codes of refusals."""
        dry = self.operate("workspace", "add", "one", self.path("one"), "--dry-run")
        self.assertEqual(dry.returncode, 0, dry.stderr)
        self.assertIn("no workspace", self.operate("workspace", "list").stdout)
        self.add("one", "--default")
        listed = json.loads(self.operate("workspace", "list", "--json").stdout)
        self.assertEqual(listed["default"], "one")
        self.assertEqual(listed["workspaces"][0]["root"], os.path.realpath(self.path("one")))
        self.assertEqual(self.operate("workspace", "add", "one", self.path("two")).returncode, 3)
        self.assertEqual(self.operate("workspace", "remove", "none").returncode, 4)
        self.assertEqual(self.operate("workspace", "add", "..", self.path("two")).returncode, 2)
        self.assertEqual(self.operate("workspace", "default", "--unset").returncode, 0)
        self.assertEqual(self.operate("workspace", "remove", "one").returncode, 0)
        self.assertTrue(os.path.exists(self.path("one/which.txt")))


if __name__ == "__main__":
    main()
