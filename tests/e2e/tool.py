"""The command under test, working in a folder of its own."""
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
