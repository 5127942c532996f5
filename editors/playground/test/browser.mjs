// The playground in a real browser: `node browser.mjs TESSERA OUT [STATIC]`. TESSERA is the program, screenshots go to OUT.
// With STATIC, a folder of `tessera playground --static` is looked at, too. Needs `npm ci --ignore-scripts` beside and chromium.
import { chromium } from "playwright-core";
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const [tessera, out, found] = process.argv.slice(2).map((name) => path.resolve(name));
fs.mkdirSync(out, { recursive: true });
let failures = 0;
const servers = [];

const CENTER = "def center[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    return x - mean(x, axis=-1)\n";

/// The playground as a process: its address, and how to end it.
function serve() {
  const child = spawn(tessera, ["playground", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  servers.push(child);
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.stdout.on("data", (data) => {
      const address = /http:\S+/.exec(String(data));
      if (address) done({ address: address[0], end: () => child.kill() });
    });
  });
}

function serveFolder(folder) {
  const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml" };
  const server = http.createServer((request, reply) => {
    const file = path.join(folder, path.normalize(request.url.split("?")[0].replace(/\/$/, "/index.html")));
    if (!fs.existsSync(file)) return reply.writeHead(404).end();
    reply.writeHead(200, { "Content-Type": types[path.extname(file)] ?? "application/octet-stream" }).end(fs.readFileSync(file));
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done({ address: `http://127.0.0.1:${server.address().port}/`, end: () => server.close() })));
}

function watched(page, name) {
  const said = [];
  page.setDefaultTimeout(10000);
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => !/^(http:\/\/127\.0\.0\.1:|blob:|data:)/.test(request.url()) && said.push(`asked for ${request.url()}`));
  return {
    said,
    shot: (what) => page.screenshot({ path: path.join(out, `${name}-${what}.png`) }),
    async expect(what, test, timeout = 20000) {
      const end = Date.now() + timeout;
      for (;;) {
        if (await test().catch(() => false)) return console.log(`ok    ${name}: ${what}`);
        if (Date.now() > end) break;
        await page.waitForTimeout(50);
      }
      ++failures;
      console.log(`FAIL  ${name}: ${what}`);
      await page.screenshot({ path: path.join(out, `failed-${failures}.png`) });
    },
  };
}

const textOf = async (page, selector) => (await page.locator(selector).allInnerTexts()).join("\n").replace(/\u00a0/g, " ");
const ready = (page) => page.waitForSelector("html[data-ready]", { timeout: 60000 });

async function write(page, text) {
  await page.locator("#program-host .monaco-editor").first().click({ position: { x: 200, y: 20 } });
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.evaluate((t) => window.monaco.editor.getEditors()[0].setValue(t), text);
}

async function tryLive(browser) {
  const server = await serve();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light" });
  const { said, shot, expect } = watched(page, "live");
  await page.goto(server.address);
  await ready(page);
  await expect("the CUDA of the first example is there", async () => (await textOf(page, "#code-host .view-lines")).includes("__global__"));
  await expect("shapes are written behind assignments", async () => (await textOf(page, "#program-host .view-lines")).includes(": [C] f32"));
  await page.locator("#program-host .view-line", { hasText: "tile.exp(row" }).click();
  await expect("lines of the emitted code are lit", async () => (await page.locator("#code-host .linked").count()) > 0);
  await shot("1-light");
  await page.locator("#code-host .view-line", { hasText: "x_row(x" }).click();
  await expect("a line of the program is lit", async () => (await page.locator("#program-host .linked").count()) === 1);

  await write(page, CENTER.slice(0, -2));
  await page.keyboard.press("Control+End");
  await page.keyboard.type(")");
  await expect("what was typed has a message", async () => (await textOf(page, "#messages")).includes("do not broadcast"));
  await expect("it is underlined", async () => (await page.locator("#program-host .squiggly-error").count()) > 0);
  await shot("2-message");
  await page.getByRole("button", { name: "Fix: keep the dimension" }).click();
  await expect("the fix mends it", async () => (await textOf(page, "#status")) === "the program is right");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("tab", { name: "Run" }).click();
  await expect("the function and its sizes are there", async () => (await page.locator("#sizes input").count()) === 2);
  await page.getByRole("button", { name: "Run on the CPU" }).click();
  await expect("a result is plotted", async () => (await page.locator("#results canvas").count()) === 1, 60000);
  await expect("and said in words", async () => /f32\[16, 16\], from -/.test(await textOf(page, "#results figcaption")));
  await page.locator("#results summary").click();
  await shot("3-run");

  await page.getByRole("tab", { name: "Run" }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect("levels are reached with keys", async () => (await textOf(page, "#code-host .view-lines")).includes("tile."));
  await page.getByRole("button", { name: "Switch between" }).click();
  await expect("dark is dark", async () => (await page.evaluate(() => getComputedStyle(document.body).backgroundColor && document.documentElement.dataset.theme)) === "dark");
  await shot("4-dark-levels");
  await page.getByRole("tab", { name: "HIP" }).click();
  await expect("HIP is emitted", async () => (await textOf(page, "#code-host .view-lines")).includes("// HIP for"));
  await page.selectOption("#example", "host_program");
  await page.getByRole("tab", { name: "Run" }).click();
  await expect("the whole program can be chosen", async () => (await page.locator("#function").inputValue()) === "main");
  await page.getByRole("button", { name: "Run on the CPU" }).click();
  await expect("it prints", async () => (await textOf(page, "#results")).includes("after 8 steps: 2.618034"), 60000);
  await page.close();

  const phone = await browser.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, colorScheme: "dark" });
  const small = watched(phone, "phone");
  await phone.goto(server.address);
  await ready(phone);
  await small.expect("nothing is wider than a phone", () => phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await small.shot("1");
  await phone.getByRole("tab", { name: "Run" }).click();
  await small.expect("the function is there", async () => (await phone.locator("#sizes input").count()) === 2);
  await phone.getByRole("button", { name: "Run on the CPU" }).click();
  await small.expect("a result is plotted", async () => (await phone.locator("#results canvas").count()) === 1, 60000);
  await phone.locator("#results").scrollIntoViewIfNeeded();
  await small.shot("2-run");
  await phone.close();
  server.end();
  for (const text of [...said, ...small.said]) console.log(`FAIL  the console says: ${text}`), ++failures;
}

async function tryStatic(browser) {
  const server = await serveFolder(found);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const { said, shot, expect } = watched(page, "static");
  await page.goto(server.address);
  await ready(page);
  await expect("the emitted code is there", async () => (await textOf(page, "#code-host .view-lines")).includes("__global__"));
  await page.selectOption("#example", "mistake");
  await expect("the message is there", async () => (await textOf(page, "#messages")).includes("do not broadcast"));
  await page.getByRole("button", { name: "Fix: keep the dimension" }).click();
  await expect("the fix mends it", async () => (await textOf(page, "#status")) === "the program is right");
  await page.getByRole("tab", { name: "Run" }).click();
  await expect("the function is there", async () => (await page.locator("#function").inputValue()) === "center");
  await page.getByRole("button", { name: "Run on the CPU" }).click();
  await expect("a result is plotted", async () => (await page.locator("#results canvas").count()) === 1);
  await shot("1");
  await page.close();
  server.end();
  for (const text of said) console.log(`FAIL  the console says: ${text}`), ++failures;
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  await tryLive(browser);
  if (found) await tryStatic(browser);
} finally {
  await browser.close();
  for (const server of servers) server.kill();
}
process.exit(failures ? 1 : 0);
