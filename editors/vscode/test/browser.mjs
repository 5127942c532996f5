// The extension in a real VS Code in a browser. `node browser.mjs SERVER TOOLS OUT`: SERVER is a folder where the npm packages
// code-server and playwright-core are installed, TOOLS holds tessera-lsp and tesserac, screenshots go to OUT. The extension
// has to be packed first (package.sh). Fails if something that a user would look for is not there.
import { createRequire } from "node:module";
import { spawn, execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const [server, tools, out] = process.argv.slice(2).map((name) => path.resolve(name));
const { chromium } = createRequire(path.join(server, "package.json"))("playwright-core");
const here = path.dirname(new URL(import.meta.url).pathname);
const entry = path.join(server, "node_modules/code-server/out/node/entry.js");
const PORT = 8391;
const PROGRAM = `struct Weights[D, F]:
    up: Tensor[D, F, f32]
    down: Tensor[F, D, f32]


def block[B, S, D, F](x: Tensor[B, S, D, f32], w: Weights[D, F]) -> Tensor[B, S, D, f32] where D % 64 == 0:
    """Two products."""
    h = x.reshape(B * S, D) @ w.up
    a = gelu(h)
    y = (a @ w.down).reshape(B, S, D)
    return y + x


@kernel
def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    """exp(x) / sum(exp(x)) along each row."""
    r, _ = tile.origin()
    row = x[r, :]
    e = tile.exp(row - tile.max(row, axis=-1, keepdim=True))
    return e / tile.sum(e, axis=-1, keepdim=True)
`;

fs.mkdirSync(out, { recursive: true });
const folder = fs.mkdtempSync("/tmp/tessera-vscode-");
const project = path.join(folder, "project");
fs.mkdirSync(path.join(project, ".vscode"), { recursive: true });
fs.writeFileSync(path.join(project, "block.tsr"), PROGRAM);
fs.writeFileSync(path.join(project, ".vscode/settings.json"), JSON.stringify({
  "tessera.path": tools, "editor.fontSize": 13, "editor.minimap.enabled": false, "workbench.startupEditor": "none", "security.workspace.trust.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden", "workbench.tips.enabled": false, "chat.commandCenter.enabled": false,
  "terminal.integrated.gpuAcceleration": "off", // so that its text can be read
}));
const where = ["--extensions-dir", path.join(folder, "extensions"), "--user-data-dir", path.join(folder, "data")];
execFileSync("node", [entry, ...where, "--install-extension", path.join(here, "../tessera.vsix")], { stdio: "inherit" });
const code = spawn("node", [entry, "--auth", "none", "--bind-addr", `127.0.0.1:${PORT}`, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", ...where, project], { stdio: "ignore" });

let failures = 0;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1600, height: 950 } });
  for (let i = 0; i < 60; ++i) {
    const up = await page.goto(`http://127.0.0.1:${PORT}/?folder=${project}`).then(() => true, () => false);
    if (up) break;
    await new Promise((done) => setTimeout(done, 1000));
  }
  await page.waitForSelector(".monaco-workbench", { timeout: 120000 });
  const shot = (name) => page.screenshot({ path: path.join(out, `${name}.png`) });
  const expect = async (what, test, timeout = 30000) => {
    const end = Date.now() + timeout;
    while (Date.now() < end) {
      if (await test().catch(() => false)) return console.log(`ok    ${what}`);
      await page.waitForTimeout(200);
    }
    console.log(`FAIL  ${what}`);
    ++failures;
    await shot(`failed-${failures}`);
  };
  const text = async (selector) => (await page.locator(selector).allInnerTexts()).join("\n").replace(/\u00a0/g, " ");
  const command = async (name) => {
    await page.keyboard.press("F1");
    await page.waitForSelector(".quick-input-widget input");
    await page.keyboard.type(name);
    await page.waitForTimeout(700);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(500);
  };
  const goTo = async (line, column = 1) => {
    await page.keyboard.press("Control+g");
    await page.waitForSelector(".quick-input-widget input");
    await page.keyboard.type(`${line}:${column}`);
    await page.keyboard.press("Enter");
    await page.waitForTimeout(300);
  };

  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "block.tsr" }).dblclick({ timeout: 60000 });
  await expect("the program is open", async () => (await text(".view-lines")).includes("struct Weights"));
  await expect("shapes stand behind assignments", async () => (await text(".view-lines")).includes(": [B*S, F] f32"));
  await shot("1-inlay-hints");

  await page.locator(".view-line", { hasText: "h = x.reshape" }).locator("span", { hasText: /^h$/ }).first().hover().catch(() => undefined);
  await goTo(8, 5);
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+i");
  await expect("hover tells the type", async () => (await text(".monaco-hover")).includes("Tensor[B*S, F, f32]"));
  await shot("2-hover");
  await page.keyboard.press("Escape");

  await goTo(9, 14);
  await page.keyboard.type("h");
  await expect("a mistake is underlined", async () => (await page.locator(".squiggly-error").count()) > 0);
  await shot("3-mistake");
  await page.waitForTimeout(1500);
  await goTo(9, 14);
  await page.keyboard.press("Control+.");
  await expect("a fix is offered", async () => (await text(".action-widget")).includes("write `h`"));
  await shot("4-fix");
  await page.keyboard.press("Enter");
  await expect("the fix mends it", async () => (await page.locator(".squiggly-error").count()) === 0);

  await goTo(9, 16);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("z = w.");
  await expect("members are offered", async () => /\bdown\b[^]*\bup\b/.test(await text(".suggest-widget")));
  await shot("5-completion");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Shift+k");
  await expect("the program is right again", async () => (await page.locator(".squiggly-error").count()) === 0);

  await command("Tessera: Show Emitted Code Beside");
  await expect("the emitted code stands beside", async () => (await text(".view-lines")).includes("__global__"));
  await page.locator(".view-line", { hasText: "tile.exp(row" }).first().click();
  await expect("lines of the other are lit", async () => (await page.locator(".view-overlays .cdr[class*='ced-']").count()) > 0, 20000);
  await page.waitForTimeout(800);
  await shot("6-emitted");
  await page.locator(".view-line", { hasText: "x_row(x" }).last().click();
  await page.waitForTimeout(800);
  await expect("and those of the program from there", async () => {
    const lit = page.locator(".view-overlays .cdr[class*='ced-']");
    return (await lit.count()) === 1;
  });
  await shot("7-back");

  await page.locator(".view-line", { hasText: "tile.exp(row" }).first().click();
  await goTo(18, 5);
  await page.keyboard.press("F2");
  const box = page.locator(".rename-box input");
  await box.waitFor();
  await page.waitForTimeout(500); // it fills itself with the name first
  await box.fill("line");
  await box.press("Enter");
  await expect("a name is renamed everywhere", async () => /tile\.exp\(line - tile\.max\(line,/.test(await text(".view-lines")));
  await command("Format Document");
  await shot("8-renamed");

  await page.locator(".view-line", { hasText: "x.reshape(B" }).first().click();
  await goTo(8, 40);
  await page.locator(".codelens-decoration a", { hasText: "Roofline" }).first().click();
  await page.waitForSelector(".quick-input-widget input");
  await page.waitForTimeout(500);
  await page.keyboard.press("Enter");
  await expect("the roofline of a function is shown", async () => /limited by\s[^]*block_a_kernel/.test(await text(".xterm-rows")), 60000);
  await shot("9-roofline");
  await page.locator(".view-line", { hasText: "x.reshape(B" }).first().click();
  await goTo(8, 36);
  await page.keyboard.press("Control+.");
  await expect("it is asked why there are no tensor cores", async () => (await text(".action-widget")).includes("Why not tensor cores?"));
  await page.keyboard.type("Why not");
  await page.waitForTimeout(300);
  await page.keyboard.press("Enter");
  await expect("and the reason is shown", async () => (await text(".notifications-toasts")).includes("no mma"));
  await shot("10-why-not");
} finally {
  await browser.close();
  code.kill();
  fs.rmSync(folder, { recursive: true, force: true });
}
process.exit(failures ? 1 : 0);
