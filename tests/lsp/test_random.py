#!/usr/bin/env python3
"""A long session of random edits and requests: nothing crashes, and what is known on the way and in the end is what a fresh start
finds. Some edits reach across definitions: a parameter, a dtype or a function gets another name, a definition goes, comes twice or
changes its place, a quote or a bracket swallows what follows.

A second session types into a file of 3,000 lines; behind each key the messages are those of a fresh start.

`test_random.py BIN [N]`: N edits (700 if not said).
"""

import random
import re
import sys
import unittest
from pathlib import Path

from client import ROOT, Client, Refused, offset

sys.path.insert(0, str(ROOT / "bench"))
import module

SERVER = None
EDITS = 700
WORDS = ["x", "tile.", "tile.load(", "(", ")", "[", "]", ":", "=", "@", "\n", "\n    ", "def f(", "return ", "if ", "for i in range(", "Tensor[N, f32]", '"', '"""',
         "#", "é", "\U0001D11E", ".", ", ", " + ", "1", "1e", "struct P[N]:\n    a: ", "from .a import ", "lambda u: ", "@kernel\n", "\t", "\r\n", "N"]
SWALLOWS = ['"', '"""', "(", "[", "{", "#", "\\\n", "'"]
COMPARED = ("inlayHint", "semanticTokens/full", "documentSymbol", "codeAction")


def definitions(text):
    """Where definitions at module level begin and end."""
    begins = [m.start() for m in re.finditer(r"^(?:@.*\n)*(?:def|struct) ", text, re.M)]
    ends = [next((m.end() for m in [re.compile(r"\n(?=[^\s#)])").search(text, text.find("\n", text.find("def ", b)) if text[b] == "@" else b)] if m), len(text)) for b in begins]
    return list(zip(begins, ends))


def crossing(rng, text):
    """An edit that other definitions see: (begin, end, new), or None."""
    found = definitions(text)
    if not found:
        return None
    begin, end = rng.choice(found)
    part = text[begin:end]
    kind = rng.randrange(6)
    if kind == 0:  # a name in the header: of the function, a dimension or a parameter
        names = list(re.finditer(r"\b[A-Za-z_]\w*\b", part.split(":\n")[0]))
        name = rng.choice(names)
        return begin + name.start(), begin + name.end(), rng.choice((name[0] + "x", "x", "N"))
    if kind == 1:  # a dtype in the header
        dtypes = list(re.finditer(r"\b(?:f32|bf16|f16|i32)\b", part.split(":\n")[0]))
        if dtypes:
            dtype = rng.choice(dtypes)
            return begin + dtype.start(), begin + dtype.end(), rng.choice(("f32", "bf16", "i32"))
    if kind == 2:
        at = rng.randrange(begin, end)
        return at, at, rng.choice(SWALLOWS)
    if kind == 3:
        return begin, end, ""
    if kind == 4:
        return begin, begin, part
    other, _ = rng.choice(found)
    return (other, other, part) if other <= begin else (begin, end, "")


def said(client, uri, version):
    """Codes and places of the messages about a version."""
    return sorted((d["range"]["start"]["line"], d["range"]["start"]["character"], str(d.get("code")), d["severity"]) for d in client.published(uri, version))


class Random(unittest.TestCase):
    def compare(self, client, fresh, uri, version, text, at):
        """What this session knows of a file is what a fresh reader of the text does."""
        fresh.open(uri, text, version)
        self.assertEqual(said(client, uri, version), said(fresh, uri, version), uri)
        whole = {"start": {"line": 0, "character": 0}, "end": at(text, len(text))}
        requests = [(method, {"range": whole, "context": {"diagnostics": []}}) for method in COMPARED]
        words = [m.start() for m in re.finditer(r"\w+", text)]
        requests += [(method, {"position": at(text, place)}) for place in words[::max(1, len(words) // 5)] for method in ("hover", "completion", "signatureHelp", "definition")]
        for method, more in requests:
            own, other = (one.of(method, uri, **more) for one in (client, fresh))
            for action in own + other if method == "codeAction" else ():
                action.pop("data", None)
            self.assertEqual(own, other, f"{uri}: {method} {more.get('position')}")
        fresh.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        fresh.diagnostics.clear()

    def test_a_long_session(self):
        rng = random.Random(20)
        client, reader = Client(SERVER, options={"debounce": 0}), Client(SERVER, options={"debounce": 0})
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
            new = rng.choice(WORDS)
            if n % 3 == 0:
                begin, end, new = crossing(rng, text) or (begin, end, new)
            while begin > 0 and text[begin - 1] == "\r":  # a place inside of a line end is its beginning
                begin -= 1
            while end < len(text) and end > 0 and text[end - 1] == "\r":
                end += 1
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
            if n % 7 == 0:
                self.compare(client, reader, uri, versions[uri], text, at)
            client.diagnostics.pop(uri, None)
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
        self.assertEqual(reader.stop(), 0)
        self.assertEqual(fresh.stop(), 0)

    def test_each_key_in_a_long_file(self):
        rng = random.Random(121)
        text, uri, version = module.generated(150), "file:///long.tsr", 1
        client, reader = Client(SERVER, options={"debounce": 0}), Client(SERVER, options={"debounce": 0})
        client.open(uri, text)

        def at(index):
            return {"line": text.count("\n", 0, index), "character": index - text.rfind("\n", 0, index) - 1}

        def key(begin, end, new):
            nonlocal text, version
            version += 1
            client.change(uri, version, {"range": {"start": at(begin), "end": at(end)}, "text": new})
            text = text[:begin] + new + text[end:]
            reader.open(uri, text, version)
            own, other = (one.published(uri, version) for one in (client, reader))
            strip = lambda found: [(d["range"], d.get("code"), d["severity"], d["message"]) for d in found]
            self.assertEqual(strip(own), strip(other), f"{new!r} at {at(begin)}")
            reader.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            for one in (client, reader):
                one.diagnostics.clear()
            return own

        wrong = 0
        for _ in range(12):
            ends = [m.end() for m in re.finditer(r"^    (\w+) = .*$", text, re.M)]
            begin = rng.choice(ends)
            name = re.search(r"(\w+) = [^\n]*$", text[:begin])[1]
            typed = rng.choice((f"\n    more = {name}[0", f"\n    {name} = {name}.T @ nam", f'\n    s = "{name}', "\ndef f(x):", f"\n    {name} = mean({name}, axis=-1)"))
            for i, letter in enumerate(typed):
                wrong += bool(key(begin + i, begin + i, letter))
            if rng.random() < 0.3:  # a definition goes or comes twice while the line is there
                first, last = rng.choice(definitions(text))
                part, twice = text[first:last], rng.random() < 0.5
                key(*((first, first, part) if twice else (first, last, "")))
                key(*((first, last, "") if twice else (first, first, part)))
            begin = text.index(typed)
            key(begin, begin + len(typed), "")
        self.assertGreater(wrong, 20)
        self.assertEqual([client.stop(), reader.stop()], [0, 0])


if __name__ == "__main__":
    SERVER = Path(sys.argv.pop(1)).resolve() / "tessera-lsp"
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        EDITS = int(sys.argv.pop(1))
    unittest.main()
