#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The registry of workspaces from a terminal: what is wrong is named, a wait is told, a killed command leaves nothing."""
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from cli_case import LIMIT_S, CliCase  # noqa: E402
from e2e_case import EXE, FILES_PACK, main, modern  # noqa: E402


class RegistryCase(CliCase):
    def setUp(self):
        super().setUp()
        self.home = self.folder()
        self.notes = self.folder()

    def words(self, *words, home=None):
        return [FILES_PACK, "workspace", *words, "--home", home or self.home]

    def at(self, name):
        return os.path.join(self.home, name)

    def add_limited(self, ignored):
        """workspace add where the registry may not have its bytes; that kills it unless the signal for it is ignored.

        ThreadSanitizer writes files of its own at the start: the limit lets them pass, a long registry does not.
        """
        with open(self.at("registry.json"), "w", encoding="utf-8") as file:
            json.dump({"format": 1, "note": "n" * 900_000, "workspaces": []}, file)

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (768 << 10, 768 << 10))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN if ignored else signal.SIG_DFL)
        return subprocess.run([EXE, *self.words("add", "notes", self.notes)], capture_output=True, text=True,
                              timeout=LIMIT_S, env={}, cwd="/", check=False, preexec_fn=limit, restore_signals=False)


class Faults(RegistryCase):
    def test_it_cannot_be_written(self):
        """A registry that cannot be written is named, with the reason, and is as it was."""
        done = self.add_limited(ignored=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "packhost: the registry of workspaces cannot be written: "
                                      f"{self.at('registry.json')} (file too large); mend that and repeat the command.\n")
        with open(self.at("registry.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["workspaces"], [])
        self.assertEqual(sorted(os.listdir(self.home)), ["registry.json", "registry.lock"])

    def test_it_is_damaged(self):
        """A damaged registry is named to the operator, and to a client without its path."""
        with open(self.at("registry.json"), "w", encoding="utf-8") as file:
            file.write("{\"format\":1,}")
        fault = (f"the registry of workspaces is damaged; it was left as it is: {self.at('registry.json')}: it is not "
                 "valid JSON (byte 12); mend it, or move the file away and register the workspaces anew")
        for words in (("list",), ("add", "notes", self.notes)):
            self.assertEqual(self.refusal(1, *self.words(*words)), f"packhost: {fault}.")
        self.assertEqual(self.refusal(78, "serve", "--pack", FILES_PACK, "--home", self.home),
                         f"packhost: pack \"files\" refused to start: {fault} (configuration).")
        host = self.start(["files", "--home", self.home, "--root", self.notes])
        answer = host.request(modern(1, "tools/call", {"name": "workspace_list", "arguments": {}}))
        self.assertEqual(answer["result"]["structuredContent"]["error"]["code"], "STATE_UNAVAILABLE")
        self.assertNotIn(self.home, json.dumps(answer))

    def test_its_directory_cannot_be_made(self):
        """A data directory that cannot be made is named with the reason, and what to do instead."""
        with open(self.at("file"), "w", encoding="utf-8"):
            pass
        done = self.run_words(*self.words("add", "notes", self.notes, home=self.at("file/below")))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines(), [
            f"packhost: pack \"files\": its data directory {self.at('file/below')} cannot be made (not a directory).",
            "packhost: there is no directory for the registry of workspaces: make one and name it with --home DIR."])

    def test_a_directory_that_cannot_be_registered(self):
        """A path that cannot be registered is named with the reason."""
        self.assertIn("there is no directory /nowhere/at/all", self.refusal(2, *self.words("add", "n", "/nowhere/at/all")))


class Lock(RegistryCase):
    def test_a_wait_is_told(self):
        """A command that has to wait says for whom after a second, and goes on when it may."""
        with open(self.at("registry.lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with subprocess.Popen([EXE, *self.words("add", "notes", self.notes)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env={}, cwd="/") as waiting:
                self.addCleanup(waiting.kill)
                line = waiting.stderr.readline()
                self.assertTrue(line.startswith(f"packhost: files: waiting for process {os.getpid()} ("), line)
                self.assertTrue(line.endswith("), which is changing the registry of workspaces.\n"), line)
                fcntl.flock(lock, fcntl.LOCK_UN)
                out, errors = waiting.communicate(timeout=LIMIT_S)
        self.assertEqual((waiting.returncode, errors), (0, ""))
        self.assertEqual(out, f"registered workspace 'notes': {self.notes}\n")

    def test_a_killed_command_leaves_nothing(self):
        """What a command leaves that is killed while it writes, the next one removes."""
        done = self.add_limited(ignored=False)
        self.assertEqual(done.returncode, -signal.SIGXFSZ, done.stderr)
        left = [name for name in os.listdir(self.home) if name.startswith("registry.json.tmp-")]
        self.assertEqual(len(left), 1, os.listdir(self.home))
        self.expect(0, *self.words("list"))
        self.assertIn(left[0], os.listdir(self.home), "a command that only reads took the lock")
        self.expect(0, *self.words("add", "notes", self.notes))
        self.assertEqual(sorted(os.listdir(self.home)), ["registry.json", "registry.lock"])


class Warnings(RegistryCase):
    def test_roots_that_open_much(self):
        """A root that opens much is registered, with a line on stderr that says what it opens."""
        for name, root, what in (("all", "/", "the whole file system"), ("etc", "/etc", "a directory of the system"),
                                 ("root", "/root", "a home directory or holds one")):
            done = self.run_words(*self.words("add", name, root, "--dry-run"))
            self.assertEqual((done.returncode, done.stdout), (0, f"would register workspace '{name}': {root}\n"))
            self.assertRegex(done.stderr, rf"^packhost: files: warning: workspace '{name}', {root}: it is {what}.*\.\n$")
        done = self.run_words(*self.words("add", "all", "/", "--json"))
        self.assertEqual(len(json.loads(done.stdout)["warnings"]), 1)
        done = self.run_words(*self.words("add", "notes", self.notes))
        self.assertEqual(done.stderr.count("warning"), 1)
        self.assertIn("it lies inside workspace 'all'", done.stderr)

    def test_other_roots_are_quiet(self):
        """A root that is neither is registered without a word on stderr."""
        done = self.run_words(*self.words("add", "notes", self.notes))
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    main()
