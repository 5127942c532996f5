"""A client of the language server for tests: it sends what an editor sends, and waits for what comes back."""

import json
import os
import queue
import subprocess
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Refused(Exception):
    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


class Client:
    def __init__(self, server, *arguments, encoding=None, options=None, folder=None, completion=None, workspace=None, start=True):
        self.process = subprocess.Popen([str(server), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.received = queue.Queue()
        self.responses, self.diagnostics, self.logged = {}, {}, []
        self.last = 0
        self.reader = threading.Thread(target=self.read_all, daemon=True)
        self.reader.start()
        if not start:
            return
        capabilities = {"general": {"positionEncodings": [encoding]}} if encoding else {}
        if completion:
            capabilities["textDocument"] = {"completion": completion}
        if workspace:
            capabilities["workspace"] = workspace
        folders = [{"uri": Path(folder).as_uri(), "name": "folder"}] if folder else None
        self.server = self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities,
                                                  "workspaceFolders": folders, "initializationOptions": options or {}})
        self.notify("initialized", {})

    def read_all(self):
        stream = self.process.stdout
        while True:
            length = 0
            while True:
                line = stream.readline()
                if not line:
                    self.received.put(None)
                    return
                line = line.strip()
                if not line:
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.received.put(json.loads(stream.read(length)))

    def send_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def begin(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        return self.last

    def take(self, timeout=30):
        """Handles the next message; False at the end of the output."""
        try:
            message = self.received.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError("the server does not answer") from None
        if message is None:
            return False
        if "id" in message and "method" not in message:
            self.responses[message["id"]] = message
        elif message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics.setdefault(message["params"]["uri"], []).append(message["params"])
        else:
            self.logged.append(message)
        return True

    def answer(self, id, timeout=30):
        end = time.monotonic() + timeout
        while id not in self.responses:
            if not self.take(max(0.01, end - time.monotonic())):
                raise AssertionError(f"the server ended with {self.process.wait()}: {self.process.stderr.read().decode()[-2000:]}")
        message = self.responses.pop(id)
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def request(self, method, params, timeout=30):
        return self.answer(self.begin(method, params), timeout)

    # ---- documents
    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "tessera", "version": version, "text": text}})

    def change(self, uri, version, *changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)})

    def at(self, method, uri, line, character, **more):
        return self.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more})

    def of(self, method, uri, **more):
        return self.request(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})

    def published(self, uri, version, timeout=30):
        """What was said about this version of a file, first."""
        end = time.monotonic() + timeout
        while True:
            for said in self.diagnostics.get(uri, []):
                if said.get("version") == version:
                    return said["diagnostics"]
            if not self.take(max(0.01, end - time.monotonic())):
                raise AssertionError("the server ended")

    def stop(self):
        """The exit code of an orderly end."""
        self.request("shutdown", None)
        self.notify("exit", None)
        code = self.process.wait(timeout=20)
        self.close()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.close()

    def close(self):
        self.reader.join(timeout=5)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


def place(text, mark, nth=0, encoding="utf-16"):
    """The line and character where the nth `mark` begins."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(mark, at + 1)
    line = text.count("\n", 0, at)
    before = text[text.rfind("\n", 0, at) + 1:at]
    return line, len(before.encode("utf-16-le")) // 2 if encoding == "utf-16" else len(before.encode())


def offset(text, position, encoding="utf-16"):
    lines = text.split("\n")
    line = lines[position["line"]] if position["line"] < len(lines) else ""
    units, at = 0, 0
    for char in line:
        if units >= position["character"]:
            break
        units += len(char.encode("utf-16-le")) // 2 if encoding == "utf-16" else len(char.encode())
        at += 1
    return sum(len(l) + 1 for l in lines[:position["line"]]) + at


def applied(text, edits):
    """The text with the edits of an answer."""
    found = sorted(((offset(text, e["range"]["start"]), offset(text, e["range"]["end"]), e["newText"]) for e in edits), reverse=True)
    for begin, end, new in found:
        text = text[:begin] + new + text[end:]
    return text


def word_at(text, span):
    return text[offset(text, span["start"]):offset(text, span["end"])]
