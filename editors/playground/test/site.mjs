// The documentation's site in a real browser: `node site.mjs SITE OUT`. Pages are there, search finds without a network, the
// playground is a part of it, and the console says nothing.
import { chromium } from "playwright-core";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const [site, out] = process.argv.slice(2).map((name) => path.resolve(name));
fs.mkdirSync(out, { recursive: true });
const port = 8392;
const server = spawn("python3", ["-m", "http.server", "-b", "127.0.0.1", "-d", site, String(port)], { stdio: "ignore" });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
let failures = 0;
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 850 } });
  page.setDefaultTimeout(20000);
  const said = [];
  page.on("console", (message) => message.type() === "error" && said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => !/^(http:\/\/127\.0\.0\.1:|blob:|data:)/.test(request.url()) && said.push(`asked for ${request.url()}`));
  const check = async (what, test) => {
    const end = Date.now() + 20000;
    while (Date.now() < end) {
      if (await test().catch(() => false)) return console.log(`ok    site: ${what}`);
      await page.waitForTimeout(100);
    }
    console.log(`FAIL  site: ${what}`);
    ++failures;
  };
  const address = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 50 && !(await page.goto(`${address}/index.html`).catch(() => null)); ++i) await new Promise((done) => setTimeout(done, 100));
  await check("the first page is there", async () => (await page.title()).includes("Tessera"));
  await page.screenshot({ path: path.join(out, "site-1.png") });
  await page.locator(".md-search__input").click();
  await page.keyboard.type("layer norm");
  await check("search finds without a network", async () => (await page.locator(".md-search-result__item").count()) > 0);
  await page.screenshot({ path: path.join(out, "site-2-search.png") });
  await page.goto(`${address}/tour/01-first.html`);
  await check("the tour is there", async () => (await page.locator("pre code").count()) > 0);
  await page.goto(`${address}/playground.html`);
  await page.getByRole("link", { name: "Try it here" }).click();
  await page.waitForSelector("html[data-ready]");
  await check("the playground shows emitted code", async () => (await page.locator("#code-host .view-lines").innerText()).includes("__global__"));
  await page.selectOption("#example", "flash_attention");
  await check("of each example", async () => (await page.locator("#code-host .view-lines").innerText()).replace(/\u00a0/g, " ").includes("attend"));
  await page.screenshot({ path: path.join(out, "site-3-playground.png") });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${address}/library.html`);
  await page.screenshot({ path: path.join(out, "site-4-phone.png") });
  for (const text of said) console.log(`FAIL  the console says: ${text}`), ++failures;
} finally {
  await browser.close();
  server.kill();
}
process.exit(failures ? 1 : 0);
