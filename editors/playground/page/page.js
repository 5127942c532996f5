// The page: what was typed is checked, emitted and shown; nothing is asked that is not looked at.
import { LiveAnswers, FoundAnswers } from "./service.js";
import { loadMonaco, makeText } from "./editor.js";
import { register } from "./language.js";
import { show } from "./plot.js";

const byId = (id) => document.getElementById(id);
const live = document.body.dataset.answers === "live";
const answers = live ? new LiveAnswers(location.hash.slice(1)) : new FoundAnswers();
const VIEWS = ["cuda", "hip", "cpu", "level", "run"];
const state = { view: "cuda", messages: [], lines: [], functions: [], turn: 0, example: "" };
let monaco, program, code;

function status(text) { byId("status").textContent = text; }
function note(element, text, bad = false) {
  element.hidden = !text;
  element.textContent = text ?? "";
  element.classList.toggle("bad", bad);
}

// ---------------------------------------------------------------- messages

/// Columns of the compiler count characters, those of the page units of UTF-16.
function placeOf(what, lines) {
  if (what.line === undefined || (what.file && !what.file.endsWith("program.tsr"))) return undefined;
  const column = (line, count) => [...(lines[line - 1] ?? "")].slice(0, count - 1).join("").length + 1;
  return { line: what.line, column: column(what.line, what.column), endLine: what.endLine, endColumn: column(what.endLine, what.endColumn) };
}

function readMessages(diagnostics, text) {
  const lines = text.split("\n");
  return diagnostics.map((d) => ({ ...d, place: placeOf(d, lines), notes: d.notes ?? [],
    fixes: (d.fixes ?? []).map((fix) => ({ ...fix, place: placeOf(fix, lines) })).filter((fix) => fix.place) }));
}

function element(parent, tag, text, name) {
  const made = parent.appendChild(document.createElement(tag));
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

function showMessages() {
  const list = byId("messages");
  list.replaceChildren();
  for (const message of state.messages) {
    const box = element(list, "div", undefined, `message ${message.severity}`), head = element(box, "p");
    element(head, "strong", `${message.severity}[${message.code}]`);
    head.append(`: ${message.message} `);
    if (message.place) element(head, "button", `line ${message.place.line}`, "where").addEventListener("click", () => program.go(message.place.line, message.place.column));
    if (message.label) element(box, "p", message.label);
    for (const one of message.notes) element(box, "p", (one.line && one.file?.endsWith("program.tsr") ? `line ${one.line}: ` : "") + one.message, "help");
    const fixes = element(box, "div", undefined, "fixes");
    for (const fix of message.fixes)
      element(fixes, "button", `Fix: ${fix.title || `write ${fix.replacement}`}`).addEventListener("click", () => program.edit(fix.place, fix.replacement));
  }
  program.marks(state.messages);
}

// ---------------------------------------------------------------- what was typed

let waiting;
function changed() {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 200);
}

async function refresh() {
  const turn = ++state.turn, text = program.text;
  try { sessionStorage.setItem("program", JSON.stringify({ text, example: state.example })); } catch { /* private windows have none */ }
  const checked = await answers.answer("check", { text });
  if (turn !== state.turn) return;
  state.messages = readMessages(checked.diagnostics ?? [], text);
  showMessages();
  const errors = state.messages.filter((m) => m.severity === "error").length;
  status(checked.failure ?? (errors ? `${errors} ${errors === 1 ? "mistake" : "mistakes"}` : "the program is right"));
  if (state.view === "run") await showFunctions(turn, text);
  else await showCode(turn, text, errors > 0);
}

async function showCode(turn, text, wrong) {
  const isLevel = state.view === "level";
  byId("choices").hidden = !isLevel;
  if (wrong) {
    note(byId("code-note"), code.text ? "The program has mistakes; this is what was emitted before." : "The program has mistakes.");
    return link(program.line, []);
  }
  const question = isLevel ? { text, target: byId("level-target").value, level: byId("level").value } : { text, target: state.view };
  const found = await answers.answer(isLevel ? "level" : "emit", question);
  if (turn !== state.turn) return;
  const refused = found.source === undefined;
  note(byId("code-note"), refused ? found.failure ?? sentences(found.diagnostics) : "", refused && !found.absent);
  code.text = found.source ?? "";
  state.lines = found.lines ?? [];
  if (monaco) monaco.editor.setModelLanguage(code.editor.getModel(), isLevel ? "plaintext" : "cpp");
  link(program.line, code.hasFocus ? undefined : code);
}

const sentences = (diagnostics) => (diagnostics ?? []).map((d) => [`${d.severity}[${d.code}]: ${d.message}`, ...(d.notes ?? []).map((n) => `  ${n.message}`)].join("\n")).join("\n");

/// Lights the lines of the other text that belong to a line of one.
function link(line, other) {
  if (other === code) {
    code.light(state.lines.filter(([, of]) => of === line).map(([at]) => at));
    program.light([]);
  } else if (other === program) {
    const found = state.lines.find(([at]) => at === line);
    program.light(found ? [found[1]] : []);
    code.light([]);
  } else {
    for (const text of [code, program]) text.light([]);
  }
}

// ---------------------------------------------------------------- views

function choose(view, focus = false) {
  state.view = view;
  for (const name of VIEWS) {
    const tab = byId(`tab-${name}`), chosen = name === view;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    if (chosen && focus) tab.focus();
  }
  byId("run-panel").hidden = view !== "run";
  byId("code-panel").hidden = view === "run";
  byId("code-panel").setAttribute("aria-labelledby", `tab-${view}`);
  return refresh();
}

