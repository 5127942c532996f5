"""The grammar of tree-sitter from grammar/TesseraParser.g4: rule by rule, with the alternatives that have names as nodes.

Rules get tree-sitter's names (`ifStatement` is `if_statement`), rules of several named alternatives are hidden, operators bind as
the order of their alternatives says. Stand-ins for mistakes are left out: tree-sitter mends in its own way.
"""

import re

TOKEN = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)+'|<assoc=right>|->|\+=|[A-Za-z_]\w*|[():;|*?+=#]", re.S)
# What the words of the lexer are here. Contextual keywords are words that may be names, too.
CONTEXTUAL = ["policy", "struct", "state", "where", "effects", "async", "await"]
TOKENS = {"NAME": "$._name", "INTEGER": "$._integer", "FLOAT": "$.float_number", "IMAGINARY": "$.imaginary_number", "STRING": "$.string",
          "NEWLINE": "$._newline", "INDENT": "$._indent", "DEDENT": "$._dedent", **{word.upper(): f"'{word}'" for word in CONTEXTUAL}}
LEFT_OUT = ("interpolation", "errorStatement")
RECURSIVE = ("condition", "operation")
# Where one word more is needed to tell: tree-sitter follows both.
CONFLICTS = [("primary", "_name"), ("expressions",)]


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m.group(1).lower(), name)


class Reader:
    """The rules: {name: [(alternative, label, right)]}, alternatives as texts of JavaScript."""

    def __init__(self, text):
        body = text[text.index("/** A file"):]
        self.words = [w for w in TOKEN.findall(body) if not w.isspace() and not w.startswith(("//", "/*"))]
        self.at = 0
        self.rules = {}
        while self.at < len(self.words):
            name = self.take()
            self.take()  # the colon
            self.rules[name] = self.alternatives(";")
            self.take()

    def peek(self):
        return self.words[self.at]

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def alternatives(self, end):
        out = []
        while True:
            right = self.peek() == "<assoc=right>"
            if right:
                self.take()
            items = []
            while self.peek() not in ("|", end, "#"):
                items.append(self.item())
            label = None
            if self.peek() == "#":
                self.take()
                label = self.take()
            if None not in items:
                out.append((items, label, right))
            if self.peek() == end:
                return out
            self.take()

    def item(self):
        word = self.take()
        field = None
        if self.peek() in ("=", "+="):
            field, _ = word, self.take()
            word = self.take()
        if word == "(":
            inner = [joined("seq", items) for items, _, _ in self.alternatives(")")]
            self.take()
            text = joined("choice", inner)
        elif word.startswith("'"):
            text = word
        elif word.isupper() or "_" in word:
            text = TOKENS.get(word)  # none: a stand-in for a mistake, or the end of the file
            text = "" if word == "EOF" else text
        else:
            text = None if word in LEFT_OUT else f"$.{self.rule(word)}"
        while self.peek() in ("*", "?", "+"):
            text = {"*": f"repeat({text})", "?": f"optional({text})", "+": f"repeat1({text})"}[self.take()] if text else text
        return f"field('{snake(field)}', {text})" if field and text else text

    def rule(self, name):
        return "@" + name  # resolved when all are known


def joined(kind, items):
    items = [one for one in items if one]
    return items[0] if len(items) == 1 else f"{kind}({', '.join(items)})"


def grammar(text):
    rules = Reader(text).rules
    lines = []

    def named(name):
        hidden = sum(1 for _, label, _ in rules[name] if label) > 0 or len(rules[name]) > 1
        return "_" + snake(name) if hidden else snake(name)

    def resolved(text):
        return re.sub(r"@(\w+)", lambda m: named(m.group(1)), text)

    for name, alternatives in rules.items():
        if name in LEFT_OUT:
            continue
        choices = []
        for i, (items, label, right) in enumerate(alternatives):
            body = joined("seq", items)
            if name in RECURSIVE and f"$.@{name}" in body:
                body = f"prec.{'right' if right else 'left'}({len(alternatives) - i}, {body})"
            elif name in ("primary", "atom"):
                body = f"prec.right({body})" if "repeat" in body or "optional" in body else body
            if label and not re.fullmatch(r"\$\.@\w+", body):  # no node for one node
                choices.append(f"$.{snake(label)}")
                lines.append(f"    {snake(label)}: ($) => {resolved(body)},")
            else:
                choices.append(resolved(body))
        if any(label for _, label, _ in alternatives) or len(alternatives) > 1:
            lines.append(f"    {named(name)}: ($) => {joined('choice', choices)},")
        else:
            lines.append(f"    {named(name)}: ($) => {choices[0]},")
    lines.sort(key=lambda line: not line.startswith("    module"))  # the first rule is the whole file
    return "\n".join(lines)


