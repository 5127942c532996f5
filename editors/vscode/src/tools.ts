// Where the programs of Tessera are, and running them.
import * as cp from "child_process";
import * as fs from "fs";
import * as path from "path";
import * as vscode from "vscode";

export interface Finished {
  code: number;
  output: string;
  errors: string;
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

export class Tools {
  constructor(private readonly output: vscode.OutputChannel) {}

  /// The path of a program: of the setting, of PATH, or of a build below an open folder; undefined if there is none.
  async find(name: string): Promise<string | undefined> {
    const said = vscode.workspace.getConfiguration("tessera").get<string>("path");
    const folders = said ? [said] : [];
    if (!said) {
      folders.push(...(process.env.PATH || "").split(path.delimiter).filter(Boolean));
      for (const folder of vscode.workspace.workspaceFolders || []) {
        const builds = path.join(folder.uri.fsPath, "build");
        const inside = fs.existsSync(builds) ? fs.readdirSync(builds) : [];
        folders.push(path.join(builds, "bin"), ...inside.map((build) => path.join(builds, build, "bin")));
      }
    }
    return folders.map((folder) => path.join(folder, name)).find(isProgram);
  }

  async required(name: string): Promise<string | undefined> {
    const found = await this.find(name);
    if (!found) vscode.window.showErrorMessage(`Tessera: there is no \`${name}\`; the setting \`tessera.path\` says where it is.`);
    return found;
  }

  /// Runs a program to its end.
  async run(name: string, args: string[], cwd?: string): Promise<Finished> {
    const command = await this.required(name);
    if (!command) return { code: -1, output: "", errors: "" };
    return new Promise<Finished>((done) => {
      cp.execFile(command, args, { cwd, maxBuffer: 256 << 20 }, (error, output, errors) => {
        const code = error ? (typeof error.code === "number" ? error.code : -1) : 0;
        if (code !== 0) this.output.appendLine(`${command} ${args.join(" ")}: ${code}\n${errors}`);
        done({ code, output, errors });
      });
    });
  }
}
