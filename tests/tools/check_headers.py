#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a header has to say, and how long a file may be.

packhost.h: every function pointer of a struct has a thread tag (of its own, or of the comment that opens
its group) and a comment, except release callbacks, whose rule stands at packhost_buf. Every C++ header
opens with an SPDX line and a line on its purpose, and comments each class and function at its outermost
level (an enum, and in headers that are not installed a plain struct, may let its members speak; the file's
first class is what its opening lines are about).
Source files end by line 600, or say at the top why not ("Long because").
"""
import os
import re
import subprocess
import sys

C_HEADER = "sdk/include/packhost/packhost.h"
TAGS = ("[control]", "[worker]", "[any]", "[call]")
MEMBER = re.compile(r"\(\*(\w+)\)\s*\(")
DECLARATION = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)[^;]*\{")
FUNCTION = re.compile(r"^(?:\[\[nodiscard\]\]\s*)?(?:[\w:<>,&*\s]+?)\b(\w+)\((?!\*).*\)\s*"
                      r"(?:const)?\s*(?:noexcept)?;\s*$")
MAX_LINES = 600


def tracked(*patterns):
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
                          check=True, capture_output=True, text=True)
    return [name for name in done.stdout.split("\n") if name and os.path.exists(name)]


def comment_blocks(lines):
    """For each line the comment that belongs to it: on the line itself, or the block right above."""
    block, owner = [], []
    inside = False
    for line in lines:
        text = line.strip()
        if inside or text.startswith(("/*", "//")):
            if not inside and not (owner and owner[-1] == "comment"):
                block = []
            block.append(text)
            inside = (inside or text.startswith("/*")) and "*/" not in text
            owner.append("comment")
            yield ""
            continue
        yield " ".join(block) + (" " + text[text.index("/*"):] if "/*" in text else "")
        owner.append("code" if text else "blank")
        if not text:
            block = []


def check_c_header(faults):
    with open(C_HEADER, encoding="utf-8") as file:
        lines = file.read().split("\n")
    inside, group_tags = False, []
    count = 0
    for number, (line, comment) in enumerate(zip(lines, comment_blocks(lines)), 1):
        if re.match(r"^(typedef )?struct \w+ \{", line):
            inside, group_tags = True, [tag for tag in TAGS if tag in comment]
        if line.startswith("}"):
            inside = False
        found = MEMBER.search(line)
        if not inside or not found or found.group(1) == "release":
            continue
        count += 1
        if not any(tag in comment for tag in TAGS) and not group_tags:
            faults.append(f"{C_HEADER}:{number}: {found.group(1)} has no thread tag")
        if len(comment.replace("/*", "").replace("*/", "").split()) < 3:
            faults.append(f"{C_HEADER}:{number}: {found.group(1)} has no sentence on what it does "
                          "and how long things live")
    if count == 0:
        faults.append(f"{C_HEADER}: no function pointer found; has the check gone blind?")


def check_top(path, lines, faults):
    """SPDX line first, then what the file is."""
    if "SPDX-License-Identifier: MIT" not in (lines[0] if lines else ""):
        faults.append(f"{path}:1: the first line is the SPDX line")
    elif len(lines) < 2 or not lines[1].startswith("//") and not lines[1].startswith("/*"):
        faults.append(f"{path}:2: the second line says what this file is")


def check_declarations(path, lines, faults):
    previous, is_first = "", True
    for number, line in enumerate(lines, 1):
        outermost = line[:1].isalpha() or line.startswith("[[")
        declared = outermost and (DECLARATION.match(line) or FUNCTION.match(line))
        if declared and line.startswith("struct") and not path.startswith("sdk/include/"):
            declared = None
        if declared and line.startswith("class") and is_first:
            declared, is_first = None, False
        if declared and not previous.startswith(("//", "*/", "template")) and "//" not in line:
            if not re.match(r"(using|return|friend|namespace|extern)\b", line):
                faults.append(f"{path}:{number}: {declared.group(1)} has no comment")
        if line.strip():
            # A declaration right below another of its family shares the comment above both.
            shares = previous.startswith(("//", "*/")) and line.rstrip().endswith(";")
            previous = "//" if shares and not line.strip().startswith("//") else line.strip()
        else:
            previous = ""


def main():
    faults = []
    check_c_header(faults)
    for path in tracked("*.cpp", "*.hpp", "*.c", "*.h", "*.py", "*.sh"):
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        if path.endswith((".cpp", ".hpp")):
            check_top(path, lines, faults)
        if path.endswith(".hpp") and not path.startswith("tests/"):
            check_declarations(path, lines, faults)
        if len(lines) - 1 > MAX_LINES and not any("Long because" in line for line in lines[:8]):
            faults.append(f"{path}: {len(lines) - 1} lines; the limit is {MAX_LINES}: split its subject, "
                          "or say at the top 'Long because ...'")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
