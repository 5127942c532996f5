#!/usr/bin/env python3
"""A real Emacs, without a screen, with the mode of editors/emacs: colours, indentation, and a session through eglot."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from client import ROOT

SERVER = None
PROGRAM = '''def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    hidden = x * 2.0
    return gelu(hiden)
'''
SESSION = r'''
(add-to-list 'load-path (concat root "/editors/emacs"))
(require 'tessera-mode)
(setq create-lockfiles nil eglot-autoshutdown t eglot-sync-connect 30 eglot-confirm-server-initiated-edits nil eglot-send-changes-idle-time 0.01)
(defvar out '())
(defun say (key value) (push (cons key value) out))
(find-file program)
(say 'mode (symbol-name major-mode))
(font-lock-ensure)
(defun face-of (text) (goto-char (point-min)) (search-forward text) (symbol-name (or (get-text-property (match-beginning 0) 'face) 'none)))
(say 'def (face-of "def"))
(say 'name (face-of "f["))
(say 'type (face-of "Tensor"))
(say 'builtin (face-of "gelu"))
(goto-char (point-min)) (end-of-line) (newline-and-indent)
(say 'indentation (current-indentation))
(delete-region (line-beginning-position) (1+ (line-end-position)))
(when (require 'eglot nil t)
  (add-to-list 'eglot-server-programs (list 'tessera-mode server))
  (apply #'eglot (eglot--guess-contact))
  (defun wait (test) (let ((end (+ (float-time) 20))) (while (and (not (funcall test)) (< (float-time) end)) (accept-process-output nil 0.05)) (funcall test)))
  (say 'diagnostics (and (wait (lambda () (flymake-start) (flymake-diagnostics))) (length (flymake-diagnostics))))
  (goto-char (point-min)) (search-forward "hidden") (backward-char)
  (let ((contents (plist-get (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover (eglot--TextDocumentPositionParams)) :contents)))
    (say 'hover (plist-get contents :value)))
  ;; The fix of the mistake, as the menu of actions applies it.
  (goto-char (point-min)) (search-forward "hiden") (backward-char)
  (let ((fix (seq-find (lambda (action) (equal (plist-get action :kind) "quickfix")) (eglot-code-actions (point) (point)))))
    (eglot--apply-workspace-edit (plist-get fix :edit)))
  (eglot--signal-textDocument/didChange)
  (say 'mended (buffer-substring-no-properties (point-min) (point-max)))
  (goto-char (point-min)) (search-forward "gelu(hidden") (backward-char)
  (xref-find-definitions "hidden")
  (say 'definition (line-number-at-pos))
  ;; A word that is half typed, and completed.
  (goto-char (point-max)) (search-backward "gelu(hidden)") (goto-char (match-end 0)) (insert " + hidd")
  (completion-at-point)
  (say 'completed (buffer-substring-no-properties (line-beginning-position) (line-end-position)))
  (delete-region (line-beginning-position) (line-end-position)) (insert "    return gelu(hidden)")
  (eglot--signal-textDocument/didChange)
  (goto-char (point-min)) (search-forward "hidden") (backward-char)
  (eglot-rename "inner")
  (say 'text (buffer-substring-no-properties (point-min) (point-max)))
  (goto-char (point-max)) (insert "\n\n\n\n\n")
  (eglot-format-buffer)
  (say 'formatted (buffer-substring-no-properties (point-min) (point-max))))
(with-temp-file result (insert (json-encode out)))
(set-buffer-modified-p nil)
(kill-emacs 0)
'''


@unittest.skipUnless(shutil.which("emacs"), "SKIPPED: there is no Emacs here (Debian: emacs-nox, elpa-eglot)")
class Emacs(unittest.TestCase):
    def test_a_session(self):
        with tempfile.TemporaryDirectory() as folder:
            program, script, result = (os.path.join(folder, name) for name in ("f.tsr", "session.el", "result.json"))
            Path(program).write_text(PROGRAM)
            names = {"root": str(ROOT), "server": str(SERVER), "program": program, "result": result}
            Path(script).write_text("".join(f"(setq {k} {json.dumps(v)})\n" for k, v in names.items()) + SESSION)
            done = subprocess.run(["emacs", "--batch", "--no-init-file", "-l", script], capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": folder})
            self.assertTrue(os.path.exists(result), done.stderr + done.stdout)
            out = json.loads(Path(result).read_text())
        self.assertEqual(out["mode"], "tessera-mode")
        self.assertEqual((out["def"], out["name"], out["type"], out["builtin"]),
                         ("font-lock-keyword-face", "font-lock-function-name-face", "font-lock-type-face", "font-lock-builtin-face"))
        self.assertEqual(out["indentation"], 4)
        if "hover" not in out:
            self.skipTest("SKIPPED: there is no eglot here (Debian: elpa-eglot)")
        self.assertEqual(out["diagnostics"], 1)
        self.assertIn("hidden: Tensor[N, f32]", out["hover"])
        self.assertEqual(out["mended"], PROGRAM.replace("hiden", "hidden"))
        self.assertEqual(out["definition"], 2)
        self.assertEqual(out["completed"], "    return gelu(hidden) + hidden")
        self.assertEqual(out["text"], PROGRAM.replace("hiden", "inner").replace("hidden", "inner"))
        self.assertEqual(out["formatted"], out["text"])


if __name__ == "__main__":
    SERVER = Path(sys.argv.pop(1)).resolve() / "tessera-lsp"
    unittest.main()
