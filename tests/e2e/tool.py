"""The command under test, working in a folder of its own."""
import json
import os
import subprocess


class Tool:
    def __init__(self, tessera, folder):
        self.tessera, self.folder = tessera, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, text, command, *arguments):
        """`tessera COMMAND` of a module with this text: what it returns and prints."""
        with open(self.path("module.tsr"), "w", encoding="utf-8") as file:
            file.write(text)
        words = [self.tessera, command, self.path("module.tsr"), *arguments]
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=300)

    def runs_of(self, text, lines, target):
        """What each of these lines of `tessera run --runs` answers, and what all of them say that is no answer."""
        with open(self.path("runs.txt"), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        result = self.call(text, "run", "--runs", self.path("runs.txt"), "--target", target, "--json")
        answers = [json.loads(line) for line in result.stdout.splitlines() if line.startswith('{"line":')]
        return answers if len(answers) == len(lines) else [], f"status {result.returncode}: {result.stdout[-1500:]}{result.stderr[-1500:]}"
