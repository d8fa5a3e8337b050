#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of a shell: call, packs, inspect, help, and the operator commands of packs."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from cli_case import CliCase  # noqa: E402
from e2e_case import FILES_PACK, TEST_PACKS, call, main, pack_path  # noqa: E402

COMMANDS = pack_path("commands")


class Call(CliCase):
    def test_both_forms_of_output(self):
        """call prints the text for people, and one document with --json."""
        self.assertEqual(self.expect(0, "call", pack_path("echo"), "echo", '{"text": "hi"}'), "hi\n")
        document = json.loads(self.expect(0, "call", "--json", pack_path("echo"), "echo", '{"text": "hi"}'))
        self.assertEqual((document["ok"], document["status"]), (True, "ok"))
        self.assertEqual(document["content"], [{"type": "text", "text": "hi"}])
        after = json.loads(self.expect(0, "call", pack_path("echo"), "echo", '{"text": "hi"}', "--json"))
        self.assertEqual(after, document)

    def test_arguments_from_standard_input(self):
        """With - the arguments come from standard input, and without any they are {}."""
        self.assertEqual(self.expect(0, "call", pack_path("echo"), "echo", "-", stdin='{"text": "in"}'), "in\n")
        self.assertEqual(self.expect(0, "call", pack_path("marker"), "marker_run"), "ran\n")

    def test_what_is_wrong_with_a_call(self):
        """A call that cannot be made ends with 2 and one line that names the fault."""
        pack = pack_path("echo")
        self.assertIn("'echo'", self.refusal(2, "call", pack, "ecoh"))
        self.assertIn("no JSON object", self.refusal(2, "call", pack, "echo", "[1]"))
        self.assertIn("no JSON object (byte 1)", self.refusal(2, "call", pack, "echo", "{x}"))
        line = self.refusal(2, "call", pack, "echo", '{"text": 1}')
        self.assertTrue(line.startswith("packhost: arguments/text: "), line)
        self.assertIn("needs PACK and TOOL", self.refusal(2, "call"))
        self.assertIn("unexpected word 'more'", self.refusal(2, "call", pack, "echo", "{}", "more"))

    def test_the_deadline_of_a_call(self):
        """A call that does not end is given up at its deadline and grace, with 124."""
        line = self.refusal(124, "call", "--max-timeout-ms", "100", pack_path("slow"), "slow_sleep", '{"ms": 60000}')
        self.assertEqual(line, "packhost: timed out after 0.1 s.")
        line = self.refusal(124, "call", "--max-timeout-ms", "100", pack_path("slow"), "slow_deaf", '{"ms": 9000}')
        self.assertEqual(line, "packhost: timed out after 0.1 s.")

    def test_what_a_pack_prints_goes_to_stderr(self):
        """[A-10] A pack that prints does not get between the lines of the answer."""
        done = self.run_words("call", "--json", pack_path("prints"), "prints_print")
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads(done.stdout)
        self.assertNotEqual(done.stderr, "")


