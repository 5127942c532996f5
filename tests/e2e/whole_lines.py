#!/usr/bin/env python3
"""What a program prints comes out of a pipe in whole lines, however long they are and however many wait: whole_lines.py TESSERA"""
import os
import subprocess
import sys
import tempfile

PROGRAM = """
def main():
    for i in range(3000):
        text = "x"
        for _ in range(i * 37 % 91):
            text = text + "y"
        print(i, text)
"""


def main(tessera):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "lines.tsr")
        with open(program, "w") as file:
            file.write(PROGRAM)
        built = os.path.join(folder, "lines")
        subprocess.run([tessera, "build", program, "-o", built], check=True, stdout=subprocess.DEVNULL)
        running = subprocess.Popen([built], stdout=subprocess.PIPE)
        parts = []
        while part := os.read(running.stdout.fileno(), 1 << 20):
            parts.append(part)
    if running.wait() != 0:
        return "the program failed"
    broken = [part[-40:] for part in parts if not part.endswith(b"\n")]
    expected = "".join(f"{i} x{'y' * (i * 37 % 91)}\n" for i in range(3000))
    if b"".join(parts).decode() != expected:
        return "other text came out"
    return f"{len(broken)} of {len(parts)} parts end within a line: {broken[0]}" if broken else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
