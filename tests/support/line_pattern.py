# SPDX-License-Identifier: MIT
"""Expected lines of a transcript: JSON with three additions outside of strings.

`...` allows more: as a member of an object any further members, at the end of an array any further
elements, as a value anything. `$name` takes the value the first time and compares it later. `~"text"`
is a string that contains the text. At the top level "jsonrpc" may be left out.
"""
import json
import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\.\.\.|\$[A-Za-z_]\w*|~(?=")|[\[\]{},:]|[^\s\[\]{},:"~$]+|\s+')
_MORE, _BIND, _HOLDS = "\0more", "\0bind:", "\0holds:"


def parse_pattern(text):
    """The pattern as a JSON value with marked strings in it. Raises ValueError."""
    out, containers, after_colon, holds = [], [], False, False
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if not found:
            raise ValueError(f"cannot read the pattern at: {text[position:position + 40]}")
        token, position = found.group(), found.end()
        if token == "...":
            member = containers and containers[-1] == "{" and not after_colon
            out.append(json.dumps(_MORE) + (":0" if member else ""))
        elif token.startswith("$"):
            out.append(json.dumps(_BIND + token[1:]))
        elif token == "~":
            holds = True
            continue
        elif holds:
            out.append(json.dumps(_HOLDS + json.loads(token)))
            holds = False
        else:
            if token in "[{":
                containers.append(token)
            elif token in "]}" and containers:
                containers.pop()
            out.append(token)
        if not token.isspace():
            after_colon = token == ":"
    return json.loads("".join(out))


def substitute(text, bound):
    """The text with each bound `$name` outside of strings replaced by its value."""
    def value(found):
        token = found.group()
        return json.dumps(bound[token[1:]]) if token.startswith("$") and token[1:] in bound else token
    return _TOKEN.sub(value, text)


def match(pattern, value, bound, path=""):
    """None if the value fits, else a sentence. New bindings go into `bound`."""
    if isinstance(pattern, str):
        return _match_text(pattern, value, bound, path)
    if isinstance(pattern, dict):
        return _match_object(pattern, value, bound, path)
    if isinstance(pattern, list):
        return _match_array(pattern, value, bound, path)
    if type(pattern) is not type(value) or pattern != value:
        return f"{path or '/'}: expected {json.dumps(pattern)}, got {json.dumps(value)[:200]}"
    return None


def _match_text(pattern, value, bound, path):
    if pattern == _MORE:
        return None
    if pattern.startswith(_BIND):
        name = pattern[len(_BIND):]
        if name not in bound:
            bound[name] = value
            return None
        if type(bound[name]) is type(value) and bound[name] == value:
            return None
        return f"{path or '/'}: ${name} was {json.dumps(bound[name])}, now it is {json.dumps(value)[:200]}"
    if pattern.startswith(_HOLDS):
        if isinstance(value, str) and pattern[len(_HOLDS):] in value:
            return None
        return f"{path or '/'}: expected a text with {pattern[len(_HOLDS):]!r} in it, got {json.dumps(value)[:300]}"
    if pattern != value:
        return f"{path or '/'}: expected {json.dumps(pattern)[:200]}, got {json.dumps(value)[:200]}"
    return None


def _match_object(pattern, value, bound, path):
    if not isinstance(value, dict):
        return f"{path or '/'}: expected an object, got {json.dumps(value)[:200]}"
    more = _MORE in pattern
    for name, expected in pattern.items():
        if name == _MORE:
            continue
        if name not in value:
            return f"{path}/{name} is missing"
        fault = match(expected, value[name], bound, f"{path}/{name}")
        if fault:
            return fault
    extra = [name for name in value if name not in pattern and not (path == "" and name == "jsonrpc")]
    if extra and not more:
        return f"{path}/{extra[0]} was not expected"
    return None


def _match_array(pattern, value, bound, path):
    if not isinstance(value, list):
        return f"{path or '/'}: expected an array, got {json.dumps(value)[:200]}"
    more = bool(pattern) and pattern[-1] == _MORE
    wanted = pattern[:-1] if more else pattern
    if len(value) < len(wanted) or len(value) > len(wanted) and not more:
        return f"{path or '/'}: expected {len(wanted)} elements, got {len(value)}: {json.dumps(value)[:200]}"
    for index, expected in enumerate(wanted):
        fault = match(expected, value[index], bound, f"{path}/{index}")
        if fault:
            return fault
    return None
