#!/usr/bin/env python3
"""Writes the editors' grammars from the compiler's own tables; `--check` says whether they are up to date.

Keywords come from grammar/TesseraLexer.g4, dtypes from src/support/DTypes.def, built-in names from src/sema/Builtins.def
and library functions from stdlib/, the sentences of tree-sitter from grammar/TesseraParser.g4 (tree_sitter.py). What a name
is where it stands is the language server's business.
"""

import hashlib
import json
import re
import tree_sitter
from house import arguments, finish, run, text_of

CONSTANTS = ["True", "False", "None"]
OPERATORS = ["and", "or", "not", "in", "is"]
DEFINING = ["def", "class", "struct", "policy", "state", "lambda"]
IMPORTING = ["import", "from", "as"]
# Names everywhere but where they begin a statement, or stand behind a signature or before another word.
CONTEXTUAL = ["where", "effects", "async", "await", "struct", "policy", "state"]
TYPES = ["Tensor", "Const", "Int", "Tile", "Callable"]


def words(root):
    """The tables: {kind: [word]}."""
    lexer = text_of(root / "grammar/TesseraLexer.g4")
    keywords = re.findall(r"^[A-Z]+ +: '([A-Za-z]+)' ;", lexer, re.M)
    contextual = re.search(r"tokens \{(.*?)\}", lexer, re.S)
    if contextual:
        names = re.sub(r"//.*", "", contextual.group(1))
        keywords += [n.strip().lower() for n in names.split(",") if n.strip() and n.strip() not in ("INDENT", "DEDENT") and not n.strip().startswith("ERROR_")]
    dtypes = re.findall(r'^TSR_DTYPE(?:_ALIAS)?\((?:\w+, )?"(\w+)"', text_of(root / "src/support/DTypes.def"), re.M)
    rows = re.findall(r'^TSR_BUILTIN\("(\w+)", "(\w+)", "[^"]*", (\w+)', text_of(root / "src/sema/Builtins.def"), re.M)
    functions = sorted({name for name, places, kind in rows if kind not in ("Decorator", "Unsupported")})
    decorators = sorted({name for name, _, kind in rows if kind == "Decorator"})
    library = set()
    for path in sorted((root / "stdlib").rglob("*.tsr")):
        library |= set(re.findall(r"^def ([a-z]\w*)", text_of(path), re.M))
    return {
        "control": sorted(set(keywords) - set(CONSTANTS) - set(OPERATORS) - set(DEFINING) - set(IMPORTING)),
        "defining": [k for k in DEFINING if k in keywords],
        "importing": [k for k in IMPORTING if k in keywords],
        "operator": [k for k in OPERATORS if k in keywords],
        "constant": [k for k in CONSTANTS if k in keywords],
        "dtype": sorted(set(dtypes)),
        "type": TYPES,
        "function": sorted((set(functions) | library) - set(dtypes)),
        "decorator": decorators,
    }


def alternatives(list):
    return "\\b(?:" + "|".join(list) + ")\\b"


