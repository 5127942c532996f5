// Tessera in Monaco: colours of words, and what the language server knows of a text.
import { words } from "./words.js";

export function register(monaco, answers, messagesNow) {
  monaco.languages.register({ id: "tessera", extensions: [".tsr"] });
  monaco.languages.setLanguageConfiguration("tessera", {
    comments: { lineComment: "#" },
    brackets: [["(", ")"], ["[", "]"], ["{", "}"]],
    autoClosingPairs: [["(", ")"], ["[", "]"], ["{", "}"], ['"', '"']].map(([open, close]) => ({ open, close, notIn: ["string", "comment"] })),
    onEnterRules: [{ beforeText: /:\s*(#.*)?$/, action: { indentAction: monaco.languages.IndentAction.Indent } }],
    indentationRules: { increaseIndentPattern: /:\s*(#.*)?$/, decreaseIndentPattern: /^\s*(else|elif)\b.*:\s*$/ },
  });
  monaco.languages.setMonarchTokensProvider("tessera", tokens());
  for (const [name, base, colours] of [["tessera-light", "vs", ["0b5c8a", "7a3e9d", "8a4b00"]], ["tessera-dark", "vs-dark", ["7cc4e4", "d2a8ff", "e8b870"]]])
    monaco.editor.defineTheme(name, { base, inherit: true, colors: {}, rules: [
      { token: "function", foreground: colours[0] }, { token: "annotation", foreground: colours[1] }, { token: "dtype", foreground: colours[2] }, { token: "type", foreground: colours[2] }] });
  if (answers.live) registerServer(monaco, answers);
  registerFixes(monaco, messagesNow);
}

function tokens() {
  const strings = [];
  for (const quote of ['"""', "'''", '"', "'"]) strings.push([new RegExp(`(?:\\b[rRfFuU]{1,2})?${quote}`), { token: "string", next: `@string.${quote}` }]);
  return {
    keywords: [...words.control, ...words.defining, ...words.importing, ...words.operator, ...words.constant].filter((word) => !words.contextual.includes(word)),
    dtypes: words.dtype, types: words.type, functions: words.function,
    tokenizer: {
      root: [
        [/#.*$/, "comment"],
        ...strings,
        [/@\s*[A-Za-z_][\w.]*/, "annotation"],
        [/(def|struct|class|policy|state)(\s+)([A-Za-z_]\w*)/, ["keyword", "", "function"]],
        [/\bwhere\b(?!\()|\beffects\b(?=\s*\[)|\b(?:async|await)\b(?=\s+[A-Za-z_(])/, "keyword"],
        [/\b0[xX][\da-fA-F_]+\b|\b0[bB][01_]+\b|(?:\b\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?/, "number"],
        [/[A-Za-z_]\w*(?=\s*\()/, { cases: { "@keywords": "keyword", "@dtypes": "dtype", "@types": "type", "@default": "function" } }],
        [/[A-Za-z_]\w*/, { cases: { "@keywords": "keyword", "@dtypes": "dtype", "@types": "type", "@default": "identifier" } }],
      ],
      string: [[/\\./, "string.escape"], [/["']{3}|["']/, { cases: { "$#==$S2": { token: "string", next: "@pop" }, "@default": "string" } }], [/[^\\"']+/, "string"]],
    },
  };
}

// ---------------------------------------------------------------- the language server, asked about the text as it is

const place = (position) => ({ line: position.lineNumber - 1, character: position.column - 1 });
const rangeOf = (range) => ({ startLineNumber: range.start.line + 1, startColumn: range.start.character + 1, endLineNumber: range.end.line + 1, endColumn: range.end.character + 1 });

function registerServer(monaco, answers) {
  const ask = async (model, method, params) => (await answers.answer("ask", { text: model.getValue(), method, params })).result;
  const at = (model, method, position, more = {}) => ask(model, `textDocument/${method}`, { position: place(position), ...more });
  const kinds = { 2: "Method", 3: "Function", 5: "Field", 6: "Variable", 7: "Class", 9: "Module", 10: "Property", 14: "Keyword", 21: "Constant", 22: "Struct", 25: "TypeParameter" };
  const { languages } = monaco;
  languages.registerHoverProvider("tessera", {
    async provideHover(model, position) {
      const found = await at(model, "hover", position);
      return found && { contents: [{ value: found.contents.value }], range: found.range && rangeOf(found.range) };
    },
  });
  languages.registerCompletionItemProvider("tessera", {
    triggerCharacters: [".", "@"],
    async provideCompletionItems(model, position) {
      const found = await at(model, "completion", position);
      const word = model.getWordUntilPosition(position);
      const range = { startLineNumber: position.lineNumber, endLineNumber: position.lineNumber, startColumn: word.startColumn, endColumn: word.endColumn };
      return { suggestions: (found?.items ?? []).map((item) => ({
        label: item.label, detail: item.detail, documentation: item.documentation?.value ?? item.documentation, sortText: item.sortText,
        kind: languages.CompletionItemKind[kinds[item.kind] ?? "Variable"], insertText: item.textEdit?.newText ?? item.insertText ?? item.label,
        range: item.textEdit?.range ? rangeOf(item.textEdit.range) : range,
        insertTextRules: item.insertTextFormat === 2 ? languages.CompletionItemInsertTextRule.InsertAsSnippet : undefined,
      })) };
    },
  });
  languages.registerSignatureHelpProvider("tessera", {
    signatureHelpTriggerCharacters: ["(", ","],
    async provideSignatureHelp(model, position) {
      const found = await at(model, "signatureHelp", position);
      return found && { value: found, dispose() {} };
    },
  });
  languages.registerInlayHintsProvider("tessera", {
    async provideInlayHints(model) {
      const whole = model.getFullModelRange();
      const found = await ask(model, "textDocument/inlayHint", { range: { start: { line: 0, character: 0 }, end: place(whole.getEndPosition()) } });
      const hints = (found ?? []).map((hint) => ({ label: hint.label, tooltip: hint.tooltip, kind: languages.InlayHintKind.Type,
        position: { lineNumber: hint.position.line + 1, column: hint.position.character + 1 } }));
      return { hints, dispose() {} };
    },
  });
  languages.registerDefinitionProvider("tessera", {
    async provideDefinition(model, position) {
      const found = await at(model, "definition", position);
      return (found ?? []).filter((one) => one.uri === "program").map((one) => ({ uri: model.uri, range: rangeOf(one.range) }));
    },
  });
  languages.registerRenameProvider("tessera", {
    async provideRenameEdits(model, position, newName) {
      const found = await at(model, "rename", position, { newName });
      if (!found?.changes) return { edits: [], rejectReason: "this cannot be renamed" };
      return { edits: Object.values(found.changes).flat().map((edit) => ({ resource: model.uri, versionId: undefined, textEdit: { range: rangeOf(edit.range), text: edit.newText } })) };
    },
  });
  languages.registerDocumentFormattingEditProvider("tessera", {
    async provideDocumentFormattingEdits(model) {
      const found = await ask(model, "textDocument/formatting", { options: { tabSize: 4, insertSpaces: true } });
      return (found ?? []).map((edit) => ({ range: rangeOf(edit.range), text: edit.newText }));
    },
  });
}

/// The fixes of the messages as quick fixes (Ctrl+.), also on a page without a compiler.
function registerFixes(monaco, messagesNow) {
  monaco.languages.registerCodeActionProvider("tessera", {
    provideCodeActions(model, range) {
      const actions = [];
      for (const message of messagesNow()) {
        if (!message.place || message.place.line > range.endLineNumber || message.place.endLine < range.startLineNumber) continue;
        for (const fix of message.fixes) {
          const textEdit = { range: new monaco.Range(fix.place.line, fix.place.column, fix.place.endLine, fix.place.endColumn), text: fix.replacement };
          actions.push({ title: fix.title, kind: "quickfix", isPreferred: fix.applicability === "certain", edit: { edits: [{ resource: model.uri, versionId: undefined, textEdit }] } });
        }
      }
      return { actions, dispose() {} };
    },
  });
}
