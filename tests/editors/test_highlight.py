"""The editors' colours of the canon, the standard library and the examples are those of the lexer's words.

    test_highlight.py TOKENS GRAMMAR [PROGRAM]      TOKENS: the program lexer_tokens; GRAMMAR: textmate, vim, kate, or tree_sitter with
                                                    the program tree_sitter_tokens
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from textmate import Grammar

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("tests/canon/*.tsr"), *ROOT.glob("stdlib/**/*.tsr"), *ROOT.glob("examples/*.tsr")])
SKIPPED = 77


def words(tokens):
    """[(file, text, [(begin, end, kind)])], with places in characters."""
    out = []
    done = subprocess.run([tokens, *FILES], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        if line.startswith("file "):
            data = Path(line[5:]).read_bytes()
            out.append((Path(line[5:]), data.decode(), []))
        else:
            begin, end, kind = line.split()
            out[-1][2].append((len(data[: int(begin)].decode()), len(data[: int(end)].decode()), kind))
    return out


def kind_of_scope(scope):
    for prefix, kind in (("comment", "comment"), ("string", "string"), ("constant.numeric", "number"), ("constant.character", "string"), ("constant.language", "keyword"),
                         ("keyword.operator.word", "keyword"), ("keyword.operator", "operator"), ("keyword", "keyword"), ("storage", "keyword"), ("punctuation.section.embedded", "string")):
        if scope.startswith(prefix):
            return kind
    return "name" if scope else ""


def textmate(found):
    grammar = Grammar(ROOT / "editors/vscode/syntaxes/tessera.tmLanguage.json")
    for path, text, tokens in found:
        yield path, text, tokens, [kind_of_scope(scope) for scope in grammar.scopes(text)]


VIM = {"tesseraComment": "comment", "tesseraString": "string", "tesseraNumber": "number", "tesseraKeyword": "keyword", "tesseraImport": "keyword",
       "tesseraOperator": "keyword", "tesseraConstant": "keyword"}
SCRIPT = """
set runtimepath^=ROOT/editors/vim
syntax on
for file in FILES
  execute 'edit ' . fnameescape(file)
  set filetype=tessera
  syntax sync fromstart
  let lines = []
  for line in range(1, line('$'))
    let text = getline(line)
    let groups = []
    for column in range(1, len(text))
      call add(groups, synIDattr(synID(line, column, 1), 'name'))
    endfor
    call add(lines, join(groups, ' '))
  endfor
  call writefile(lines, OUT . '/' . fnamemodify(file, ':t'))
