#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The README's commands, run in its order; its JSON parsed and its launch line started; its links followed.

The two commands at its top are run elsewhere: quickstart.sh by its own test, run.sh by whoever runs this.
"""
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from e2e_case import EXE, HostCase, main, modern  # noqa: E402
from host_process import ROOT, Host  # noqa: E402


def blocks(kind):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return re.findall(rf"^```{kind}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)


class Readme(HostCase):
    def setUp(self):
        super().setUp()
        self.notes = os.path.join(self.folder(), "notes")
        os.mkdir(self.notes)
        with open(os.path.join(self.notes, "README.md"), "w", encoding="ascii") as file:
            file.write("# Notes\n")

    def test_commands(self):
        """Every shell command of the README runs with status 0 and prints something."""
        commands = [line for block in blocks("sh") for line in block.strip().split("\n")]
        self.assertGreater(len(commands), 8)
        environment = {"PATH": os.path.dirname(EXE) + ":/usr/bin:/bin"}
        home = self.folder()
        for command in commands:
            command = command.replace("/home/ana/notes", self.notes)
            if "workspace" in command:  # the account's own list of workspaces is left alone
                command += f" --home {home}"
            done = subprocess.run(["/bin/sh", "-c", command], env=environment, capture_output=True, text=True,
                                  timeout=60, cwd=self.folder())
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
            self.assertNotEqual(done.stdout.strip(), "", command)

    def test_launch_line(self):
        """The launch line for harnesses starts a server that shows the tools the README names."""
        launch = json.loads(blocks("json")[0])["mcpServers"]["packhost"]
        words = [word.replace("/home/ana/notes", self.notes) for word in launch["args"]]
        host = Host(EXE, words, env={})
        self.addCleanup(host.kill)
        tools = [tool["name"] for tool in host.request(modern(1, "tools/list"))["result"]["tools"]]
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            row = next(line for line in file if line.startswith("| `files` |"))
        self.assertEqual(tools, re.findall(r"`(\w+)`", row.split("|")[2]))

    def test_configuration(self):
        """The configuration file of the README is one the host takes."""
        path = os.path.join(self.folder(), "config.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(blocks("json")[1].replace("/home/ana/notes", self.notes))
        host = Host(EXE, ["serve", "--config", path, "--pack", "files"], env={})
        self.addCleanup(host.kill)
        self.assertIn("result", host.request(modern(1, "tools/list")))

    def test_links(self):
        """Every link of the README leads to a file of the project."""
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            links = re.findall(r"\]\(([^)]+)\)", file.read())
        self.assertGreater(len(links), 5)
        for link in links:
            self.assertTrue(os.path.exists(os.path.join(ROOT, link)), link)


class Help(unittest.TestCase):
    def test_stages(self):
        """A stage that does not exist is refused, with the names of those that do."""
        done = subprocess.run([os.path.join(ROOT, "tests", "run.sh"), "nonsense"], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("lint", done.stderr)


if __name__ == "__main__":
    main()
