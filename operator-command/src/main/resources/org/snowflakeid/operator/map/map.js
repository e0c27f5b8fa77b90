// SPDX-License-Identifier: Apache-2.0
// Everything from the server goes into the page as text (textContent), never as markup.

const HELD = 1, RESERVED = 2, FAR_AHEAD = 4, UNREADABLE = 8;
const COLUMNS = 64;
const ON_ONE_PAGE = 4096; // more worker ids than that have an overview, and are shown by
const PAGE_SIZE = 1024;
const BLOCKS = 1024; // squares of the overview
const PAUSE = 1500, PAUSE_AFTER_FAILURE = 3000;
const MOST_EVENTS = 500, MOST_HOSTS = 100;

const $ = (id) => document.getElementById(id);
const map = $("map"), overview = $("overview"), tip = $("tip");

let cursor = "";
let states = new Uint8Array(0);
let owners = new Int32Array(0);
let hosts = [];
let events = [];
let selected = -1;
let firstShown = 0;
let filter = "";
let matching = null; // per host, whether it matches; null without a filter
let colours = {};
let timer = 0;
let asking = false;

// Small helpers

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const number = (n) => n.toLocaleString("en");
const clock = (time) => time.slice(11, 19);

function full(time) {
  return time.replace("T", " ").replace(/(\.\d{3})\d*Z$/, "$1").replace(/Z$/, "") + " UTC";
}

function distance(time) {
  let seconds = Math.round((Date.parse(time) - Date.now()) / 1000);
  const word = seconds < 0 ? " ago" : " from now";
  seconds = Math.abs(seconds);
  if (seconds >= 2 * 86400) return Math.round(seconds / 86400) + " days" + word;
  if (seconds >= 2 * 3600) return Math.round(seconds / 3600) + " h" + word;
  if (seconds >= 120) return Math.round(seconds / 60) + " min" + word;
  return seconds + " s" + word;
}

function words(state) {
  const said = [];
  if (state & HELD) said.push("held");
  if (state & RESERVED) said.push("reserved, not held");
  if (state & FAR_AHEAD) said.push("reserved far ahead");
  if (state & UNREADABLE) said.push("mark unreadable");
  return said.length ? said.join(", ") : "free";
}

/** A definition: a time, and below it how far away it is. */
function moment(time) {
  const made = element("dd", full(time));
  made.append(element("span", distance(time), { class: "distance" }));
  return made;
}

