#!/usr/bin/env python3
"""The protocol itself: messages that are none, a wrong order, places that are not there, cancelled requests."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

from client import Client, Refused

SERVER = None
URI = "file:///project/a.tsr"
TEXT = "def f(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n    return x * 2.0\n"


def answers(raw):
    """What the server says to bytes, and its exit code."""
    done = subprocess.run([SERVER], input=raw, capture_output=True, timeout=60)
    found, rest = [], done.stdout
    while rest:
        head, rest = rest.split(b"\r\n\r\n", 1)
        length = int(head.split(b":")[1])
        found.append(json.loads(rest[:length]))
        rest = rest[length:]
    return found, done.returncode


def framed(*messages):
    bodies = [m if isinstance(m, bytes) else json.dumps({"jsonrpc": "2.0", **m}).encode() for m in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n" % len(b) + b for b in bodies)


INITIALIZE = {"id": 1, "method": "initialize", "params": {"capabilities": {}}}


class Order(unittest.TestCase):
    def test_an_orderly_end(self):
        found, code = answers(framed(INITIALIZE, {"id": 2, "method": "shutdown"}, {"method": "exit"}))
        self.assertEqual([m["id"] for m in found], [1, 2])
        self.assertEqual(code, 0)

    def test_an_end_without_shutdown_is_no_success(self):
        self.assertEqual(answers(framed(INITIALIZE, {"method": "exit"}))[1], 1)
        self.assertEqual(answers(framed(INITIALIZE))[1], 1)
        self.assertEqual(answers(b"")[1], 1)

    def test_requests_before_initialize_and_after_shutdown_are_refused(self):
        found, _ = answers(framed({"id": 1, "method": "textDocument/hover", "params": {}}))
        self.assertEqual(found[0]["error"]["code"], -32002)
        found, _ = answers(framed(INITIALIZE, {"id": 2, "method": "shutdown"}, {"id": 3, "method": "textDocument/hover", "params": {}}))
        self.assertEqual(found[2]["error"]["code"], -32600)

    def test_twice_initialized(self):
        found, _ = answers(framed(INITIALIZE, {**INITIALIZE, "id": 2}))
        self.assertIn("error", found[1])


class Malformed(unittest.TestCase):
    def test_what_is_no_json_is_refused_and_the_next_message_answered(self):
        found, _ = answers(framed(b"{nonsense", INITIALIZE, b"[]", b"3", {"id": 9}))
        self.assertEqual([m.get("error", {}).get("code") for m in found], [-32700, None, -32600, -32600, -32600])

    def test_headers(self):
        body = json.dumps({"jsonrpc": "2.0", **INITIALIZE}).encode()
        head = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: %d\r\n\r\n" % len(body)
        self.assertEqual(answers(head + body)[0][0]["id"], 1)
        for broken in (b"Content-Length: many\r\n\r\n", b"Content-Length: 99999999999999\r\n\r\n", b"Content-Length: 10\r\n\r\nshort", b"x" * 100000, b"\xff\xfe\x00"):
            self.assertEqual(answers(broken)[1], 1)

    def test_wrong_parameters_are_refused(self):
        client = Client(SERVER)
        client.open(URI, TEXT)
        for params in (None, {}, [], {"textDocument": 3}, {"textDocument": {"uri": URI}}, {"textDocument": {"uri": URI}, "position": {"line": "x"}},
                       {"textDocument": {"uri": "file:///other.tsr"}, "position": {"line": 0, "character": 0}}):
            with self.assertRaises(Refused):
                client.request("textDocument/hover", params)
        with self.assertRaises(Refused) as refused:
            client.request("textDocument/unheardOf", {})
        self.assertEqual(refused.exception.code, -32601)
        client.notify("textDocument/didChange", {"textDocument": {"uri": URI}, "contentChanges": [{"text": 4}]})
        client.notify("textDocument/didChange", {})
        client.notify("unheardOf", {})
        client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///never/opened.tsr"}})
        self.assertTrue(client.at("hover", URI, 0, 4))
        self.assertEqual(client.stop(), 0)

    def test_places_that_are_not_there(self):
        client = Client(SERVER)
        client.open(URI, TEXT)
        for line, character in ((0, 9999), (9999, 0), (2**31 - 1, 2**31 - 1), (-1, -1)):
            for method in ("hover", "definition", "completion", "signatureHelp", "documentHighlight"):
                client.at(method, URI, line, character)
        far = {"start": {"line": 5, "character": 5}, "end": {"line": 1, "character": 99}}
        client.change(URI, 2, {"range": far, "text": "x"})
        client.of("inlayHint", URI, range=far)
        self.assertEqual(client.stop(), 0)


class Much(unittest.TestCase):
    def test_cancelled_requests_are_not_begun(self):
        client = Client(SERVER)
        text = "".join(TEXT.replace("def f", f"def f{i}") for i in range(400))
        client.open(URI, text)
        ids = [client.begin("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}}) for _ in range(40)]
        for id in ids[1:]:
            client.notify("$/cancelRequest", {"id": id})
        codes = []
        for id in ids:
            try:
                client.answer(id)
                codes.append(0)
            except Refused as refused:
                codes.append(refused.code)
        self.assertEqual(set(codes) - {0, -32800}, set())
        self.assertIn(-32800, codes)
        self.assertEqual(codes[0], 0)
        self.assertEqual(client.stop(), 0)

    def test_many_keys_are_one_check(self):
        client = Client(SERVER, options={"debounce": 300})
        client.open(URI, TEXT)
        client.published(URI, 1)
        for version in range(2, 60):
            client.change(URI, version, {"text": TEXT + "#" * version})
        client.published(URI, 59)
        self.assertLess(len(client.diagnostics[URI]), 10)
        self.assertEqual(client.stop(), 0)

    def test_two_clients(self):
        clients = [Client(SERVER), Client(SERVER)]
        for n, client in enumerate(clients):
            client.open(URI, TEXT.replace("2.0", "y" * (n + 1)))
        for n, client in enumerate(clients):
            self.assertIn("y" * (n + 1), client.published(URI, 1)[0]["message"])
            self.assertEqual(client.stop(), 0)

    def test_texts_that_are_no_programs(self):
        client = Client(SERVER)
        for n, text in enumerate(("\0" * 100, "(" * 20000, "x = " * 3000, "\ufeff" + TEXT, TEXT.replace("\n", "\r\n"), "a" * 300000, "\n" * 50000, "if x:\n" * 500, "é" * 5000)):
            uri = f"file:///project/n{n}.tsr"
            client.open(uri, text)
            client.published(uri, 1, timeout=60)
            client.at("completion", uri, 0, 3)
            client.of("semanticTokens/full", uri)
            client.of("formatting", uri, options={})
        self.assertEqual(client.stop(), 0)


if __name__ == "__main__":
    SERVER = Path(sys.argv.pop(1)).resolve() / "tessera-lsp"
    unittest.main()
