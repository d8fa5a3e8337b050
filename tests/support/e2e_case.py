# SPDX-License-Identifier: MIT
"""What the tests of the real executable share: starting it with test packs, and a look at all it wrote.

Meson says in the environment where the executable and the packs are: PACKHOST_EXE, PACKHOST_TEST_PACKS (the
folder of the test packs) and PACKHOST_FILES_PACK.
"""
import os
import shutil
import tempfile
import time
import unittest

from host_process import Host, parse_line
from mcp_lines import K, MODERN, LineChecker

EXE = os.environ["PACKHOST_EXE"]
TEST_PACKS = os.environ["PACKHOST_TEST_PACKS"]
FILES_PACK = os.environ["PACKHOST_FILES_PACK"]
LATEST_LEGACY = "2025-11-25"
# Sanitizers and a busy machine stretch every time limit by this much.
SLOWNESS = float(os.environ.get("PACKHOST_TEST_SLOWNESS", "1"))


def pack_path(name):
    """The path of a test pack, or of the files pack."""
    return FILES_PACK if name == "files" else os.path.join(TEST_PACKS, name + ".so")


def request(identifier, method, params=None):
    """A request of the handshake era."""
    message = {"jsonrpc": "2.0", "id": identifier, "method": method}
    if params is not None:
        message["params"] = params
    return message


def modern(identifier, method, params=None, **meta):
    """A request that carries its revision."""
    params = dict(params or {})
    params["_meta"] = {K + "protocolVersion": MODERN, K + "clientCapabilities": {}, **params.get("_meta", {}), **meta}
    return request(identifier, method, params)


def call(identifier, name, arguments=None, **meta):
    """A tool call of the handshake era."""
    params = {"name": name, "arguments": arguments or {}}
    if meta:
        params["_meta"] = meta
    return request(identifier, "tools/call", params)


def cancel(identifier):
    """The notice that a request is cancelled."""
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identifier}}


def text_of(answer):
    """The text of a tool result's first block."""
    return answer["result"]["content"][0]["text"]


class HostCase(unittest.TestCase):
    """A test with hosts in it: they are killed at its end, and every line they wrote was a message."""

    def setUp(self):
        self._hosts = []

    def folder(self):
        """An empty folder that goes away with the test."""
        path = tempfile.mkdtemp()
        os.chmod(path, 0o755)
        self.addCleanup(shutil.rmtree, path, True)
        return path

    def start(self, *packs, serve=(), aliases=(), **how):
        """A host with these packs: each a name, or a list of a name and its options. Aliases go to the first of them."""
        words = ["serve", *serve]
        for number, pack in enumerate(packs):
            name, *options = [pack] if isinstance(pack, str) else pack
            alias = aliases[number] + "=" if number < len(aliases) else ""
            words += ["--pack", alias + pack_path(name), *options]
        how.setdefault("env", {})
        host = Host(EXE, words, **how)
        self._hosts.append(host)
        self.addCleanup(host.kill)
        return host

    def handshake(self, host, revision=LATEST_LEGACY):
        """Open a legacy session and give back the result of the handshake."""
        answer = host.request(request("handshake", "initialize", {
            "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}))
        host.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def check_lines(self, host, sent=(), revision=LATEST_LEGACY):
        """Every line the host wrote so far against the schema of its revision."""
        checker = LineChecker(revision)
        for raw in sent or host.sent:
            checker.sent(raw)
        for raw in host.lines:
            for fault in checker.check(parse_line(raw)):
                self.fail(f"{fault}\n{raw[:600]!r}")

    def tearDown(self):
        for host in self._hosts:
            for raw in host.lines:
                if raw.endswith(b"\n") or host.process.poll() is None:
                    parse_line(raw)

    def assert_within(self, limit_s, since):
        """The time since then is under the limit."""
        took = time.monotonic() - since
        self.assertLess(took, limit_s * SLOWNESS, f"took {took:.3f} s")


def main():
    """Run the tests of the file that calls this."""
    unittest.main(verbosity=2)
