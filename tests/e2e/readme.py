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
        fenced = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    return [text for language, text in fenced if language == kind]


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
            command = command.replace("/srv/notes", self.notes)
            if " workspace" in command or "--workspace" in command:  # the account's own list of workspaces is left alone
                command += f" --home {home}"
            done = subprocess.run(["/bin/sh", "-c", command], env=environment, capture_output=True, text=True,
                                  timeout=60, cwd=self.folder())
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
            self.assertNotEqual(done.stdout.strip(), "", command)

    def test_launch_line(self):
        """The launch line for harnesses starts a server that shows the tools the README names."""
        launch = json.loads(blocks("json")[0])["mcpServers"]["packhost"]
        words = [word.replace("/srv/notes", self.notes) for word in launch["args"]]
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
            file.write(blocks("json")[1].replace("/srv/notes", self.notes))
        host = Host(EXE, ["serve", "--config", path, "--pack", "files"], env={})
        self.addCleanup(host.kill)
        self.assertIn("result", host.request(modern(1, "tools/list")))

    def test_scripts_and_installation(self):
        """What the README runs elsewhere is run elsewhere: its scripts are there, its installation is the one that is tested."""
        with open(os.path.join(ROOT, "tests", "run.sh"), encoding="utf-8") as file:
            stages = file.read()
        commands = [line for block in blocks("") for line in block.strip().split("\n")]
        self.assertEqual(len(commands), 4)
        for command in commands:
            program, *words = command.split()
            if program.startswith("./"):
                self.assertTrue(os.access(os.path.join(ROOT, program), os.X_OK), command)
                continue
            self.assertEqual(program, "meson")
            for word in words[1:]:
                self.assertIn(word, stages, command)

    def test_exit_codes(self):
        """The README's exit codes are all there are, and those of a slip are as it says."""
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            paragraph = re.search(r"^Exit codes.*?\n\n", file.read(), re.MULTILINE | re.DOTALL).group(0)
        self.assertEqual(re.findall(r"\b\d+\b", paragraph), "0 1 2 3 4 70 78 124 130".split())
        home = self.folder()
        code = lambda *words: subprocess.run([EXE, *words], capture_output=True, timeout=60, env={}).returncode
        for words, wanted in ((["workspace", "add", "notes", self.notes], 0), (["workspace", "add", "notes"], 2),
                              (["workspace", "add", "notes", self.notes], 3), (["workspace", "remove", "none"], 4)):
            self.assertEqual(code("files", *words, "--home", home), wanted, words)
        self.assertEqual(code("call", "files", "file_read", "{}", "--root", self.notes), 1)
        self.assertEqual(code("serve", "--pack", "files", "--home", self.folder()), 78)

    def test_default_workspace(self):
        """Without --root and --workspace the default is served, or the only one; of several without a default none."""
        home, other = self.folder(), self.folder()
        run = lambda *words: subprocess.run([EXE, *words, "--home", home], capture_output=True, text=True, timeout=60, env={})
        read = ["call", "files", "file_read", '{"path": "README.md"}']
        run("files", "workspace", "add", "notes", self.notes)
        self.assertEqual(os.listdir(home).count("registry.json"), 1)
        self.assertEqual(run(*read).returncode, 0)
        run("files", "workspace", "add", "other", other)
        self.assertEqual(run(*read).returncode, 78)
        run("files", "workspace", "default", "notes")
        self.assertEqual(run(*read).returncode, 0)

    def test_links(self):
        """Every link of the README leads to a file of the project, or to a part of itself."""
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            text = file.read()
        links = re.findall(r"\]\(([^)]+)\)", text)
        titles = re.findall(r"^## (.+)$", text, re.MULTILINE)
        self.assertGreater(len(links), 5)
        for link in links:
            if link.startswith("#"):
                self.assertIn(link, [f"#{title.lower().replace(' ', '-')}" for title in titles])
                continue
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
