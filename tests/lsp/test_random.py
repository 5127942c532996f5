#!/usr/bin/env python3
"""A long session of random edits and requests: nothing crashes, and what is known in the end is what a fresh start finds.

`test_random.py BIN [N]`: N edits (1500 if not said).
"""

import random
import sys
import unittest
from pathlib import Path

from client import ROOT, Client, Refused, offset

SERVER = None
EDITS = 1500
WORDS = ["x", "tile.", "tile.load(", "(", ")", "[", "]", ":", "=", "@", "\n", "\n    ", "def f(", "return ", "if ", "for i in range(", "Tensor[N, f32]", '"', '"""',
         "#", "é", "\U0001D11E", ".", ", ", " + ", "1", "1e", "struct P[N]:\n    a: ", "from .a import ", "lambda u: ", "@kernel\n", "\t", "\r\n", "N"]


class Random(unittest.TestCase):
    def test_a_long_session(self):
        rng = random.Random(20)
        client = Client(SERVER, options={"debounce": 0})
        files = sorted((ROOT / "tests/canon").glob("*.tsr"))
        texts = {path.as_uri(): path.read_text() for path in files}
        versions = dict.fromkeys(texts, 1)
        for uri, text in texts.items():
            client.open(uri, text)
        units = lambda s: len(s.encode("utf-16-le")) // 2

        def at(text, index):
            return {"line": text.count("\n", 0, index), "character": units(text[text.rfind("\n", 0, index) + 1:index])}

        for n in range(EDITS):
            uri = rng.choice(list(texts))
            text = texts[uri]
            begin = rng.randrange(len(text) + 1)
            end = min(len(text), begin + rng.choice((0, 0, 0, 1, 2, 9)))
            while begin > 0 and text[begin - 1] == "\r":  # a place inside of a line end is its beginning
                begin -= 1
            while end < len(text) and end > 0 and text[end - 1] == "\r":
                end += 1
            new = rng.choice(WORDS)
            versions[uri] += 1
            client.change(uri, versions[uri], {"range": {"start": at(text, begin), "end": at(text, end)}, "text": new})
            texts[uri] = text = text[:begin] + new + text[end:]
            if n % 50 == 49:  # so that programs do not only decay
                path = rng.choice(files)
                uri, text = path.as_uri(), path.read_text()
                versions[uri] += 1
                client.change(uri, versions[uri], {"text": text})
                texts[uri] = text
            place = {"textDocument": {"uri": uri}, "position": at(text, rng.randrange(len(text) + 1))}
            method = rng.choice(("hover", "completion", "signatureHelp", "definition", "references", "rename", "documentSymbol", "semanticTokens/full", "codeAction", "foldingRange"))
            whole = {"start": {"line": 0, "character": 0}, "end": at(text, len(text))}
            try:
                client.request(f"textDocument/{method}", {**place, "newName": "renamed", "range": whole, "context": {"diagnostics": [], "includeDeclaration": True}})
            except Refused as refused:
                self.assertIn(refused.code, (-32803,), f"{method}: {refused}")
        fresh = Client(SERVER)
        for uri, text in texts.items():
            fresh.open(uri, text)
        for uri, text in texts.items():
            whole = {"start": {"line": 0, "character": 0}, "end": at(text, len(text))}
            for method, more in (("inlayHint", {"range": whole}), ("semanticTokens/full", {}), ("documentSymbol", {}), ("codeAction", {"range": whole, "context": {"diagnostics": []}})):
                own, other = (one.of(method, uri, **more) for one in (client, fresh))
                for action in own + other if method == "codeAction" else ():
                    action.pop("data", None)  # the version of the text
                self.assertEqual(own, other, f"{uri}: {method}")
        self.assertFalse([m for m in client.logged if m.get("method") == "window/logMessage"], client.logged[:3])
        with open(f"/proc/{client.process.pid}/status") as status:
            print([line.strip() for line in status if line.startswith(("VmHWM", "VmRSS"))])
        self.assertEqual(client.stop(), 0)
        self.assertEqual(fresh.stop(), 0)


if __name__ == "__main__":
    SERVER = Path(sys.argv.pop(1)).resolve() / "tessera-lsp"
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        EDITS = int(sys.argv.pop(1))
    unittest.main()
