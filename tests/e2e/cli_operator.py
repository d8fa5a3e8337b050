#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an operator at a terminal meets: slips of the keyboard, configuration files, output that cannot be written."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from cli_case import LIMIT_S, CliCase  # noqa: E402
from e2e_case import EXE, FILES_PACK, TEST_PACKS, main, modern, pack_path  # noqa: E402

UNWRITTEN = "packhost: standard output cannot be written (no space left on device).\n"
HELP = "\"packhost help\" lists the commands, \"packhost packs\" the packs."


class Slips(CliCase):
    def test_a_first_word_that_is_nothing(self):
        """A first word that is neither command nor pack is refused with the nearest of both."""
        for word, hint in {"srve": "; did you mean 'serve'? ", "file": "; did you mean 'files'? ",
                           "zzzzzz": "; "}.items():
            self.assertEqual(self.refusal(2, word, "x"), f"packhost: '{word}' is neither a command nor a pack{hint}{HELP}")
        self.assertEqual(self.refusal(2, "--pack-dir", TEST_PACKS, "ehco"),
                         f"packhost: 'ehco' is neither a command nor a pack; did you mean 'echo'? {HELP}")

    def test_a_pack_that_is_nearly_there(self):
        """A --pack that is not there is refused with the nearest one that is."""
        line = self.refusal(78, "serve", "--pack-dir", TEST_PACKS, "--pack", "ehco")
        self.assertEqual(line, f"packhost: cannot load ehco.so: no such pack in {TEST_PACKS} (no such file or directory); "
                               "did you mean \"echo\"? \"packhost packs\" lists those that are there.")
        self.assertIn("; did you mean \"files\"? ", self.refusal(78, "serve", "--pack", "file"))

    def test_options_in_the_wrong_place(self):
        """An option on the wrong side of --pack is refused with its place, a misspelt one with the nearest."""
        self.assertEqual(self.refusal(2, "serve", "--root", "/srv", "--pack", "files"),
                         "packhost: unknown option --root; options of a pack come after its --pack.")
        self.assertEqual(self.refusal(2, "serve", "--pakc", "files"),
                         "packhost: unknown option --pakc; did you mean --pack?")
        self.assertEqual(self.refusal(2, "serve", "--pack", FILES_PACK, "--log-level", "info"),
                         "packhost: pack \"files\": unknown option --log-level; options of packhost come before the pack.")

    def test_serve_left_out(self):
        """A launch line without its first word is refused with it."""
        self.assertEqual(self.refusal(2, "--pack", "files", "--root", "/srv"),
                         "packhost: unknown option --pack; it is for serve: packhost serve --pack PACK.")

    def test_places_that_are_not_there(self):
        """A folder of packs that is not there, and a path that cannot be followed, are named with the reason."""
        self.assertEqual(self.refusal(2, "packs", "--pack-dir", "/nowhere/at/all"),
                         "packhost: --pack-dir /nowhere/at/all cannot be read (no such file or directory).")
        loop = os.path.join(self.folder(), "loop")
        os.symlink(loop, loop)
        self.assertEqual(self.refusal(78, "serve", "--pack", FILES_PACK, "--root", loop),
                         f"packhost: pack \"files\" refused to start: --root: {loop} cannot be resolved (too many levels "
                         "of symbolic links) (configuration).")

    def test_half_a_command(self):
        """The start of a command is refused with the words it goes on with; missing words are counted rightly."""
        for words, line in {
                ("workspace",): "pack \"files\": 'workspace' goes on with add, list, remove or default; \"packhost files "
                                "--help\" lists them.",
                ("workspace", "ad"): "pack \"files\" has no command 'workspace ad'; did you mean 'workspace add'? "
                                     "\"packhost files --help\" lists them.",
                ("workspace", "ad", "n", "/"): "pack \"files\" has no command 'workspace ad'; did you mean 'workspace "
                                               "add'? \"packhost files --help\" lists them.",
                ("nonsense",): "pack \"files\" has no command 'nonsense'; \"packhost files --help\" lists them.",
                ("workspace", "add"): "workspace add: NAME and PATH are missing.",
                ("workspace", "add", "n"): "workspace add: PATH is missing."}.items():
            with self.subTest(words):
                self.assertEqual(self.refusal(2, FILES_PACK, *words), "packhost: " + line)


