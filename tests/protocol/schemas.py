#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle's own test: our schemas take what a good server writes, as the published ones do, and refuse each fault
that clients are known to stumble over. Without it a schema that accepts everything would go unnoticed.
"""
import copy
import os
import sys
import unittest

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from mcp_lines import K, LEGACY, MODERN, LineChecker, Schema, published_folder  # noqa: E402
from host_process import ROOT  # noqa: E402

ALL = (*LEGACY, MODERN)


def ours(revision):
    return Schema(os.path.join(ROOT, "schemas", "mcp", revision + ".schema.json"))


def good(revision):
    """Pairs of a method and a result, or of None and a notification, as rich as the revision allows."""
    since = lambda date: revision >= date  # noqa: E731
    is_modern = revision == MODERN
    tool = {"name": "weather_get", "description": "Weather for a place", "inputSchema": {
        "type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"],
        "additionalProperties": False}}
    resource = {"uri": "pack://weather/readme", "name": "readme", "description": "Words", "mimeType": "text/markdown",
                "size": 12, "annotations": {"audience": ["user"], "priority": 0.5}}
    blocks = [{"type": "text", "text": "hi", "annotations": {"priority": 1}},
              {"type": "image", "data": "AAEC", "mimeType": "image/png"},
              {"type": "resource", "resource": {"uri": "a://b", "blob": "AA=="}}]
    info = {"name": "packhost", "version": "0.1.0"}
    call = {"content": blocks, "isError": False}
    if since("2025-03-26"):
        tool["annotations"] = {"readOnlyHint": True}
        blocks.append({"type": "audio", "data": "", "mimeType": "audio/wav"})
    if since("2025-06-18"):
        tool.update(title="Weather", outputSchema={"type": "object", "properties": {"t": {"type": "number"}}},
                    _meta={"com.example/x": 1})
        resource.update(title="Read me", _meta={"com.example/x": {}})
        resource["annotations"]["lastModified"] = "2026-01-12T15:00:58Z"
        blocks.append({"type": "resource_link", "uri": "a://b", "name": "b", "size": 3})
        call["structuredContent"] = {"t": 21.5}
        info["title"] = "Pack host"
    capabilities = {"tools": {"listChanged": True}, "resources": {"subscribe": True, "listChanged": True}, "prompts": {}}
    results = [
        ("tools/list", {"tools": [tool], "nextCursor": "x"}),
        ("tools/call", call),
        ("tools/call", {"content": []}),
        ("resources/list", {"resources": [resource]}),
        ("resources/templates/list", {"resourceTemplates": [{"uriTemplate": "a://{b}", "name": "b"}]}),
        ("resources/read", {"contents": [{"uri": "a://b", "text": ""}, {"uri": "a://c", "blob": "/+8="}]}),
        ("prompts/list", {"prompts": [{"name": "p", "arguments": [{"name": "a", "required": True}]}]}),
        ("prompts/get", {"messages": [{"role": "user", "content": blocks[0]}]}),
        ("completion/complete", {"completion": {"values": ["a"], "total": 1, "hasMore": False}}),
    ]
    if is_modern:
        results.append(("server/discover", {"supportedVersions": [MODERN], "capabilities": capabilities}))
        for method, result in results:
            result.update(resultType="complete", _meta={K + "serverInfo": info})
            if method not in ("tools/call", "prompts/get", "completion/complete"):
                result.update(ttlMs=0, cacheScope="private")
        results.append(("subscriptions/listen", {"resultType": "complete", "_meta": {
            K + "subscriptionId": "s", K + "serverInfo": info}}))
    else:
        results += [("ping", {}), ("initialize", {
            "protocolVersion": revision, "capabilities": dict(capabilities, logging={}), "serverInfo": info})]
    return results


def response(result):
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def check(revision, method, message):
    """The faults as the runner would report them."""
    checker = LineChecker(revision)
    meta = {K + "protocolVersion": MODERN} if revision == MODERN else {}
    if revision != MODERN:
        checker.sent('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}')
        checker.check({"jsonrpc": "2.0", "id": 0, "result": {
            "protocolVersion": revision, "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}})
    import json
    checker.sent(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta}}))
    return checker.check(message)


class Good(unittest.TestCase):
    def test_all_are_schemas(self):
        """Each file is a valid schema of 2020-12, and the document's root takes what its parts take."""
        for revision in ALL:
            schema = ours(revision)
            jsonschema.Draft202012Validator.check_schema(schema._document)
            for method, result in good(revision):
                self.assertEqual(schema.faults(None, response(result)), [], (revision, method))

    def test_ours_and_the_published_agree(self):
        """Good answers are good under our schema and the published one."""
        print("published schemas:", published_folder() or "not at hand, ours alone")
        for revision in ALL:
            for method, result in good(revision):
                self.assertEqual(check(revision, method, response(result)), [], (revision, method))

    def test_errors(self):
        """Errors with an id, without one, and the modern error of an unknown revision."""
        for revision in ALL:
            schema = ours(revision)
            error = {"code": -32602, "message": "Unknown tool: x"}
            self.assertEqual(schema.faults(None, {"jsonrpc": "2.0", "id": "a", "error": error}), [])
            self.assertEqual(schema.faults(None, {"jsonrpc": "2.0", "error": dict(error, code=-32700)}), [])
            unsupported = {"code": -32022, "message": "m", "data": {"supported": [MODERN], "requested": "x"}}
            faults = schema.faults(None, {"jsonrpc": "2.0", "id": 1, "error": unsupported})
            self.assertEqual(faults == [], revision == MODERN)
            missing = {"code": -32002, "message": "m", "data": {"uri": "x"}}
            faults = schema.faults(None, {"jsonrpc": "2.0", "id": 1, "error": missing})
            self.assertEqual(faults == [], revision != MODERN)


