#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the schema validator against python3-jsonschema.

Cases come from the published suite (package json-schema-test-suite) as far as they lie in the subset
packs may use, and from a generator with a fixed seed. The probe refuses schemas outside the subset;
those are counted, not compared. Run: check_schema_differential.py SCHEMA_PROBE
"""

import json
import pathlib
import random
import subprocess
import sys

import jsonschema

# The newest draft of the package; inside the subset it says what 2020-12 says.
SUITE = pathlib.Path("/usr/share/json-schema-test-suite/tests/draft7")
SEED = 20250112
GENERATED = 4000
WORDS = ["", "a", "ab", "abc", "\u00e4\u00f6", "\U0001f600", "12", "x y"]


def suite_cases():
    """Cases of the suite: (name, schema, document, published verdict)."""
    for path in sorted(SUITE.glob("*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            schema = group["schema"]
            if isinstance(schema, dict):
                schema = {key: value for key, value in schema.items() if key != "$schema"}
            for test in group["tests"]:
                name = f"{path.stem}: {group['description']}: {test['description']}"
                yield name, schema, test["data"], test["valid"]


class Generator:
    """Random schemas of the subset and documents that are often near to fitting."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def schema(self, depth=0):
        pick = self.random.choice
        kind = pick(["string", "integer", "number", "boolean", "null", "array", "object", "enum", "any"])
        if depth >= 3 and kind in ("array", "object", "any"):
            kind = "string"
        if kind == "string":
            return {"type": "string", "minLength": pick([0, 1, 2]), "maxLength": pick([1, 2, 5]),
                    **({"pattern": pick(["^a", "b$", "^[0-9]+$", "a|x"])} if pick([0, 0, 1]) else {})}
        if kind in ("integer", "number"):
            return {"type": kind, "minimum": pick([-3, 0, 0.5]), "maximum": pick([2, 4, 100]),
                    **({"multipleOf": pick([1, 2, 0.5])} if pick([0, 0, 1]) else {})}
        if kind == "array":
            return {"type": "array", "items": self.schema(depth + 1), "minItems": pick([0, 1]),
                    "maxItems": pick([1, 2, 4]), "uniqueItems": pick([True, False])}
        if kind == "object":
            names = self.random.sample(["a", "b", "c", "d/e", "~f"], 3)
            return {"type": "object", "properties": {name: self.schema(depth + 1) for name in names},
                    "required": self.random.sample(names, pick([0, 1, 2])),
                    "additionalProperties": pick([True, False, {"type": "integer"}]),
                    "minProperties": pick([0, 1]), "maxProperties": pick([2, 3, 9])}
        if kind == "enum":
            return {"enum": self.unique([self.document(1) for _ in range(3)])}
        if kind == "any":
            return {pick(["anyOf", "oneOf", "allOf"]): [self.schema(depth + 1) for _ in range(2)]}
        return {"type": pick([kind, [kind, "string"]])}

    @staticmethod
    def unique(values):
        # 1, 1.0 and true are one value to some and three to others: spelled apart here.
        return list({json.dumps(value, sort_keys=True): value for value in values}.values())

    def document(self, depth=0):
        pick = self.random.choice
        kind = pick(["word", "int", "float", "bool", "null", "list", "dict", "dict"])
        if kind == "word" or depth >= 4:
            return pick(WORDS)
        if kind == "int":
            return pick([-5, -1, 0, 1, 2, 3, 50, 2**53, 2**63])
        if kind == "float":
            return pick([-0.5, 0.5, 1.0, 2.0, 2.5, 1e20])
        if kind == "bool":
            return pick([True, False])
        if kind == "list":
            return [self.document(depth + 1) for _ in range(pick([0, 1, 2, 3]))]
        if kind == "dict":
            names = self.random.sample(["a", "b", "c", "d/e", "~f", "g"], pick([0, 1, 2, 3]))
            return {name: self.document(depth + 1) for name in names}
        return None

    def near(self, schema, depth=0):
        """A document of the right shape, most of the time."""
        if self.random.random() < 0.12 or not isinstance(schema, dict):
            return self.document(depth)
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object":
            return {name: self.near(inner, depth + 1) for name, inner in schema["properties"].items()
                    if name in schema["required"] or self.random.random() < 0.5}
        if kind == "array":
            return [self.near(schema["items"], depth + 1) for _ in range(self.random.choice([0, 1, 2]))]
        if kind == "string":
            return self.random.choice(WORDS)
        if kind in ("integer", "number"):
            return self.random.choice([0, 1, 2, 2.0, 0.5, 4])
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        for branches in ("anyOf", "oneOf", "allOf"):
            if branches in schema:
                return self.near(self.random.choice(schema[branches]), depth + 1)
        return {"boolean": True, "null": None}.get(kind)


def generated_cases():
    generator = Generator(SEED)
    for number in range(GENERATED):
        schema = generator.schema()
        document = generator.near(schema)
        verdict = jsonschema.Draft202012Validator(schema).is_valid(document)
        yield f"generated {number}", schema, document, verdict


def whole_numbers_beyond_64_bits(value):
    """The validator's integers have 64 bits (as packs' have); the suite's have no end."""
    if isinstance(value, dict):
        return any(map(whole_numbers_beyond_64_bits, value.values()))
    if isinstance(value, list):
        return any(map(whole_numbers_beyond_64_bits, value))
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and float(value).is_integer() and not -(2**63) <= value < 2**64


def main():
    if not SUITE.is_dir():
        print("the package json-schema-test-suite is not installed", file=sys.stderr)
        return 1
    cases = list(suite_cases())
    published = len(cases)
    cases += generated_cases()
    lines = "".join(
        json.dumps({"schema": schema, "document": document}) + "\n" for _, schema, document, _ in cases
    )
    run = subprocess.run([sys.argv[1]], input=lines, capture_output=True, text=True, timeout=100, check=True)
    answers = run.stdout.splitlines()
    if len(answers) != len(cases):
        print(f"{len(answers)} answers to {len(cases)} cases", file=sys.stderr)
        return 1
    compared = [0, 0]
    wrong = []
    for index, ((name, schema, document, valid), answer) in enumerate(zip(cases, answers)):
        if answer.startswith("refused") or whole_numbers_beyond_64_bits(document):
            continue
        compared[index >= published] += 1
        if (answer == "valid") != valid:
            wrong.append(f"{name}\n  schema   {json.dumps(schema)}\n  document {json.dumps(document)}\n"
                         f"  expected {'valid' if valid else 'invalid'}, got {answer}")
    for text in wrong[:20]:
        print(text)
    print(f"{compared[0]} published and {compared[1]} generated cases compared, {len(wrong)} differ")
    return 1 if wrong or compared[0] < 150 or compared[1] < GENERATED // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