def textmate(tables):
    """Kinds of words in the order in which they are tried."""
    def match(scope, pattern):
        return {"name": f"{scope}.tessera", "match": pattern}

    strings = []
    for quote, name in (('"""', "string.quoted.docstring"), ("'''", "string.quoted.docstring"), ('"', "string.quoted.double"), ("'", "string.quoted.single")):
        ending = quote if len(quote) == 3 else f"{quote}|$"
        escapes = [{"name": "constant.character.escape.tessera", "match": r"\\."}]
        inner = [{"name": "meta.embedded.tessera", "begin": r"\{(?!\{)", "end": r"\}", "beginCaptures": {"0": {"name": "punctuation.section.embedded.tessera"}},
                  "endCaptures": {"0": {"name": "punctuation.section.embedded.tessera"}}, "patterns": [{"include": "#code"}]}]
        strings.append({"name": f"{name}.tessera", "begin": f"\\b(?i:f|fr|rf){quote}", "end": ending, "patterns": escapes + inner})
        strings.append({"name": f"{name}.tessera", "begin": f"(?:\\b(?i:r|u))?{quote}", "end": ending, "patterns": escapes})
    code = [
        match("comment.line.number-sign", "#.*$"),
        *strings,
        {"name": "meta.decorator.tessera", "match": r"^\s*(@)\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)",
         "captures": {"1": {"name": "punctuation.definition.decorator.tessera"}, "2": {"name": "entity.name.function.decorator.tessera"}}},
        {"match": r"(@)\s*([a-z_]\w*)(?=\s*[\]\),@(=]|\s*$)", "captures": {"1": {"name": "punctuation.definition.policy.tessera"}, "2": {"name": "entity.other.attribute-name.policy.tessera"}}},
        {"match": r"\b(def)\s+([A-Za-z_]\w*)", "captures": {"1": {"name": "storage.type.function.tessera"}, "2": {"name": "entity.name.function.tessera"}}},
        {"match": r"^\s*(struct|class|policy|state)\s+([A-Za-z_]\w*)", "captures": {"1": {"name": "storage.type.tessera"}, "2": {"name": "entity.name.type.tessera"}}},
        match("keyword.control.import", alternatives(tables["importing"])),
        match("keyword.operator.word", alternatives(tables["operator"])),
        match("constant.language", alternatives(tables["constant"])),
        match("storage.type", alternatives([w for w in tables["defining"] if w in ("def", "class", "lambda")])),
        match("keyword.control", alternatives([w for w in tables["control"] if w not in CONTEXTUAL])),
        match("keyword.control", r"\b(?:where\b(?!\()|effects\b(?=\s*\[)|(?:async|await)\b(?=\s+[A-Za-z_(]))"),
        match("constant.numeric.integer", r"\b0(?i:x[_0-9a-f]+|o[_0-7]+|b[_01]+)\b"),
        match("constant.numeric.float", r"(?<![\w.])(?:\d[\d_]*)?\.\d[\d_]*(?:[eE][+-]?\d+)?[jJ]?|\b\d[\d_]*(?:\.(?!\.)|(?=[eE]))(?:[eE][+-]?\d+)?[jJ]?"),
        match("constant.numeric.integer", r"\b\d[\d_]*[jJ]?\b"),
        match("support.type.dtype", alternatives(tables["dtype"])),
        match("support.type", alternatives(tables["type"])),
        match("support.class", r"\btile\b(?=\.)"),
        match("support.function", "(?:" + alternatives(tables["function"]) + r")(?=\s*\()"),
        match("entity.name.function.call", r"\b[A-Za-z_]\w*(?=\s*\()"),
        match("keyword.operator", r"->|\.\.=?|:=|\*\*=?|//=?|<<=?|>>=?|[-+*/%@&|^]=|[<>=!]=|[-+*/%@&|^~<>=]"),
        match("variable.parameter", r"\b[A-Za-z_]\w*(?=\s*=[^=])"),
    ]
    grammar = {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Tessera", "scopeName": "source.tessera", "fileTypes": ["tsr"],
        "patterns": [{"include": "#code"}], "repository": {"code": {"patterns": code}},
    }
    return json.dumps(grammar, indent=1) + "\n"


