#!/usr/bin/env python3
"""The programs and commands of docs/tour, run in order, against what the pages say they print.

    tour.py BIN         TESSERA_UPDATE_GOLDENS=1 writes what they print into the pages

Of a page `NN-name.md` the program is name.tsr. Times are left out of what is compared.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"```(python|sh|text)\n(.*?)```\n", re.S)


def plain(text):
    """Without times and what stands at the ends of lines."""
    text = re.sub(r", \d+(\.\d+)? (ms|s|us)\b", "", text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?|-?\d+e[+-]?\d+|\b0\b")


def same(said, page):
    """Whether the texts are equal but for the last digits of floats, and the widths of columns that come of them: processors have
    vectors of other lengths."""
    if re.sub(" *#", "#", NUMBER.sub("#", said)) != re.sub(" *#", "#", NUMBER.sub("#", page)):
        return False
    pairs = zip(NUMBER.findall(said), NUMBER.findall(page))
    return all(abs(float(a) - float(b)) <= 1e-4 * max(abs(float(a)), abs(float(b))) + 2e-6 for a, b in pairs)


def run_page(path, environment, problems):
    """The page with what its commands print now."""
    name = re.sub(r"^\d+-", "", os.path.basename(path))[:-3]
    with open(path, encoding="utf-8") as file:
        page = file.read()
    printed = commands = 0
    with tempfile.TemporaryDirectory() as folder:
        out, at, said = "", 0, ""
        for block in BLOCK.finditer(page):
            kind, text = block.groups()
            out += page[at : block.start()]
            at = block.end()
            if kind == "python":
                with open(os.path.join(folder, name + ".tsr"), "w", encoding="utf-8") as file:
                    file.write(text)
            elif kind == "sh":
                commands += 1
                done = subprocess.run(text, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
                said = plain(done.stdout)
                if "error[" not in said and done.returncode != 0:
                    problems.append(f"{os.path.basename(path)}: `{text.strip()}` ends with status {done.returncode}\n{done.stdout}")
            else:
                printed += 1
                if not same(said, text):
                    problems.append(f"{os.path.basename(path)}: it prints\n{said}and the page says\n{text}")
                    text = said
            out += f"```{kind}\n{text}```\n"
        out += page[at:]
    if not commands or printed != commands:
        problems.append(f"{os.path.basename(path)}: {commands} commands, and what {printed} print")
    return out


def main(folder):
    updating = os.environ.get("TESSERA_UPDATE_GOLDENS", "") not in ("", "0")
    environment = {**os.environ, "PATH": os.path.abspath(folder) + os.pathsep + os.environ["PATH"], "NO_COLOR": "1", "LC_ALL": "C"}
    pages = sorted(glob.glob(os.path.join(ROOT, "docs/tour/[0-9]*.md")))
    with open(os.path.join(ROOT, "docs/tour/index.md"), encoding="utf-8") as file:
        listed = re.findall(r"^\d+\. \[.*?\]\((.*?)\)$", file.read(), re.M)
    problems = [] if listed == [os.path.basename(page) for page in pages] else ["docs/tour/index.md does not list the steps"]
    for page in pages:
        found = []
        text = run_page(page, environment, found)
        if updating and found:
            with open(page, "w", encoding="utf-8") as file:
                file.write(text)
            found = [f for f in found if "status" in f.split("\n")[0]]
        problems += found
    print("\n".join(problems + [f"{len(pages)} steps, {len(problems)} problems"]))
    return 1 if problems or len(pages) != 13 else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
