"use strict";
(() => {
  const started = performance.now();
  const doc = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const canvas = $("view");
  const state = { graph: 0, scale: 1, x: 0, y: 0, selected: null, layout: null, groups: null, consts: false, shapes: false, heat: doc.timed };
  const graph = () => doc.graphs[state.graph], nodeOf = (index) => state.groups.node(index);
  const groups = doc.graphs.map(makeGroups);
  const painter = makePainter(canvas, doc, state), { redraw } = painter;
  const panel = makePanel($("panel"), doc, (number, index = null) => { open(number, index); }, (group, value) => fold(group, value));
  makeSearch($("search"), $("hits"), doc, () => state.graph,
    (number, index) => { open(number, index); center(index); canvas.focus(); }, () => canvas.focus());

  function layout() {
    const isShown = (node) => node.role === "op" || !!node.findings || (node.role === "const" ? state.consts : state.shapes);
    state.layout = layoutOf(graph(), state.groups, isShown);
    state.layout.count = state.layout.place.size;
  }

  // What is seen.
  function whole() {
    const { left, right, top, bottom } = state.layout.bounds;
    state.scale = Math.min(canvas.clientWidth / (right - left), canvas.clientHeight / (bottom - top), 1.2);
    state.x = canvas.clientWidth / 2 - (left + right) / 2 * state.scale;
    state.y = canvas.clientHeight / 2 - (top + bottom) / 2 * state.scale;
    redraw();
  }

  function fit() {
    whole();
    if (state.scale >= 0.5) return;  // else too small to be read: its beginning, at a readable size
    const { left, right, top } = state.layout.bounds, width = canvas.clientWidth;
    state.scale = Math.max(state.scale, Math.min(0.9, width / Math.min(right - left, 1400)));
    const first = state.layout.place.values().next().value;
    state.x = width / 2 - first.x * state.scale; state.y = 10 - top * state.scale;
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
    if (number !== state.graph || !state.layout) { state.graph = number; state.groups = groups[number]; state.selected = null; layout(); fit(); }
    $("fold").hidden = !graph().groups.length;
    crumbs();
    if (select !== null) choose(select); else leave();
  }

  function choose(index, move = true) {
    const node = nodeOf(index), group = state.groups.groupOf(index);
    if (group !== undefined && state.groups.isFolded(group)) { state.groups.fold(group, false); layout(); }
    if (!state.layout.place.has(index)) {
      if (node.role === "const") state.consts = $("consts").checked = true; else state.shapes = $("shapes").checked = true;
      layout();
    }
    state.selected = index;
    if (node.members) panel.showGroup(state.graph, node); else panel.showNode(state.graph, index, readersOf(index), group);
    $("status").textContent = `${node.type} ${node.name}`;
    const spot = state.layout.place.get(index);
    const x = spot.x * state.scale + state.x, y = spot.y * state.scale + state.y;
    const [wide, high] = [80, 24].map((room) => room * Math.min(state.scale, 1));
    const out = x < wide || y < high || x > canvas.clientWidth - wide || y > canvas.clientHeight - high;
    if (move && (out || state.scale < 0.4)) center(index); else redraw();
  }

  const readersOf = (index) => graph().edges.filter((edge) => edge[0] === index).map((edge) => edge[2]);

  // Fold or unfold a group, and show it, or its first layer.
  function fold(group, value) {
    state.groups.fold(group, value);
    layout();
    const index = state.groups.indexOf(group);
    const { members } = nodeOf(index), first = members.find((member) => state.layout.place.has(member));
    choose(value || first === undefined ? index : first); center(state.selected);
    canvas.focus();
  }

  function foldAll() {
    if (!graph().groups.length) return;
    state.groups.foldAll(!state.groups.anyFolded());
    layout(); fit(); leave();
  }

  function leave() {
    state.selected = null;
    panel.showModel(state.graph);
    $("status").textContent = `${state.layout.count} of ${graph().nodes.length} layers shown${graph().groups.length ? ` with ${graph().groups.length} groups` : ""}`;
    redraw();
  }

  function crumbs() {
    const trail = [];
    for (let at = state.graph; at !== null; at = doc.graphs[at].parent) trail.unshift(at);
    $("crumbs").replaceChildren(...trail.flatMap((number, depth) => {
      const title = depth ? doc.graphs[number].label : doc.title;
      const there = { onclick: () => open(number), tabindex: 0, role: "button" };
      const part = number === state.graph ? make("span", { title }, title) : make("a", there, title);
      return depth ? [" › ", part] : [part];
    }));
  }

  // Pointer.
  let drag = null;
  const at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  function nodeAt(x, y) {
    const gx = (x - state.x) / state.scale, gy = (y - state.y) / state.scale;
    for (const [index, spot] of state.layout.place) {
      if (Math.abs(gx - spot.x) < WIDTH / 2 && Math.abs(gy - spot.y) < HEIGHT / 2) return index;
    }
    return null;
  }
  canvas.addEventListener("pointerdown", (event) => {
    const [x, y] = at(event);
    drag = { x, y, moved: false }; canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (!drag) { hover(nodeAt(x, y)); return; }
    if (Math.hypot(x - drag.x, y - drag.y) > 3) drag.moved = true;
    if (drag.moved) { state.x += x - drag.x; state.y += y - drag.y; drag.x = x; drag.y = y; redraw(); }
  });
  canvas.addEventListener("pointerup", (event) => {
    const [x, y] = at(event);
    if (drag && !drag.moved) { const index = nodeAt(x, y); if (index !== null) choose(index, false); else leave(); }
    drag = null;
  });
  function hover(index) {
    canvas.title = index === null ? "" : nodeOf(index).name;
    canvas.style.cursor = index === null ? "" : "pointer";
  }
  canvas.addEventListener("dblclick", (event) => { const index = nodeAt(...at(event)); if (index !== null) enter(index); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const [x, y] = at(event);
    if (event.ctrlKey || !event.shiftKey) zoom(Math.exp(-event.deltaY * 0.0016), x, y); else { state.x -= event.deltaY; redraw(); }
  }, { passive: false });

  // Keys.
  function enter(index) {
    const { bodies, group } = nodeOf(index);
    if (group !== undefined) fold(group, false); else if (bodies) open(bodies[0]);
  }
  function walk(key) {
    const { place, outs, ins } = state.layout;
    if (state.selected === null || !place.has(state.selected)) {
      const first = place.keys().next();
      if (!first.done) choose(first.value);
      return;
    }
    const here = place.get(state.selected);
    let next = [];
    if (key === "ArrowDown") next = (outs.get(state.selected) || []).map((edge) => edge[2]);
    else if (key === "ArrowUp") next = (ins.get(state.selected) || []).map((edge) => edge[0]);
    else {
      const sign = key === "ArrowRight" ? 1 : -1, far = (p) => Math.hypot(p.x - here.x, 2 * (p.y - here.y));
      const beside = [...place.entries()].filter(([, p]) => sign * (p.x - here.x) > WIDTH / 4 && Math.abs(p.y - here.y) < 260);
      next = beside.sort((a, b) => far(a[1]) - far(b[1])).map(([index]) => index);
    }
    if (next.length) choose(next[0]);
  }
  const flagged = () => doc.graphs.flatMap((one, number) =>
    one.nodes.flatMap((node, index) => (node.findings ? [[number, index]] : [])));
  let shownIssue = -1;
  function nextIssue() {
    const all = flagged();
    if (!all.length) { leave(); return; }
    shownIssue = (shownIssue + 1) % all.length;
    open(...all[shownIssue]); center(all[shownIssue][1]);
  }
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input[type=search]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key;
    if (key.startsWith("Arrow")) walk(key);
    else if (key === "+" || key === "=") zoom(1.25);
    else if (key === "-") zoom(0.8);
    else if (key === "f") whole();
    else if (key === "/") $("search").focus();
    else if (key === "n") nextIssue();
    else if (key === "g") foldAll();
    else if (key === "c" || key === "s" || key === "t") $({ c: "consts", s: "shapes", t: "heat" }[key]).click();
    else if (key === "Escape") leave();
    else if (key === "Enter" && event.target === canvas && state.selected !== null) enter(state.selected);
    else if (key === "Enter" && event.target.matches("a[role=button]")) event.target.click();
    else if (key === "Backspace" && graph().parent !== null) open(graph().parent);
    else return;
    event.preventDefault();
  });

  // Start.
  for (const name of ["consts", "shapes"]) {
    $(name).addEventListener("change", () => {
      state[name] = $(name).checked;
      layout();
      if (state.selected !== null && state.layout.place.has(state.selected)) center(state.selected); else { leave(); fit(); }
    });
  }
  $("heat").addEventListener("change", () => { state.heat = doc.timed && $("heat").checked; redraw(); });
  $("heatlabel").hidden = !doc.timed;
  $("fit").addEventListener("click", whole);
  $("fold").addEventListener("click", foldAll);
  $("issues").addEventListener("click", nextIssue);
  if (doc.errors || doc.warnings) {
    const count = (value, word) => (value ? [`${value} ${word}${value === 1 ? "" : "s"}`] : []);
    $("issues").hidden = false;
    $("issues").className = doc.errors ? "bad" : "";
    $("issues").textContent = [...count(doc.errors, "error"), ...count(doc.warnings, "warning")].join(", ");
  }
  new ResizeObserver(() => state.layout && painter.draw()).observe(canvas);  // at once, so that no frame is stretched
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { painter.palette(); redraw(); });

  function start() {
    painter.palette();
    const [number, id] = decodeURIComponent(location.hash.slice(1)).split("/");
    open(doc.graphs[+number] ? +number : 0);
    const index = id === undefined ? -1 : graph().nodes.findIndex((node) => node.id === id);
    if (index >= 0) { choose(index); center(index); }
    document.documentElement.dataset.ready = Math.round(performance.now() - started);
  }
  function screenOf(index) {
    const spot = state.layout.place.get(index), box = canvas.getBoundingClientRect();
    return [box.left + spot.x * state.scale + state.x, box.top + spot.y * state.scale + state.y];
  }
  window.irGraph = { state, open, choose, screenOf, draw: painter.draw, zoom, fold, foldAll };
  start();
})();
