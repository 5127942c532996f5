"""Colours of a TextMate grammar as an editor would find them: the part of the format that ours uses (match, begin and end,
captures, include), with Python's regular expressions, which agree with Oniguruma's in what it says."""
import json
import re


class Grammar:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.json = json.load(file)
        self.compiled = {}

    def pattern(self, text):
        if text not in self.compiled:
            # Oniguruma has `(?i:...)` and `\b` as Python does; `^` and `$` are those of a line, which is what is searched.
            self.compiled[text] = re.compile(text)
        return self.compiled[text]

    def rules(self, patterns):
        for rule in patterns:
            if "include" in rule:
                yield from self.rules(self.json["repository"][rule["include"][1:]]["patterns"])
            else:
                yield rule

    def scopes(self, text):
        """The innermost scope of each character; "" where there is none."""
        out = [""] * len(text)
        stack, base = [], 0
        for line in text.splitlines(keepends=True):
            body, at = line.rstrip("\n"), 0
            while at <= len(body):
                inner = stack[-1] if stack else None
                found = rule = None
                if inner:
                    found = self.pattern(inner["end"]).search(body, at)
                for one in self.rules(inner.get("patterns", []) if inner else self.json["patterns"]):
                    match = self.pattern(one.get("match") or one["begin"]).search(body, at)
                    if match and (not found or match.start() < found.start()):
                        found, rule = match, one
                until = found.start() if found else len(body)
                if inner:
                    self.paint(out, base, at, until, inner.get("name", ""))
                if not found:
                    break
                if rule is None:
                    self.paint(out, base, found.start(), found.end(), self.captured(inner, "endCaptures"))
                    stack.pop()
                else:
                    self.paint(out, base, found.start(), found.end(), rule.get("name", ""))
                    captures = rule.get("captures") or rule.get("beginCaptures") or {}
                    for number, capture in captures.items():
                        if found.start(int(number)) >= 0:
                            self.paint(out, base, found.start(int(number)), found.end(int(number)), capture["name"])
                    if "begin" in rule:
                        stack.append(rule)
                at = max(found.end(), at) if found.end() > at or rule is None or "begin" in rule else at + 1
                if found.end() == len(body) and (rule is None or "begin" not in rule or found.end() == found.start()) and at >= len(body):
                    if not stack:
                        break
                    if found.end() == found.start():
                        break
            base += len(line)
        return out

    @staticmethod
    def captured(rule, key):
        return rule.get(key, {}).get("0", {}).get("name") or rule.get("name", "")

    @staticmethod
    def paint(out, base, begin, end, name):
        for i in range(base + begin, base + end):
            out[i] = name
