// Results as pictures: a line for a vector, a heat map for a matrix, and a table of the numbers.

const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]; // viridis: even steps for all eyes

function colourOf(part) {
  const at = Math.min(Math.max(part, 0), 1) * (STOPS.length - 1), low = Math.min(Math.floor(at), STOPS.length - 2);
  return STOPS[low].map((from, i) => Math.round(from + (STOPS[low + 1][i] - from) * (at - low)));
}

export function short(value) {
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? String(value) : String(Number(value.toPrecision(5)));
}

/// "f32[8, 16], from -1 to 1, mean 0.02"
export function summary(result) {
  const facts = [`${result.dtype}[${result.shape.join(", ")}]`];
  if (result.least !== undefined) facts.push(`from ${short(result.least)} to ${short(result.most)}`, `mean ${short(result.mean)}`);
  if (result.notFinite) facts.push(`${result.notFinite} not finite`);
  if (result.rowStep > 1 || result.columnStep > 1) facts.push(`shown in steps of ${result.shape.length > 1 ? `${result.rowStep} and ` : ""}${result.columnStep}`);
  return facts.join(", ");
}

function prepared(canvas) {
  const scale = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  canvas.width = Math.max(1, Math.round(box.width * scale));
  canvas.height = Math.max(1, Math.round(box.height * scale));
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  return { context, width: box.width, height: box.height, ink: getComputedStyle(canvas).color, accent: getComputedStyle(document.documentElement).getPropertyValue("--accent") };
}

function drawLine(canvas, result) {
  const { context, width, height, ink, accent } = prepared(canvas);
  const left = 64, right = width - 12, top = 14, bottom = height - 26, count = result.values.length;
  const span = result.most - result.least || 1;
  const x = (i) => left + (count < 2 ? 0 : (i / (count - 1)) * (right - left));
  const y = (value) => bottom - ((value - result.least) / span) * (bottom - top);
  context.font = "12px system-ui";
  context.fillStyle = ink;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(short(result.most), left - 6, top);
  context.fillText(short(result.least), left - 6, bottom);
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillText("0", left, bottom + 6);
  context.fillText(String((count - 1) * result.columnStep), right - 6, bottom + 6);
  context.strokeStyle = ink;
  context.globalAlpha = 0.35;
  context.strokeRect(left, top, right - left, bottom - top);
  context.globalAlpha = 1;
  context.strokeStyle = context.fillStyle = accent;
  context.lineWidth = 1.5;
  context.beginPath();
  let open = false;
  result.values.forEach((value, i) => {
    if (typeof value !== "number") return void (open = false);
    open ? context.lineTo(x(i), y(value)) : context.moveTo(x(i), y(value));
    open = true;
    if (count <= 64) context.fillRect(x(i) - 2, y(value) - 2, 4, 4);
  });
  context.stroke();
}

function drawMatrix(canvas, result) {
  const legend = 98, most = canvas.clientHeight - 8, wide = Math.min((canvas.clientWidth - legend) / result.columns, 48);
  const cell = Math.min(most / result.rows, Math.max(wide, 12)), span = result.most - result.least || 1;
  canvas.style.height = `${Math.max(64, Math.ceil(cell * result.rows)) + 8}px`;
  const { context, height, ink } = prepared(canvas);
  result.values.forEach((value, i) => {
    const column = i % result.columns, row = Math.floor(i / result.columns);
    context.fillStyle = typeof value === "number" ? `rgb(${colourOf((value - result.least) / span)})` : "#d33";
    context.fillRect(4 + column * wide, 4 + row * cell, Math.ceil(wide), Math.ceil(cell));
  });
  const bar = 4 + wide * result.columns + 10, tall = height - 8;
  for (let i = 0; i < tall; ++i) {
    context.fillStyle = `rgb(${colourOf(1 - i / tall)})`;
    context.fillRect(bar, 4 + i, 12, 1.5);
  }
  context.fillStyle = ink;
  context.font = "12px system-ui";
  context.textBaseline = "top";
  context.fillText(short(result.most), bar + 16, 4);
  context.textBaseline = "bottom";
  context.fillText(short(result.least), bar + 16, 4 + tall);
}

function table(result) {
  const most = 24, element = document.createElement("details"), rows = Math.min(result.rows, most), columns = Math.min(result.columns, most);
  const head = element.appendChild(document.createElement("summary"));
  head.textContent = rows < result.rows || columns < result.columns ? "The first numbers" : "The numbers";
  const box = element.appendChild(document.createElement("div"));
  box.className = "values";
  const body = box.appendChild(document.createElement("table"));
  for (let r = 0; r < rows; ++r) {
    const row = body.insertRow();
    for (let c = 0; c < columns; ++c) row.insertCell().textContent = short(result.values[r * result.columns + c]);
  }
  return element;
}

/// Shows a result in `parent`.
export function show(parent, result) {
  const figure = parent.appendChild(document.createElement("figure"));
  const caption = figure.appendChild(document.createElement("figcaption"));
  caption.innerHTML = "<strong></strong> <code></code>";
  caption.firstChild.textContent = result.name;
  caption.lastChild.textContent = summary(result);
  if (!result.values.length) return;
  if (result.shape.length === 0) {
    figure.appendChild(document.createElement("pre")).textContent = short(result.values[0]);
    return;
  }
  if (result.least !== undefined) {
    const canvas = figure.appendChild(document.createElement("canvas"));
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${result.name}: ${summary(result)}`);
    (result.shape.length === 1 ? drawLine : drawMatrix)(canvas, result);
  }
  figure.appendChild(table(result));
}
