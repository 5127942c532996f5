"""`tessera playground`: who may ask it, its bounds, and its answers. The page itself: editors/playground/test/browser.mjs."""
import http.client
import json
import os
import re
import socket
import subprocess
import time
import unittest

from support import BIN, ToolTest, run

CENTER = "def center[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    return x - mean(x, axis=-1)\n"
RIGHT = CENTER.replace("axis=-1", "axis=-1, keepdim=True")


class Playground(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([os.path.join(BIN, "tessera"), "playground", "--port", "0", "--seconds", "10"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        address = re.search(r"http://127\.0\.0\.1:(\d+)/#(\w+)", cls.server.stdout.readline())
        cls.port, cls.token = int(address.group(1)), address.group(2)

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.wait(10)
        cls.server.stdout.close()
        cls.server.stderr.close()

    def ask(self, method, path, body=None, **headers):
        sent = {"Host": f"127.0.0.1:{self.port}", **({"Content-Type": "application/json", "X-Tessera-Token": self.token} if method == "POST" else {}),
                **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
            reply = connection.getresponse()
            return reply.status, reply.read().decode(errors="replace"), dict(reply.getheaders())
        finally:
            connection.close()

    def answer(self, kind, text, **question):
        status, body, _ = self.ask("POST", f"/api/{kind}", json.dumps({"text": text, **question}))
        self.assertEqual(status, 200, body)
        return json.loads(body)

    # ---- who may ask

    def test_the_page_is_there(self):
        status, body, headers = self.ask("GET", "/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("<title>Tessera playground</title>", body)
        self.assertNotIn(self.token, body)
        self.assertIn("frame-ancestors 'none'", headers["Content-Security-Policy"])
        self.assertEqual(self.ask("GET", "/page.js")[0], 200)
        names = [example["name"] for example in json.loads(self.ask("GET", "/examples.json")[1])]
        self.assertLessEqual({"softmax", "saxpy", "mistake"}, set(names))

    def test_other_names_of_this_machine_are_refused(self):
        for host in ("evil.example", f"evil.example:{self.port}", f"127.0.0.1.evil.example:{self.port}", ""):
            self.assertIn(self.ask("GET", "/", Host=host)[0], (400, 403), host)
        self.assertEqual(self.ask("GET", "/", Host=f"localhost:{self.port}")[0], 200)

    def test_other_pages_are_refused(self):
        body = json.dumps({"text": RIGHT})
        for origin in ("http://evil.example", f"http://127.0.0.1:{self.port + 1}", "null", f"https://127.0.0.1:{self.port}"):
            self.assertEqual(self.ask("POST", "/api/check", body, Origin=origin)[0], 403, origin)
        self.assertEqual(self.ask("POST", "/api/check", body, Origin=f"http://127.0.0.1:{self.port}")[0], 200)

    def test_a_question_needs_the_key(self):
        body = json.dumps({"text": RIGHT})
        for token in (None, "", self.token[:-1], self.token + "0"):
            self.assertEqual(self.ask("POST", "/api/check", body, X_Tessera_Token=token)[0], 403, token)

    def test_forms_and_odd_requests_are_refused(self):
        self.assertEqual(self.ask("POST", "/api/check", "text=a", Content_Type="text/plain")[0], 415)
        self.assertEqual(self.ask("POST", "/api/check", "[1, 2")[0], 400)
        self.assertEqual(self.ask("GET", "/api/check")[0], 405)
        self.assertIn("no program", self.ask("POST", "/api/check", '{"text": 5}')[1])
        self.assertIn("no such question", self.ask("POST", "/api/nothing", '{"text": ""}')[1])
        self.assertIn("cannot be answered", self.ask("POST", "/api/run", '{"text": "", "function": "f", "seed": "x"}')[1])
        for path in ("/../../etc/passwd", "/vs/../../../../etc/passwd", "/vs/%2e%2e/%2e%2e/etc/passwd", "/vs/", "/nothing.js", "//etc/passwd"):
            self.assertIn(self.ask("GET", path)[0], (400, 403, 404), path)

    def test_nobody_else_reaches_the_port(self):
        try:
            address = socket.gethostbyname(socket.gethostname())
        except OSError:
            address = "127.0.0.1"
        if address.startswith("127."):
            address = "127.0.0.2"  # an address of this machine on which it does not listen
        with socket.socket() as other:
            other.settimeout(5)
            self.assertNotEqual(other.connect_ex((address, self.port)), 0)

    # ---- bounds

    def test_programs_have_a_size(self):
        self.assertIn("up to 256 KiB", self.answer("check", "#" * (300 << 10))["failure"])
        try:
            self.assertIn(self.ask("POST", "/api/check", json.dumps({"text": "#" * (2 << 20)}))[0], (400, 413))
        except (ConnectionError, http.client.HTTPException):
            pass  # it may also hang up

    def test_a_program_without_end_is_stopped(self):
        server = subprocess.Popen([os.path.join(BIN, "tessera"), "playground", "--port", "0", "--seconds", "3"], stdout=subprocess.PIPE, text=True)
        try:
            address = re.search(r"http://127\.0\.0\.1:(\d+)/#(\w+)", server.stdout.readline())
            body = json.dumps({"function": "main", "text": "def main():\n    n = 0\n    while n >= 0:\n        n = (n + 1) % 1000\n    print(n)\n"})
            connection = http.client.HTTPConnection("127.0.0.1", int(address.group(1)), timeout=60)
            start = time.time()
            connection.request("POST", "/api/run", body, {"Content-Type": "application/json", "X-Tessera-Token": address.group(2)})
            self.assertIn("stopped after 3 seconds", json.loads(connection.getresponse().read())["failure"])
            self.assertLess(time.time() - start, 20)
            connection.close()
        finally:
            server.terminate()
            self.assertEqual(server.wait(10), 0)
            server.stdout.close()

    # ---- answers

    def test_messages_have_fixes_that_mend(self):
        [message] = self.answer("check", CENTER)["diagnostics"]
        self.assertEqual((message["code"], message["line"]), ("E0400", 2))
        fix = message["fixes"][0]
        mended = CENTER[: fix["byteBegin"]] + fix["replacement"] + CENTER[fix["byteEnd"] :]
        self.assertEqual(mended, RIGHT)
        self.assertEqual(self.answer("check", mended)["diagnostics"], [])

    def test_emitted_lines_are_linked(self):
        for target, mark in (("cuda", "__global__"), ("hip", "__global__"), ("cpu", "#pragma omp")):
            found = self.answer("emit", RIGHT, target=target)
            self.assertIn(mark, found["source"])
            count = found["source"].count("\n")
            self.assertTrue(found["lines"] and all(1 <= at <= count and 1 <= of <= 2 for at, of in found["lines"]))
        self.assertEqual([d["name"] for d in found["functions"][0]["dims"]], ["R", "C"])
        self.assertIn("tile.kernel", self.answer("level", RIGHT, target="cuda", level="tile")["source"])
        self.assertEqual(self.answer("emit", CENTER, target="cuda")["diagnostics"][0]["code"], "E0400")

    def test_a_run_gives_what_is_plotted(self):
        found = self.answer("run", RIGHT, function="center", dims={"R": "3", "C": "1000"})
        [result] = found["results"]
        self.assertEqual((result["shape"], result["rows"], result["columns"], result["columnStep"]), ([3, 1000], 3, 250, 4))
        self.assertEqual(len(result["values"]), 750)
        self.assertAlmostEqual(result["mean"], 0, delta=1e-6)
        self.assertTrue(-2 < result["least"] < 0 < result["most"] < 2)
        self.assertEqual(self.answer("run", 'def main():\n    print("so")\n', function="main")["output"], "so\n")
        logs = "def logs[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return log(x)\n"
        [result] = self.answer("run", logs, function="logs", dims={"N": "64"})["results"]
        self.assertTrue(0 < result["notFinite"] == result["values"].count("nan"))
        self.assertIn("no number", self.answer("run", RIGHT, function="center", dims={"R": "3 --out /tmp/x", "C": "1"})["failure"])
        self.assertIn("no function", self.answer("run", RIGHT, function="--help")["failure"])

    def test_the_language_server_answers(self):
        found = self.answer("ask", RIGHT, method="textDocument/hover", params={"position": {"line": 1, "character": 11}})["result"]
        self.assertIn("Tensor[R, C, f32]", found["contents"]["value"])
        self.assertIn("does not ask", self.answer("ask", RIGHT, method="workspace/executeCommand")["failure"])

    def test_the_static_page_knows_examples_and_fixes(self):
        self.write("loader.js", "")
        done = run("tessera", "playground", "--static", self.path("site"), "--monaco", self.folder, "--example", "mistake")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("site/answers/mistake.json"), encoding="utf-8") as file:
            found = json.load(file)
        self.assertEqual(found["answers"]["0 check"]["diagnostics"][0]["code"], "E0400")
        self.assertIn("keepdim=True", found["texts"][1])
        self.assertEqual(found["answers"]["1 check"]["diagnostics"], [])
        self.assertIn("__global__", found["answers"]["1 emit cuda"]["source"])
        self.assertEqual(found["answers"]["1 run center"]["results"][0]["shape"], [16, 16])
        with open(self.path("site/index.html"), encoding="utf-8") as file:
            self.assertIn('data-answers="found"', file.read())


if __name__ == "__main__":
    unittest.main()