function moveTab(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const next = event.key === "Home" ? 0 : event.key === "End" ? VIEWS.length - 1 : step && (VIEWS.indexOf(state.view) + step + VIEWS.length) % VIEWS.length;
  if (next === undefined) return;
  event.preventDefault();
  choose(VIEWS[next], true);
}

// ---------------------------------------------------------------- running

async function showFunctions(turn, text) {
  const found = await answers.answer("emit", { text, target: "cpu" });
  if (turn !== state.turn) return;
  const isMain = /^def main\(/m.test(text), functions = [...(isMain ? [{ name: "main", dims: [], scalars: [] }] : []), ...(found.functions ?? [])];
  note(byId("run-note"), functions.length ? "" : found.failure ?? (sentences(found.diagnostics) || "The program has no function that can be run."), !functions.length && !found.absent);
  if (JSON.stringify(functions) === JSON.stringify(state.functions)) return;
  state.functions = functions;
  const list = byId("function"), before = list.value;
  list.replaceChildren(...functions.map((f) => new Option(f.name, f.name)));
  if (functions.some((f) => f.name === before)) list.value = before;
  showSizes();
}

function showSizes() {
  const chosen = state.functions.find((f) => f.name === byId("function").value), place = byId("sizes");
  place.replaceChildren();
  const field = (kind, name, value, hint) => {
    const label = element(place, "label", `${name} `), input = element(label, "input");
    Object.assign(input, { value, placeholder: hint, disabled: !live, inputMode: kind === "dims" ? "numeric" : "decimal", autocomplete: "off" });
    Object.assign(input.dataset, { kind, name });
  };
  for (const dim of chosen?.dims ?? []) field("dims", dim.name, dim.size, "size");
  for (const scalar of chosen?.scalars ?? []) field("scalars", scalar.name, scalar.value, "random");
}

async function run(event) {
  event?.preventDefault();
  if (state.view !== "run") await choose("run");
  const name = byId("function").value, results = byId("results");
  if (!name) return;
  const question = { text: program.text, function: name, dims: {}, scalars: {} };
  for (const input of byId("sizes").querySelectorAll("input")) if (input.value.trim()) question[input.dataset.kind][input.dataset.name] = input.value.trim();
  status(`${name} runs`);
  results.setAttribute("aria-busy", "true");
  const found = await answers.answer("run", question);
  results.removeAttribute("aria-busy");
  results.replaceChildren();
  const refused = found.failure ?? (found.diagnostics?.length ? sentences(found.diagnostics) : "");
  note(byId("run-note"), refused, Boolean(refused) && !found.absent);
  status(refused ? `${name} did not run` : found.seconds ? `${name} took ${(found.seconds * 1e3).toPrecision(3)} ms` : `${name} has run`);
  for (const result of found.results ?? []) if (!result.failure) show(results, result);
  if (found.output !== undefined) element(results, "pre", found.output || "it printed nothing");
  if (found.errors) element(results, "pre", found.errors, "note bad");
}

// ---------------------------------------------------------------- the beginning

function chooseTheme(theme) {
  document.documentElement.dataset.theme = theme;
  monaco?.editor.setTheme(`tessera-${theme}`);
}

function followTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen;
  try { chosen = localStorage.getItem("theme"); } catch { /* private windows have none */ }
  chooseTheme(chosen ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => chooseTheme(dark.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => {
    chooseTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch { /* it is forgotten then */ }
  });
}

async function loadExamples() {
  const examples = await (await fetch("examples.json")).json(), list = byId("example");
  examples.sort((a, b) => (b.name === "softmax") - (a.name === "softmax"));
  list.replaceChildren(...examples.map((e) => new Option(e.name.replaceAll("_", " "), e.name)));
  const load = async (name) => {
    state.example = name;
    state.functions = [];
    await answers.load(name);
    byId("results").replaceChildren();
    program.text = examples.find((e) => e.name === name).text;
  };
  list.addEventListener("change", () => load(list.value));
  let kept;
  try { kept = live && JSON.parse(sessionStorage.getItem("program")); } catch { /* there is none */ }
  await load(examples[0].name);
  if (kept?.text) program.text = kept.text;
  if (kept?.example) list.value = state.example = kept.example;
}

async function begin() {
  monaco = await loadMonaco();
  if (monaco) register(monaco, answers, () => state.messages);
  program = makeText(monaco, byId("program-host"), { language: "tessera", ariaLabel: "Program", inlayHints: { enabled: "on" }, tabSize: 4 });
  code = makeText(monaco, byId("code-host"), { language: "cpp", readOnly: true, ariaLabel: "Emitted code", domReadOnly: true });
  followTheme();
  for (const name of VIEWS) byId(`tab-${name}`).addEventListener("click", () => choose(name));
  document.querySelector("[role=tablist]").addEventListener("keydown", moveTab);
  for (const id of ["level", "level-target"]) byId(id).addEventListener("change", refresh);
  byId("function").addEventListener("change", showSizes);
  byId("run-form").addEventListener("submit", run);
  byId("run-now").addEventListener("click", run);
  byId("format").hidden = !live || !monaco;
  byId("format").addEventListener("click", () => program.editor.getAction("editor.action.formatDocument").run());
  program.onRun(run);
  program.onText(changed);
  program.onLine((line) => link(line, code));
  code.onLine((line) => link(line, program));
  await loadExamples();
  await refresh();
  document.documentElement.dataset.ready = "true";
}

begin();
