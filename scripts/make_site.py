#!/usr/bin/env python3
"""Builds the documentation as a web site in build/site: make_site.py [--root FOLDER] [--pages-only] [--playground]

Pages are copied from docs/, README.md, examples/ and CHANGELOG.md to build/site-pages; links between them are kept, links
to other files of the repository become plain text. mkdocs (Debian: mkdocs-material) makes the site; its complaints are
errors. Ends with status 77 where it is not here.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from house import arguments, text_of

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def title_of(path):
    head = re.search(r"^# (.+)$", text_of(path), re.M)
    return head.group(1) if head else path.stem


class Site:
    def __init__(self, root):
        self.root, self.pages = root, root / "build" / "site-pages"
        self.places = {}  # file of the repository -> page of the site

    def collect(self):
        for path in (self.root / "docs").rglob("*.md"):
            self.places[path] = path.relative_to(self.root / "docs").as_posix()
        self.places[self.root / "README.md"] = "index.md"
        self.places[self.root / "CHANGELOG.md"] = "changelog.md"
        self.places[self.root / "CONTRIBUTING.md"] = "contributing.md"
        self.places[self.root / "examples" / "README.md"] = "examples/index.md"
        for path in (self.root / "examples").glob("*.tsr"):
            self.places[path] = f"examples/{path.stem}.md"

    def relinked(self, path, text):
        """Links to pages of the site point at them; others are only their text."""

        def link(match):
            mark, words, target = match.groups()
            if "://" in target or target.startswith(("#", "mailto:")):
                return match.group(0)
            file, _, anchor = target.partition("#")
            meant = (path.parent / file).resolve()
            if meant.is_dir() and (meant / "index.md") in self.places:
                meant = meant / "index.md"
            if meant not in self.places:
                return words
            here = os.path.dirname(self.places[path])
            return f"{mark}[{words}]({os.path.relpath(self.places[meant], here or '.')}{'#' + anchor if anchor else ''})"

        parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
        return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)

    def write(self):
        shutil.rmtree(self.pages, ignore_errors=True)
        for path, place in self.places.items():
            text = text_of(path)
            if path.suffix == ".tsr":
                first, _, rest = text.partition("\n")
                text = f"# {path.name}\n\n{first[2:]}\n\n```python\n{rest.strip()}\n```\n"
            else:
                text = re.sub(r"^```(tsr|py)$", "```python", self.relinked(path, text), flags=re.M)
            target = self.pages / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def listed(self, folder, indent):
        """A page each, `- Title: place`, in the order of their names."""
        pages = sorted(p for p in self.places.values() if os.path.dirname(p) == folder)
        pages.sort(key=lambda p: not p.endswith("index.md"))
        titles = {place: title_of(self.pages / place).replace("`", "") for place in pages}
        return "".join(f'\n{" " * indent}- "{titles[p]}": {p}'.replace('""', '"') for p in pages)

    def configuration(self):
        text = text_of(self.root / "mkdocs.yml")
        for word, folder, indent in (("TOUR", "tour", 6), ("EXAMPLES", "examples", 6), ("SPEC", "spec", 10), ("MESSAGES", "errors", 6),
                                     ("DECISIONS", "decisions", 10)):
            text = text.replace(f": {word}\n", ":" + self.listed(folder, indent) + "\n")
        for setting, place in (("docs_dir", "site-pages"), ("site_dir", "site")):
            text = re.sub(rf"^{setting}: .*", f"{setting}: {self.root / 'build' / place}", text, flags=re.M)
        file = self.root / "build" / "mkdocs.yml"
        file.write_text(text, encoding="utf-8")
        return file


def main():
    parser = arguments(__doc__)
    parser.add_argument("--pages-only", action="store_true", help="prepare the pages, without mkdocs")
    parser.add_argument("--playground", action="store_true", help="with the playground, whose answers take a minute or two")
    args = parser.parse_args()
    site = Site(args.root.resolve())
    site.collect()
    (site.root / "build").mkdir(exist_ok=True)
    site.write()
    if args.playground:
        add_playground(site)
    file = site.configuration()
    if args.pages_only:
        return 0
    python = next((p for p in (sys.executable, "/usr/bin/python3") if has_mkdocs(p)), None)
    if not python:
        print("SKIPPED: mkdocs is not here (Debian: mkdocs-material)")
        return 77
    done = subprocess.run([python, "-m", "mkdocs", "build", "--clean", "--quiet", "--config-file", file])
    if done.returncode == 0:
        print(f"{len(site.places)} pages in {site.root / 'build' / 'site'}; open index.html, or serve them: python3 -m http.server -d build/site")
    return done.returncode


def add_playground(site):
    """The playground with the answers for the examples, where it can be made: it needs `tessera` and Monaco."""
    built = sorted(site.root.glob("build/*/bin/tessera"), key=lambda path: path.stat().st_mtime)
    folder = site.pages / "playground"
    done = built and subprocess.run([built[-1], "playground", "--static", folder], capture_output=True, text=True)
    if not done or done.returncode:
        print("the site has no playground: " + (done.stderr.strip() if done else "there is no `tessera` in build/"))
        return
    page = site.pages / "playground.md"
    page.write_text(text_of(page).replace("\n\n", "\n\n[Try it here](playground/index.html), with the examples.\n\n", 1), encoding="utf-8")


def has_mkdocs(python):
    if python == sys.executable:
        return importlib.util.find_spec("mkdocs") is not None and importlib.util.find_spec("material") is not None
    return os.path.exists(python) and subprocess.run([python, "-c", "import mkdocs, material"], capture_output=True).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
