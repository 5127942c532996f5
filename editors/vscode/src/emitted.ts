// Emitted code beside the program: the text of the compiler, with the lines of one lit where the cursor is in the other.
import * as fs from "fs";
import * as os from "os";
import * as path from "path";
import * as vscode from "vscode";
import type { Tools } from "./tools";

const SCHEME = "tessera-emitted";
const TARGETS = {
  cuda: { suffix: ".cu", language: "cuda-cpp", title: "CUDA" },
  hip: { suffix: ".hip", language: "cpp", title: "HIP" },
  cpu: { suffix: ".cpp", language: "cpp", title: "C++" },
};
type Target = keyof typeof TARGETS;
const LEVELS = ["graph", "schedule", "tile", "target", "checked", "ast"];

/// The line map beside an emitted file.
interface LineMap {
  lines: { line: number; program: string; program_line: number }[];
}
interface Shown {
  program: string;
  target: Target;
  text: string;
  toProgram: Map<number, number>;
  toEmitted: Map<number, number[]>;
}

function isTarget(name: string | undefined): name is Target {
  return name !== undefined && name in TARGETS;
}

export class Emitted implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>(); // by the emitted document's address
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly decoration: vscode.TextEditorDecorationType;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly tools: Tools) {
    this.decoration = vscode.window.createTextEditorDecorationType({
      isWholeLine: true, backgroundColor: new vscode.ThemeColor("editor.wordHighlightBackground"),
    });
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: (uri) => this.shown.get(uri.toString())?.text ?? "",
      }),
      vscode.window.onDidChangeTextEditorSelection((event) => this.follow(event.textEditor)),
      vscode.workspace.onDidSaveTextDocument((document) => this.refresh(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString())),
      this.changed, this.decoration,
    ];
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  /// `target` defaults to the setting, the program to the one in the active editor; `name`: the function to look at first.
  async show(uri?: vscode.Uri | string, wanted?: string, name?: string): Promise<void> {
    const program = uri ? vscode.Uri.parse(uri.toString()) : vscode.window.activeTextEditor?.document.uri;
    if (!program || program.scheme !== "file") return;
    const set = vscode.workspace.getConfiguration("tessera").get<string>("target");
    const target: Target = isTarget(wanted) ? wanted : isTarget(set) ? set : "cuda";
    const document = await vscode.workspace.openTextDocument(program);
    if (document.isDirty) await document.save();
    const address = vscode.Uri.from({
      scheme: SCHEME, path: `/${path.basename(program.fsPath, ".tsr")} (${TARGETS[target].title})${TARGETS[target].suffix}`, query: `${target}:${program.fsPath}`,
    });
    if (!(await this.compile(program, target, address))) return;
    let emitted = await vscode.workspace.openTextDocument(address);
    const known = await vscode.languages.getLanguages();
    const language = known.includes(TARGETS[target].language) ? TARGETS[target].language : "cpp";
    emitted = await vscode.languages.setTextDocumentLanguage(emitted, language);
    const editor = await vscode.window.showTextDocument(emitted, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
    const line = name ? emitted.getText().split("\n").findIndex((text) => text.startsWith(`// def ${name}`)) : -1;
    if (line >= 0) editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
    const source = vscode.window.visibleTextEditors.find((one) => one.document.uri.toString() === program.toString());
    if (source) this.follow(source);
  }

  private async compile(program: vscode.Uri, target: Target, address: vscode.Uri): Promise<boolean> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tessera-"));
    try {
      const name = path.join(folder, path.basename(program.fsPath, ".tsr") + TARGETS[target].suffix);
      const done = await this.tools.run("tesserac", [program.fsPath, "-o", name], path.dirname(program.fsPath));
      if (done.code !== 0) {
        void vscode.window.showErrorMessage("Tessera: the program does not compile; the Problems view says why.");
        return false;
      }
      const map: LineMap = JSON.parse(fs.readFileSync(name.slice(0, name.lastIndexOf(".")) + ".lines.json", "utf8"));
      const toProgram = new Map<number, number>(), toEmitted = new Map<number, number[]>();
      for (const row of map.lines) {
        if (row.program !== path.basename(program.fsPath)) continue;
        toProgram.set(row.line - 1, row.program_line - 1);
        const lines = toEmitted.get(row.program_line - 1);
        if (lines) lines.push(row.line - 1);
        else toEmitted.set(row.program_line - 1, [row.line - 1]);
      }
      this.shown.set(address.toString(), { program: program.toString(), target, text: fs.readFileSync(name, "utf8"), toProgram, toEmitted });
      this.changed.fire(address);
      return true;
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }

  private async refresh(document: vscode.TextDocument): Promise<void> {
    for (const [address, shown] of this.shown)
      if (shown.program === document.uri.toString()) await this.compile(document.uri, shown.target, vscode.Uri.parse(address));
  }

  /// Lights the lines that belong to the cursor's line, in the other editor.
  private follow(editor: vscode.TextEditor): void {
    const own = editor.document.uri.toString();
    const line = editor.selection.active.line;
    for (const [address, shown] of this.shown) {
      const isProgram = shown.program === own;
      if (!isProgram && address !== own) continue;
      const other = vscode.window.visibleTextEditors.find((one) => one.document.uri.toString() === (isProgram ? address : shown.program));
      if (!other) continue;
      const mapped = shown.toProgram.get(line);
      const lines = isProgram ? shown.toEmitted.get(line) ?? [] : mapped === undefined ? [] : [mapped];
      const ranges = lines.map((at) => new vscode.Range(at, 0, at, 0));
      other.setDecorations(this.decoration, ranges);
      editor.setDecorations(this.decoration, []);
      if (ranges.length > 0 && vscode.window.activeTextEditor === editor)
        other.revealRange(ranges[0]!, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /// `name`: only this function, and what it calls.
  async showLevel(uri?: vscode.Uri | string, name?: string): Promise<void> {
    const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri.toString())) : vscode.window.activeTextEditor?.document;
    if (!document || document.languageId !== "tessera") return;
    const level = await vscode.window.showQuickPick(LEVELS, { placeHolder: "Which level?" });
    if (!level) return;
    await document.save();
    const done = await this.tools.run("tesserac", [document.uri.fsPath, `--emit=${level}`, "--target", vscode.workspace.getConfiguration("tessera").get<string>("target") ?? "cuda", ...(name && level !== "ast" ? ["--function", name] : [])], path.dirname(document.uri.fsPath));
    if (done.code !== 0) {
      void vscode.window.showErrorMessage("Tessera: the program does not compile; the Problems view says why.");
      return;
    }
    const text = await vscode.workspace.openTextDocument({ content: done.output });
    await vscode.window.showTextDocument(text, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  }
}