def vim(tables):
    def keyword(group, list):
        lines = []
        for i in range(0, len(list), 12):
            lines.append(f"syn keyword {group} " + " ".join(list[i:i + 12]))
        return lines

    return "\n".join([
        '" Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there.',
        'if exists("b:current_syntax") | finish | endif',
        *keyword("tesseraKeyword", [w for w in tables["control"] + tables["defining"] if w not in CONTEXTUAL]),
        "syn match tesseraKeyword '\\<where\\>(\\@!'",
        "syn match tesseraKeyword '\\<effects\\>\\ze\\s*\\['",
        "syn match tesseraKeyword '\\<\\%(async\\|await\\)\\>\\ze\\s\\+[A-Za-z_(]'",
        "syn match tesseraKeyword '^\\s*\\zs\\%(struct\\|policy\\|state\\)\\ze\\s\\+\\h'",
        *keyword("tesseraImport", tables["importing"]),
        *keyword("tesseraOperator", tables["operator"]),
        *keyword("tesseraConstant", tables["constant"]),
        *keyword("tesseraType", tables["dtype"] + tables["type"]),
        *[r"syn match tesseraBuiltin '\<\%(" + r"\|".join(tables["function"][i:i + 10]) + r"\)\ze\s*('" for i in range(0, len(tables["function"]), 10)],
        "syn match tesseraDecorator '^\\s*\\zs@\\s*[A-Za-z_][A-Za-z_0-9.]*'",
        "syn match tesseraPolicy '@\\s*[a-z_]\\w*\\ze\\s*\\([\\]),@(=]\\|$\\)' contains=NONE",
        "syn match tesseraFunction '\\%(\\<def\\s\\+\\)\\@<=\\w\\+'",
        "syn match tesseraNumber '\\<\\d[0-9_]*\\%(\\.\\d[0-9_]*\\)\\?\\%([eE][+-]\\?\\d\\+\\)\\?\\>'",
        "syn match tesseraNumber '\\<0[xX][_0-9a-fA-F]\\+\\>'",
        "syn match tesseraNumber '\\<0[bB][_01]\\+\\>'",
        "syn region tesseraString start=+\\c\\<[rfu]\\{0,2}\"+ start=+\"+ skip=+\\\\.+ end=+\"+ oneline",
        "syn region tesseraString start=+'+ skip=+\\\\.+ end=+'+ oneline",
        'syn region tesseraString start=+"""+ end=+"""+ keepend',
        "syn region tesseraString start=+'''+ end=+'''+ keepend",
        "syn match tesseraComment '#.*$' contains=@Spell",
        "hi def link tesseraKeyword Keyword",
        "hi def link tesseraImport Include",
        "hi def link tesseraOperator Operator",
        "hi def link tesseraConstant Boolean",
        "hi def link tesseraType Type",
        "hi def link tesseraBuiltin Function",
        "hi def link tesseraDecorator PreProc",
        "hi def link tesseraPolicy PreProc",
        "hi def link tesseraFunction Function",
        "hi def link tesseraNumber Number",
        "hi def link tesseraString String",
        "hi def link tesseraComment Comment",
        'let b:current_syntax = "tessera"',
        "",
    ])


def emacs(tables):
    def words_of(name, list, doc):
        return [f"(defconst tessera-{name}", "  '(" + " ".join(f'"{w}"' for w in list) + ")", f'  "{doc}")', ""]

    return "\n".join([
        ";;; tessera-words.el --- Words of Tessera  -*- lexical-binding: t; -*-", "",
        ";; Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there.", "",
        ";;; Code:", "",
        *words_of("keywords", [w for kind in ("control", "defining", "importing", "operator") for w in tables[kind] if w not in CONTEXTUAL], "Keywords."),
        *words_of("constants", tables["constant"], "Constants."),
        *words_of("types", tables["dtype"] + tables["type"], "Dtypes and types."),
        *words_of("functions", tables["function"], "Built-in and library functions."),
        "(provide 'tessera-words)", "", ";;; tessera-words.el ends here", "",
    ])


