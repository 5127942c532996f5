// Tasks: `tessera check`, `fmt` and `run`, with messages in the Problems view.
"use strict";
const vscode = require("vscode");

function taskOf(command, verb, args) {
  const task = new vscode.Task(
    { type: "tessera", command: verb, paths: args }, vscode.TaskScope.Workspace, `${verb} ${args.filter((a) => !a.startsWith("-")).map((a) => a.split("/").pop()).join(" ")}`, "tessera",
    new vscode.ProcessExecution(command, [verb, ...args]), verb === "check" ? ["$tessera"] : []);
  task.presentationOptions = { reveal: ["run", "memory", "roofline"].includes(verb) ? vscode.TaskRevealKind.Always : vscode.TaskRevealKind.Silent, clear: true };
  return task;
}

class Provider {
  constructor(tools) {
    this.tools = tools;
  }
  async provideTasks() {
    const command = await this.tools.find("tessera");
    if (!command) return [];
    return (vscode.workspace.workspaceFolders || []).map((folder) => {
      const task = taskOf(command, "check", [folder.uri.fsPath]);
      task.group = vscode.TaskGroup.Build;
      return task;
    });
  }
  async resolveTask(task) {
    const command = await this.tools.find("tessera");
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    return command ? taskOf(command, task.definition.command, task.definition.paths ?? (folder ? [folder] : [])) : undefined;
  }
}

exports.taskOf = taskOf;
exports.Provider = Provider;
