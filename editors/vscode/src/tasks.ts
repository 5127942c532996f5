// Tasks: `tessera check`, `fmt` and `run`, with messages in the Problems view.
import * as vscode from "vscode";
import type { Tools } from "./tools";

/// As `tasks.json` has it.
interface Definition extends vscode.TaskDefinition {
  command: string;
  paths?: string[];
}

export function taskOf(command: string, verb: string, args: string[]): vscode.Task {
  const task = new vscode.Task(
    { type: "tessera", command: verb, paths: args }, vscode.TaskScope.Workspace, `${verb} ${args.filter((a) => !a.startsWith("-")).map((a) => a.split("/").pop()).join(" ")}`, "tessera",
    new vscode.ProcessExecution(command, [verb, ...args]), verb === "check" ? ["$tessera"] : []);
  task.presentationOptions = { reveal: ["run", "memory", "roofline"].includes(verb) ? vscode.TaskRevealKind.Always : vscode.TaskRevealKind.Silent, clear: true };
  return task;
}

export class Provider implements vscode.TaskProvider {
  constructor(private readonly tools: Tools) {}

  async provideTasks(): Promise<vscode.Task[]> {
    const command = await this.tools.find("tessera");
    if (!command) return [];
    return (vscode.workspace.workspaceFolders || []).map((folder) => {
      const task = taskOf(command, "check", [folder.uri.fsPath]);
      task.group = vscode.TaskGroup.Build;
      return task;
    });
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const definition = task.definition as Definition;
    const command = await this.tools.find("tessera");
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    return command ? taskOf(command, definition.command, definition.paths ?? (folder ? [folder] : [])) : undefined;
  }
}