class PackCommands(CliCase):
    def test_words_and_flags_in_any_order(self):
        """Positional words, flags and the pack's options are told apart; --json gives the document."""
        self.assertEqual(self.expect(0, COMMANDS, "shelf", "add", "a", "--width", "3", "--dry-run"), "would add a 3\n")
        self.assertEqual(self.expect(0, COMMANDS, "--dry-run", "--width=4", "shelf", "add", "--oak", "b"),
                         "would add b 4 oak\n")
        out = self.expect(0, COMMANDS, "shelf", "add", "--json", "--dry-run", "--", "--odd")
        self.assertEqual(json.loads(out), {"added": False, "name": "--odd"})

    def test_the_longest_name_wins(self):
        """shelf is a command of its own beside shelf add."""
        self.assertIn('"alias":"commands"', self.expect(0, COMMANDS, "shelf"))
        self.assertIn("unexpected word 'oops'", self.refusal(2, COMMANDS, "shelf", "oops"))

    def test_exit_codes(self):
        """Each status of a command has its exit code."""
        codes = {0: 0, 1: 2, 2: 4, 3: 3, 4: 3, 5: 130, 6: 124, 7: 1, 8: 1, 9: 1, 10: 1, 11: 70, 12: 70, 13: 70, 14: 70,
                 15: 1}
        got = {status: self.run_words(COMMANDS, "end", str(status)).returncode for status in codes}
        self.assertEqual(got, codes)

    def test_what_is_wrong_with_a_command(self):
        """Unknown commands, missing and wrong words, and a dry run of what cannot be tried end with 2."""
        for words, line in {
                ("shelf", "add"): "shelf add: NAME is missing",
                ("shelf", "add", "a", "b"): "shelf add: unexpected word 'b'",
                ("end", "many"): "end: STATUS must be a whole number",
                ("burn", "--dry-run"): "burn cannot be tried with --dry-run",
                ("shelve",): "pack \"commands\" has no command 'shelve'; did you mean 'shelf'? \"packhost commands "
                             "--help\" lists them",
                ("shelf", "add", "a", "--wdith", "1"): "pack \"commands\": unknown option --wdith; did you mean "
                                                       "--width?"}.items():
            with self.subTest(words):
                end = "" if line.endswith("?") else "."
                self.assertEqual(self.refusal(2, COMMANDS, *words), f"packhost: {line}{end}")
        self.assertTrue(self.refusal(2, COMMANDS, "shelf", "add", "a", "--width", "0")
                        .startswith("packhost: shelf add: --width "))

    def test_required_options_are_for_serving(self):
        """An option that serving needs may be missing; a command that needs it says so."""
        self.assertEqual(self.refusal(2, COMMANDS, "needy"), "packhost: the command needs --base.")
        self.assertEqual(self.expect(0, COMMANDS, "needy", "--base", "b"), "b\n")
        self.assertEqual(self.refusal(78, "serve", "--pack", COMMANDS),
                         "packhost: pack \"commands\" refused to start: --base is missing (configuration).")

    def test_workspaces_of_files(self):
        """[A-17] A dry run changes nothing on disk; without it a running host lists the new workspace."""
        home, first, second = self.folder(), self.folder(), self.folder()
        words = [FILES_PACK, "workspace", "add"]
        self.expect(0, *words, "one", first, "--home", home)
        before = {name: os.stat(os.path.join(home, name)).st_mtime_ns for name in os.listdir(home)}
        host = self.start(["files", "--home", home, "--workspace", "one"])
        self.handshake(host)
        self.expect(0, *words, "two", second, "--home", home, "--dry-run")
        self.assertEqual({name: os.stat(os.path.join(home, name)).st_mtime_ns for name in os.listdir(home)}, before)
        listed = host.request(call(1, "workspace_list"))["result"]["structuredContent"]
        self.assertNotIn("two", json.dumps(listed))
        self.expect(0, *words, "two", second, "--home", home)
        listed = host.request(call(2, "workspace_list"))["result"]["structuredContent"]
        self.assertIn("two", json.dumps(listed))


class Texts(CliCase):
    def test_help_is_generated(self):
        """Help of every command, of a pack's options and of its commands is as the golden files say."""
        self.assert_golden("help.txt", self.expect(0, "help"))
        self.assertEqual(self.expect(0, "--help"), self.expect(0, "help"))
        for command in ("serve", "call", "packs", "inspect"):
            text = self.expect(0, "help", command)
            self.assertEqual(self.expect(0, command, "--help"), text)
            self.assert_golden(f"help_{command}.txt", text)
        self.assert_golden("help_serve_pack.txt", self.expect(0, "serve", "--pack", pack_path("options"), "--help"))
        self.assert_golden("help_pack.txt", self.expect(0, COMMANDS, "--help"))
        self.assert_golden("help_pack_command.txt", self.expect(0, COMMANDS, "shelf", "add", "--help"))

    def test_unknown_commands(self):
        """A word that is no command ends with 2 and the nearest one."""
        self.assertEqual(self.refusal(2, "Serve"),
                         "packhost: unknown command 'Serve'; did you mean 'serve'? \"packhost help\" lists the "
                         "commands.")
        for word in ("doctor", "harness", "tools", "instructions"):
            self.assertIn(f"unknown command '{word}'", self.refusal(2, word))
        self.assertIn("a command is missing", self.refusal(2))

    def test_packs(self):
        """packs lists what is there, refused ones with the reason, in the order of their names."""
        document = json.loads(self.expect(0, "packs", "--json", "--pack-dir", TEST_PACKS))
        rows = {row["name"]: row for row in document["packs"]}
        self.assertEqual(rows["echo"]["version"], "1.0.0")
        self.assertTrue(rows["bad_abi"]["refused"].startswith("cannot load bad_abi.so: "))
        self.assertIn("echo ", self.expect(0, "packs", "--pack-dir", TEST_PACKS))
        self.assertEqual(self.expect(0, "packs", "--pack-dir", self.folder()), "There are no packs.\n")
        self.assertIn("files ", self.expect(0, "packs"))

    def test_tokens(self):
        """inspect --tokens gives each tool's bytes and those of the answer as it is sent."""
        document = json.loads(self.expect(0, "inspect", "--tokens", "--json", pack_path("echo")))
        host = self.start("echo")
        self.handshake(host)
        host.request({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        self.assertEqual(document["bytes"], len(host.lines[-1]))
        self.assertEqual(document["tokens"], (document["bytes"] + 3) // 4)
        self.assertIn("echo", [tool["name"] for tool in document["tools"]])
        self.assertIn("about", self.expect(0, "inspect", "--tokens", pack_path("echo")))

    def test_version(self):
        """version and --version print one line."""
        self.assertRegex(self.expect(0, "version"), r"^packhost \d+\.\d+\.\d+\n$")
        self.assertEqual(self.expect(0, "--version"), self.expect(0, "version"))


if __name__ == "__main__":
    main()
