#!/usr/bin/env python3
"""Writes docs/grammar.md from the doc comments of the grammar; `--check` says whether it is up to date.

A rule without a doc comment is an error: the page is the reference manual's chapter on syntax.
"""

import re
from house import arguments, finish, run, text_of

PIECE = re.compile(r"/\*\*(?P<doc>.*?)\*/|(?P<fragment>\bfragment\s+)?^(?P<name>[A-Za-z]\w*)\s*(?P<colon>:)", re.S | re.M)
GRAMMARS = ["TesseraParser", "TesseraLexer"]


def skip_rule(text, at):
    """The index behind the `;` that ends a rule, past quoted text and character sets."""
    while at < len(text):
        c = text[at]
        if c == "'":
            at += 1
            while text[at] != "'":
                at += 2 if text[at] == "\\" else 1
        elif c == "[":
            while text[at] != "]":
                at += 2 if text[at] == "\\" else 1
        elif text.startswith("//", at):
            at = text.index("\n", at)
        elif c == ";":
            return at + 1
        at += 1
    raise ValueError("a rule without an end")


def doc_text(comment):
    return "\n".join(line.strip().removeprefix("*").strip() for line in comment.strip().split("\n")).strip()


def rules(text):
    """(grammar doc, [(doc or None, name, body)]): fragments are left out."""
    header, found, doc, at = None, [], None, 0
    while True:
        match = PIECE.search(text, at)
        if not match:
            return header, found
        at = match.end()
        if match.group("doc") is not None:
            doc = doc_text(match.group("doc"))
            if header is None:
                header, doc = doc, None
            continue
        line_start = text.rfind("\n", 0, match.start("name")) + 1
        end = skip_rule(text, match.end())
        if not text[line_start:].startswith("fragment"):
            found.append((doc, match.group("name"), text[match.start("name") : end]))
        doc, at = None, end


def tidy(body):
    """The rule without the labels of its alternatives and of its parts."""
    body = re.sub(r"[ \t]+#[ \t]*\w+[ \t]*$", "", body, flags=re.M)
    body = re.sub(r"\b\w+\+?=(?=[('\w])", "", body)
    return re.sub(r"<assoc=right> ", "", body).rstrip()


def page(root):
    """(text of the page, findings)"""
    lines = ["# Grammar", "", "Made from `grammar/*.g4` by `scripts/make_grammar_page.py`; change it there.", ""]
    findings, count = [], 0
    for grammar in GRAMMARS:
        header, found = rules(text_of(root / f"grammar/{grammar}.g4"))
        lines += [f"## {'Sentences' if 'Parser' in grammar else 'Words'}", "", header or "", ""]
        group = []
        for doc, name, body in found:
            count += 1
            if doc is None and grammar.endswith("Lexer") and group:
                group.append(tidy(body))  # one comment for a table of words
                continue
            if group:
                lines += ["```antlr", *group, "```", ""]
            if doc is None:
                findings.append(f"grammar/{grammar}.g4: the rule `{name}` has no doc comment")
            lines += [f"### {name}" if grammar.endswith("Parser") or len(body.split("\n")) > 1 else f"### `{name}`", "", doc or "", ""]
            group = [tidy(body)]
        if group:
            lines += ["```antlr", *group, "```", ""]
    return "\n".join(lines).rstrip() + "\n", findings, count


def main():
    parser = arguments(__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is not up to date")
    args = parser.parse_args()
    text, findings, count = page(args.root)
    target = args.root / "docs/grammar.md"
    if not args.check and not findings:
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    elif args.check and (not target.is_file() or text_of(target) != text):
        findings.append("docs/grammar.md: outdated; run scripts/make_grammar_page.py")
    return finish(findings, count, "rules")


if __name__ == "__main__":
    run(main)
