// The two texts of the page: Monaco, or where it is not, a text field and a list of lines with the same methods.

const VIEW = { automaticLayout: true, minimap: { enabled: false }, scrollBeyondLastLine: false, fontSize: 13, lineNumbersMinChars: 3, fixedOverflowWidgets: true };

/// The global `monaco`, or nothing.
export function loadMonaco() {
  return new Promise((done) => {
    const script = document.createElement("script");
    script.src = "vs/loader.js";
    script.onerror = () => done(undefined);
    script.onload = () => {
      window.require.config({ paths: { vs: new URL("vs", document.baseURI).href } });
      window.require(["vs/editor/editor.main"], () => done(window.monaco), () => done(undefined));
    };
    document.head.append(script);
  });
}

class MonacoText {
  constructor(monaco, host, options) {
    this.monaco = monaco;
    this.editor = monaco.editor.create(host, { ...VIEW, ...options });
    this.lit = this.editor.createDecorationsCollection();
  }
  get text() { return this.editor.getValue(); }
  set text(value) { if (value !== this.text) this.editor.setValue(value); }
  onText(call) { this.editor.onDidChangeModelContent(call); }
  /// The reader moved to another line: not a new text, nor a click on a message.
  onLine(call) { this.editor.onDidChangeCursorPosition((event) => ["mouse", "keyboard"].includes(event.source) && call(event.position.lineNumber)); }
  onRun(call) { this.editor.addCommand(this.monaco.KeyMod.CtrlCmd | this.monaco.KeyCode.Enter, call); }
  get line() { return this.editor.getPosition()?.lineNumber ?? 1; }
  get hasFocus() { return this.editor.hasTextFocus(); }
  light(lines) {
    this.lit.set(lines.map((line) => ({ range: new this.monaco.Range(line, 1, line, 1), options: { isWholeLine: true, className: "linked" } })));
    if (lines.length) this.editor.revealLineInCenterIfOutsideViewport(lines[0]);
  }
  go(line, column) {
    this.editor.setPosition({ lineNumber: line, column });
    this.editor.revealLineInCenter(line);
    this.editor.focus();
  }
  edit(place, text) {
    this.editor.pushUndoStop();
    this.editor.executeEdits("fix", [{ range: new this.monaco.Range(place.line, place.column, place.endLine, place.endColumn), text }]);
    this.editor.pushUndoStop();
  }
  marks(messages) {
    const { MarkerSeverity } = this.monaco;
    this.monaco.editor.setModelMarkers(this.editor.getModel(), "tessera", messages.filter((m) => m.place).map((m) => ({
      severity: m.severity === "error" ? MarkerSeverity.Error : MarkerSeverity.Warning, code: m.code, source: "tessera",
      message: [m.message, m.label].filter(Boolean).join("\n"),
      startLineNumber: m.place.line, startColumn: m.place.column, endLineNumber: m.place.endLine, endColumn: m.place.endColumn,
    })));
  }
}

class PlainText {
  constructor(host, options) {
    this.element = host.appendChild(document.createElement(options.readOnly ? "div" : "textarea"));
    this.element.className = "plain";
    this.element.setAttribute("aria-label", options.ariaLabel);
    this.element.spellcheck = false;
    this.readOnly = options.readOnly;
    if (this.readOnly) this.element.tabIndex = 0;
    this.lines = [];
  }
  get text() { return this.readOnly ? this.lines.join("\n") : this.element.value; }
  set text(value) {
    if (value === this.text) return;
    if (!this.readOnly) {
      this.element.value = value;
      return this.element.dispatchEvent(new Event("input"));
    }
    this.lines = value.split("\n");
    this.element.replaceChildren(...this.lines.map((text) => Object.assign(document.createElement("div"), { textContent: text })));
  }
  onText(call) { this.element.addEventListener("input", call); }
  onLine(call) {
    for (const event of ["keyup", "click"])
      this.element.addEventListener(event, (what) => call(this.readOnly ? [...this.element.children].indexOf(what.target) + 1 : this.line));
  }
  onRun(call) { this.element.addEventListener("keydown", (event) => { if (event.ctrlKey && event.key === "Enter") call(); }); }
  get line() { return this.readOnly ? 1 : this.element.value.slice(0, this.element.selectionStart).split("\n").length; }
  get hasFocus() { return document.activeElement === this.element; }
  light(lines) {
    if (!this.readOnly) return;
    [...this.element.children].forEach((child, i) => child.classList.toggle("linked", lines.includes(i + 1)));
    if (lines.length) this.element.children[lines[0] - 1]?.scrollIntoView({ block: "nearest" });
  }
  offset(line, column) { return this.text.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1; }
  go(line, column) {
    this.element.focus();
    this.element.setSelectionRange?.(this.offset(line, column), this.offset(line, column));
  }
  edit(place, text) { this.text = this.text.slice(0, this.offset(place.line, place.column)) + text + this.text.slice(this.offset(place.endLine, place.endColumn)); }
  marks() {}
}

export function makeText(monaco, host, options) {
  return monaco ? new MonacoText(monaco, host, options) : new PlainText(host, options);
}
