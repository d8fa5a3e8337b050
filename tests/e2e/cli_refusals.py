#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs that are refused: word for word, and without harm to the others."""
import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from cli_case import CliCase  # noqa: E402
from e2e_case import call, main, modern, pack_path, request, text_of  # noqa: E402

WORD_FOR_WORD = {
    "bad_abi": "it was made for pack ABI 2 (needs 2.0); this packhost speaks 1.0. Use a newer packhost, or a build of "
               "the pack for ABI 1.",
    "lies_abi": "it was made for pack ABI 2 (needs 2.0); this packhost speaks 1.0. Use a newer packhost, or a build of "
                "the pack for ABI 1.",
    "needs_minor": "it needs pack ABI 1.5; this packhost speaks 1.0. Upgrade packhost to a version that has ABI 1.5.",
    "needs_interface": "it requires the interface \"packhost.net/2\"; this packhost offers \"packhost.net/1\".",
    "no_manifest": "not a tool pack (no .packhost.manifest section).",
    "bad_subset": "manifest line 7: tools[2].input.properties.count: \"exclusiveMinimum\" is not in the schema subset "
                  "packs may use.",
    "two_faced": "the manifest in the file and the one in the loaded object differ (was the file replaced?).",
    "undefined": "undefined symbol: packhost_test_missing_function (from the dynamic linker).",
}


def e_machine(path, machine):
    """Change what machine an ELF file says it was built for."""
    with open(path, "r+b") as file:
        file.seek(18)
        file.write(machine.to_bytes(2, "little"))


class Refusals(CliCase):
    def serve(self, *words):
        return self.refusal(78, "serve", *words)

    def test_each_is_refused_word_for_word(self):
        """[A-2] One pack that is refused is one line and exit code 78."""
        for name, reason in WORD_FOR_WORD.items():
            with self.subTest(name):
                self.assertEqual(self.serve("--pack", pack_path(name)), f"packhost: cannot load {name}.so: {reason}")

    def test_a_pack_without_its_entry(self):
        """[A-2] An object with a manifest and no entry is no pack."""
        self.assertEqual(self.serve("--pack", pack_path("no_entry")),
                         "packhost: cannot load no_entry.so: not a tool pack (it has no symbol packhost_pack_v1).")

    def test_another_machine(self):
        """[A-2] A file for another machine names both."""
        path = self.pack_copy("echo")
        e_machine(path, 183)
        self.assertEqual(self.serve("--pack", path),
                         f"packhost: cannot load echo.so: built for aarch64, this host is {os.uname().machine}.")

    def test_a_file_that_others_may_write(self):
        """[A-2] A file or folder that group or others may write is refused with the cure."""
        path = self.pack_copy("echo", mode=0o775)
        self.assertEqual(self.serve("--pack", path), "packhost: cannot load echo.so: group or others may write to it "
                                                     "(mode 0775). Run: chmod go-w echo.so")
        path = self.pack_copy("echo")
        folder = os.path.dirname(path)
        os.chmod(folder, 0o757)
        line = self.serve("--pack", path)
        self.assertEqual(line, "packhost: cannot load echo.so: group or others may write to its directory (mode 0757). "
                               f"Run: chmod go-w {folder}")

    def test_a_pinned_pack(self):
        """[A-2] A pin that does not fit is refused with both digests; one that does is served from a copy."""
        path = self.pack_copy("echo")
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        other = "9" * 64
        self.assertEqual(self.serve("--pack", path, "--pack-sha256", other),
                         f"packhost: cannot load echo.so: its SHA-256 is {digest}; the launch line pins {other} (was "
                         "the file replaced?).")
        host = self.start(["echo", "--pack-sha256", digest.upper()])
        self.handshake(host)
        self.assertEqual(text_of(host.request(call(1, "echo", {"text": "hi"}))), "hi")
        self.assertIn("64 hexadecimal digits", self.refusal(2, "serve", "--pack", path, "--pack-sha256=12"))

    def test_a_pack_that_refuses_to_open(self):
        """[A-2] A pack's own refusal is shown with its reason."""
        line = self.serve("--pack", pack_path("options"), "--plan-error", "endpoint list is empty")
        self.assertEqual(line, "packhost: pack \"options\" refused to start: endpoint list is empty (configuration).")

    def test_a_refusal_of_open_is_word_for_word(self):
        """[A-2] A pack refused by its own open, or for an open that does not end, is told as one refused before."""
        opener = pack_path("opener")
        line = "packhost: pack \"opener\" refused to start: nobody is at home (configuration)."
        self.assertEqual(self.serve("--pack", opener, "--refuse", "nobody is at home"), line)
        self.assertEqual(self.refusal(78, "call", opener, "opener_run", "--refuse", "nobody is at home"), line)
        host = self.start(["opener", "--sleep-ms", "20000"])
        self.assertEqual(host.process.wait(30), 78)
        self.assertIsNone(host.next_line(5))
        self.assertEqual(host.stderr_text, "packhost: pack \"opener\" refused to start: open did not end within 1000 ms.\n")

    def test_inspect_gives_the_same_text(self):
        """[A-2] inspect answers with the refusal, too."""
        for name in ("bad_abi", "needs_minor", "needs_interface", "no_manifest", "bad_subset"):
            self.assertEqual(self.refusal(78, "inspect", pack_path(name)),
                             f"packhost: cannot load {name}.so: {WORD_FOR_WORD[name]}")

    def test_a_file_that_is_not_there(self):
        """A pack that is not there names the folder and what lists the others."""
        line = self.serve("--pack-dir", "/", "--pack", "nothere")
        self.assertEqual(line, "packhost: cannot load nothere.so: no such pack in / (no such file or directory). "
                               "\"packhost packs\" lists those that are there.")