endfor
qall!
"""


def vim(found):
    if not shutil.which("nvim"):
        print("SKIPPED: there is no Neovim here (Debian: neovim)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.vim")
        names = "[" + ", ".join(f"'{path}'" for path, _, _ in found) + "]"
        script.write_text(f"let OUT = '{folder}'\n" + SCRIPT.replace("ROOT", str(ROOT)).replace("FILES", names))
        done = subprocess.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-S", script], capture_output=True, text=True, timeout=300, env={**os.environ, "HOME": folder})
        for path, text, tokens in found:
            if not Path(folder, path.name).exists():
                sys.exit(f"Neovim wrote nothing for {path}: {done.stderr}")
            kinds = []
            for line, groups in zip(text.split("\n"), Path(folder, path.name).read_text().split("\n")):
                names = iter(groups.split(" "))
                for c in line:
                    group = [next(names) for _ in c.encode()][0]
                    kinds.append(VIM.get(group, "name" if group else ""))
                kinds.append("")
            yield path, text, tokens, kinds


KATE = {"Comment": "comment", "String": "string", "DecVal": "number", "Keyword": "keyword", "Import": "keyword", "Constant": "keyword"}
OTHERS = ["Normal", "DataType", "Function", "BuiltIn", "Attribute"]


def kate(found):
    """KSyntaxHighlighting as Kate has it, with a theme whose colours are the kinds."""
    tool = shutil.which("kate-syntax-highlighter")
    if not tool:
        print("SKIPPED: KSyntaxHighlighting is not here (Debian: libkf5syntaxhighlighting-tools)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "org.kde.syntax-highlighting")
        for name in ("syntax", "themes"):
            (data / name).mkdir(parents=True)
        shutil.copy(ROOT / "editors/kate/tessera.xml", data / "syntax")
        colours = {style: f"#0000{i + 16:02x}" for i, style in enumerate([*KATE, *OTHERS])}
        theme = {"metadata": {"name": "Kinds", "revision": 1}, "text-styles": {style: {"text-color": colour} for style, colour in colours.items()}, "editor-colors": {}}
        (data / "themes/kinds.theme").write_text(json.dumps(theme))
        by_colour = {colour: KATE.get(style, "name") for style, colour in colours.items()}
        for path, text, tokens in found:
            done = subprocess.run([tool, "-s", "Tessera", "-t", "Kinds", path], capture_output=True, text=True, timeout=60, env={**os.environ, "XDG_DATA_HOME": folder, "HOME": folder})
            body = re.search(r"<pre>\n?(.*?)</pre>", done.stdout, re.S)
            if not body:
                sys.exit(f"KSyntaxHighlighting said nothing of {path}: {done.stderr}")
            kinds, stack = [], ["name"]
            for part in re.findall(r"<span[^>]*>|</span>|&\w+;|[^<&]", body.group(1)):
                if part.startswith("<span"):
                    colour = re.search(r"(?<!-)color:(#\w+)", part)
                    stack.append(by_colour.get(colour.group(1), "name") if colour else stack[-1])
                elif part == "</span>":
                    stack.pop()
                else:
                    kinds.append(stack[-1])
            yield path, text, tokens, kinds[: len(text)] + [""] * max(0, len(text) - len(kinds))


def kind_of_capture(name):
    if name in ("boolean", "constant.builtin"):
        return "keyword"
    word = name.split(".")[0]
    return word if word in ("comment", "string", "number", "keyword", "operator") else "name"


def tree_sitter(found):
    """What the parser of editors/tree-sitter makes of the files, which it must read without a mistake; all queries are read, too."""
    program, folder = sys.argv[3], ROOT / "editors/tree-sitter"
    queries = [*folder.glob("queries/*.scm"), *ROOT.glob("editors/zed/languages/tessera/*.scm")]
    for query in queries:
        captures = subprocess.run([program, query, *FILES], capture_output=True, text=True)
        if captures.returncode or captures.stdout.count("\n") <= len(FILES):
            sys.exit(f"{query.relative_to(ROOT)} cannot be read, or finds nothing: {captures.stderr}")
    done = subprocess.run([program, folder / "queries/highlights.scm", *[path for path, _, _ in found]], capture_output=True, text=True, check=True)
    for (path, text, tokens), block in zip(found, done.stdout.split("file ")[1:], strict=True):
        bytes_before = [0]
        for c in text:
            bytes_before.append(bytes_before[-1] + len(c.encode()))
        place = {at: i for i, at in enumerate(bytes_before)}
        kinds = [""] * len(text)
        for line in block.splitlines()[1:]:
            begin, end, capture = line.split()
            if capture == "ERROR":
                sys.exit(f"{path}: tree-sitter cannot read byte {begin} to {end}")
            for i in range(place[int(begin)], place[int(end)]):
                kinds[i] = kind_of_capture(capture)
        yield path, text, tokens, kinds


def differs(kind, seen):
    """Whether a colour says something wrong of a word. Names and operators have many colours, but none of the others."""
    if kind in ("name", "operator"):
        return seen in ("comment", "string", "number") or (seen == "keyword" and kind == "name")
    return seen != kind


def main():
    tokens, grammar = sys.argv[1:3]
    wrong = checked = 0
    for path, text, found, kinds in {"textmate": textmate, "vim": vim, "kate": kate, "tree_sitter": tree_sitter}[grammar](words(tokens)):
        for begin, end, kind in found:
            places = (begin, end - 1) if kind == "string" else range(begin, end)  # expressions inside of strings are no words
            checked += 1
            seen = next((kinds[i] for i in places if differs(kind, kinds[i])), None)
            if seen is None:
                continue
            wrong += 1
            line = text.count("\n", 0, begin) + 1
            if wrong <= 40:
                print(f"{path.relative_to(ROOT)}:{line}: `{text[begin:end][:40]}` is a {kind}, and its colour that of a {seen or 'nothing'}")
    print(f"{checked} words of {len(FILES)} files, {wrong} with another colour")
    return 1 if wrong or checked < 5000 else 0


if __name__ == "__main__":
    sys.exit(main())
