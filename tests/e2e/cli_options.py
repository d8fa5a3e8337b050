#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Options of packs from the operator to open(): sources, paths, secrets, plan, selection of tools."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from cli_case import CliCase  # noqa: E402
from e2e_case import call, main, pack_path, request, text_of  # noqa: E402

CANARY = "canary-7f3a9"


class OptionsCase(CliCase):
    def write(self, name, content, folder=None):
        path = os.path.join(folder or self.folder(), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def options(self, *words, serve=(), **how):
        """The options object as the pack's open() got it."""
        host = self.start(["options", *words], serve=serve, **how)
        self.handshake(host)
        answer = host.request(call(1, "options_show"))
        host.finish()
        self.log = host.stderr_text
        return answer["result"]["structuredContent"]


class Sources(OptionsCase):
    def test_later_sources_win(self):
        """[A-16] Default, configuration file, options file and command line override each other in that order."""
        folder = self.folder()
        config = self.write("c.json", {"options": {"name": "config", "level": "high", "count": 1}})
        settings = self.write("s.json", {"name": "file", "count": 2})
        got = self.options("--root", folder)
        self.assertEqual((got["name"], got["level"], got["count"]), ("nobody", "low", 7))
        got = self.options("--root", folder, serve=["--config", config])
        self.assertEqual((got["name"], got["level"], got["count"]), ("config", "high", 1))
        got = self.options("--root", folder, "--settings", settings, serve=["--config", config])
        self.assertEqual((got["name"], got["level"], got["count"]), ("file", "high", 2))
        got = self.options("--root", folder, "--settings", settings, "--count", "3", serve=["--config", config])
        self.assertEqual((got["name"], got["level"], got["count"]), ("file", "high", 3))

    def test_nothing_ambient(self):
        """[A-16, P-37] No environment variable and no working directory changes what is served."""
        folder = self.folder()
        self.write("packhost.json", {"options": {"name": "ambient"}}, folder)
        loud = {"HOME": folder, "PACKHOST_CONFIG": folder + "/packhost.json", "OPTIONS_NAME": "ambient",
                "PACKHOST_LOG_LEVEL": "trace", "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "LANG": "de_DE.UTF-8"}
        quiet = self.options("--root", folder)
        self.assertEqual(self.options("--root", folder, env=loud, cwd=folder), quiet)
        self.assertEqual(self.log, "")
        words = ["serve", "--explain", "--pack", pack_path("options"), "--root", folder]
        self.assertEqual(self.expect(0, *words), self.expect(0, *words, env={**loud, "TZ": ""}, cwd=folder)
                         .replace("env TZ\n", "env TZ (not set)\n"))

    def test_an_empty_environment(self):
        """[P-37] The server runs with an empty environment, from a directory that is gone."""
        gone = os.path.join(self.folder(), "gone")
        os.mkdir(gone)
        here = os.getcwd()
        os.chdir(gone)
        os.rmdir(gone)
        try:
            host = self.start("echo")
        finally:
            os.chdir(here)
        self.handshake(host)
        self.assertEqual(text_of(host.request(call(1, "echo", {"text": "hi"}))), "hi")

    def test_typed_values(self):
        """Flags become what the schema says; arrays by repetition; a default of true has a flag that says no."""
        folder = self.folder()
        got = self.options("--root", folder, "--root", folder, "--port", "1", "--port=2", "--share", "0.5", "--tag",
                           "a,b", "--tag", "", "--read-only", "--no-protect-vcs")
        self.assertEqual(got["root"], [folder, folder])
        self.assertEqual((got["port"], got["share"], got["tag"]), ([1, 2], 0.5, ["a,b", ""]))
        self.assertEqual((got["read_only"], got["protect_vcs"]), (True, False))
        own = got["packhost"]
        self.assertEqual((own["alias"], own["tool_prefix"], own["spelled"]), ("options", "options_", {}))

    def test_an_object_comes_from_a_file(self):
        """A map has no flag; nested defaults are filled in."""
        config = self.write("c.json", {"options": {"targets": {"a": {"url": "u"}}}})
        got = self.options("--root", self.folder(), serve=["--config", config])
        self.assertEqual(got["targets"], {"a": {"url": "u", "retries": 3}})
        self.assertEqual(self.refusal(2, "serve", "--pack", pack_path("options"), "--targets", "{}"),
                         "packhost: pack \"options\": unknown option --targets.")

    def test_spelled(self):
        """A link is resolved and the operator's spelling goes along."""
        folder = self.folder()
        real, link = os.path.join(folder, "real"), os.path.join(folder, "link")
        os.mkdir(real)
        os.symlink(real, link)
        got = self.options("--root", link)
        self.assertEqual((got["root"], got["packhost"]["spelled"]), ([real], {"/".join(["", "root", "0"]): link}))


class Refused(OptionsCase):
    def test_wrong_words_are_named(self):
        """A wrong option is reported with the flag the operator typed, and ends with 2."""
        pack = pack_path("options")
        for words, line in {
                ("--nmae", "x"): "unknown option --nmae; did you mean --name?",
                ("--count", "x"): "--count must be a whole number",
                ("--count",): "--count needs a value",
                ("--read-only=true",): "--read-only takes no value",
                ("--protect-vcs",): "unknown option --protect-vcs; did you mean --no-protect-vcs?",
                ("--name", "a", "--name", "b"): "--name is given twice",
                ("stray",): "unexpected word 'stray'",
                ("--tool-prefix", "A_"): "--tool-prefix must be empty, or up to 33 lower-case letters, digits and "
                                         "underscores that begin with a letter and end with an underscore"}.items():
            with self.subTest(words):
                end = "" if line.endswith("?") else "."
                self.assertEqual(self.refusal(2, "serve", "--pack", pack, *words),
                                 f"packhost: pack \"options\": {line}{end}")
        line = self.refusal(2, "serve", "--pack", pack, "--count", "101")
        self.assertTrue(line.startswith("packhost: pack \"options\": --count "), line)
        self.assertNotIn("101", line)

    def test_a_relative_path_is_refused(self):
        """[A-16] A relative path on the command line of serve is refused; at a shell it counts from there."""
        folder = self.folder()
        line = self.refusal(2, "serve", "--pack", pack_path("options"), "--file", "x", cwd=folder)
        self.assertEqual(line, "packhost: pack \"options\": --file is relative; write it absolute: the working "
                               "directory of a harness is not yours.")
        self.assertIn("write it absolute", self.refusal(2, "serve", "--pack", "./x/options.so", cwd=folder))
        os.mkdir(os.path.join(folder, "sub"))
        out = self.expect(0, "call", pack_path("options"), "options_show", "--root", "sub", cwd=folder)
        self.assertEqual(json.loads(out)["root"], [os.path.join(folder, "sub")])

    def test_a_literal_secret_is_refused(self):
        """[A-16] A secret given literally on the command line is refused, and not repeated."""
        line = self.refusal(2, "serve", "--pack", pack_path("options"), "--token", CANARY)
        self.assertIn("--token must be given as @env:NAME, @file:PATH or @fd:N", line)
        self.assertNotIn(CANARY, line)

    def test_what_cannot_work_refuses_the_pack(self):
        """Options that exclude each other, and a directory that is not there, refuse the pack."""
        folder = self.folder()
        pack = pack_path("options")
        self.assertEqual(self.refusal(78, "serve", "--pack", pack, "--root", folder, "--workspace", "w"),
                         "packhost: pack \"options\" refused to start: --workspace and --root cannot be given together "
                         "(configuration).")
        self.assertEqual(self.refusal(78, "serve", "--pack", pack, "--root", folder + "/none"),
                         f"packhost: pack \"options\" refused to start: --root at 0: there is no directory "
                         f"{folder}/none (configuration).")
        host = self.start("echo", ["options", "--root", folder, "--workspace", "w"])
        self.assertIn("cannot be given together", self.handshake(host)["instructions"])


class Secrets(OptionsCase):
    def test_where_secrets_come_from(self):
        """A secret comes from a variable, a file or a descriptor; one line end is removed."""
        path = self.write("secret", "from file\n\n")
        got = self.options("--root", self.folder(), "--token", "@env:TOKEN", "--password-file", path, "--password-env",
                           "PASSWORD", env={"TOKEN": "from env", "PASSWORD": "pass\n"})
        self.assertEqual((got["token"], got["password_file"], got["password_env"]), ("from env", "from file\n", "pass"))
        reader, writer = os.pipe()
        os.write(writer, b"from fd\r\n")
        os.close(writer)
        out = self.expect(0, "call", pack_path("options"), "options_show", "--root", "/", "--token", f"@fd:{reader}",
                          pass_fds=[reader])
        os.close(reader)
        self.assertEqual(json.loads(out)["token"], "from fd")

    def test_a_missing_secret_stops_the_start(self):
        """An empty or missing secret stops the start, and says which flag it was."""
        line = self.refusal(78, "serve", "--pack", pack_path("options"), "--root", "/", "--token", "@env:NONE")
        self.assertEqual(line, "packhost: pack \"options\" refused to start: --token: the variable NONE is empty or "
                               "not set (configuration).")

    def test_secrets_are_shown_nowhere(self):
        """A secret is in no output of --explain, in no log line and not in the pack's environment."""
        words = ["--root", "/", "--token", "@env:TOKEN"]
        out = self.expect(0, "serve", "--explain", "--pack", pack_path("options"), *words, env={"TOKEN": CANARY})
        self.assertNotIn(CANARY, out)
        self.assertIn('"token": "(secret)"', out)
        host = self.start(["options", *words], serve=["--log-level", "trace"], env={"TOKEN": CANARY})
        self.handshake(host)
        self.assertEqual(host.request(call(1, "options_show"))["result"]["structuredContent"]["token"], CANARY)
        with open(f"/proc/{host.process.pid}/environ", "rb") as file:
            self.assertNotIn(CANARY.encode(), file.read())
        host.finish()
        self.assertNotIn(CANARY, host.stderr_text)

    def test_the_content_of_a_file(self):
        """A path whose content is wanted is replaced by it."""
        path = self.write("c.pem", "PEM\n")
        self.assertEqual(self.options("--root", "/", "--content", path)["content"], "PEM\n")


class Plan(OptionsCase):
    def test_plan_completes_the_options(self):
        """[A-20] What plan adds is used, and --explain shows it as granted."""
        folder = self.folder()
        self.assertEqual(self.options("--plan-path", folder)["root"], [folder])
        out = self.expect(0, "serve", "--explain", "--pack", pack_path("options"), "--plan-path", folder)
        self.assertIn(f"fs write {folder}\n", out)

    def test_plan_does_not_see_secrets(self):
        """[A-20] A secret reaches open() and was not there when plan ran."""
        folder = self.folder()
        got = self.options("--plan-path", folder, "--token", "@env:TOKEN", env={"TOKEN": CANARY})
        self.assertEqual((got["root"], got["token"]), ([folder], CANARY))

    def test_unless_given_spares_the_child(self):
        """[A-20] plan is not run when the options it would complete were given."""
        words = ["serve", "--explain", "--pack", pack_path("options"), "--plan-error", "planned"]
        self.assertEqual(self.refusal(78, *words),
                         "packhost: pack \"options\" refused to start: planned (configuration).")
        self.assertIn("permissions", self.expect(0, *words, "--root", "/"))

    def test_a_path_of_plan_is_looked_at(self):
        """[A-20] A directory that plan names and that is not there refuses the pack by name."""
        line = self.refusal(78, "serve", "--pack", pack_path("options"), "--plan-path", "/nowhere/at/all")
        self.assertIn("there is no directory /nowhere/at/all", line)


class Selection(OptionsCase):
    def names(self, host):
        self.handshake(host)
        return [tool["name"] for tool in host.request(request(1, "tools/list"))["result"]["tools"]]

    def test_a_tool_that_is_not_there(self):
        """--tools and --hide-tools refuse names that no pack has, with the nearest one."""
        words = ["--hide-tools", "options_shwo", "--pack", pack_path("options"), "--root", "/"]
        self.assertEqual(self.refusal(2, "serve", *words),
                         "packhost: --hide-tools: no pack of the launch line has a tool \"options_shwo\"; did you mean "
                         "\"options_show\"?")

    def test_tools_that_are_left_out(self):
        """--tools, --hide-tools and --read-only leave tools out, also for call."""
        both = ["options", "--root", "/"]
        self.assertEqual(self.names(self.start(both)), ["options_show", "options_write"])
        self.assertEqual(self.names(self.start(both, serve=["--read-only"])), ["options_show"])
        self.assertEqual(self.names(self.start(both, serve=["--tools", "options_write"])), ["options_write"])
        self.assertEqual(self.names(self.start([*both, "--read-only"])), ["options_show"])
        line = self.refusal(2, "call", "--read-only", pack_path("options"), "options_write", "--root", "/")
        self.assertEqual(line, "packhost: unknown tool 'options_write': --read-only leaves it out.")


class Explain(OptionsCase):
    def test_a_default_grants_nothing(self):
        """Only what an option names is granted: a literal of the manifest and a default are shown as not granted."""
        out = self.expect(0, "serve", "--explain", "--pack", pack_path("outside"), "--endpoint", "localhost:1")
        self.assertIn("    net localhost:1\n", out)
        self.assertRegex(out, r"exec program: \S+/echo \(not granted")
        given = self.expect(0, "serve", "--explain", "--pack", pack_path("outside"), "--program", "/bin/echo")
        self.assertRegex(given, r"exec program: \S+/echo\n")


if __name__ == "__main__":
    main()