class Configuration(CliCase):
    def write(self, text):
        path = os.path.join(self.folder(), "c.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def test_a_member_for_no_pack(self):
        """A member of the configuration for a pack that is not on the launch line is refused with those that are."""
        path = self.write({"packhost": {}, "kb": {}, "echo": {}})
        words = ["serve", "--config", path, "--pack", pack_path("echo"), "--pack", "two=" + pack_path("slow")]
        self.assertEqual(self.refusal(78, *words), f"packhost: --config {path}: \"kb\" is no pack of the launch line, "
                                                   "which has \"echo\", \"two\".")
        path = self.write({"ecko": {}})
        self.assertEqual(self.refusal(78, "serve", "--config", path, "--pack", pack_path("echo")),
                         f"packhost: --config {path}: \"ecko\" is no pack of the launch line, which has \"echo\"; did you "
                         "mean \"echo\"?")

    def test_members_for_packs_that_are_there(self):
        """A member for an alias and one for a pack that was refused are of the launch line."""
        path = self.write({"two": {}, "clash": {}})
        host = self.start("echo", "slow", "clash", serve=["--config", path], aliases=("echo", "two"))
        self.assertIn("result", host.request(modern(1, "tools/list")))

    def test_a_member_that_stands_twice(self):
        """A key that stands twice is refused with its place, in the configuration and in an options file."""
        path = self.write("{\"options\": {\"count\": 1,\n\"count\": 2}}")
        self.assertEqual(self.refusal(78, "serve", "--config", path, "--pack", pack_path("options"), "--root", "/"),
                         f"packhost: --config {path} has the member \"options.count\" twice (line 2); leave one of them "
                         "out.")
        path = self.write("{\"targets\": {\"a\": {\"url\": \"u\"}, \"a\": {\"url\": \"v\"}}}")
        line = self.refusal(78, "serve", "--pack", pack_path("options"), "--root", "/", "--settings", path)
        self.assertEqual(line, f"packhost: pack \"options\" refused to start: --settings: {path} has the member "
                               "\"targets.a\" twice (line 1); leave one of them out (configuration).")


class FullDisk(CliCase):
    def run_full(self, *words, stdin=b""):
        """A command whose standard output takes nothing: exit code and error lines."""
        with open("/dev/full", "wb") as full:
            done = subprocess.run([EXE, *words], input=stdin, stdout=full, stderr=subprocess.PIPE, timeout=LIMIT_S,
                                  env={}, cwd="/", check=False)
        return done.returncode, done.stderr.decode()

    def test_every_command_says_so(self):
        """A command whose answer cannot be written says so and ends with 1."""
        home = self.folder()
        for words in (["version"], ["help"], ["help", "serve"], ["packs"], ["packs", "--json"], ["inspect", FILES_PACK],
                      ["inspect", "--tokens", FILES_PACK], ["serve", "--help"],
                      ["serve", "--pack", FILES_PACK, "--help"], [FILES_PACK, "--help"],
                      [FILES_PACK, "workspace", "add", "--help"], [FILES_PACK, "workspace", "list", "--home", home],
                      ["call", pack_path("echo"), "echo", "{\"text\": \"hi\"}"], ["call", "--help"],
                      ["call", "--json", pack_path("echo"), "echo", "{\"text\": \"hi\"}"],
                      ["serve", "--explain", "--pack", FILES_PACK, "--root", "/usr/share"]):
            with self.subTest(words):
                self.assertEqual(self.run_full(*words), (1, UNWRITTEN))

    def test_a_failure_keeps_its_exit_code(self):
        """A call that failed ends with its own code, also when nobody can be told how."""
        code, text = self.run_full("inspect", "--json", pack_path("bad_abi"))
        self.assertEqual(code, 78)
        self.assertTrue(text.endswith(UNWRITTEN), text)

    def test_a_server_says_so(self):
        """A server whose answers cannot be written says so and ends with 1, its input still open or not."""
        line = json.dumps(modern(1, "tools/list")).encode() + b"\n"
        words = ["serve", "--pack", FILES_PACK, "--root", "/usr/share"]
        self.assertEqual(self.run_full(*words, stdin=line), (1, UNWRITTEN))
        self.assertEqual(self.run_full(*words, stdin=line * 40), (1, UNWRITTEN))
        with open("/dev/full", "wb") as full, subprocess.Popen(
                [EXE, *words], stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE, env={}, cwd="/") as server:
            self.addCleanup(server.kill)
            # The notification is the last line: nothing is answered after it that could fail again.
            server.stdin.write(line + b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            server.stdin.flush()
            self.assertEqual(server.wait(LIMIT_S), 1)
            self.assertEqual(server.stderr.read().decode(), UNWRITTEN)


if __name__ == "__main__":
    main()
