#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds schemas/pack-manifest.schema.json against the folder of good and bad manifests.

The schema must take every good one and refuse every bad one, except where the file beside a bad
manifest says that the schema cannot see the fault (names used twice, options that do not exist).
Whatever the schema refuses, the host refuses too: manifest_files_test.cpp reads the same folder.

Manifests named behind the folder are bundled packs: they must pass the schema, and every tool of
theirs the rules of model services (service_rules.schema.json), which in turn must refuse what the
narrow profile refuses in an input (A-27).
"""

import json
import pathlib
import sys

import jsonschema

BLIND = "the schema cannot see it"


def load(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError:
        return None


def service_faults(folder, bundled):
    rules = json.loads((folder.parent / "service_rules.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(rules)
    validator = jsonschema.Draft202012Validator(rules)
    narrow = [path for path in sorted((folder / "bad").glob("narrow_*.json")) if "hint" not in path.name]
    narrow = [path for path in narrow if path.stem != "narrow_no_annotations"]
    for path in narrow:
        if all(validator.is_valid(tool) for tool in load(path)["tools"]):
            yield f"{path.name}: model services would take it, the narrow profile does not"
    if len(narrow) < 10:
        yield f"only {len(narrow)} manifests break the narrow profile in an input"
    for path in bundled:
        for tool in load(path).get("tools", []):
            for error in validator.iter_errors(tool):
                yield f"{path}: {tool.get('name')}: {error.message}"


def main():
    schema_path, folder = map(pathlib.Path, sys.argv[1:3])
    schema = json.loads(schema_path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = []
    good = sorted((folder / "good").glob("*.json"))
    bad = sorted((folder / "bad").glob("*.json"))
    for path in good:
        errors = [error.message for error in validator.iter_errors(load(path))]
        # A member of a newer minor is a warning for the host and an error for the schema.
        expected = path.with_suffix(".warnings").exists()
        if bool(errors) != expected:
            faults.append(f"{path.name}: {errors[:1] or 'accepted'}")
    for path in bad:
        lines = path.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
        manifest = load(path)
        refused = manifest is None or not validator.is_valid(manifest)
        if refused == (BLIND in lines[1:]):
            faults.append(f"{path.name}: {'refused' if refused else 'accepted'}, expected otherwise")
    bundled = [pathlib.Path(argument) for argument in sys.argv[3:]]
    for path in bundled:
        errors = [error.message for error in validator.iter_errors(load(path))]
        if errors:
            faults.append(f"{path}: {errors[0]}")
    faults += service_faults(folder, bundled)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(good)} good, {len(bad)} bad manifests, {len(faults)} disagree")
    return 1 if faults or not good or not bad else 0


if __name__ == "__main__":
    sys.exit(main())
