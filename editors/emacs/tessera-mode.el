;;; tessera-mode.el --- Major mode for Tessera  -*- lexical-binding: t; -*-

;; In init.el:
;;   (add-to-list 'load-path "/path/to/tessera/editors/emacs")
;;   (require 'tessera-mode)
;; With eglot (of Emacs 29, or of the package archive), `M-x eglot' starts `tessera-lsp'.

;;; Code:

(require 'tessera-words)

(defvar tessera-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\' "\"" table)
    (modify-syntax-entry ?_ "_" table)
    table)
  "Syntax of Tessera: comments to the end of the line, texts in two kinds of quotes.")

(defvar tessera-font-lock-keywords
  `(("^[ \t]*\\(@[ \t]*[A-Za-z_][A-Za-z0-9_.]*\\)" 1 font-lock-preprocessor-face)
    ("@[ \t]*\\([a-z_]+\\)" 1 font-lock-preprocessor-face)
    ("\\_<def[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-function-name-face)
    ("\\_<\\(?:struct\\|class\\|policy\\)[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-type-face)
    (,(regexp-opt tessera-keywords 'symbols) . font-lock-keyword-face)
    ("^[ \t]*\\(struct\\|policy\\|state\\)[ \t]+[A-Za-z_]" 1 font-lock-keyword-face)
    ("\\_<\\(where\\)\\_>\\(?:[^(]\\|$\\)" 1 font-lock-keyword-face)
    ("\\_<\\(effects\\)[ \t]*\\[" 1 font-lock-keyword-face)
    ("\\_<\\(async\\|await\\)[ \t]+[A-Za-z_(]" 1 font-lock-keyword-face)
    (,(regexp-opt tessera-constants 'symbols) . font-lock-constant-face)
    (,(regexp-opt tessera-types 'symbols) . font-lock-type-face)
    (,(concat (regexp-opt tessera-functions 'symbols) "[ \t]*(") 1 font-lock-builtin-face))
  "Colours of words.")

(defun tessera-indent-line ()
  "Indent by four under a line that ends with a colon, else as the line before."
  (let* ((column (current-column))
         (before (current-indentation))
         (wanted (save-excursion
                   (beginning-of-line)
                   (if (not (re-search-backward "^[ \t]*[^ \t\n#]" nil t)) 0
                     (+ (current-indentation)
                        (if (save-excursion (end-of-line) (looking-back ":[ \t]*\\(?:#.*\\)?" (line-beginning-position))) 4 0))))))
    (indent-line-to (if (and (eq this-command last-command) (> before 0)) (max 0 (- before 4)) wanted))
    (when (> column before) (move-to-column (+ column (- (current-indentation) before))))))

;;;###autoload
(define-derived-mode tessera-mode prog-mode "Tessera"
  "Major mode for programs in Tessera."
  (setq-local comment-start "# ")
  (setq-local comment-end "")
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 4)
  (setq-local fill-column 120)
  (setq-local indent-line-function #'tessera-indent-line)
  (setq-local font-lock-defaults '(tessera-font-lock-keywords))
  (setq-local compile-command (concat "tessera check " (if buffer-file-name (shell-quote-argument buffer-file-name) "."))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.tsr\\'" . tessera-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(tessera-mode . ("tessera-lsp"))))

(with-eval-after-load 'compile
  (add-to-list 'compilation-error-regexp-alist-alist '(tessera "^ *--> \\(.*\\):\\([0-9]+\\):\\([0-9]+\\)$" 1 2 3))
  (add-to-list 'compilation-error-regexp-alist 'tessera))

(provide 'tessera-mode)

;;; tessera-mode.el ends here
