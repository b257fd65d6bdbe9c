"use strict";
(() => {
  const started = performance.now();
  const doc = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const canvas = $("view"), pen = canvas.getContext("2d"), panel = $("panel");
  const HUES = { infrastructure: 220, convolution: 210, matrix: 200, activation: 355, arithmetic: 95, comparison: 80, logical: 70,
    bitwise: 75, condition: 285, normalization: 165, pooling: 140, movement: 35, shape: 50, reduction: 180, sequence: 300,
    sort: 320, detection: 15, quantization: 260, type: 60, generation: 240, image: 25, signals: 190, sparse: 330 };
  const WIDTH = 172, HEIGHT = 40, GAP = 24;
  const state = { graph: 0, scale: 1, x: 0, y: 0, selected: null, layout: null, consts: false, shapes: false, heat: doc.timed };
  let colors = {};

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "onclick") element.addEventListener("click", value); else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };
  const graph = () => doc.graphs[state.graph];

  // Layout: chains of layers with one reader each are laid out as one tall box, which keeps large models quick.
  function layout() {
    const { nodes, edges } = graph();
    const shown = nodes.map((node) => (node.role === "op" || !!node.findings || (node.role === "const" ? state.consts : state.shapes)));
    const live = edges.filter((edge) => shown[edge[0]] && shown[edge[2]] && edge[0] !== edge[2]);
    const outs = new Map(), ins = new Map();
    for (const edge of live) {
      if (!outs.has(edge[0])) outs.set(edge[0], []);
      if (!ins.has(edge[2])) ins.set(edge[2], []);
      outs.get(edge[0]).push(edge); ins.get(edge[2]).push(edge);
    }
    const only = (map, key) => (map.get(key) || []).length === 1;
    const chained = (edge) => only(outs, edge[0]) && only(ins, edge[2]);
    const chains = [], chainOf = new Map();
    nodes.forEach((_, first) => {
      if (!shown[first] || (only(ins, first) && chained(ins.get(first)[0]))) return;
      const chain = [first];
      for (let at = first; only(outs, at) && chained(outs.get(at)[0]);) {
        at = outs.get(at)[0][2];
        if (at === first) break;
        chain.push(at);
      }
      chain.forEach((index) => chainOf.set(index, chains.length));
      chains.push(chain);
    });
    nodes.forEach((_, index) => {  // what is left are cycles
      if (shown[index] && !chainOf.has(index)) { chainOf.set(index, chains.length); chains.push([index]); }
    });
    const links = live.map((edge) => [chainOf.get(edge[0]), chainOf.get(edge[2])]);
    const boxes = arrangeBoxes(WIDTH, chains.map((chain) => chain.length * (HEIGHT + GAP) - GAP), links);
    const place = new Map();
    chains.forEach((chain, index) => {
      const box = boxes.spots[index];
      chain.forEach((node, step) => place.set(node, { x: box.x, y: box.top + HEIGHT / 2 + step * (HEIGHT + GAP) }));
    });
    const lines = live.map((edge, index) => {
      const [from, to] = [chainOf.get(edge[0]), chainOf.get(edge[2])];
      const a = place.get(edge[0]), b = place.get(edge[2]);
      const straight = [{ x: a.x, y: a.y + HEIGHT / 2 }, { x: b.x, y: b.y - HEIGHT / 2 }];
      if (from === to) return { points: straight, edge };
      const inner = boxes.bends[index] || [];
      return { points: [straight[0], ...inner, straight[1]], edge };
    });
    const spots = [...place.values()];
    const reach = (key) => spots.reduce(([low, high], spot) => [Math.min(low, spot[key]), Math.max(high, spot[key])], [Infinity, -Infinity]);
    const [[left, right], [top, bottom]] = [reach("x"), reach("y")];
    const bounds = spots.length ? { left: left - WIDTH, right: right + WIDTH, top: top - HEIGHT, bottom: bottom + HEIGHT } : { left: 0, right: 1, top: 0, bottom: 1 };
    for (const line of lines) {
      const xs = line.points.map((p) => p.x), ys = line.points.map((p) => p.y);
      Object.assign(line, { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) });
    }
    state.layout = { place, lines, bounds, outs, ins, count: place.size };
    const all = graph().nodes.length;
    $("status").textContent = `${place.size} of ${all} layers shown`;
  }

  function palette() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["fore", "back", "soft", "line", "bad", "accent"]) colors[name] = style.getPropertyValue(`--${name}`).trim();
    colors.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function fill(node) {
    if (state.heat && doc.timed) {
      const share = node.run && node.run.share ? node.run.share : 0;
      const level = Math.sqrt(Math.min(share * 4, 1));
      return share ? `hsl(${50 - 50 * level} 90% ${colors.dark ? 22 + 18 * level : 88 - 28 * level}%)` : (colors.dark ? "#1c2128" : "#f3f4f6");
    }
    const hue = HUES[node.family];
    const soft = node.role !== "op" || hue === undefined;
    return `hsl(${hue ?? 0} ${soft ? 8 : 55}% ${colors.dark ? 24 : 88}%)`;
  }

  let pending = false;
  function redraw() { if (!pending) { pending = true; requestAnimationFrame(draw); } }

  function draw() {
    pending = false;
    const ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) { canvas.width = width * ratio; canvas.height = height * ratio; }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.setTransform(ratio * state.scale, 0, 0, ratio * state.scale, ratio * state.x, ratio * state.y);
    const seen = { left: -state.x / state.scale, top: -state.y / state.scale };
    seen.right = seen.left + width / state.scale; seen.bottom = seen.top + height / state.scale;
    const { nodes } = graph(), { place, lines } = state.layout;
    const detailed = state.scale > 0.45;
    for (const line of lines) {
      if (line.right < seen.left || line.left > seen.right || line.bottom < seen.top || line.top > seen.bottom) continue;
      drawLine(line, detailed);
    }
    for (const [index, spot] of place) {
      if (spot.x + WIDTH / 2 < seen.left || spot.x - WIDTH / 2 > seen.right || spot.y + HEIGHT < seen.top || spot.y - HEIGHT > seen.bottom) continue;
      drawNode(nodes[index], index, spot, detailed);
    }
  }

  function drawLine(line, detailed) {
    const near = state.selected !== null && (line.edge[0] === state.selected || line.edge[2] === state.selected);
    pen.strokeStyle = near ? colors.accent : colors.soft; pen.lineWidth = near ? 2 : 1; pen.globalAlpha = near ? 1 : 0.6;
    const points = line.points;
    pen.beginPath(); pen.moveTo(points[0].x, points[0].y);
    for (let i = 1; i < points.length - 1; i++) {
      const mid = { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 };
      pen.quadraticCurveTo(points[i].x, points[i].y, mid.x, mid.y);
    }
    const end = points[points.length - 1];
    pen.lineTo(end.x, end.y); pen.stroke();
    if (detailed) {
      pen.beginPath(); pen.moveTo(end.x - 3.5, end.y - 6); pen.lineTo(end.x + 3.5, end.y - 6); pen.lineTo(end.x, end.y);
      pen.fillStyle = pen.strokeStyle; pen.fill();
    }
    pen.globalAlpha = 1;
    if (detailed && state.scale > 0.6) {
      const middle = points.length === 2 ? { x: (points[0].x + end.x) / 2, y: (points[0].y + end.y) / 2 } : points[points.length >> 1];
      pen.font = "9px system-ui, sans-serif"; pen.textAlign = "left"; pen.fillStyle = near ? colors.accent : colors.soft;
      pen.strokeStyle = colors.back; pen.lineWidth = 3; pen.strokeText(line.edge[4], middle.x + 5, middle.y + 3);
      pen.fillText(line.edge[4], middle.x + 5, middle.y + 3);
    }
  }

  function drawNode(node, index, spot, detailed) {
    const left = spot.x - WIDTH / 2, top = spot.y - HEIGHT / 2, chosen = index === state.selected;
    pen.fillStyle = fill(node);
    pen.strokeStyle = chosen ? colors.accent : node.findings ? colors.bad : colors.line;
    pen.lineWidth = chosen ? 3 : node.findings ? 2.5 : 1;
    pen.beginPath();
    if (detailed) pen.roundRect(left, top, WIDTH, HEIGHT, node.role === "op" ? 7 : 18); else pen.rect(left, top, WIDTH, HEIGHT);
    pen.fill(); pen.stroke();
    if (node.bodies && detailed) { pen.strokeRect(left + 4, top + 4, WIDTH - 8, HEIGHT - 8); }
    if (state.scale < 0.22) return;
    pen.textAlign = "center"; pen.fillStyle = colors.fore;
    pen.font = "600 12px system-ui, sans-serif";
    const extra = node.run && node.run.ms !== undefined && state.heat ? `  ${node.run.ms.toFixed(node.run.ms < 1 ? 3 : 1)} ms` : "";
    pen.fillText(clip(node.type + extra, WIDTH - 14), spot.x, detailed ? spot.y - 3 : spot.y + 4);
    if (!detailed) return;
    pen.font = "10.5px system-ui, sans-serif"; pen.globalAlpha = 0.75;
    pen.fillText(clip(node.name, WIDTH - 14), spot.x, spot.y + 13);
    pen.globalAlpha = 1;
    if (node.findings) { pen.fillStyle = colors.bad; pen.font = "700 13px system-ui, sans-serif"; pen.fillText("!", left + WIDTH - 9, top + 15); }
  }

  const clips = new Map();
  function clip(text, room) {
    const key = `${pen.font}|${room}|${text}`;
    let found = clips.get(key);
    if (found === undefined) {
      found = text;
      if (pen.measureText(text).width > room) {
        let keep = text.length;
        while (keep > 3 && pen.measureText(`${text.slice(0, keep >> 1)}…${text.slice(text.length - (keep >> 1))}`).width > room) keep -= 2;
        found = `${text.slice(0, keep >> 1)}…${text.slice(text.length - (keep >> 1))}`;
      }
      clips.set(key, found);
    }
    return found;
  }

  function fit() {
    const { left, right, top, bottom } = state.layout.bounds;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    state.scale = Math.min(width / (right - left), height / (bottom - top), 1.2);
    if (state.scale < 0.28) {  // too long to be read as a whole: its beginning, at a readable size
      state.scale = Math.max(state.scale, Math.min(0.7, width / Math.min(right - left, 1400)));
      const first = state.layout.place.values().next().value;
      state.x = width / 2 - first.x * state.scale; state.y = 20 - top * state.scale;
    } else {
      state.x = width / 2 - (left + right) / 2 * state.scale; state.y = height / 2 - (top + bottom) / 2 * state.scale;
    }
    redraw();
  }

  function overview() {
    const { left, right, top, bottom } = state.layout.bounds;
    state.scale = Math.min(canvas.clientWidth / (right - left), canvas.clientHeight / (bottom - top), 1.2);
    state.x = canvas.clientWidth / 2 - (left + right) / 2 * state.scale; state.y = canvas.clientHeight / 2 - (top + bottom) / 2 * state.scale;
    redraw();
  }

  function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const scale = Math.min(Math.max(state.scale * factor, 0.01), 4), change = scale / state.scale;
    state.x = x - (x - state.x) * change; state.y = y - (y - state.y) * change; state.scale = scale;
    redraw();
  }

  function center(index) {
    const spot = state.layout.place.get(index);
    if (!spot) return;
    if (state.scale < 0.6) state.scale = 0.9;
    state.x = canvas.clientWidth / 2 - spot.x * state.scale; state.y = canvas.clientHeight / 2 - spot.y * state.scale;
    redraw();
  }

  function open(number, select = null) {
    if (number !== state.graph || !state.layout) { state.graph = number; state.selected = null; layout(); fit(); }
    crumbs();
    if (select !== null) choose(select); else show(null);
  }

  function choose(index, move = true) {
    const node = graph().nodes[index];
    if (!state.layout.place.has(index)) {
      if (node.role === "const") state.consts = $("consts").checked = true; else state.shapes = $("shapes").checked = true;
      layout();
    }
    state.selected = index;
    show(node, index);
    history.replaceState(null, "", `#${state.graph}/${node.id}`);
    const spot = state.layout.place.get(index);
    const x = spot.x * state.scale + state.x, y = spot.y * state.scale + state.y;
    const out = x < 80 || y < 30 || x > canvas.clientWidth - 80 || y > canvas.clientHeight - 30;
    if (move && (out || state.scale < 0.4)) center(index); else redraw();
  }

  function crumbs() {
    const trail = [];
    for (let at = state.graph; at !== null; at = doc.graphs[at].parent) trail.unshift(at);
    $("crumbs").replaceChildren(...trail.flatMap((number, depth) => {
      const title = depth ? doc.graphs[number].title.split(" / ").pop() : doc.title;
      const part = number === state.graph ? make("span", {}, title) : make("a", { onclick: () => open(number), tabindex: 0, role: "button" }, title);
      return depth ? [" › ", part] : [part];
    }));
  }

  const table = (rows) => make("table", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, ...[cell].flat())))));
  const nodeLink = (text) => {
    const base = text.replace(/:\d+$/, "");
    const { nodes } = graph();
    let index = nodes.findIndex((node) => node.name === text);
    if (index < 0) index = nodes.findIndex((node) => node.name === base);
    return index < 0 ? text : make("a", { onclick: () => choose(index), role: "button", tabindex: 0 }, text);
  };
  const number = (value) => (typeof value === "number" ? String(+value.toPrecision(5)) : value === null || value === undefined ? "–" : String(value));

  function histogram(stats) {
    const most = Math.max(...stats.histogram, 1), space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("class", "hist"); svg.setAttribute("viewBox", `0 0 ${stats.histogram.length} 10`); svg.setAttribute("preserveAspectRatio", "none");
    stats.histogram.forEach((count, index) => {
      const bar = document.createElementNS(space, "rect");
      const tall = count ? Math.max(count / most * 10, 0.3) : 0;
      for (const [key, value] of Object.entries({ x: index + 0.05, width: 0.9, y: 10 - tall, height: tall, fill: colors.accent })) bar.setAttribute(key, value);
      svg.append(bar);
    });
    return svg;
  }

  function show(node, index) {
    if (!node) {
      if (doc.loose.length) panel.append(...doc.loose.map(findingBox));
      redraw();
      return;
    }
    const parts = [make("h2", {}, node.name), make("div", { class: "soft" }, `${node.type}-${node.version}, id ${node.id}, ${node.family}`)];
    if (node.link) parts.push(make("div", {}, make("a", { href: node.link, target: "_blank", rel: "noreferrer" }, "specification")));
    for (const body of node.bodies || []) {
      parts.push(make("div", {}, make("button", { onclick: () => open(body) }, `open ${doc.graphs[body].title.split(" / ").pop()}`)));
    }
    parts.push(...(node.findings || []).map(findingBox));
    const names = Object.entries(node.attrs);
    if (names.length) parts.push(make("h3", {}, "attributes"), table(names));
    if (node.in.length) parts.push(make("h3", {}, "inputs"), table(node.in.map(([from, what], port) => [String(port), nodeLink(from), what])));
    if (node.out.length) parts.push(make("h3", {}, "outputs"), table(node.out.map(([tensor, what], port) => [String(port), tensor, what])));
    const readers = (state.layout.outs.get(index) || []).map((edge) => graph().nodes[edge[2]].name);
    if (readers.length) parts.push(make("h3", {}, "read by"), table([...new Set(readers)].slice(0, 30).map((name) => [nodeLink(name)])));
    if (node.macs) parts.push(make("h3", {}, "cost"), table([["multiply-accumulates", node.macs.toLocaleString("en")]]));
    if (node.run) parts.push(...runParts(node.run));
    panel.replaceChildren(...parts);
    panel.scrollTop = 0;
    $("status").textContent = `${node.type} ${node.name}`;
  }

  function runParts(run) {
    const rows = [];
    if (run.ms !== undefined) rows.push(["time", `${number(run.ms)} ms, ${(run.share * 100).toFixed(1)} %${run.calls > 1 ? `, ${run.calls} calls` : ""}`], ["form", run.form]);
    if (run.fused && run.fused.length) rows.push(["with it", run.fused.join(", ")]);
    if (run.into) rows.push(["computed in", nodeLink(run.into)]);
    const parts = rows.length ? [make("h3", {}, "run"), table(rows)] : [];
    (run.stats || []).forEach((stats, port) => {
      parts.push(make("h3", {}, `values of output ${port}: ${stats.type} ${stats.shape.join("x") || "scalar"}`));
      parts.push(table([["min", number(stats.min)], ["mean", number(stats.mean)], ["max", number(stats.max)], ["zeros", `${(stats.sparsity * 100).toFixed(1)} %`],
        ...(stats.nan ? [["NaN", String(stats.nan)]] : []), ...(stats.inf ? [["Inf", String(stats.inf)]] : [])]));
      if (stats.histogram.length > 1) parts.push(histogram(stats));
    });
    return parts;
  }

  function findingBox(found) {
    const box = make("div", { class: "finding" }, make("b", {}, `${found.severity}[${found.code}]`), ` ${found.message}`);
    if (found.why) box.append(make("div", { class: "soft" }, found.why + (found.line ? ` (line ${found.line})` : "")));
    return box;
  }

  // Search, in all graphs.
  let hits = [], hit = 0;
  function search() {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    hits = [];
    if (words.length) {
      const order = [state.graph, ...doc.graphs.keys()].filter((value, at, all) => all.indexOf(value) === at);
      for (const number of order) {
        doc.graphs[number].nodes.forEach((node, index) => {
          const text = `${node.name} ${node.type} ${node.id} ${node.out.map((port) => port[0]).join(" ")}`.toLowerCase();
          if (hits.length < 200 && words.every((word) => text.includes(word))) hits.push([number, index]);
        });
      }
    }
    hit = 0; listHits();
  }
  function listHits() {
    $("hits").hidden = !$("search").value;
    const rows = hits.slice(0, 60).map(([number, index], at) => {
      const node = doc.graphs[number].nodes[index];
      return make("li", { role: "option", "aria-selected": at === hit, onclick: () => take(at) }, `${node.name}  `, make("span", { class: "soft" }, `${node.type}-${node.version}`));
    });
    $("hits").replaceChildren(...(rows.length ? rows : [make("li", { class: "soft" }, "nothing found")]));
    const chosen = $("hits").children[hit];
    if (chosen) chosen.scrollIntoView({ block: "nearest" });
  }
  function take(at) {
    if (!hits[at]) return;
    const [number, index] = hits[at];
    $("hits").hidden = true;
    open(number, index); center(index); canvas.focus();
  }
  $("search").addEventListener("input", search);
  $("search").addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") hit = Math.min(hit + 1, Math.min(hits.length, 60) - 1);
    else if (event.key === "ArrowUp") hit = Math.max(hit - 1, 0);
    else if (event.key === "Enter") { take(hit); return; }
    else if (event.key === "Escape") { $("search").value = ""; $("hits").hidden = true; canvas.focus(); return; }
    else return;
    event.preventDefault(); listHits();
  });

  // Pointer.
  let drag = null;
  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  function nodeAt(x, y) {
    const gx = (x - state.x) / state.scale, gy = (y - state.y) / state.scale;
    for (const [index, spot] of state.layout.place) if (Math.abs(gx - spot.x) < WIDTH / 2 && Math.abs(gy - spot.y) < HEIGHT / 2) return index;
    return null;
  }
  canvas.addEventListener("pointerdown", (event) => { const [x, y] = at(event); drag = { x, y, moved: false }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [x, y] = at(event);
    if (Math.hypot(x - drag.x, y - drag.y) > 3) drag.moved = true;
    if (drag.moved) { state.x += x - drag.x; state.y += y - drag.y; drag.x = x; drag.y = y; redraw(); }
  });
  canvas.addEventListener("pointerup", (event) => {
    const [x, y] = at(event);
    if (drag && !drag.moved) { const index = nodeAt(x, y); if (index !== null) choose(index, false); }
    drag = null;
  });
  canvas.addEventListener("dblclick", (event) => { const index = nodeAt(...at(event)); if (index !== null) enter(index); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [x, y] = at(event);
    if (event.ctrlKey || !event.shiftKey) zoom(Math.exp(-event.deltaY * 0.0016), x, y); else { state.x -= event.deltaY; redraw(); }
  }, { passive: false });

  // Keys.
  function enter(index) { const { bodies } = graph().nodes[index]; if (bodies) open(bodies[0]); }
  function walk(key) {
    const { place, outs, ins } = state.layout;
    if (state.selected === null || !place.has(state.selected)) { const first = place.keys().next(); if (!first.done) choose(first.value); return; }
    const here = place.get(state.selected);
    let next = [];
    if (key === "ArrowDown") next = (outs.get(state.selected) || []).map((edge) => edge[2]);
    else if (key === "ArrowUp") next = (ins.get(state.selected) || []).map((edge) => edge[0]);
    else {
      const sign = key === "ArrowRight" ? 1 : -1;
      next = [...place.entries()].filter(([, p]) => sign * (p.x - here.x) > WIDTH / 4 && Math.abs(p.y - here.y) < 260)
        .sort((a, b) => Math.hypot(a[1].x - here.x, 2 * (a[1].y - here.y)) - Math.hypot(b[1].x - here.x, 2 * (b[1].y - here.y))).map(([index]) => index);
    }
    if (next.length) choose(next[0]);
  }
  const flagged = () => doc.graphs.flatMap((one, number) => one.nodes.map((node, index) => [number, index, node]).filter((item) => item[2].findings));
  let shownIssue = -1;
  function nextIssue() {
    const all = flagged();
    if (!all.length) return;
    shownIssue = (shownIssue + 1) % all.length;
    open(all[shownIssue][0], all[shownIssue][1]); center(all[shownIssue][1]);
  }
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input[type=search]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key;
    if (key.startsWith("Arrow")) walk(key);
    else if (key === "+" || key === "=") zoom(1.25);
    else if (key === "-") zoom(0.8);
    else if (key === "f") overview();
    else if (key === "/") $("search").focus();
    else if (key === "n") nextIssue();
    else if (key === "c" || key === "s" || key === "t") $({ c: "consts", s: "shapes", t: "heat" }[key]).click();
    else if (key === "Enter" && event.target === canvas && state.selected !== null) enter(state.selected);
    else if (key === "Enter" && event.target.matches("a[role=button]")) event.target.click();
    else if (key === "Backspace" && graph().parent !== null) open(graph().parent);
    else return;
    event.preventDefault();
  });
  for (const [id, name] of [["consts", "consts"], ["shapes", "shapes"]]) {
    $(id).addEventListener("change", () => { state[name] = $(id).checked; layout(); if (state.selected !== null && state.layout.place.has(state.selected)) center(state.selected); else fit(); });
  }
  $("heat").addEventListener("change", () => { state.heat = $("heat").checked; redraw(); });
  $("heatlabel").hidden = !doc.timed;
  $("fit").addEventListener("click", overview);
  $("issues").addEventListener("click", nextIssue);
  if (doc.errors || doc.warnings) {
    $("issues").hidden = false;
    const count = (value, word) => (value ? [`${value} ${word}${value === 1 ? "" : "s"}`] : []);
    $("issues").textContent = [...count(doc.errors, "error"), ...count(doc.warnings, "warning")].join(", ");
  }
  new ResizeObserver(() => state.layout && redraw()).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { palette(); redraw(); });

  function start() {
    palette();
    const [number, id] = decodeURIComponent(location.hash.slice(1)).split("/");
    const wanted = doc.graphs[+number] ? +number : 0;
    open(wanted);
    const index = id === undefined ? -1 : graph().nodes.findIndex((node) => node.id === id);
    if (index >= 0) { choose(index); center(index); }
    document.documentElement.dataset.ready = Math.round(performance.now() - started);
  }
  const screenOf = (index) => { const spot = state.layout.place.get(index), box = canvas.getBoundingClientRect(); return [box.left + spot.x * state.scale + state.x, box.top + spot.y * state.scale + state.y]; };
  window.irGraph = { state, open, choose, screenOf, draw, zoom };
  start();
})();
