# SPDX-License-Identifier: MIT
"""What the tests of the commands share: running one to its end, and comparing generated text with golden files."""
import os
import shutil
import subprocess

from e2e_case import EXE, HostCase, pack_path

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
LIMIT_S = 60


class CliCase(HostCase):
    def run_words(self, *words, stdin="", env=None, cwd="/", pass_fds=()):
        """One command to its end: its exit code, output and error lines. The environment is empty unless given."""
        done = subprocess.run([EXE, *words], input=stdin, capture_output=True, text=True, timeout=LIMIT_S,
                              env=env or {}, cwd=cwd, pass_fds=pass_fds, check=False)
        return done

    def expect(self, code, *words, **how):
        """The output of a command that ends with this code."""
        done = self.run_words(*words, **how)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def refusal(self, code, *words, **how):
        """The one line on stderr of a command that ends with this code and prints nothing else."""
        done = self.run_words(*words, **how)
        self.assertEqual((done.returncode, done.stdout), (code, ""), f"{words}\n{done.stderr}")
        lines = done.stderr.splitlines()
        self.assertEqual(len([line for line in lines if line.startswith("packhost: ")]), 1, done.stderr)
        return next(line for line in lines if line.startswith("packhost: "))

    def pack_copy(self, name, folder=None, mode=0o644):
        """A test pack in a folder of its own."""
        path = os.path.join(folder or self.folder(), os.path.basename(pack_path(name)))
        shutil.copy(pack_path(name), path)
        os.chmod(path, mode)
        return path

    def assert_golden(self, name, text):
        """Compare with the golden file of this name; PACKHOST_UPDATE_GOLDEN writes it instead."""
        path = os.path.join(GOLDEN, name)
        if os.environ.get("PACKHOST_UPDATE_GOLDEN"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(text, file.read(), f"{name} differs; \"tests/run.sh golden\" writes it anew")
