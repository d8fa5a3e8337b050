# SPDX-License-Identifier: MIT
"""Checks the lines a host wrote against the schema of the revision that rules each of them.

Ours (schemas/mcp) always; the published schema as well where it lies at hand: in the folder that the
environment variable PACKHOST_MCP_SCHEMAS names, or beside the project in ../shared/data/mcp-schema.
"""
import json
import os
import re

import jsonschema

from host_process import ROOT

MODERN = "2026-07-28"
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
K = "io.modelcontextprotocol/"
# Before this revision the published schemas want an id on every error; packhost leaves it out where it has none.
ID_OPTIONAL_SINCE = "2025-11-25"

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "server/discover": "DiscoverResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}
NOTIFICATIONS = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/cancelled": "CancelledNotification",
}


def published_folder():
    """Where the published schemas are, or None."""
    named = os.environ.get("PACKHOST_MCP_SCHEMAS")
    beside = os.path.join(os.path.dirname(ROOT), "shared", "data", "mcp-schema")
    for folder in (named, beside):
        if folder and os.path.exists(os.path.join(folder, MODERN + ".json")):
            return folder
    return None


class Schema:
    """One schema file, and a validator for each of its definitions."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self._document = json.load(file)
        self._group = "$defs" if "$defs" in self._document else "definitions"
        self._validators = {}

    def faults(self, definition, instance):
        """What is wrong with the instance; definition None means the document's root."""
        validator = self._validators.get(definition)
        if validator is None:
            document = dict(self._document)
            if definition is not None:
                if definition not in document[self._group]:
                    return [f"the schema does not know a {definition}"]
                for member in ("anyOf", "title", "description"):
                    document.pop(member, None)
                document["$ref" if self._group == "$defs" else "allOf"] = (
                    f"#/$defs/{definition}" if self._group == "$defs"
                    else [{"$ref": f"#/definitions/{definition}"}])
            kind = jsonschema.validators.validator_for(document)
            validator = self._validators[definition] = kind(document)
        return [describe(error) for error in validator.iter_errors(instance)]


def describe(error):
    """The deepest cause, with the place where it is."""
    while error.context:
        error = min(error.context, key=lambda cause: -len(cause.absolute_path))
    place = "/".join(str(step) for step in error.absolute_path)
    return f"/{place}: {error.message[:300]}"


