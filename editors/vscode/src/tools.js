// Where the programs of Tessera are, and running them.
"use strict";
const vscode = require("vscode");
const cp = require("child_process");
const fs = require("fs");
const path = require("path");

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

class Tools {
  constructor(output) {
    this.output = output;
  }

  /// The path of a program: of the setting, of PATH, or of a build below an open folder; undefined if there is none.
  async find(name) {
    const said = vscode.workspace.getConfiguration("tessera").get("path");
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

  async required(name) {
    const found = await this.find(name);
    if (!found) vscode.window.showErrorMessage(`Tessera: there is no \`${name}\`; the setting \`tessera.path\` says where it is.`);
    return found;
  }

  /// Runs a program to its end: { code, output, errors }.
  async run(name, args, cwd) {
    const command = await this.required(name);
    if (!command) return { code: -1, output: "", errors: "" };
    return new Promise((done) => {
      cp.execFile(command, args, { cwd, maxBuffer: 256 << 20 }, (error, output, errors) => {
        const code = error ? (typeof error.code === "number" ? error.code : -1) : 0;
        if (code !== 0) this.output.appendLine(`${command} ${args.join(" ")}: ${code}\n${errors}`);
        done({ code, output, errors });
      });
    });
  }
}

exports.Tools = Tools;
