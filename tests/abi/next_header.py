#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the packhost.h of the next minor: one host function appended, the minor raised by one."""

import pathlib
import re
import sys

MARK = "  /* -- minor versions append here -- */\n"
ADDED = "  /* [call] Made for a test. */\n  void (*call_of_the_future)(packhost_call *);\n"


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    text = source.read_text(encoding="utf-8")
    text, raised = re.subn(
        r"#define PACKHOST_ABI_MINOR (\d+)u",
        lambda match: f"#define PACKHOST_ABI_MINOR {int(match[1]) + 1}u",
        text,
    )
    at = text.find(MARK)  # the first one stands in packhost_host
    if raised != 1 or at < 0:
        sys.exit("the header has no minor, or no place to append to")
    target.write_text(text[:at] + ADDED + text[at:], encoding="utf-8")


if __name__ == "__main__":
    main()
