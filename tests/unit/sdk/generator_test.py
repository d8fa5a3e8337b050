#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manifest generator: what it copies, and what it refuses in which words."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GENERATOR, SCHEMA, INCLUDE = map(pathlib.Path, sys.argv[1:4])
GOOD = '{\n  "manifest": 1, "name": "t", "version": "1.0.0", "abi": "1.0"\n}\n'


class Generator(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def generate(self, raw, *more):
        manifest = self.folder / "manifest.json"
        manifest.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
        return subprocess.run(
            [sys.executable, GENERATOR, manifest, self.folder / "manifest.h", *more],
            capture_output=True,
            text=True,
        )

    def refusal(self, raw, *more):
        done = self.generate(raw, *more)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse((self.folder / "manifest.h").exists())
        return done.stderr.strip().split("manifest.json: ", 1)[-1]

    def test_the_text_is_unchanged_in_c_and_cpp(self):
        odd = GOOD.replace('"t"', '"t",\t"title": "\u00e4 \\"??=\\" \\\\ \\u00417"')
        self.assertEqual(self.generate(odd).returncode, 0)
        for compiler, suffix, standard in (("cc", "c", "c11"), ("c++", "cpp", "c++17")):
            source = self.folder / f"show.{suffix}"
            source.write_text(
                '#include "manifest.h"\n#include <stdio.h>\n'
                "int main(void) { return fputs(packhost_manifest_text, stdout) < 0; }\n"
            )
            program = self.folder / f"show_{suffix}"
            flags = [f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", INCLUDE]
            subprocess.run([compiler, *flags, source, "-o", program], check=True)
            shown = subprocess.run([program], capture_output=True, check=True).stdout
            self.assertEqual(shown.decode(), odd)

    def test_a_long_manifest_makes_no_warning(self):
        long = GOOD.replace("1.0.0", "1.0.0" + " " * 70_000)
        self.assertEqual(self.generate(long).returncode, 0)
        source = self.folder / "use.c"
        source.write_text('#include "manifest.h"\n')
        flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", INCLUDE, "-c"]
        subprocess.run(["cc", *flags, source, "-o", self.folder / "use.o"], check=True)

    def test_refusals_name_the_place(self):
        self.assertEqual(
            self.refusal('{\n "manifest": 1,\n}'),
            "line 3: Expecting property name enclosed in double quotes",
        )
        self.assertEqual(self.refusal('{"a": 1, "a": 2}'), 'the member "a" stands twice in one object')
        self.assertEqual(self.refusal("[1]"), "it is no JSON object")
        self.assertEqual(self.refusal('{"manifest": NaN}'), "NaN is not JSON")
        self.assertEqual(self.refusal(b'{"a": "\xff"}'), "byte 7 is not UTF-8")
        self.assertEqual(self.refusal(GOOD.replace('"abi": "1.0"', '"x": 1')), 'the member "abi" is missing')
        self.assertEqual(self.refusal(" " * 262_145), "262145 bytes; the limit is 262144")
        self.assertEqual(self.refusal(b"{\0}"), "it holds a NUL byte")

    def test_the_schema_refuses_what_does_not_fit(self):
        bad = GOOD.replace('"name": "t"', '"name": "Not A Name"')
        self.assertIn("name: ", self.refusal(bad, "--schema", SCHEMA))
        self.assertEqual(self.generate(GOOD, "--schema", SCHEMA).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
