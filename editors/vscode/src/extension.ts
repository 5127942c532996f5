// The extension: starts the language server, runs the compiler for what is shown beside a program.
import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { Emitted } from "./emitted";
import * as tasks from "./tasks";
import { Tools } from "./tools";

/// The address of a program, as a lens or a command of the palette gives it.
type Address = vscode.Uri | string;
let client: LanguageClient | undefined;

async function startServer(tools: Tools, output: vscode.OutputChannel): Promise<void> {
  const command = await tools.find("tessera-lsp");
  if (!command) {
    const choice = await vscode.window.showWarningMessage(
      "Tessera: there is no `tessera-lsp` in PATH or in build/*/bin of the open folders. Without it there is colour, but no shapes, messages or completion.",
      "Say where it is");
    if (choice) await vscode.commands.executeCommand("workbench.action.openSettings", "tessera.path");
    return;
  }
  const settings = vscode.workspace.getConfiguration("tessera");
  client = new LanguageClient(
    "tessera", "Tessera",
    { command, args: ["--stdio"], transport: TransportKind.stdio },
    {
      documentSelector: [{ scheme: "file", language: "tessera" }, { scheme: "untitled", language: "tessera" }],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.tsr") },
      initializationOptions: { codeLens: settings.get("codeLens"), debounce: settings.get("debounce"), machine: settings.get("machine") || undefined },
      outputChannel: output,
    });
  await client.start();
}

async function stopServer(): Promise<void> {
  const old = client;
  client = undefined;
  if (old) await old.stop().catch(() => undefined);
}

async function explain(tools: Tools, given?: string): Promise<void> {
  const code = given || (await vscode.window.showInputBox({ prompt: "Which message?", placeHolder: "E0404", validateInput: (text) => (/^[EW]\d{4}$/.test(text) ? undefined : "a code such as E0404") }));
  if (!code) return;
  const page = await tools.run("tessera", ["explain", code]);
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content: page.output || page.errors });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
}

function inTerminal(tools: Tools, verb: string, ...more: string[]): () => Promise<void> {
  return async () => {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.document.languageId !== "tessera") return;
    await editor.document.save();
    const command = await tools.required("tessera");
    if (!command) return;
    const task = tasks.taskOf(command, verb, [...more, editor.document.uri.fsPath]);
    await vscode.tasks.executeTask(task);
  };
}

/// Of a function whose dimensions need sizes: they are asked for, and those of the last time are offered.
const sizesOf = new Map<string, string>();
function withSizes(tools: Tools, verb: string, option: string, more: () => string[] = () => []): (uri: Address, name: string) => Promise<void> {
  return async (uri, name) => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri.toString()));
    const head = new RegExp(`def ${name}\\[([^\\]]*)\\]`).exec(document.getText());
    const key = `${uri}#${name}`;
    const names = head?.[1] ? head[1].split(",").map((one) => one.replace(/:.*/, "").trim()) : [];
    const value = sizesOf.get(key) ?? names.map((one) => `${one}=8`).join(",");
    const sizes = names.length ? await vscode.window.showInputBox({ prompt: `Sizes for ${name}`, value }) : "";
    if (sizes === undefined) return;
    sizesOf.set(key, sizes);
    await document.save();
    const command = await tools.required("tessera");
    if (command) await vscode.tasks.executeTask(tasks.taskOf(command, verb, [document.uri.fsPath, name, option, sizes, ...more()]));
  };
}

/// What is shown as emitted code, and for which machine its rate is estimated.
function setting(name: string): string {
  return vscode.workspace.getConfiguration("tessera").get<string>(name) ?? "";
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Tessera");
  const tools = new Tools(output);
  const emitted = new Emitted(tools);
  const register = <Given extends unknown[]>(name: string, action: (...given: Given) => unknown): void => {
    context.subscriptions.push(vscode.commands.registerCommand(name, action));
  };
  register("tessera.check", inTerminal(tools, "check", "--no-cache"));
  register("tessera.run", inTerminal(tools, "run"));
  register("tessera.checkAll", async () => {
    const command = await tools.required("tessera");
    const folders = (vscode.workspace.workspaceFolders || []).map((folder) => folder.uri.fsPath);
    if (command && folders.length) await vscode.tasks.executeTask(tasks.taskOf(command, "check", folders));
  });
  register("tessera.showEmitted", (uri?: Address, target?: string, name?: string) => emitted.show(uri, target, name));
  register("tessera.showLevel", (uri?: Address, name?: string) => emitted.showLevel(uri, name));
  register("tessera.runFunction", withSizes(tools, "run", "--random"));
  register("tessera.memoryPlan", withSizes(tools, "memory", "--sizes"));
  register("tessera.roofline", withSizes(tools, "roofline", "--sizes", () => ["--target", setting("machine") || setting("target")]));
  register("tessera.explain", (code?: string) => explain(tools, code));
  register("tessera.restartServer", async () => {
    await stopServer();
    await startServer(tools, output);
  });
  context.subscriptions.push(output, emitted, vscode.tasks.registerTaskProvider("tessera", new tasks.Provider(tools)));
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("tessera")) vscode.commands.executeCommand("tessera.restartServer");
  }));
  await startServer(tools, output);
}

export const deactivate = stopServer;