class Faults(unittest.TestCase):
    """Each fault is put into a good answer; the answer has to become a bad one."""

    def refuse(self, revision, method, change, envelope=False):
        for candidate, result in good(revision):
            if candidate != method:
                continue
            message = copy.deepcopy(response(result))
            change(message if envelope else message["result"])
            if message == response(result):
                continue
            self.assertNotEqual(check(revision, method, message), [], f"{revision} {method}: {message}")
            return
        self.fail(f"no good {method} under {revision} to change")

    def test_envelope(self):
        """An extra member at the top, an id of null, an error beside a result, another version of JSON-RPC."""
        for revision in ALL:
            for member, value in (("extra", 1), ("id", None), ("error", None), ("jsonrpc", "1.0"), ("id", 1.5)):
                self.refuse(revision, "tools/call", lambda message: message.update({member: value}), envelope=True)

    def test_nulls(self):
        """Null for absent, wherever it may be."""
        for revision in ALL:
            self.refuse(revision, "tools/list", lambda result: result.update(nextCursor=None))
            self.refuse(revision, "tools/list", lambda result: result["tools"][0].update(title=None))
            self.refuse(revision, "tools/call", lambda result: result.update(isError=None))
            self.refuse(revision, "tools/call", lambda result: result.update(_meta=None))
            self.refuse(revision, "resources/list", lambda result: result["resources"][0].update(mimeType=None))

    def test_lists(self):
        """A tool without a root type, with a dialect, a reference, a boolean property or a long name."""
        for revision in ALL:
            for schema in ({}, {"type": "array"}, {"type": "object", "$schema": "x"},
                           {"type": "object", "properties": {"a": True}},
                           {"type": "object", "properties": {"a": {"$ref": "#/x"}}},
                           {"type": "object", "x-packhost": {}}):
                self.refuse(revision, "tools/list", lambda result: result["tools"][0].update(inputSchema=schema))
            for name in ("a.b", "x" * 65, ""):
                self.refuse(revision, "tools/list", lambda result: result["tools"][0].update(name=name))
            self.refuse(revision, "tools/list", lambda result: result["tools"][0].update(execution={}))

    def test_content(self):
        """base64url, missing padding, an unknown kind, no content, both text and blob, empty contents."""
        for revision in ALL:
            for data in ("AA-_", "AAA", "AA\nEC"):
                self.refuse(revision, "tools/call", lambda result: result["content"][1].update(data=data))
            self.refuse(revision, "tools/call", lambda result: result["content"][0].update(type="video"))
            self.refuse(revision, "tools/call", lambda result: result.pop("content"))
            self.refuse(revision, "resources/read", lambda result: result["contents"][0].update(blob=""))
            self.refuse(revision, "resources/read", lambda result: result.update(contents=[]))
            self.refuse(revision, "completion/complete",
                        lambda result: result["completion"].update(values=["x"] * 101))

    def test_annotations(self):
        """A priority of 2, an unknown audience, a time without a zone, a size with a fraction."""
        for revision in ALL:
            for change in ({"priority": 2}, {"audience": ["model"]}, {"lastModified": "2025-01-12"},
                           {"lastModified": "2025-01-12T10:00:00"}):
                self.refuse(revision, "resources/list",
                            lambda result: result["resources"][0]["annotations"].update(change))
            self.refuse(revision, "resources/list", lambda result: result["resources"][0].update(size=1.5))

    def test_legacy_has_nothing_modern(self):
        """Result types, caching hints, structured content and links before their revision."""
        for revision in LEGACY:
            for method in ("ping", "tools/list", "resources/read"):
                for change in ({"resultType": "complete"}, {"ttlMs": 0}, {"cacheScope": "public"}):
                    self.refuse(revision, method, lambda result: result.update(change))
        for revision in LEGACY[:2]:
            self.refuse(revision, "tools/call", lambda result: result.update(structuredContent={}))
            self.refuse(revision, "tools/call", lambda result: result["content"].append(
                {"type": "resource_link", "uri": "a://b", "name": "b"}))
        self.refuse(LEGACY[0], "tools/list", lambda result: result["tools"][0].update(annotations={}))

    def test_modern_is_complete(self):
        """A missing type, hints missing, fractional, negative or beyond 2^53, a name of the server in the body."""
        for method in ("tools/list", "resources/read", "server/discover"):
            for member in ("resultType", "ttlMs", "cacheScope", "_meta"):
                self.refuse(MODERN, method, lambda result: result.pop(member))
            for value in (1.5, -1, 1e16, "0"):
                self.refuse(MODERN, method, lambda result: result.update(ttlMs=value))
        self.refuse(MODERN, "tools/call", lambda result: result.update(ttlMs=0))
        self.refuse(MODERN, "tools/call", lambda result: result.update(resultType="input_required"))
        self.refuse(MODERN, "server/discover", lambda result: result.update(serverInfo={"name": "x", "version": "1"}))
        self.refuse(MODERN, "server/discover", lambda result: result["capabilities"].update(tasks={}))
        self.refuse(MODERN, "server/discover", lambda result: result.update(supportedVersions=[LEGACY[-1]]))

    def test_the_server_asks_nothing(self):
        """A request of the server, an unknown notification, an untagged one without a legacy session."""
        checker = LineChecker(MODERN)
        for message in ({"jsonrpc": "2.0", "id": 1, "method": "ping"},
                        {"jsonrpc": "2.0", "method": "notifications/other"},
                        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"},
                        {"jsonrpc": "2.0", "method": "notifications/progress",
                         "params": {"progressToken": "never given", "progress": 1}}):
            self.assertNotEqual(checker.check(message), [], message)


if __name__ == "__main__":
    unittest.main(verbosity=2)
