// The extension: starts the language server, runs the compiler for what is shown beside a program.
"use strict";
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");
const { Tools } = require("./tools");
const { Emitted } = require("./emitted");
const tasks = require("./tasks");

let client;
let output;

async function startServer(tools) {
  const command = await tools.find("tessera-lsp");
  if (!command) {
    const choice = await vscode.window.showWarningMessage(
      "Tessera: there is no `tessera-lsp` in PATH or in build/*/bin of the open folders. Without it there is colour, but no shapes, messages or completion.",
      "Say where it is");
    if (choice) vscode.commands.executeCommand("workbench.action.openSettings", "tessera.path");
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

async function stopServer() {
  const old = client;
  client = undefined;
  if (old) await old.stop().catch(() => undefined);
}

async function explain(tools, code) {
  code = code || (await vscode.window.showInputBox({ prompt: "Which message?", placeHolder: "E0404", validateInput: (text) => (/^[EW]\d{4}$/.test(text) ? undefined : "a code such as E0404") }));
  if (!code) return;
  const page = await tools.run("tessera", ["explain", code]);
  const document = await vscode.workspace.openTextDocument({ language: "markdown", content: page.output || page.errors });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
}

function inTerminal(tools, args) {
  return async () => {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.document.languageId !== "tessera") return;
    await editor.document.save();
    const command = await tools.required("tessera");
    if (!command) return;
    const task = tasks.taskOf(command, args[0], [...args.slice(1), editor.document.uri.fsPath]);
    await vscode.tasks.executeTask(task);
  };
}

/// Of a function whose dimensions need sizes: they are asked for, and those of the last time are offered.
const sizesOf = new Map();
function withSizes(tools, verb, option, more = () => []) {
  return async (uri, name) => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri.toString()));
    const head = new RegExp(`def ${name}\\[([^\\]]*)\\]`).exec(document.getText());
    const key = `${uri}#${name}`;
    const names = head ? head[1].split(",").map((one) => one.split(":")[0].trim()) : [];
    const value = sizesOf.get(key) ?? names.map((one) => `${one}=8`).join(",");
    const sizes = names.length ? await vscode.window.showInputBox({ prompt: `Sizes for ${name}`, value }) : "";
    if (sizes === undefined) return;
    sizesOf.set(key, sizes);
    await document.save();
    const command = await tools.required("tessera");
    if (command) await vscode.tasks.executeTask(tasks.taskOf(command, verb, [document.uri.fsPath, name, option, sizes, ...more()]));
  };
}

async function activate(context) {
  output = vscode.window.createOutputChannel("Tessera");
  const tools = new Tools(output);
  const emitted = new Emitted(tools);
  const register = (name, action) => context.subscriptions.push(vscode.commands.registerCommand(name, action));
  register("tessera.check", inTerminal(tools, ["check", "--no-cache"]));
  register("tessera.run", inTerminal(tools, ["run"]));
  register("tessera.checkAll", async () => {
    const command = await tools.required("tessera");
    const folders = (vscode.workspace.workspaceFolders || []).map((folder) => folder.uri.fsPath);
    if (command && folders.length) await vscode.tasks.executeTask(tasks.taskOf(command, "check", folders));
  });
  register("tessera.showEmitted", (uri, target, name) => emitted.show(uri, target, name));
  register("tessera.showLevel", (uri, name) => emitted.showLevel(uri, name));
  register("tessera.runFunction", withSizes(tools, "run", "--random"));
  register("tessera.memoryPlan", withSizes(tools, "memory", "--sizes"));
  register("tessera.roofline", withSizes(tools, "roofline", "--sizes", () => ["--target", vscode.workspace.getConfiguration("tessera").get("machine") || vscode.workspace.getConfiguration("tessera").get("target")]));
  register("tessera.explain", (code) => explain(tools, code));
  register("tessera.restartServer", async () => {
    await stopServer();
    await startServer(tools);
  });
  context.subscriptions.push(output, emitted, vscode.tasks.registerTaskProvider("tessera", new tasks.Provider(tools)));
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("tessera")) vscode.commands.executeCommand("tessera.restartServer");
  }));
  await startServer(tools);
}

exports.activate = activate;
exports.deactivate = stopServer;
