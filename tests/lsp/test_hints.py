#!/usr/bin/env python3
"""What stands behind the names of the canon and the examples: shapes, results, effects, against a golden text.

TESSERA_UPDATE_GOLDENS=1 writes it anew: read the difference.
"""

import os
import sys
import unittest
from pathlib import Path

from client import ROOT, Client

SERVER = None
GOLDEN = Path(__file__).resolve().parent / "golden/hints.txt"


def shown(text, hints):
    """The lines with hints, each between « and »."""
    lines, found = text.split("\n"), {}
    for hint in sorted(hints, key=lambda h: (h["position"]["line"], -h["position"]["character"])):
        line, at = hint["position"]["line"], hint["position"]["character"]
        before = found.get(line, lines[line])
        found[line] = before[:at] + "«" + hint["label"] + "»" + before[at:]
    return "".join(f"{line + 1:4} {found[line]}\n" for line in sorted(found))


class Hints(unittest.TestCase):
    maxDiff = None

    def test_the_canon_and_the_examples(self):
        client = Client(SERVER)
        found = ""
        for path in sorted((ROOT / "tests/canon").glob("*.tsr")) + sorted((ROOT / "examples").glob("*.tsr")):
            text, uri = path.read_text(), path.as_uri()
            client.open(uri, text)
            whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99999, "character": 0}}
            found += f"{path.relative_to(ROOT)}\n" + shown(text, client.of("inlayHint", uri, range=whole))
        self.assertEqual(client.stop(), 0)
        if os.environ.get("TESSERA_UPDATE_GOLDENS"):
            GOLDEN.parent.mkdir(exist_ok=True)
            GOLDEN.write_text(found)
        self.assertEqual(found, GOLDEN.read_text())


if __name__ == "__main__":
    SERVER = Path(sys.argv.pop(1)).resolve() / "tessera-lsp"
    unittest.main()
