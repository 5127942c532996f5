#!/usr/bin/env python3
"""Sessions of an editor with the language server: what it answers about a program, also one that is half typed."""

import sys
import tempfile
import time
import unittest
from pathlib import Path

from client import ROOT, Client, Refused, applied, place, word_at

SERVER = None
PROGRAM = '''"""Blocks."""
from tessera import tile

BLOCK = 64  # rows of a tile


struct Weights[D, F]:
    """The weights of a block."""
    up: Tensor[D, F, f32]
    down: Tensor[F, D, f32]


def scaled(x, by: f32 = 2.0):
    """x times a number."""
    return x * by


def block[B, S, D, F](x: Tensor[B, S, D, f32], w: Weights[D, F]) -> Tensor[B, S, D, f32] where D % 64 == 0, F <= 4096:
    """Two products."""
    h = x.reshape(B * S, D) @ w.up
    a = gelu(h)
    y = (a @ w.down).reshape(B, S, D)
    return scaled(y, by=3.0) + x


@kernel
def rows[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]:
    r, _ = tile.origin()
    v = tile.cast(x[r, :], f32)
    e = tile.exp(v - tile.max(v, axis=-1, keepdim=True))
    return tile.cast(e / tile.sum(e, axis=-1, keepdim=True), bf16)
'''
URI = "file:///project/blocks.tsr"


class WithProgram(unittest.TestCase):
    text = PROGRAM

    def setUp(self):
        self.client = Client(SERVER)
        self.client.open(URI, self.text)

    def tearDown(self):
        self.assertEqual(self.client.stop(), 0)

    def hover(self, mark, nth=0, into=0):
        line, character = place(self.text, mark, nth)
        found = self.client.at("hover", URI, line, character + into)
        return found["contents"]["value"] if found else ""


