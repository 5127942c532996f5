#!/usr/bin/env python3
"""A real Neovim, without a screen, with the configuration of editors/neovim: it types, asks, renames, formats, mends."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from client import ROOT

SERVER = None
PROGRAM = '''def scaled(x, by: f32 = 2.0):
    return x * by


def f[N, K, M](x: Tensor[N, K, f32], w: Tensor[K, M, f32]) -> Tensor[N, M, f32]:
    hidden = x @ w
    return scaled(hiden)
'''
SCRIPT = r'''
vim.opt.runtimepath:append(ROOT .. "/editors/vim")
vim.cmd("filetype plugin on")
vim.cmd("syntax on")
dofile(ROOT .. "/editors/neovim/tessera.lua").setup({ command = SERVER })
local out = {}
vim.cmd("edit " .. PROGRAM)
out.filetype = vim.bo.filetype
local buffer = vim.api.nvim_get_current_buf()
local function wait(test) return vim.wait(20000, test, 20) end
out.attached = wait(function() return #vim.lsp.get_active_clients() > 0 and vim.lsp.get_active_clients()[1].initialized end)
local client = vim.lsp.get_active_clients()[1]
wait(function() return #vim.diagnostic.get(buffer) > 0 end)
out.diagnostics = {}
for _, d in ipairs(vim.diagnostic.get(buffer)) do table.insert(out.diagnostics, { d.lnum, d.col, d.code or (d.user_data and d.user_data.lsp.code), d.message }) end
local function ask(method, line, character, more)
  local params = vim.tbl_extend("force", { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = character } }, more or {})
  local found = client.request_sync(method, params, 20000, buffer)
  return found and found.result
end
local function text() return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n") end
-- The fix of the mistake, applied as an editor does.
local range = { start = { line = 6, character = 18 }, ["end"] = { line = 6, character = 23 } }
for _, action in ipairs(ask("textDocument/codeAction", 6, 18, { range = range, context = { diagnostics = {} } })) do
  if action.kind == "quickfix" then
    vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
    break
  end
end
out.mended = text()
out.clean = wait(function() return #vim.diagnostic.get(buffer) == 0 end)
out.hover = ask("textDocument/hover", 5, 5).contents.value
out.definition = ask("textDocument/definition", 6, 12)[1].range.start.line
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", 5, 5, { newName = "inner" }), client.offset_encoding)
out.renamed = text()
-- A half-typed line, and what is offered for it.
vim.api.nvim_buf_set_lines(buffer, 6, 7, false, { "    y = inner.", "    return scaled(inner  )" })
local labels = {}
for _, item in ipairs(ask("textDocument/completion", 6, 14).items) do table.insert(labels, item.label) end
out.labels = labels
vim.api.nvim_buf_set_lines(buffer, 6, 7, false, {})
vim.lsp.util.apply_text_edits(ask("textDocument/formatting", 0, 0, { options = { tabSize = 4, insertSpaces = true } }), buffer, client.offset_encoding)
out.formatted = text()
out.group = vim.fn.synIDattr(vim.fn.synID(1, 1, 1), "name")
vim.fn.writefile({ vim.fn.json_encode(out) }, RESULT)
vim.cmd("qall!")
'''


@unittest.skipUnless(shutil.which("nvim"), "SKIPPED: there is no Neovim here (Debian: neovim)")
class Neovim(unittest.TestCase):
    def test_a_session(self):
        with tempfile.TemporaryDirectory() as folder:
            program, script, result = (os.path.join(folder, name) for name in ("f.tsr", "session.lua", "result.json"))
            Path(program).write_text(PROGRAM)
            names = {"ROOT": str(ROOT), "SERVER": str(SERVER), "PROGRAM": program, "RESULT": result}
            Path(script).write_text("".join(f"local {k} = {json.dumps(v)}\n" for k, v in names.items()) + SCRIPT)
            environment = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder, "XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}
            done = subprocess.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", f"luafile {script}", "-c", "cquit 3"],
                                  capture_output=True, text=True, timeout=120, env=environment)
            self.assertTrue(os.path.exists(result), done.stderr + done.stdout)
            out = json.loads(Path(result).read_text())
        self.assertEqual(out["filetype"], "tessera")
        self.assertTrue(out["attached"])
        [said] = out["diagnostics"]
        self.assertEqual(said[:2], [6, 18])
        self.assertIn("hiden", said[3])
        self.assertEqual(out["mended"], PROGRAM.replace("hiden", "hidden").rstrip("\n"))
        self.assertTrue(out["clean"])
        self.assertIn("hidden: Tensor[N, M, f32]", out["hover"])
        self.assertEqual(out["definition"], 0)
        self.assertEqual(out["renamed"], PROGRAM.replace("hiden", "inner").replace("hidden", "inner").rstrip("\n"))
        self.assertLessEqual({"shape", "reshape", "T"}, set(out["labels"]))
        self.assertEqual(out["formatted"], out["renamed"])
        self.assertEqual(out["group"], "tesseraKeyword")

    def test_what_is_typed(self):
        """Keys, as a person presses them: a word is completed from the menu, and the cursor goes to a definition."""
        with tempfile.TemporaryDirectory() as folder:
            program, script, socket = (os.path.join(folder, name) for name in ("f.tsr", "init.lua", "socket"))
            Path(program).write_text(PROGRAM.replace("hiden", "hidden"))
            Path(script).write_text(f"vim.opt.runtimepath:append({json.dumps(str(ROOT / 'editors/vim'))})\nvim.opt.completeopt = 'menuone'\n"
                                    f"dofile({json.dumps(str(ROOT / 'editors/neovim/tessera.lua'))}).setup({{ command = {json.dumps(str(SERVER))} }})\n")
            environment = {**os.environ, "HOME": folder, "XDG_STATE_HOME": folder, "XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}
            editor = subprocess.Popen(["nvim", "--headless", "--listen", socket, "-u", script, "-i", "NONE", program], env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(editor.wait)
            self.addCleanup(editor.kill)

            def remote(kind, text):
                done = subprocess.run(["nvim", "--server", socket, kind, text], capture_output=True, text=True, timeout=30, env=environment)
                return done.stdout.strip() or done.stderr.strip()

            def until(expression, wanted):
                end = time.time() + 20
                while (seen := remote("--remote-expr", expression)) != wanted and time.time() < end:
                    time.sleep(0.05)
                self.assertEqual(seen, wanted, expression)

            until("&filetype", "tessera")
            until("luaeval('#vim.lsp.get_active_clients() > 0 and vim.lsp.get_active_clients()[1].initialized and 1 or 0')", "1")
            remote("--remote-send", "7GOy = hidd<C-x><C-o>")
            until("pumvisible()", "1")
            remote("--remote-send", "<C-y><Esc>")
            until("getline(7)", "y = hidden")
            remote("--remote-send", "8Gf(hgd")
            until("line('.')", "1")


if __name__ == "__main__":
    SERVER = Path(sys.argv.pop(1)).resolve() / "tessera-lsp"
    unittest.main()