class LineChecker:
    """Follows a stream: told what was sent, it knows which revision rules an answer."""

    _schemas = {}

    def __init__(self, revision):
        self.default = revision
        self._negotiated = None
        self._asked = {}  # (type, id) -> [(method, revision, params)]
        self._tokens = {}
        self.checked = 0
        self.published = published_folder()

    @classmethod
    def _schema(cls, path):
        if path not in cls._schemas:
            cls._schemas[path] = Schema(path)
        return cls._schemas[path]

    def sent(self, raw):
        """Remember a line of the client; what is no message is of no interest."""
        try:
            message = json.loads(raw)
        except (ValueError, UnicodeDecodeError, RecursionError):
            return
        for one in message if isinstance(message, list) else [message]:
            if isinstance(one, dict) and isinstance(one.get("method"), str) and "id" in one:
                self._remember(one)

    def _remember(self, message):
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        meta = meta if isinstance(meta, dict) else {}
        method = message["method"]
        claim = meta.get(K + "protocolVersion")
        modern = (claim is not None and not (method == "initialize" and claim != MODERN)
                  or method in ("server/discover", "subscriptions/listen")
                  or any(K + name in meta for name in ("clientCapabilities", "clientInfo")))
        revision = MODERN if modern else None
        self._asked.setdefault(key_of(message["id"]), []).append((method, revision))
        token = meta.get("progressToken")
        if token is not None:
            self._tokens[key_of(token)] = revision

    def check(self, message):
        """The faults of one line of the host, in the order they were found."""
        if isinstance(message, list):
            faults = [] if self._revision(None) == "2025-03-26" else ["an array under a revision without arrays"]
            return faults + [fault for one in message for fault in self.check(one)]
        self.checked += 1
        if not isinstance(message, dict):
            return ["not a message"]
        place = find_null(message)
        if place:
            return [f"{place} is null"]
        if "method" in message:
            return self._check_notification(message)
        return self._check_answer(message)

    def _revision(self, known):
        return known or self._negotiated or (self.default if self.default in LEGACY else LEGACY[-1])

    def _check_notification(self, message):
        if "id" in message:
            return [f"the server asks the client for '{message['method']}'"]
        definition = NOTIFICATIONS.get(message["method"])
        if definition is None:
            return [f"an unknown notification '{message['method']}'"]
        params = message.get("params", {})
        revision = None
        if message["method"] == "notifications/progress":
            if key_of(params.get("progressToken")) not in self._tokens:
                return ["progress with a token that nobody gave"]
            revision = self._tokens[key_of(params.get("progressToken"))]
        elif K + "subscriptionId" in params.get("_meta", {}) or message["method"] == "notifications/cancelled":
            revision = MODERN
        elif self._negotiated is None:
            return ["an untagged notification on a stream without a legacy session"]
        return self._against(revision or self._revision(None), definition, message, None)

    def _check_answer(self, message):
        identifier = key_of(message["id"]) if "id" in message else None
        waiting = self._asked.get(identifier, [])
        method, revision = None, None
        if waiting:
            method, revision = waiting.pop(0)
        elif "id" in message and "result" in message:
            return ["an answer to nothing"]
        if "result" not in message:
            if revision is None and self._negotiated is None and self.default == MODERN:
                revision = MODERN
            return self._against(self._revision(revision), "ErrorResponse", message, None)
        if method == "initialize" and revision is None and isinstance(message["result"], dict):
            offered = message["result"].get("protocolVersion")
            if offered not in LEGACY:
                return [f"a handshake that offers '{offered}'"]
            self._negotiated = offered
        return self._against(self._revision(revision), "Response", message, RESULTS.get(method))

    def _against(self, revision, definition, message, result):
        ours = self._schema(os.path.join(ROOT, "schemas", "mcp", revision + ".schema.json"))
        faults = [f"our schema of {revision}, {definition}: {fault}" for fault in ours.faults(definition, message)]
        if result is not None:
            faults = [f"our schema of {revision}, {result}: {fault}"
                      for fault in ours.faults(result, message["result"])] or faults
        if self.published is None:
            return faults
        theirs = self._schema(os.path.join(self.published, revision + ".json"))
        if definition == "ErrorResponse":
            if "id" not in message and revision < ID_OPTIONAL_SINCE:
                return faults
            definition = "JSONRPCErrorResponse" if revision >= ID_OPTIONAL_SINCE else "JSONRPCError"
        elif definition == "Response":
            definition = "JSONRPCMessage"
        found = theirs.faults(definition, message)
        if result is not None and not found:
            found = theirs.faults(result, message["result"])
        return faults + [f"published schema of {revision}: {fault}" for fault in found]


def find_null(value, path=""):
    """Where a null stands that is not a pack's own data, or None."""
    if value is None:
        return path
    if isinstance(value, dict):
        steps = [(name, inner) for name, inner in value.items()
                 if name not in ("structuredContent", "inputSchema", "outputSchema", "data")]
    elif isinstance(value, list):
        steps = list(enumerate(value))
    else:
        return None
    for name, inner in steps:
        found = find_null(inner, f"{path}/{name}")
        if found:
            return found
    return None


def key_of(identifier):
    """Ids and tokens are told apart by type as well. Half a surrogate pair comes back as U+FFFD."""
    if isinstance(identifier, str):
        identifier = re.sub("[\ud800-\udfff]", "\ufffd", identifier)
    return type(identifier).__name__, identifier if isinstance(identifier, (str, int, float)) else repr(identifier)