class Reading(WithProgram):
    def test_a_right_program_has_no_diagnostics(self):
        self.assertEqual(self.client.published(URI, 1), [])

    def test_hover_shows_types_and_shapes_in_symbols(self):
        self.assertIn("(variable) h: Tensor[B*S, F, f32]", self.hover("h = x.reshape"))
        self.assertIn("`F <= 4096` (line 18)", self.hover("h = x.reshape"))
        self.assertIn("Tensor[B, S, D, f32]", self.hover("y = (a"))

    def test_hover_on_an_operator_shows_the_work_of_the_product(self):
        text = self.hover("@ w.up")
        self.assertIn("Tensor[B*S, F, f32]", text)
        self.assertIn("2*B*D*F*S FLOPs", text)

    def test_hover_on_a_call_shows_its_work(self):
        self.assertIn("This call: B*D*S FLOPs, 8*B*D*S bytes if each operand is read once", self.hover("scaled(y"))
        self.assertIn("This call: 4*B*F*S FLOPs", self.hover("gelu(h)"))
        self.assertIn("This call: 0 FLOPs", self.hover("reshape(B * S"))
        self.assertIn("This call: C FLOPs", self.hover("tile.sum(e", into=5))
        self.assertNotIn("bytes", self.hover("tile.sum(e", into=5))

    def test_hover_on_functions_shows_signature_documentation_and_effects(self):
        self.assertIn('def scaled(x, by: f32 = 2.0)', self.hover("scaled(y"))
        self.assertIn("x times a number.", self.hover("scaled(y"))
        self.assertIn("No effects.", self.hover("scaled(y"))
        self.assertIn("Gaussian error linear unit", self.hover("gelu"))

    def test_hover_on_names_of_types(self):
        self.assertIn("struct Weights[D, F]:\n    up: Tensor[D, F, f32]", self.hover("Weights[D, F]) ->"))
        self.assertIn("(dimension) F", self.hover("F]) ->"))
        self.assertIn("(field) up: Tensor[D, F, f32]", self.hover("up\n", 0))
        self.assertIn("BLOCK: Int = 64", self.hover("BLOCK"))

    def test_hover_shows_numerics(self):
        self.assertIn("Arithmetic in `f32`", self.hover("x: Tensor[R"))

    def test_definitions(self):
        def defined(mark, nth=0, into=0):
            line, character = place(PROGRAM, mark, nth)
            found = self.client.at("definition", URI, line, character + into)
            return [(f["uri"], f["range"]["start"]["line"]) for f in found]
        self.assertEqual(defined("scaled(y"), [(URI, place(PROGRAM, "def scaled")[0])])
        self.assertEqual(defined("w.up", 0, 2), [(URI, place(PROGRAM, "up: Tensor")[0])])
        self.assertEqual(defined("a @ w.down"), [(URI, place(PROGRAM, "a = gelu")[0])])
        self.assertEqual(defined("by=3.0"), [(URI, place(PROGRAM, "by: f32")[0])])
        [(uri, line)] = defined("gelu(h)")
        self.assertTrue(uri.endswith("/tessera/activations.tsr"), uri)
        library = Path(uri.removeprefix("file://")).read_text().splitlines()
        self.assertIn("def gelu", library[line])
        self.client.open(uri, "\n".join(library) + "\n")  # what an editor shows then is not the user's to mend
        self.assertEqual(self.client.published(uri, 1), [])

    def test_references_and_highlights(self):
        line, character = place(PROGRAM, "h = x.reshape")
        self.assertEqual(len(self.client.at("references", URI, line, character, context={"includeDeclaration": True})), 2)
        self.assertEqual(len(self.client.at("references", URI, line, character, context={"includeDeclaration": False})), 1)
        line, character = place(PROGRAM, "D, F](x")
        kinds = [h["kind"] for h in self.client.at("documentHighlight", URI, line, character)]
        self.assertEqual(len(kinds), 7)  # its declaration, two types, the struct's argument, a fact, two uses

    def test_symbols(self):
        found = self.client.of("documentSymbol", URI)
        self.assertEqual([s["name"] for s in found], ["BLOCK", "Weights", "scaled", "block", "rows"])
        self.assertEqual([s["name"] for s in found[1]["children"]], ["up", "down"])

    def test_inlay_hints_show_shapes(self):
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        found = {(PROGRAM.splitlines()[h["position"]["line"]].split("=")[0].strip(), h["label"]) for h in self.client.of("inlayHint", URI, range=whole)}
        self.assertIn(("h", ": [B*S, F] f32"), found)
        self.assertIn(("a", ": [B*S, F] f32"), found)
        self.assertIn(("y", ": [B, S, D] f32"), found)
        first = {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}}
        self.assertEqual(self.client.of("inlayHint", URI, range=first), [])

    def test_semantic_tokens(self):
        legend = self.client.server["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
        data = self.client.of("semanticTokens/full", URI)["data"]
        self.assertEqual(len(data) % 5, 0)
        lines, found, line, character = PROGRAM.split("\n"), set(), 0, 0
        for i in range(0, len(data), 5):
            line += data[i]
            character = data[i + 1] + (0 if data[i] else character)
            found.add((lines[line][character:character + data[i + 2]], legend[data[i + 3]]))
        for wanted in [("block", "function"), ("Weights", "struct"), ("x", "parameter"), ("D", "typeParameter"), ("up", "property"),
                       ("h", "variable"), ("f32", "type"), ("gelu", "function"), ("tile", "namespace"), ("kernel", "decorator"), ("accum", "macro")]:
            self.assertIn(wanted, found)

    def test_rename(self):
        line, character = place(PROGRAM, "h = x.reshape")
        edits = self.client.at("rename", URI, line, character, newName="hidden")["changes"][URI]
        self.assertEqual(applied(PROGRAM, edits), PROGRAM.replace("h = x", "hidden = x").replace("gelu(h)", "gelu(hidden)"))
        line, character = place(PROGRAM, "D, F](x")
        renamed = applied(PROGRAM, self.client.at("rename", URI, line, character, newName="Model")["changes"][URI])
        self.assertIn("def block[B, S, Model, F](x: Tensor[B, S, Model, f32], w: Weights[Model, F]) -> Tensor[B, S, Model, f32] where Model % 64", renamed)
        self.assertIn("struct Weights[D, F]", renamed)
        line, character = place(PROGRAM, "by: f32")
        renamed = applied(PROGRAM, self.client.at("rename", URI, line, character, newName="factor")["changes"][URI])
        self.assertIn("scaled(y, factor=3.0)", renamed)
        self.assertIn("return x * factor", renamed)

    def test_renaming_is_refused_where_it_would_change_the_program(self):
        line, character = place(PROGRAM, "h = x.reshape")
        for name in ("a", "f32", "while", "2x", "", "scaled"):
            with self.assertRaises(Refused, msg=name):
                self.client.at("rename", URI, line, character, newName=name)
        with self.assertRaises(Refused):
            self.client.at("prepareRename", URI, *place(PROGRAM, "gelu"))
        found = self.client.at("prepareRename", URI, line, character)
        self.assertEqual(found["placeholder"], "h")  # words: allowed

    def test_folding_and_selection(self):
        folds = {(f["startLine"], f["endLine"]) for f in self.client.of("foldingRange", URI)}
        begin = place(PROGRAM, "def block")[0]
        self.assertIn((begin, begin + 5), folds)
        line, character = place(PROGRAM, "w.up")
        [chain] = self.client.of("selectionRange", URI, positions=[{"line": line, "character": character}])
        words = []
        while chain:
            words.append(word_at(PROGRAM, chain["range"]))
            chain = chain.get("parent")
        self.assertEqual(words[:3], ["w", "w.up", "x.reshape(B * S, D) @ w.up"])
        self.assertEqual(words[-1], PROGRAM)

    def test_calls(self):
        line, character = place(PROGRAM, "def scaled")
        [item] = self.client.at("prepareCallHierarchy", URI, line, character + 4)
        [caller] = self.client.request("callHierarchy/incomingCalls", {"item": item})
        self.assertEqual(caller["from"]["name"], "block")
        [callee] = self.client.request("callHierarchy/outgoingCalls", {"item": caller["from"]})
        self.assertEqual(callee["to"]["name"], "scaled")

    def test_formatting(self):
        self.client.open("file:///project/loose.tsr", "def f( x ):\n  return x+1\n\n\n\n\ndef g(x):\n    return x\n")
        edits = self.client.of("formatting", "file:///project/loose.tsr", options={"tabSize": 4, "insertSpaces": True})
        formatted = applied("def f( x ):\n  return x+1\n\n\n\n\ndef g(x):\n    return x\n", edits)
        self.assertEqual(formatted, "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x\n")
        self.assertEqual(self.client.of("formatting", URI, options={}), [])

    def test_each_function_has_its_lenses(self):
        lenses = self.client.of("codeLens", URI)
        titles = [lens["command"]["title"] for lens in lenses]
        self.assertEqual(titles, ["Emitted CUDA", "HIP", "C++", "Levels", "Run", "Memory plan", "Roofline"] * 3)
        self.assertEqual([lens["command"]["arguments"][-1] for lens in lenses[5::7]], ["scaled", "block", "rows"])

    def test_imports_and_files_that_are_there_are_links(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "kernels.tsr").write_text("def twice(x):\n    return x * 2.0\n")
            (Path(folder) / "notes.md").write_text("# Notes\n")
            text = ('"""As notes.md says. Not none.md, x.y or 1.5."""\nfrom .kernels import twice\nfrom tessera.nn import Linear\n\n\n'
                    "def four(x):  # like kernels.tsr\n    return twice(twice(x)) * 1.5\n")
            uri = f"file://{folder}/main.tsr"
            self.client.open(uri, text)
            found = {word_at(text, link["range"]) + str(link["range"]["start"]["line"]): link["target"] for link in self.client.of("documentLink", uri)}
            self.assertEqual({name: target.rsplit("/", 1)[1] for name, target in found.items()},
                             {"kernels1": "kernels.tsr", "tessera.nn2": "nn.tsr", "notes.md0": "notes.md", "kernels.tsr5": "kernels.tsr"})
            self.assertEqual(found["kernels1"], f"file://{folder}/kernels.tsr")
            self.assertTrue(Path(found["tessera.nn2"].removeprefix("file://")).is_file())

    def test_a_line_is_formatted_when_it_ends(self):
        uri, number = "file:///project/typed.tsr", 0
        for text, line, expected in (("def f( x ):\n    \n\n\ndef g( x ):\n  return x\n", 1, "def f(x):\n    \n\n\ndef g( x ):\n  return x\n"),
                                     ("def f(x):\n    y = x+1\n    \n", 2, "def f(x):\n    y = x + 1\n    \n"),
                                     ("def f(x):\n    y = x+1\n    return y*2\n", 2, "def f(x):\n    y = x + 1\n    return y*2\n"),
                                     ("def f(x):\n    y = g(x+1,\n          \n", 2, None), ("\n", 0, None)):
            number += 1
            self.client.open(uri + str(number), text)
            edits = self.client.at("onTypeFormatting", uri + str(number), line, len(text.split("\n")[line]), ch="\n", options={"tabSize": 4, "insertSpaces": True})
            self.assertEqual(applied(text, edits), expected or text)

    def test_workspace_symbols_are_found_in_closed_files(self):
        client = Client(SERVER, folder=ROOT / "stdlib")
        found = client.request("workspace/symbol", {"query": "GELU"})
        names = {s["name"] for s in found}
        self.assertLessEqual({"gelu", "gelu_tanh"}, names)
        self.assertTrue(all("gelu" in name for name in names), names)
        client.kill()


class Typing(WithProgram):
    def typed(self, old, new):
        """Puts `new|` in the place of `old` and gives the cursor's place."""
        at = self.text.index(old)
        start, end = place(self.text, old), place(self.text[:at + len(old)] + "\0", "\0")
        cursor = new.index("|")
        new = new.replace("|", "")
        self.text = self.text[:at] + new + self.text[at + len(old):]
        self.version = getattr(self, "version", 1) + 1
        self.client.change(URI, self.version, {"range": {"start": {"line": start[0], "character": start[1]}, "end": {"line": end[0], "character": end[1]}}, "text": new})
        return place(self.text[:at + cursor] + "\0", "\0")

    def labels(self, old, new):
        found = self.client.at("completion", URI, *self.typed(old, new))
        items = found["items"] if isinstance(found, dict) else found
        return [i["label"] for i in sorted(items, key=lambda i: i["sortText"])]

    def test_members_of_a_tensor(self):
        found = self.labels("a = gelu(h)", "a = h.|")
        self.assertLessEqual({"shape", "dtype", "T", "reshape", "sum", "gelu", "softmax_safe"}, set(found))
        self.assertNotIn("up", found)

    def test_members_inside_of_an_open_call(self):
        self.assertEqual(self.labels("a = gelu(h)", "a = gelu(w.|")[:2], ["down", "up"])

    def test_members_of_an_expression(self):
        self.assertIn("reshape", self.labels("a = gelu(h)", "a = (h @ w.down).re|"))

    def test_members_of_tile(self):
        found = self.labels("v = tile.cast(x[r, :], f32)", "v = tile.|")
        self.assertLessEqual({"load", "exp", "sum", "alloc_shared", "origin"}, set(found))

    def test_names_and_keyword_arguments(self):
        found = self.labels("scaled(y, by=3.0)", "scaled(y, |)")
        self.assertIn("by=", found[:3])
        self.assertLessEqual({"h", "a", "y", "x", "w", "B", "S", "D", "scaled", "BLOCK", "gelu", "f32", "Weights"}, set(found))
        self.assertNotIn("r", found)

    def test_operands_that_fit_come_first(self):
        found = self.labels("a = gelu(h)", "b = h.T\n    a = b @ |")
        self.assertEqual(found[0], "h")  # b has as many columns as h has rows, and x and b have other rows
        self.assertGreater(min(found.index("x"), found.index("b")), 0)
        found = self.labels("b = h.T\n    a = b @ ", "b = gelu(h)\n    a = b + |")
        self.assertEqual(set(found[:2]), {"b", "h"})

    def test_methods_that_fit_come_first(self):
        found = self.labels("a = gelu(h)", "a = (h > 0.0).|")
        self.assertLess(found.index("any"), found.index("sum"))
        self.assertLess(found.index("any"), found.index("exp"))
        found = self.labels("a = (h > 0.0).", "a = h.|")
        self.assertLess(found.index("sum"), found.index("any"))
        self.assertLess(found.index("exp"), found.index("squeeze"))

    def test_arguments_that_fit_come_first(self):
        call = "block(x, w)\n"
        self.text += "\ndef twice[P, Q, R, U](v: Tensor[P, Q, R, f32], n: Tensor[R, f32], m: Weights[R, U]) -> Tensor[P, Q, R, f32]:\n    return " + call
        self.version = getattr(self, "version", 1) + 1
        self.client.change(URI, self.version, {"text": self.text})
        self.assertEqual(self.labels(call, "block(|)\n")[0], "v")
        self.assertEqual(self.labels("block()", "block(v, |)")[0], "m")
        self.text = self.text.replace("block(v, )", "unit(v, )") + "\ndef unit[B, S, D](x: Tensor[B, S, D, f32], g: Tensor[D, f32]):\n    return x * g\n"
        self.version += 1
        self.client.change(URI, self.version, {"text": self.text})
        self.assertEqual(self.labels("unit(v, )", "unit(v, |")[0], "n")

    def test_signature_help_knows_what_is_solved(self):
        self.text += "\ndef unit[B, S, D](x: Tensor[B, S, D, f32], g: Tensor[2 * D, f32]):\n    return x\n"
        self.version = getattr(self, "version", 1) + 1
        self.client.change(URI, self.version, {"text": self.text})
        found = self.client.at("signatureHelp", URI, *self.typed("return scaled(y, by=3.0) + x", "return unit(h.reshape(B, S, F), |)"))
        self.assertEqual(found["activeParameter"], 1)
        self.assertEqual(found["signatures"][0]["parameters"][1]["documentation"]["value"], "Here: `Tensor[2*F, f32]`")

    def test_only_what_the_word_may_become(self):
        self.assertEqual(set(self.labels("a = gelu(h)", "a = gelu_|")), {"gelu_tanh"})
        self.assertIn("softmax_safe", self.labels("a = gelu_", "a = h.SMsafe|"))

    def test_a_list_whose_details_come_later(self):
        editor = Client(SERVER, completion={"completionItem": {"resolveSupport": {"properties": ["documentation", "detail"]}},
                                            "completionList": {"itemDefaults": ["editRange", "data"]}})
        text = self.text.replace("a = gelu(h)", "a = gel")
        editor.open(URI, text)
        line, at = place(text, "a = gel")
        found = editor.at("completion", URI, line, at + 7)
        self.assertEqual(found["itemDefaults"]["editRange"], {"start": {"line": line, "character": at + 4}, "end": {"line": line, "character": at + 7}})
        [item] = [i for i in found["items"] if i["label"] == "gelu"]
        self.assertFalse({"detail", "documentation", "textEdit"} & set(item))
        known = editor.request("completionItem/resolve", {**item, "data": found["itemDefaults"]["data"]})
        self.assertIn("def gelu(x", known["detail"])
        self.assertIn("normal", known["documentation"]["value"])
        [own] = [i for i in editor.at("completion", URI, line, at + 4)["items"] if i["label"] == "scaled"]
        self.assertIn("def scaled(x, by: f32 = 2.0)", editor.request("completionItem/resolve", {**own, "data": {"uri": URI}})["detail"])
        editor.kill()

    def test_nothing_is_completed_in_texts_comments_and_numbers(self):
        self.assertEqual(self.labels("a = gelu(h)", "a = \"h.|"), [])
        self.assertEqual(self.labels("a = \"h.", "a = gelu(h)  # h.|"), [])
        self.assertEqual(self.labels("a = gelu(h)", "a = 12|"), [])

    def test_policies_and_decorators(self):
        labels = self.labels("bf16 @accum(f32)", "bf16 @|")
        for policy in ("accum", "denormals", "fast_sums"):
            self.assertIn(policy, labels)
        self.assertIn("kernel", self.labels("@kernel\n", "@|\n"))

    def test_signature_help(self):
        found = self.client.at("signatureHelp", URI, *self.typed("scaled(y, by=3.0)", "scaled(y, |"))
        [signature] = found["signatures"]
        self.assertIn("def scaled(x, by: f32 = 2.0)", signature["label"])
        begin, end = signature["parameters"][found["activeParameter"]]["label"]
        self.assertEqual(signature["label"][begin:end], "by: f32 = 2.0")
        found = self.client.at("signatureHelp", URI, *self.typed("tile.max(v, axis=-1, keepdim=True)", "tile.max(v, keepdim=|"))
        begin, end = found["signatures"][0]["parameters"][found["activeParameter"]]["label"]
        self.assertEqual(found["signatures"][0]["label"][begin:end], "keepdim=…")

    def test_a_half_typed_line_keeps_the_rest_alive(self):
        self.typed("a = gelu(h)", "a = gelu((h|")
        self.assertIn("Tensor[B*S, F, f32]", self.hover("h = x.reshape"))
        self.assertEqual({"E01"}, {d["code"][:3] for d in self.client.published(URI, self.version)})
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        self.assertIn(": [B*S, F] f32", [h["label"] for h in self.client.of("inlayHint", URI, range=whole)])

    def test_mistakes_come_with_their_fixes(self):
        self.typed("gelu(h)", "gelu(hh)|")
        [said] = self.client.published(URI, self.version)
        self.assertEqual(said["code"], "E0200")
        self.assertEqual(word_at(self.text, said["range"]), "hh")
        actions = self.client.of("codeAction", URI, range=said["range"], context={"diagnostics": [said]})
        [fix] = [a for a in actions if a["title"] == "write `h`"]
        self.assertEqual(applied(self.text, fix["edit"]["changes"][URI]), PROGRAM)

    def test_a_search_for_edits_gives_way_and_begins_anew(self):
        self.typed("(a @ w.down)", "(w.down @ a)|")
        self.client.published(URI, self.version)
        end = time.monotonic() + 0.6  # the search begins after 0.25 s
        while time.monotonic() < end:
            self.hover("h = x.reshape")
        end = time.monotonic() + 10
        while sum(said.get("version") == self.version for said in self.client.diagnostics[URI]) < 2:  # without edits, then with them
            self.client.take(max(0.01, end - time.monotonic()))
        [said] = self.client.diagnostics[URI][-1]["diagnostics"]
        titles = [a["title"] for a in self.client.of("codeAction", URI, range=said["range"], context={"diagnostics": [said]})]
        self.assertIn("exchange them", titles)

    def why_not(self, mark, into):
        line, character = place(self.text, mark)
        at = {"line": line, "character": character + into}
        return [a for a in self.client.of("codeAction", URI, range={"start": at, "end": at}, context={"diagnostics": []}) if a["kind"] == "tessera.whyNot"]

    def test_why_a_product_is_not_done_by_tensor_cores(self):
        [action] = self.why_not("@ w.up", 0)
        self.assertEqual(action["title"], "Why not tensor cores?")
        text = self.client.request("workspace/executeCommand", {"command": action["command"]["command"], "arguments": action["command"]["arguments"]})
        line = str(place(PROGRAM, "@ w.up")[0] + 1)
        self.assertRegex(text, rf"`block` on cuda:sm_90a\nno mma: .* products of f32 .*tf32.*\(line {line}\)\nno wgmma: .*\(line {line}\)$")
        shown = [m["params"]["message"] for m in self.client.logged if m["method"] == "window/showMessage"]
        self.assertEqual(shown, [text])
        self.assertEqual(self.why_not("gelu(h)", 2), [])
        with self.assertRaises(Refused):
            self.client.request("workspace/executeCommand", {"command": "tessera.other", "arguments": []})

    def test_products_that_get_tensor_cores_are_refused_nothing(self):
        halves = "def f[M, K, N](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, f32]:\n    return x @ w\n"
        client = Client(SERVER, options={"machine": "cuda:sm_80"})
        client.open(URI, halves)
        at = {"line": 1, "character": 13}
        [action] = client.of("codeAction", URI, range={"start": at, "end": at}, context={"diagnostics": [], "only": ["tessera.whyNot"]})
        text = client.request("workspace/executeCommand", action["command"])
        self.assertIn("on cuda:sm_80 no product of `f` is refused a matrix instruction", text)
        self.assertEqual(client.stop(), 0)

    def test_all_certain_fixes_at_once(self):
        self.typed("F <= 4096:", "F <= 4096|")
        self.typed("by: f32 = 2.0):", "by: f32 = 2.0)|")
        said = self.client.published(URI, self.version)
        self.assertEqual(len(said), 2)
        actions = self.client.of("codeAction", URI, range=said[0]["range"], context={"diagnostics": [], "only": ["source.fixAll"]})
        action = self.client.request("codeAction/resolve", actions[0])
        self.assertEqual(applied(self.text, action["edit"]["changes"][URI]), PROGRAM)

    def test_related_places_are_shown(self):
        self.typed("(a @ w.down)", "(a @ w.up)|")
        said = self.client.published(URI, self.version)
        self.assertTrue(said and any(d.get("relatedInformation") for d in said), said)


class Texts(unittest.TestCase):
    """Places in texts with characters of several units, and incremental changes."""

    def test_utf16_and_utf8(self):
        text = 'x = "𝄞é"; y = zz\n'
        for encoding, character in (("utf-16", 15), ("utf-8", 18)):
            client = Client(SERVER, encoding=encoding)
            client.open(URI, text)
            said = [d for d in client.published(URI, 1) if "zz" in d["message"]]
            self.assertEqual(said[0]["range"]["start"], {"line": 0, "character": character}, encoding)
            client.kill()

    def test_changes_add_up(self):
        import random
        random.seed(7)
        client = Client(SERVER)
        text = PROGRAM
        client.open(URI, text)
        for version in range(2, 40):
            lines = text.split("\n")
            a = random.randrange(len(lines))
            b = min(len(lines) - 1, a + random.choice((0, 0, 1, 3)))
            ca, cb = random.randint(0, len(lines[a])), random.randint(0, len(lines[b]))
            if a == b and cb < ca:
                ca, cb = cb, ca
            new = random.choice(("", "x", "(", "\n", "é𝄞", "    y = x\n", '"""'))
            begin = sum(len(l) + 1 for l in lines[:a]) + ca
            end = sum(len(l) + 1 for l in lines[:b]) + cb
            units = lambda s: len(s.encode("utf-16-le")) // 2
            client.change(URI, version, {"range": {"start": {"line": a, "character": units(lines[a][:ca])},
                                                   "end": {"line": b, "character": units(lines[b][:cb])}}, "text": new})
            text = text[:begin] + new + text[end:]
        said = client.published(URI, 39)
        fresh = Client(SERVER)
        fresh.open(URI, text)
        plain = lambda list: [(d["code"], d["range"]) for d in list]
        self.assertEqual(plain(said), plain(fresh.published(URI, 1)))
        self.assertEqual(client.of("semanticTokens/full", URI), fresh.of("semanticTokens/full", URI))
        client.kill(), fresh.kill()

    def test_sizes_below_a_function_that_did_not_change(self):
        function = "def f[N](x: Tensor[N, f32]) -> f32 where N % 2 == 0:\n    y = x + 1.0\n    return sum(y)\n\n\n"
        client = Client(SERVER)
        client.open(URI, function)
        self.assertEqual(client.published(URI, 1), [])
        for version, (line, code) in enumerate((("f.specialize(N=4)\n", None), ("f.specialize(N=3)\n", "E0311"), ("f.specialize(N=6)\n", None), ("f.specialize(M=6)\n", "E0311"), ("", None)), 2):
            client.change(URI, version, {"text": function + line})
            self.assertEqual([d["code"] for d in client.published(URI, version)], [code] if code else [], line)
            hover = client.at("hover", URI, 1, 4)["contents"]["value"]
            self.assertIn("Tensor[N, f32]", hover, line)  # with its own dimensions, not those of the sizes
        client.kill()

    def test_a_name_is_renamed_in_the_files_that_import_it(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = {"lib.tsr": "def twice(x):\n    return x * 2\n",
                     "a.tsr": "from .lib import twice\n\ndef f(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n    return twice(twice(x))\n",
                     "b.tsr": "from . import lib\n\ndef g(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n    twice = lib.twice(x)\n    return twice\n",
                     "c.tsr": "from .lib import twice as t\n\ndef h(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n    return t(x)\n"}
            for name, text in texts.items():
                (Path(folder) / name).write_text(text)
            client = Client(SERVER, folder=folder)
            lib = (Path(folder) / "lib.tsr").as_uri()
            client.open(lib, texts["lib.tsr"])
            self.assertEqual(len(client.at("references", lib, 0, 5, context={"includeDeclaration": True})), 6)
            changes = client.at("rename", lib, 0, 5, newName="double")["changes"]
            renamed = {name: applied(text, changes.get((Path(folder) / name).as_uri(), [])) for name, text in texts.items()}
            self.assertEqual(renamed["lib.tsr"], texts["lib.tsr"].replace("twice", "double"))
            self.assertEqual(renamed["a.tsr"], texts["a.tsr"].replace("twice", "double"))
            self.assertEqual(renamed["b.tsr"], texts["b.tsr"].replace("lib.twice", "lib.double"))
            self.assertEqual(renamed["c.tsr"], texts["c.tsr"].replace("import twice", "import double"))
            client.kill()

    def test_an_open_import_counts_as_it_is_typed(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "lib.tsr").write_text("def twice(x):\n    return x * 2\n")
            main = (Path(folder) / "main.tsr").as_uri()
            lib = (Path(folder) / "lib.tsr").as_uri()
            client = Client(SERVER)
            client.open(main, "from .lib import twice\n\ndef f(x: Tensor[\"N\", f32]) -> Tensor[\"N\", f32]:\n    return twice(x)\n")
            self.assertEqual(client.published(main, 1), [])
            [found] = client.at("definition", main, 3, 12)
            self.assertEqual(found["uri"], lib)
            client.open(lib, "def thrice(x):\n    return x * 3\n")
            client.diagnostics.clear()
            client.change(lib, 2, {"text": "def thrice(x):\n    return x * 3.0\n"})
            said = client.published(main, 1)
            self.assertEqual([d["code"] for d in said], ["E0203"])
            client.kill()


class TileSizes(unittest.TestCase):
    TEXT = (ROOT / "examples/matmul.tsr").read_text()
    WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}

    def setUp(self):
        self.client = Client(SERVER, workspace={"inlayHint": {"refreshSupport": True}})
        self.client.open(URI, self.TEXT)

    def tearDown(self):
        self.assertEqual(self.client.stop(), 0)

    def sizes(self, uri=URI):
        hints = self.client.of("inlayHint", uri, range=self.WHOLE)
        return {h["position"]["line"]: h["label"] for h in hints if " threads" in h["label"]}

    def refreshed(self, count=1):
        asked = lambda: [m for m in self.client.logged if m.get("method") == "workspace/inlayHint/refresh"]
        while len(asked()) < count:
            self.assertTrue(self.client.take(60))
        self.client.send({"id": asked()[-1]["id"], "result": None})

    def line(self, mark):
        return place(self.TEXT, mark)[0]

    def test_they_stand_behind_the_heads_of_kernels(self):
        self.refreshed()
        found = self.sizes()
        self.assertEqual(set(found), {self.line("def matmul"), self.line("def scheduled")})
        self.assertRegex(found[self.line("def matmul")], r"^ m=\d+ n=\d+ k=\d+ stages=\d+, \d+ threads$")

    def test_a_function_that_changed_has_none_until_it_is_compiled_again(self):
        self.refreshed()
        line, at = place(self.TEXT, "return")
        end = {"line": line, "character": at}
        self.client.change(URI, 2, {"range": {"start": end, "end": end}, "text": "acc = acc * 2.0\n    "})
        self.assertEqual(set(self.sizes()), {self.line("def scheduled") + 1})
        self.refreshed(2)
        self.assertEqual(len(self.sizes()), 2)

    def test_functions_that_compile_have_them_beside_one_that_does_not(self):
        later = "def later[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return dropout(x, 0.5)\n\n\n"
        self.refreshed()
        self.client.open("file:///project/later.tsr", later + self.TEXT)
        self.refreshed(2)
        self.assertEqual(len(self.sizes("file:///project/later.tsr")), 2)

    def test_they_stay_beside_a_function_with_a_mistake(self):
        self.refreshed()
        self.client.change(URI, 2, {"text": self.TEXT + "\ndef wrong[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x + unknown\n"})
        self.assertEqual(len(self.client.published(URI, 2)), 1)
        self.assertEqual(len(self.sizes()), 2)

    def test_tessera_lsp_has_them_too(self):
        client = Client(SERVER.parent / "tessera", "lsp", workspace={"inlayHint": {"refreshSupport": True}})
        client.open(URI, self.TEXT)
        while not any(m.get("method") == "workspace/inlayHint/refresh" for m in client.logged):
            self.assertTrue(client.take(60))
        hints = client.of("inlayHint", URI, range=self.WHOLE)
        self.assertEqual(len([h for h in hints if " threads" in h["label"]]), 2)
        self.assertEqual(client.stop(), 0)

    def test_keys_stop_what_goes_on(self):
        for version in range(2, 40):
            self.client.change(URI, version, {"text": self.TEXT + "# " + "x" * version + "\n"})
            self.assertEqual(self.client.published(URI, version), [])
        self.refreshed(len([m for m in self.client.logged if m.get("method") == "workspace/inlayHint/refresh"]) + 1)
        self.assertEqual(len(self.sizes()), 2)


if __name__ == "__main__":
    SERVER = Path(sys.argv.pop(1)).resolve() / "tessera-lsp"
    unittest.main()