class SeveralPacks(CliCase):
    def test_one_bad_pack_does_not_stop_the_others(self):
        """[A-2, A-3] The refused pack is one line, one sentence of the instructions, and absent from the list."""
        host = self.start("echo", "bad_abi")
        reason = "cannot load bad_abi.so: " + WORD_FOR_WORD["bad_abi"]
        self.assertIn(reason, self.handshake(host)["instructions"])
        names = [tool["name"] for tool in host.request(request(1, "tools/list"))["result"]["tools"]]
        self.assertIn("echo", names)
        self.assertEqual(text_of(host.request(call(2, "echo", {"text": "hi"}))), "hi")
        host.finish()
        self.assertEqual(host.stderr_text.count("packhost: " + reason), 1)

    def test_every_refusal_of_several(self):
        """[A-2] Each refusal that needs no loading is skipped when another pack serves."""
        for name in ("bad_abi", "needs_minor", "needs_interface", "no_manifest", "bad_subset"):
            with self.subTest(name):
                host = self.start("echo", name)
                self.handshake(host)
                self.assertEqual(text_of(host.request(call(1, "echo", {"text": "hi"}))), "hi")
                host.finish()
                self.assertIn(f"packhost: cannot load {name}.so: {WORD_FOR_WORD[name]}", host.stderr_text)

    def test_fail_stops_the_start(self):
        """[A-2] With --on-load-error fail one refusal ends the start."""
        words = ["--on-load-error", "fail", "--pack", pack_path("echo"), "--pack", pack_path("bad_abi")]
        self.assertIn("bad_abi.so", self.refusal(78, "serve", *words))

    def test_a_clash_refuses_the_later_pack(self):
        """[A-2, A-21] Two packs that show one name: the later is refused, and the line names the cure."""
        host = self.start("echo", "clash")
        self.handshake(host)
        names = [tool["name"] for tool in host.request(request(1, "tools/list"))["result"]["tools"]]
        self.assertNotIn("other", names)
        host.finish()
        self.assertIn("packhost: cannot load clash.so: its tool \"echo\" is already offered by pack \"echo\". Give one "
                      "of them another prefix with --tool-prefix after its --pack.", host.stderr_text)
        host = self.start("echo", ["clash", "--tool-prefix", "two_"])
        self.handshake(host)
        self.assertEqual(text_of(host.request(call(1, "two_echo"))), "clash")

    def test_names_do_not_depend_on_the_company(self):
        """[A-21] Tool names are the same with one pack and with three."""
        def names(*packs):
            host = self.start(*packs)
            self.handshake(host)
            return [tool["name"] for tool in host.request(request(1, "tools/list"))["result"]["tools"]]
        alone = [names(pack) for pack in ("echo", "slow", "vices")]
        self.assertEqual(names("echo", "slow", "vices"), [name for each in alone for name in each])

    def test_two_of_a_kind_need_two_names(self):
        """Two instances of one pack are told apart by an alias."""
        words = ["--pack", pack_path("slow"), "--pack", pack_path("slow")]
        self.assertIn("two packs are called \"slow\"", self.refusal(2, "serve", *words))
        host = self.start("slow", "slow", aliases=("slow", "lazy"))
        self.handshake(host)
        names = [tool["name"] for tool in host.request(request(1, "tools/list"))["result"]["tools"]]
        self.assertTrue({"slow_sleep", "lazy_sleep"} <= set(names), names)


class NoCodeRuns(CliCase):
    def test_inspect_runs_nothing(self):
        """[A-1, I-3] inspect prints the manifest of a pack whose constructor leaves a marker, and no marker appears."""
        path = self.pack_copy("marker")
        out = self.expect(0, "inspect", path)
        self.assertIn("\"name\": \"marker\"", out)
        self.assertRegex(out, r"SHA-256 [0-9a-f]{64}\n")
        self.assertEqual(os.listdir(os.path.dirname(path)), ["marker.so"])
        self.expect(0, "packs", "--pack-dir", os.path.dirname(path))
        self.expect(0, "serve", "--explain", "--pack", path)
        self.expect(0, "serve", "--help", "--pack", path)
        self.assertEqual(os.listdir(os.path.dirname(path)), ["marker.so"])

    def test_a_refused_start_runs_nothing(self):
        """[I-3] A start that is refused has run no code of the pack; one that serves has."""
        path = self.pack_copy("marker")
        self.refusal(2, "serve", "--pack", path, "--nothing")
        self.refusal(78, "serve", "--pack", path, "--pack-sha256", "0" * 64)
        self.assertEqual(os.listdir(os.path.dirname(path)), ["marker.so"])
        self.expect(0, "call", path, "marker_run")
        self.assertEqual(sorted(os.listdir(os.path.dirname(path))), ["marker.so", "marker.so.marker"])

    def test_the_digest_is_that_of_the_file(self):
        """inspect shows the SHA-256 that --pack-sha256 takes."""
        with open(pack_path("echo"), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        self.assertIn(digest, self.expect(0, "inspect", pack_path("echo")))
        self.assertTrue(re.search(rf'"sha256":"{digest}"', self.expect(0, "inspect", "--json", pack_path("echo"))))

    def test_the_modern_era_hears_of_a_refusal(self):
        """[A-3] The instructions name the refused pack in the modern era as well."""
        host = self.start("echo", "needs_minor")
        answer = host.request(modern(1, "server/discover"))
        self.assertIn("needs_minor.so", answer["result"]["instructions"])


if __name__ == "__main__":
    main()