def kate(tables):
    """A syntax definition of KSyntaxHighlighting, for Kate, KDevelop and Qt Creator."""
    def escaped(text):
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")

    def listed(name, list):
        return [f'  <list name="{name}">', *[f"   <item>{word}</item>" for word in list], "  </list>"]

    def rule(attribute, pattern, context="#stay", more=""):
        return f'    <RegExpr attribute="{attribute}" String="{escaped(pattern)}" context="{context}"{more}/>'

    plain = [w for kind in ("control", "defining", "operator") for w in tables[kind] if w not in CONTEXTUAL]
    long, short = [("Long", '"""'), ("LongSingle", "'''")], [("Short", '"'), ("ShortSingle", "'")]
    strings = [rule("String", f"\\b(?:[rR][fF]?|[fF][rR]?|[uU]){quote}|{quote}", name) for name, quote in long + short]
    contexts = []
    for name, quote in long + short:
        ends = "#pop" if len(quote) == 1 else "#stay"
        contexts += [f'   <context name="{name}" attribute="String" lineEndContext="{ends}">', rule("String", r"\\."), rule("String", quote, "#pop"), "   </context>"]
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>', "<!DOCTYPE language>",
        "<!-- Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there. -->",
        '<language name="Tessera" section="Sources" extensions="*.tsr" version="1" kateversion="5.0" indenter="python" style="python" license="Apache-2.0">',
        " <highlighting>",
        *listed("keywords", plain), *listed("imports", tables["importing"]), *listed("constants", tables["constant"]),
        *listed("types", tables["dtype"] + tables["type"]), *listed("functions", tables["function"]),
        "  <contexts>",
        '   <context name="Normal" attribute="Normal" lineEndContext="#stay">',
        rule("Comment", "#.*$"), *strings,
        rule("Decorator", r"@\s*[A-Za-z_][\w.]*", more=' firstNonSpace="true"'),
        rule("Decorator", r"@[a-z_]\w*(?=\s*[\]\),@(=]|\s*$)"),
        rule("Keyword", r"\b(?:where\b(?!\()|effects\b(?=\s*\[)|(?:async|await)\b(?=\s+[A-Za-z_(]))"),
        rule("Keyword", r"(?:struct|policy|state)\b(?=\s+[A-Za-z_])", more=' firstNonSpace="true"'),
        rule("Number", r"\b0(?:[xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)\b"),
        rule("Number", r"(?<![\w.])\.\d[\d_]*(?:[eE][+-]?\d+)?[jJ]?|\b\d[\d_]*(?:\.(?!\.)[\d_]*)?(?:[eE][+-]?\d+)?[jJ]?"),
        '    <keyword attribute="Keyword" String="keywords" context="#stay"/>', '    <keyword attribute="Import" String="imports" context="#stay"/>',
        '    <keyword attribute="Constant" String="constants" context="#stay"/>', '    <keyword attribute="Type" String="types" context="#stay"/>',
        rule("Function", r"(?<=\bdef )[A-Za-z_]\w*"),
        '    <keyword attribute="Builtin" String="functions" context="#stay"/>',
        rule("Normal", r"[A-Za-z_]\w*"),
        "   </context>", *contexts,
        "  </contexts>",
        "  <itemDatas>",
        *[f'   <itemData name="{name}" defStyleNum="{style}"/>' for name, style in (
            ("Normal", "dsNormal"), ("Comment", "dsComment"), ("String", "dsString"), ("Number", "dsDecVal"), ("Keyword", "dsKeyword"), ("Import", "dsImport"),
            ("Constant", "dsConstant"), ("Type", "dsDataType"), ("Function", "dsFunction"), ("Builtin", "dsBuiltIn"), ("Decorator", "dsAttribute"))],
        "  </itemDatas>",
        " </highlighting>",
        ' <general><comments><comment name="singleLine" start="#" position="afterwhitespace"/></comments><keywords casesensitive="1"/></general>',
        "</language>", "",
    ])


def playground(tables):
    tables = {**tables, "contextual": CONTEXTUAL}
    return ("// Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there.\n"
            f"export const words = {json.dumps(tables, indent=1)};\n")


OUTPUTS = {"editors/tree-sitter/queries/highlights.scm": tree_sitter.highlights, "editors/zed/languages/tessera/highlights.scm": tree_sitter.highlights, "editors/kate/tessera.xml": kate, "editors/playground/page/words.js": playground, "editors/vscode/syntaxes/tessera.tmLanguage.json": textmate, "editors/vim/syntax/tessera.vim": vim, "editors/emacs/tessera-words.el": emacs}


def stale_parser(folder):
    """A finding where src/parser.c, which only tree-sitter itself can make, was made of another grammar.js than the one here."""
    made_of, sources = folder / "src/made-of", [folder / name for name in ("grammar.js", "tokens.js")]
    if made_of.exists() and all(path.exists() for path in sources):
        if text_of(made_of).strip() == hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest():
            return []
    return ["editors/tree-sitter/src/parser.c was not made of this grammar.js; run editors/tree-sitter/generate.sh"]


def main():
    parser = arguments(__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not up to date")
    args = parser.parse_args()
    tables = words(args.root)
    findings = [f"no words of the kind `{kind}` were found" for kind, list in tables.items() if not list]
    made = {name: make(tables) for name, make in OUTPUTS.items()}
    made["editors/tree-sitter/grammar.js"] = tree_sitter.grammar_js(text_of(args.root / "grammar/TesseraParser.g4"))
    for name, text in made.items():
        path = args.root / name
        if args.check and (not path.exists() or text_of(path) != text):
            findings.append(f"{name}: it is not what scripts/make_editor_grammars.py makes of the tables; run it")
        if not args.check and not findings:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    findings += stale_parser(args.root / "editors/tree-sitter")
    return finish(findings, len(made), "grammars")


if __name__ == "__main__":
    run(main)