async function ask(path) {
  const response = await fetch(path, { credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(15_000) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// Drawing. Each state has a shape of its own, colours only help.

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["free", "held", "on-held", "reserved", "reserved-soft", "ahead", "ahead-soft", "unreadable", "unreadable-soft", "mark", "soft", "card"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
}

function prepare(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  return pen;
}

function triangle(pen, x, y, s, colour) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.moveTo(x + s / 2, y);
  pen.lineTo(x + s, y + s);
  pen.lineTo(x, y + s);
  pen.fill();
}

function cross(pen, x, y, s, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = Math.max(1.5, s / 4);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + s, y + s);
  pen.moveTo(x + s, y);
  pen.lineTo(x, y + s);
  pen.stroke();
}

function box(pen, x, y, s, fill, line) {
  pen.beginPath();
  pen.roundRect(x + 0.5, y + 0.5, s - 1, s - 1, 2);
  if (fill) {
    pen.fillStyle = fill;
    pen.fill();
  }
  if (line) {
    pen.strokeStyle = line;
    pen.lineWidth = 1;
    pen.stroke();
  }
}

function drawCell(pen, x, y, s, state) {
  const held = state & HELD;
  if (held) box(pen, x, y, s, colours.held, colours.held);
  else if (state & FAR_AHEAD) box(pen, x, y, s, colours["ahead-soft"], colours.ahead);
  else if (state & UNREADABLE) box(pen, x, y, s, colours["unreadable-soft"], colours.unreadable);
  else if (state & RESERVED) box(pen, x, y, s, colours["reserved-soft"], colours.reserved);
  else box(pen, x, y, s, null, colours.free);
  const inset = s * 0.24;
  if (state & UNREADABLE) cross(pen, x + inset + 0.5, y + inset + 0.5, s - 2 * inset - 1, held ? colours["on-held"] : colours.unreadable);
  else if (state & FAR_AHEAD) triangle(pen, x + inset, y + inset, s - 2 * inset, held ? colours["on-held"] : colours.ahead);
  else if (state & RESERVED) {
    pen.fillStyle = colours.reserved;
    pen.beginPath();
    pen.moveTo(x + 1, y + s - 1);
    pen.lineTo(x + s - 1, y + s - 1);
    pen.lineTo(x + 1, y + 1);
    pen.fill();
  }
}

/** The squares of a canvas: where each is, and which one lies under a point. */
function gridOf(canvas, count, largestLabel) {
  const labels = 12 + 8 * String(largestLabel).length;
  const room = canvas.closest(".card").clientWidth - 34 - labels;
  const step = Math.max(9, Math.min(17, Math.floor(room / COLUMNS)));
  const rows = Math.ceil(count / COLUMNS);
  return {
    count,
    step,
    size: step - (step > 11 ? 3 : 2),
    labels,
    width: labels + COLUMNS * step + 4,
    height: rows * step + 4,
    x: (i) => labels + 2 + (i % COLUMNS) * step,
    y: (i) => 2 + Math.floor(i / COLUMNS) * step,
    at(event) {
      const column = Math.floor((event.offsetX - labels - 2) / step);
      const found = Math.floor((event.offsetY - 2) / step) * COLUMNS + column;
      return column >= 0 && column < COLUMNS && found >= 0 && found < count ? found : -1;
    },
  };
}

function label(pen, grid, i, text) {
  pen.fillStyle = colours.soft;
  pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillText(text, grid.labels - 7, grid.y(i) + grid.size / 2);
}

function ring(pen, x, y, width, height) {
  pen.strokeStyle = colours.mark;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.roundRect(x - 1.5, y - 1.5, width + 3, height + 3, 3);
  pen.stroke();
}

const large = () => states.length > ON_ONE_PAGE;
const shownCount = () => Math.min(large() ? PAGE_SIZE : ON_ONE_PAGE, states.length - firstShown);
const blockSize = () => Math.ceil(states.length / BLOCKS);
const matches = (id) => matching === null || (owners[id] >= 0 && matching[owners[id]]);

let mapGrid = null, overviewGrid = null;

function drawMap() {
  const grid = (mapGrid = gridOf(map, shownCount(), states.length));
  const pen = prepare(map, grid.width, grid.height);
  for (let i = 0; i < grid.count; i++) {
    const id = firstShown + i;
    if (i % COLUMNS === 0) label(pen, grid, i, String(id));
    pen.globalAlpha = matches(id) ? 1 : 0.16;
    drawCell(pen, grid.x(i), grid.y(i), grid.size, states[id]);
    pen.globalAlpha = 1;
  }
  const i = selected - firstShown;
  if (selected >= 0 && i >= 0 && i < grid.count) ring(pen, grid.x(i), grid.y(i), grid.size, grid.size);
}

function summaryOf(block) {
  const size = blockSize(), found = { held: 0, reserved: 0, ahead: 0, unreadable: 0, size, hits: 0 };
  for (let id = block * size; id < Math.min(states.length, (block + 1) * size); id++) {
    const state = states[id];
    if (!matches(id)) continue;
    found.hits++;
    if (state & HELD) found.held++;
    if (state & RESERVED) found.reserved++;
    if (state & FAR_AHEAD) found.ahead++;
    if (state & UNREADABLE) found.unreadable++;
  }
  return found;
}

/** Of each block how much is held, and signs for what needs a look. */
function drawOverview() {
  const blocks = Math.ceil(states.length / blockSize());
  const grid = (overviewGrid = gridOf(overview, blocks, states.length));
  const pen = prepare(overview, grid.width, grid.height);
  const s = grid.size;
  for (let b = 0; b < blocks; b++) {
    const x = grid.x(b), y = grid.y(b), sum = summaryOf(b);
    if (b % COLUMNS === 0) label(pen, grid, b, String(b * blockSize()));
    pen.globalAlpha = sum.hits ? 1 : 0.3;
    box(pen, x, y, s, null, colours.free);
    if (sum.held) {
      pen.globalAlpha *= 0.12 + (0.88 * sum.held) / sum.size;
      box(pen, x, y, s, colours.held, null);
      pen.globalAlpha = sum.hits ? 1 : 0.3;
    }
    if (sum.ahead || sum.unreadable) {
      const half = Math.round(s * 0.6);
      box(pen, x, y, s, sum.ahead ? colours["ahead-soft"] : colours["unreadable-soft"], sum.ahead ? colours.ahead : colours.unreadable);
      if (sum.ahead) triangle(pen, x + (s - half) / 2, y + (s - half) / 2, half, colours.ahead);
      else cross(pen, x + (s - half) / 2 + 1, y + (s - half) / 2 + 1, half - 2, colours.unreadable);
    }
    pen.globalAlpha = 1;
  }
  const from = Math.floor(firstShown / blockSize());
  const wide = Math.max(1, Math.round(shownCount() / blockSize()));
  ring(pen, grid.x(from), grid.y(from), Math.min(wide, COLUMNS) * grid.step - (grid.step - s), s);
}

function drawLegend() {
  const counts = [0, 0, 0, 0, 0];
  for (const state of states) {
    if (state & HELD) counts[1]++;
    if (state & RESERVED) counts[2]++;
    if (state & FAR_AHEAD) counts[3]++;
    if (state & UNREADABLE) counts[4]++;
    if (state === 0) counts[0]++;
  }
  const rows = [["free", 0], ["held", HELD], ["reserved, not held", RESERVED], ["far ahead", FAR_AHEAD], ["unreadable", UNREADABLE]];
  const legend = $("legend");
  if (!legend.children.length) {
    for (const [name] of rows) {
      const item = element("li");
      item.append(element("canvas", null, { "aria-hidden": "true" }), element("span", name), element("b"));
      legend.append(item);
    }
  }
  rows.forEach(([, state], i) => {
    const item = legend.children[i];
    drawCell(prepare(item.firstChild, 16, 16), 1, 1, 14, state);
    item.lastChild.textContent = number(counts[i]);
  });
}

function draw() {
  if (!states.length) return;
  $("overview-part").hidden = !large();
  if (large()) {
    $("overview-hint").textContent = number(states.length) + " worker ids, each square is " + number(blockSize())
      + ": the fuller its colour, the more of them are held; ▲ some are reserved far ahead; × some marks are unreadable.";
    $("page-hint").textContent = "Worker ids " + number(firstShown) + " to " + number(firstShown + shownCount() - 1) + ", each square is one:";
    drawOverview();
  }
  drawMap();
  drawLegend();
}

// Choosing a worker id

function select(id, reveal = true) {
  if (!(id >= 0 && id < states.length)) return;
  selected = id;
  if (reveal && large()) firstShown = Math.floor(id / PAGE_SIZE) * PAGE_SIZE;
  draw();
  $("said").textContent = sayWorker(id);
  showWorker();
}

function sayWorker(id) {
  const host = owners[id] >= 0 ? " by " + hosts[owners[id]] : "";
  return "Worker id " + id + ": " + words(states[id]).replace("held", "held" + host);
}

function facts(list) {
  const made = element("dl");
  for (const [name, value] of list) made.append(element("dt", name), value instanceof Node ? value : element("dd", value));
  return made;
}

async function showWorker() {
  const id = selected;
  if (id < 0) return;
  let worker;
  try {
    worker = await ask("workers/" + id);
  } catch (e) {
    worker = null;
  }
  if (id !== selected) return;
  const body = $("worker-body");
  $("worker-title").textContent = "Worker id " + id;
  if (!worker) {
    body.replaceChildren(element("p", "No answer. It was " + words(states[id]) + " when last read.", { class: "hint" }));
    return;
  }
  const list = [["state", words(worker.state)]];
  if (worker.host !== undefined) {
    const name = element("dd");
    name.append(hostButton(worker.host));
    list.push(["held by", name], ["since", worker.since ? moment(worker.since) : "unknown"]);
  }
  list.push(["reserved until", worker.reservedUntil ? moment(worker.reservedUntil)
    : worker.state & UNREADABLE ? "unreadable mark" : "never claimed"]);
  body.replaceChildren(facts(list));
  const ended = worker.history.filter((tenure) => tenure.ending).reverse();
  if (ended.length) {
    const earlier = element("table");
    const head = element("tr");
    head.append(element("th", "earlier"), element("th", "until"), element("th", ""));
    earlier.append(head);
    for (const tenure of ended) {
      const row = element("tr");
      row.append(element("td", tenure.host), element("td", clock(tenure.lastSeen)), element("td", tenure.ending));
      earlier.append(row);
    }
    body.append(earlier);
  }
}

function move(event, id, row) {
  const last = states.length - 1;
  const to = {
    ArrowLeft: id - 1, ArrowRight: id + 1, ArrowUp: id - row, ArrowDown: id + row,
    Home: 0, End: last, PageUp: id - PAGE_SIZE, PageDown: id + PAGE_SIZE,
  }[event.key];
  if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  select(Math.max(0, Math.min(last, id < 0 ? firstShown : to)));
}

map.addEventListener("keydown", (event) => move(event, selected, COLUMNS));
overview.addEventListener("keydown", (event) => {
  const step = blockSize(), start = selected < 0 ? 0 : selected;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    event.preventDefault();
    select(Math.max(0, Math.min(states.length - 1, start + (event.key === "ArrowLeft" ? -step : step))));
  } else {
    move(event, start, step * COLUMNS);
  }
});
map.addEventListener("click", (event) => {
  const i = mapGrid.at(event);
  if (i >= 0) select(firstShown + i, false);
});
overview.addEventListener("click", (event) => {
  const b = overviewGrid.at(event);
  if (b >= 0) select(b * blockSize());
});