def grammar_js(text):
    conflicts = "".join("\n    [" + ", ".join(f"$.{rule}" for rule in one) + "]," for one in CONFLICTS)
    words = ", ".join(f"'{word}'" for word in CONTEXTUAL)
    return f"""// Made by scripts/make_editor_grammars.py from grammar/TesseraParser.g4; change it there.
const tokens = require('./tokens');

module.exports = grammar({{
  name: 'tessera',
  word: ($) => $.identifier,
  externals: ($) => [$._newline, $._indent, $._dedent, $._range_start, ')', ']', '}}'],
  extras: ($) => [$.comment, ...tokens.blanks],
  conflicts: ($) => [{conflicts}
  ],
  rules: {{
{grammar(text)}
    // Contextual keywords are names where no statement or clause begins with them.
    _name: ($) => choice($.identifier, prec.dynamic(-1, alias(choice({words}), $.identifier))),
    // The scanner sees an integer before `..`, which would else be read as the float `1.`.
    _integer: ($) => choice($.integer_number, alias($._range_start, $.integer_number)),
    identifier: () => tokens.identifier,
    integer_number: () => tokens.integer,
    float_number: () => tokens.float,
    imaginary_number: () => tokens.imaginary,
    string: () => choice(...tokens.strings),
    comment: () => token(tokens.comment),
  }},
}});
"""


def highlights(tables):
    """Queries for colours. Where several name one word, the last one holds."""
    def one_of(words):
        return '"^(' + "|".join(words) + ')$"'

    def anonymous(words):
        return "[" + " ".join(f'"{word}"' for word in words) + "]"

    keywords = sorted({*tables["control"], *tables["defining"]} - {"lambda", "def"} - {"pass", "break", "continue"})  # those are nodes
    return f"""; Made by scripts/make_editor_grammars.py from the tables of the compiler; change it there.
(identifier) @variable
(comment) @comment
(string) @string
[(integer_number) (float_number) (imaginary_number)] @number
[(true) (false)] @boolean
(none) @constant.builtin
{anonymous(keywords)} @keyword
{anonymous(tables["importing"])} @keyword.import
{anonymous(tables["operator"])} @keyword.operator
["def" "lambda"] @keyword.function
[(pass_statement) (break_statement) (continue_statement)] @keyword
["+" "-" "*" "/" "//" "%" "**" "@" "<<" ">>" "&" "^" "|" "~" "==" "!=" "<" "<=" ">" ">=" "=" ":=" "->" ".." "..="
 "+=" "-=" "*=" "/=" "//=" "%=" "@=" "**=" "<<=" ">>=" "&=" "|=" "^="] @operator
["(" ")" "[" "]" "{{" "}}"] @punctuation.bracket
["," ":" ";" "."] @punctuation.delimiter

(attribute (identifier) @property)
(plain_parameter (identifier) @variable.parameter)
(star_parameter (identifier) @variable.parameter)
(options_parameter (identifier) @variable.parameter)
(keyword_argument (identifier) @variable.parameter)
(keyword_subscript (identifier) @variable.parameter)
(type_parameter (identifier) @type.parameter)
(primary . (name (identifier) @function.call) . (call))
(primary (attribute (identifier) @function.method) . (call))
((name (identifier) @type.builtin) (#match? @type.builtin {one_of(tables["dtype"] + tables["type"])}))
((primary . (name (identifier) @function.builtin) . (call)) (#match? @function.builtin {one_of(tables["function"])}))
(function_definition (identifier) @function)
(class_definition (identifier) @type)
(struct_definition (identifier) @type)
(policy_definition (identifier) @type)
(decorator "@" @attribute (primary . (name (identifier) @attribute)))
(policy_subscript "@" @attribute (primary . (name (identifier) @attribute)))
"""

