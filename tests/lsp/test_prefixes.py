#!/usr/bin/env python3
"""Half-typed programs: at every prefix of a file the server answers, and soon.

The text is typed as a person would, in steps, and at each of them an editor asks what editors ask. At the end the answers
are those of a fresh start.
"""

import sys
import time
import unittest
from pathlib import Path

from client import ROOT, Client, Refused, place

SERVER = None
LIMIT = 20.0  # seconds for one answer: a machine that builds at the same time is slow; the bench says how fast it is
STEPS = 40    # prefixes of one file


def files():
    return sorted((ROOT / "tests/canon").glob("*.tsr")) + sorted((ROOT / "examples").glob("*.tsr")) + sorted((ROOT / "stdlib").rglob("*.tsr"))


class Prefixes(unittest.TestCase):
    def ask(self, client, uri, text, slowest):
        end = place(text + "\0", "\0")
        position = {"textDocument": {"uri": uri}, "position": {"line": end[0], "character": end[1]}}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": end[0] + 1, "character": 0}}
        asked = [
            ("completion", position), ("signatureHelp", position), ("hover", position), ("definition", position),
            ("references", {**position, "context": {"includeDeclaration": True}}), ("inlayHint", {**position, "range": whole}),
            ("semanticTokens/full", position), ("documentSymbol", position), ("foldingRange", position), ("formatting", {**position, "options": {}}),
            ("selectionRange", {**position, "positions": [position["position"]]}), ("codeAction", {**position, "range": whole, "context": {"diagnostics": []}}),
        ]
        for method, params in asked:
            start = time.monotonic()
            client.request(f"textDocument/{method}", params, timeout=LIMIT)
            slowest[method] = max(slowest.get(method, 0), time.monotonic() - start)

    def test_every_file_in_steps(self):
        slowest = {}
        for path in files():
            whole = path.read_text()
            uri = path.as_uri()
            client = Client(SERVER)
            client.open(uri, "")
            step = max(1, len(whole) // STEPS)
            cuts = sorted(set(range(0, len(whole), step)) | {len(whole)})
            for version, cut in enumerate(cuts, 2):
                old = whole[:cuts[version - 3]] if version > 2 else ""
                end = place(old + "\0", "\0")
                at = {"line": end[0], "character": end[1]}
                client.change(uri, version, {"range": {"start": at, "end": at}, "text": whole[len(old):cut]})
                self.ask(client, uri, whole[:cut], slowest)
            fresh = Client(SERVER)
            fresh.open(uri, whole)
            everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
            for method, more in (("inlayHint", {"range": everything}), ("semanticTokens/full", {}), ("documentSymbol", {})):
                self.assertEqual(client.of(method, uri, **more), fresh.of(method, uri, **more), f"{path.name}: {method}")
            self.assertEqual(client.stop(), 0)
            self.assertEqual(fresh.stop(), 0)
        print({method: f"{1e3 * t:.0f} ms" for method, t in slowest.items()})

    def test_a_hole_anywhere_in_a_file(self):
        """Words taken out of the middle: what an editor sees while a person changes something."""
        import random
        random.seed(3)
        path = ROOT / "tests/canon/08_flash_attention.tsr"
        whole, uri = path.read_text(), path.as_uri()
        client = Client(SERVER)
        client.open(uri, whole)
        for version in range(2, 62):
            begin = random.randrange(len(whole))
            text = whole[:begin] + random.choice(("", "(", ".", "@", "x = ", "def ", '"', "\n    ")) + whole[begin + random.randrange(12):]
            client.change(uri, version, {"text": text})
            self.ask(client, uri, text[:begin], {})
        self.assertEqual(client.stop(), 0)


if __name__ == "__main__":
    SERVER = Path(sys.argv.pop(1)).resolve() / "tessera-lsp"
    unittest.main()