function showTip(event, text) {
  tip.hidden = text === "";
  if (text === "") return;
  tip.textContent = text;
  tip.style.left = Math.min(event.pageX + 14, document.documentElement.clientWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = event.pageY + 16 + "px";
}

map.addEventListener("mousemove", (event) => {
  const i = mapGrid ? mapGrid.at(event) : -1;
  showTip(event, i < 0 ? "" : sayWorker(firstShown + i));
});
overview.addEventListener("mousemove", (event) => {
  const b = overviewGrid ? overviewGrid.at(event) : -1;
  if (b < 0) return showTip(event, "");
  const sum = summaryOf(b), from = b * blockSize();
  const parts = [sum.held + " held", sum.reserved && sum.reserved + " reserved", sum.ahead && sum.ahead + " far ahead", sum.unreadable && sum.unreadable + " unreadable"];
  showTip(event, number(from) + " to " + number(from + sum.size - 1) + ": " + parts.filter(Boolean).join(", "));
});
for (const canvas of [map, overview]) canvas.addEventListener("mouseleave", () => { tip.hidden = true; });

// Hosts, history, namespace

function hostButton(host) {
  const button = element("button", host, { class: "plain", type: "button", title: "Filter by this host" });
  button.addEventListener("click", () => setFilter(host));
  return button;
}

function ranges(ids) {
  const parts = [];
  for (let i = 0; i < ids.length && parts.length < 6; i++) {
    const from = i;
    while (i + 1 < ids.length && ids[i + 1] === ids[i] + 1) i++;
    parts.push(from === i ? String(ids[i]) : ids[from] + "–" + ids[i]);
    if (parts.length === 6 && i + 1 < ids.length) parts.push("…");
  }
  return parts.join(", ");
}

function showHosts() {
  const ofHost = new Map();
  for (let id = 0; id < owners.length; id++) {
    if (owners[id] < 0 || !matches(id)) continue;
    const ids = ofHost.get(owners[id]);
    if (ids) ids.push(id);
    else ofHost.set(owners[id], [id]);
  }
  const sorted = [...ofHost].sort((a, b) => b[1].length - a[1].length || (hosts[a[0]] < hosts[b[0]] ? -1 : 1));
  const table = element("table");
  const head = element("tr");
  head.append(element("th", "host"), element("th", "held"), element("th", "worker ids"));
  table.append(head);
  for (const [host, ids] of sorted.slice(0, MOST_HOSTS)) {
    const row = element("tr"), name = element("td");
    name.append(hostButton(hosts[host]));
    row.append(name, element("td", number(ids.length)), element("td", ranges(ids)));
    table.append(row);
  }
  const box = $("hosts");
  const scrolled = box.scrollTop;
  box.replaceChildren(sorted.length ? table : element("p", filter ? "No host of that name holds a worker id." : "No worker id is held.", { class: "hint" }));
  if (sorted.length > MOST_HOSTS) box.append(element("p", "and " + number(sorted.length - MOST_HOSTS) + " more: filter by host", { class: "hint" }));
  box.scrollTop = scrolled;
  $("hosts-title").textContent = "Hosts (" + number(sorted.length) + ")";
  let found = 0;
  for (const [, ids] of sorted) found += ids.length;
  $("matches").textContent = filter ? number(found) + " held by " + number(sorted.length) + (sorted.length === 1 ? " host" : " hosts") : "";
  $("host-names").replaceChildren(...sorted.slice(0, 50).map(([host]) => element("option", null, { value: hosts[host] })));
}

function showHistory() {
  const shown = events.filter((event) => !filter || event.host.toLowerCase().includes(filter)).slice(-200).reverse();
  $("history").replaceChildren(...shown.map((event) => {
    const item = element("li");
    const when = element("time", clock(event.at), { datetime: event.at, title: "seen at " + full(event.at) + ", not yet at " + full(event.after) });
    const id = element("button", String(event.workerId), { class: "plain", type: "button" });
    id.addEventListener("click", () => select(event.workerId));
    const sign = { claimed: "+ ", released: "− ", lost: "! " }[event.kind] || "? ";
    item.append(when, sign + event.kind + " ", id, event.kind === "claimed" ? " by " + event.host : ", was " + event.host + "’s");
    return item;
  }));
  if (!shown.length) $("history").append(element("li", "Nothing changed hands.", { class: "hint" }));
}

function setFilter(text) {
  if ($("filter").value !== text) $("filter").value = text;
  filter = text.trim().toLowerCase();
  applyFilter();
}

function applyFilter() {
  matching = filter ? hosts.map((host) => host.toLowerCase().includes(filter)) : null;
  draw();
  showHosts();
  showHistory();
}

// Asking the server: only while the page can be seen

function take(changes) {
  if (changes.reset) {
    states = new Uint8Array(changes.size);
    owners = new Int32Array(changes.size).fill(-1);
    hosts = [];
    events = [];
    if (selected >= changes.size) selected = -1;
    firstShown = selected >= 0 && large() ? Math.floor(selected / PAGE_SIZE) * PAGE_SIZE : 0;
  }
  cursor = changes.cursor;
  hosts.push(...changes.hosts);
  for (const [id, state, owner] of changes.workers) {
    states[id] = state;
    owners[id] = owner;
  }
  events.push(...changes.events);
  const anHourAgo = changes.read ? Date.parse(changes.read) - 3600_000 : 0;
  events = events.filter((event) => Date.parse(event.at) >= anHourAgo).slice(-MOST_EVENTS);

  $("namespace").textContent = changes.namespace || "…";
  document.title = (changes.namespace || "…") + ": worker ids";
  $("history-since").textContent = changes.historySince ? "Seen since " + clock(changes.historySince) + " UTC, while a page was open." : "";
  $("summary").replaceChildren(...changes.summary.map(([name, text]) => {
    const row = element("tr");
    row.append(element("th", name, { scope: "row" }), element("td", text));
    return row;
  }));
  const live = $("live");
  live.className = changes.trouble ? "broken" : changes.read ? "" : "waiting";
  live.textContent = !changes.read ? "reading…" : (changes.trouble ? "not live, last read " : "live, read ") + (changes.ageMillis / 1000).toFixed(0) + " s ago";
  $("trouble").hidden = !changes.trouble;
  $("trouble").textContent = changes.trouble ? "The coordinator can’t be read: " + changes.trouble : "";
  if (changes.reset || changes.workers.length || changes.events.length || changes.hosts.length) applyFilter();
  if (selected >= 0) showWorker();
}

async function poll() {
  if (asking || document.hidden) return;
  clearTimeout(timer);
  asking = true;
  let pause = PAUSE;
  try {
    take(await ask("changes?" + cursor));
    document.body.dataset.ready = "yes";
  } catch (e) {
    pause = PAUSE_AFTER_FAILURE;
    $("live").className = "broken";
    $("live").textContent = "not live";
    $("trouble").hidden = false;
    $("trouble").textContent = "The command that serves this page does not answer: has it ended? (" + e.message + ")";
  }
  asking = false;
  timer = setTimeout(poll, pause);
}

// Tools

$("lookup-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const box = $("answer"), text = $("lookup").value.replace(/[\s_,"']/g, "");
  if (!text) return;
  box.hidden = false;
  try {
    // The id stays text all the way: it may be larger than JavaScript's numbers are exact.
    const answer = await ask("ids/" + encodeURIComponent(text));
    const worker = element("dd"), button = element("button", String(answer.workerId), { class: "plain", type: "button" });
    button.addEventListener("click", () => select(answer.workerId));
    worker.append(button);
    box.replaceChildren(
      element("p", answer.sentence, { class: answer.certain ? "sure" : "unsure" }),
      facts([["id", answer.id], ["worker id", worker], ["made at", full(answer.timestamp) + ", " + distance(answer.timestamp)], ["sequence", String(answer.sequence)]]));
    select(answer.workerId);
  } catch (e) {
    box.replaceChildren(element("p", e.message, { class: "unsure" }));
  }
});
$("filter").addEventListener("input", () => setFilter($("filter").value));
$("filter-form").addEventListener("submit", (event) => event.preventDefault());
$("goto-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("goto").value.trim();
  if (/^[0-9]{1,7}$/.test(text) && Number(text) < states.length) select(Number(text));
  else $("said").textContent = "There is no worker id " + text + ".";
});
document.addEventListener("visibilitychange", poll);
window.addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); draw(); });
readColours();
poll();
