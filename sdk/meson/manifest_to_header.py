#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns a pack's manifest.json into a C/C++ header with PACKHOST_MANIFEST.

The text is copied byte for byte, so line numbers in refusals are those of the file. It is checked
first: JSON, no member twice, size; against --schema where python3-jsonschema is installed. The host
and packhost-check make every other check.
"""

import argparse
import json
import pathlib
import sys

MAX_BYTES = 262144  # what a host reads
REQUIRED = ("manifest", "name", "version", "abi")


class Refused(Exception):
    """The manifest cannot be used; the text says where and why."""


def without_duplicates(pairs):
    members = {}
    for key, value in pairs:
        if key in members:
            raise Refused(f'the member "{key}" stands twice in one object')
        members[key] = value
    return members


def refuse_constant(word):
    raise Refused(f"{word} is not JSON")


def parse(raw):
    if len(raw) > MAX_BYTES:
        raise Refused(f"{len(raw)} bytes; the limit is {MAX_BYTES}")
    if b"\0" in raw:
        raise Refused("it holds a NUL byte")
    try:
        text = raw.decode("utf-8")
        manifest = json.loads(
            text, object_pairs_hook=without_duplicates, parse_constant=refuse_constant
        )
    except UnicodeDecodeError as fault:
        raise Refused(f"byte {fault.start} is not UTF-8") from fault
    except json.JSONDecodeError as fault:
        raise Refused(f"line {fault.lineno}: {fault.msg}") from fault
    if not isinstance(manifest, dict):
        raise Refused("it is no JSON object")
    for name in REQUIRED:
        if name not in manifest:
            raise Refused(f'the member "{name}" is missing')
    return manifest


def check_schema(manifest, schema_path):
    try:
        import jsonschema
    except ImportError:
        print(
            "note: python3-jsonschema is not installed; the manifest is checked against the schema "
            "only by packhost-check and the host",
            file=sys.stderr,
        )
        return
    schema = json.loads(schema_path.read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    faults = sorted(validator.iter_errors(manifest), key=lambda fault: list(map(str, fault.path)))
    if faults:
        where = "/".join(str(step) for step in faults[0].path) or "(top)"
        raise Refused(f"{where}: {faults[0].message}")


def literal(line):
    """One line of the manifest as a C string literal. Octal escapes have at most three digits, so
    nothing behind one can become part of it."""
    out = []
    for byte in line:
        char = chr(byte)
        if char in '"\\?':  # ? because of trigraphs in C
            out.append("\\" + char)
        elif char == "\n":
            out.append("\\n")
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def header(raw, source):
    lines = "\n".join("    " + literal(line) for line in raw.splitlines(keepends=True))
    return (
        f"/* Made from {source} by manifest_to_header.py. Do not edit. */\n"
        "#include <packhost/packhost.h>\n\n"
        "#pragma GCC diagnostic push\n"
        '#pragma GCC diagnostic ignored "-Woverlength-strings"\n'
        f"PACKHOST_MANIFEST(\n{lines}\n);\n"
        "#pragma GCC diagnostic pop\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manifest", type=pathlib.Path, help="manifest.json")
    parser.add_argument("header", type=pathlib.Path, help="the header to write")
    parser.add_argument("--schema", type=pathlib.Path, help="pack-manifest.schema.json")
    options = parser.parse_args()
    try:
        raw = options.manifest.read_bytes()
        manifest = parse(raw)
        if options.schema is not None:
            check_schema(manifest, options.schema)
        options.header.write_text(header(raw, options.manifest.name), encoding="utf-8")
    except Refused as fault:
        print(f"{options.manifest}: {fault}", file=sys.stderr)
        return 1
    except OSError as fault:
        print(f"{fault.filename}: {fault.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
