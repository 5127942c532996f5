#!/usr/bin/env python3
"""examples/README.md: the programs of the folder, each with the first line of its comment, in the order of learning.

A program that the list below lacks, or that says nothing in its first line, is a finding; so is one that says nowhere
what a test is to do with it (`# run:` or `# main`). With --check nothing is written, and a page that is out of date is a
finding, too.
"""

from house import arguments, finish, run, text_of

ORDER = ["saxpy", "softmax", "fusion", "norms", "matmul", "flash_attention", "shared_memory", "shapes", "precision", "structs",
         "stencil", "convolution", "transformer", "training", "mlp", "host_program"]


def page(root):
    findings = []
    programs = {path.stem: text_of(path) for path in (root / "examples").glob("*.tsr")}
    lines = [
        "# Examples", "",
        "Each program is run by a test, which compares what is compiled with the reference interpreter. Try one:", "",
        "```sh",
        "tessera run examples/softmax.tsr softmax --random R=4,C=1000 --check",
        "tesserac examples/softmax.tsr -o softmax.cu        # or .hip, .cpp: read it",
        "```", "",
        "| program | what it shows |", "|---|---|",
    ]
    for name in sorted(programs, key=lambda n: (ORDER.index(n) if n in ORDER else len(ORDER), n)):
        text = programs[name]
        if name not in ORDER:
            findings.append(f"examples/{name}.tsr: not in the order of scripts/make_examples_page.py")
        first = text.split("\n", 1)[0]
        if not first.startswith("# ") or first.startswith(("# run:", "# main")):
            findings.append(f"examples/{name}.tsr: its first line does not say what it shows")
        if "\n# run: " not in text and "\n# main\n" not in text:
            findings.append(f"examples/{name}.tsr: no test runs it; say `# run: FUNCTION N=1,100`")
        lines.append(f"| [{name}.tsr]({name}.tsr) | {first[2:]} |")
    lines += ["| [digits/](digits) | Convolutions that learn to read digits, which the program draws itself, in less than a minute ([how](digits/README.md)). |"]
    lines += ["| [poisson/](poisson) | Poisson's equation by conjugate gradients: a host loop that ends at a tolerance ([how](poisson/README.md)). |"]
    lines += ["| [waves/](waves) | The wave equation on a grid, and a host loop that writes pictures of it ([how](waves/README.md)). |"]
    lines += ["| [lstm/](lstm) | A character-level LSTM: it learns from a text file, and writes with a memory of fixed size ([how](lstm/README.md)). |"]
    lines += ["| [gpt/](gpt) | A character-level GPT in one file: it learns from a text file in a minute or two, and writes ([how](gpt/README.md)). |"]
    lines += ["| [gpt2/](gpt2) | GPT-2 with 124 million parameters: a step of training with products in bf16, for one GPU or several ([how](gpt2/README.md)). |"]
    lines += ["| [llama/](llama) | A model of Llama's shape: it reads a prompt and writes token by token, with a cache that is updated in place ([how](llama/README.md)). |"]
    lines += ["| [cmake/](cmake) | A CMake project that calls a kernel from C++ and from C ([docs/cpp.md](../docs/cpp.md)). |", ""]
    return "\n".join(lines), findings, len(programs)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is not up to date")
    args = parser.parse_args()
    text, findings, count = page(args.root)
    target = args.root / "examples/README.md"
    if not args.check and not findings:
        target.write_text(text, encoding="utf-8")
    elif args.check and (not target.is_file() or text_of(target) != text):
        findings.append("examples/README.md: outdated; run scripts/make_examples_page.py")
    return finish(findings, count, "programs")


if __name__ == "__main__":
    run(main)
