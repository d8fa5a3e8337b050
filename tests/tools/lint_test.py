#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lint scripts' own test: each finds the fault it is for, in a small tree made for it, and nothing in a clean one."""
import os
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.dirname(os.path.abspath(__file__))
TOP = "// SPDX-License-Identifier: MIT\n// A file.\n"
C_HEADER = """/* SPDX-License-Identifier: MIT */
typedef struct packhost_host {
  /* [any] Says something, and borrows it for the call. */
  void (*log)(int level);
} packhost_host;
"""
CLEAN = {
    "host/cli/a.cpp": TOP + '#include "host/mcp/b.hpp"\n',
    "host/mcp/b.hpp": TOP + '#include "host/pack/c.hpp"\n',
    "host/pack/c.hpp": TOP + "#include <vector>\n\n/// Does it.\nvoid do_it();\n",
    "plugins/files/d.cpp": TOP + '#include "sdk/kit/e.hpp"\n#include <packhost/packhost.h>\n',
    "sdk/kit/e.hpp": TOP,
    "sdk/include/packhost/packhost.h": C_HEADER,
    "tests/statements/protocol.md": "- **P-1** A statement.\n",
    "tests/unit/x_test.cpp": TOP + 'TEST_CASE("[P-1] it holds") {}\n',
}


class Lint(unittest.TestCase):
    def run_in(self, script, changes):
        """The script's status and output in the clean tree with these changes."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **changes}.items():
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            subprocess.run(["git", "init", "-q", folder], check=True)
            done = subprocess.run([sys.executable, os.path.join(TOOLS, script)], cwd=folder, capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def finds(self, script, name, text, word):
        status, output = self.run_in(script, {name: text})
        self.assertEqual(status, 1, output)
        self.assertIn(word, output)

    def test_clean(self):
        """A clean tree passes all."""
        for script in ("check_layering.py", "check_headers.py", "check_statements.py", "check_text.py"):
            self.assertEqual(self.run_in(script, {}), (0, ""), script)

    def test_layering(self):
        """An include against the arrows, between packs, of tests, a library away from home, a cycle, an unknown folder."""
        for name, text, word in (
                ("host/rpc/x.cpp", '#include "host/mcp/b.hpp"\n', "host/rpc may not include host/mcp"),
                ("host/io/x.cpp", '#include "host/rpc/y.hpp"\n', "may not include"),
                ("sdk/kit/x.cpp", '#include "sdk/contract/y.hpp"\n', "may not include"),
                ("plugins/files/x.cpp", '#include "host/pack/c.hpp"\n', "may not include"),
                ("plugins/files/x.cpp", '#include "plugins/kv/y.hpp"\n', "one pack may not include another"),
                ("host/cli/x.cpp", '#include "tests/support/y.hpp"\n', "nothing includes tests"),
                ("host/cli/x.cpp", "#include <rapidjson/document.h>\n", "belongs into"),
                ("plugins/files/x.cpp", "#include <openssl/evp.h>\n", "belongs into"),
                ("host/utils/x.cpp", "", "no layer"),
                ("sdk/kit/e.hpp", '#include "sdk/kit/e2.hpp"\n', "")):
            if name == "sdk/kit/e.hpp":
                status, output = self.run_in("check_layering.py", {
                    name: TOP + text, "sdk/kit/e2.hpp": TOP + '#include "sdk/kit/e.hpp"\n'})
                self.assertEqual((status, "a cycle" in output), (1, True), output)
            else:
                self.finds("check_layering.py", name, TOP + text, word)

    def test_headers(self):
        """A function pointer without tag or words, a header without purpose, a bare declaration, a long file."""
        header = "sdk/include/packhost/packhost.h"
        self.finds("check_headers.py", header, C_HEADER.replace("[any] ", ""), "no thread tag")
        self.finds("check_headers.py", header, C_HEADER.replace(
            "[any] Says something, and borrows it for the call.", "[any]"), "no sentence")
        self.finds("check_headers.py", header, C_HEADER.replace("(*log)(int level)", "log"), "gone blind")
        self.finds("check_headers.py", "host/pack/c.hpp", "// SPDX-License-Identifier: MIT\nint x;\n", "second line")
        self.finds("check_headers.py", "host/pack/c.hpp", TOP + "\nvoid do_it();\n", "do_it has no comment")
        self.finds("check_headers.py", "host/pack/c.hpp", TOP + "\nclass First {\n};\n\nclass Thing {\n};\n",
                   "Thing has no comment")
        self.finds("check_headers.py", "host/cli/a.cpp", TOP + "//\n" * 600, "602 lines")

    def test_statements(self):
        """A statement without a test, an id nobody stated, an id that stands in no test's name."""
        name = "tests/unit/x_test.cpp"
        self.finds("check_statements.py", name, TOP + 'TEST_CASE("it holds") {}\n', "P-1 has no test")
        self.finds("check_statements.py", name, TOP + '// [P-1]\nTEST_CASE("it holds") {}\n', "P-1 has no test")
        self.finds("check_statements.py", name, TOP + 'TEST_CASE("[P-1, P-2] it holds") {}\n', "no statement has that id")

    def test_text(self):
        """Blanks at an end, no last newline, no SPDX line, unfinished words, places of one machine, skipped tests."""
        name = "host/cli/a.cpp"
        self.finds("check_text.py", name, TOP + "int x; \n", "blanks")
        self.finds("check_text.py", name, TOP + "int x;", "no newline")
        self.finds("check_text.py", name, "int x;\n", "SPDX")
        self.finds("check_text.py", name, TOP + "// TO" + "DO later\n", "unfinished")
        self.finds("check_text.py", name, TOP + "// see /ro" + "ot/x\n", "names a place")
        self.finds("check_text.py", "tests/unit/x_test.cpp", TOP + 'TEST_CASE("[P-1] x" * doctest::ski' + 'p()) {}\n',
                   "left out")


if __name__ == "__main__":
    unittest.main(verbosity=2)
