"use strict";
// The panel beside the graph: what is known of a layer, or of the model where none is chosen.
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value); else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};

// Names of at most so many letters: shortened near their beginning, and without the beginning that all share if two would look alike.
const apart = (names, most) => {
  const shortened = (text, room) => {
    const letters = [...text], head = Math.floor(room / 3);
    return letters.length <= room ? text : `${letters.slice(0, head).join("")}…${letters.slice(head + 1 - room).join("")}`;
  };
  const areApart = (texts) => new Set(texts).size === new Set(names).size;
  const short = names.map((name) => shortened(name, most));
  if (areApart(short)) return short;
  const first = names[0], shares = (end) => names.every((name) => name.startsWith(first.slice(0, end)));
  let begin = 0;
  while (begin < first.length && shares(begin + 1)) begin++;
  begin = Math.max(first.lastIndexOf("/", begin - 1), first.lastIndexOf(".", begin - 1)) + 1;
  const rests = names.map((name) => (begin ? `…${name.slice(begin)}` : name));
  const heads = rests.map((rest) => ([...rest].length <= most ? rest : `${[...rest].slice(0, most - 1).join("")}…`));
  return areApart(heads) ? heads : rests.map((rest) => shortened(rest, most));
};

const makePanel = (panel, doc, go, fold) => {
  const MOST = 30;
  const keys = panel.querySelector("dl");

  const button = (text, onclick) => make("a", { onclick, role: "button", tabindex: 0, title: text }, text);
  const LETTERS = [44, 36, 28, 16], LONGEST_WORD = 26;
  // Words and numbers with their units stay whole, names of layers are shortened to one line, longer words break anywhere.
  function cellOf(cell) {
    const long = typeof cell !== "string" || cell.split(/\s/).some((word) => word.length > LONGEST_WORD);
    const whole = !long && (cell.length <= 14 || /^[\d.,]+ \S+$/.test(cell));
    return make("td", long ? { class: "long" } : whole ? { class: "whole" } : {}, cell);
  }
  function table(rows) {
    for (let column = 0; column < Math.max(...rows.map((row) => row.length)); column++) {
      const cells = rows.map((row) => row[column]).filter((cell) => cell && typeof cell !== "string");
      const names = cells.flatMap((cell) => [cell, ...cell.children].filter((part) => part.title));
      const short = apart(names.map((name) => name.title), LETTERS[Math.min(rows[0].length, LETTERS.length) - 1]);
      names.forEach((name, index) => { name.textContent = short[index]; });
    }
    return make("table", {}, ...rows.map((cells) => make("tr", {}, ...cells.map(cellOf))));
  }
  const part = (title, rows) => (rows.length ? [make("h3", {}, title), table(rows)] : []);
  const number = (value) => (typeof value === "number" ? String(+value.toPrecision(5)) : value ?? "–");
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  const all = () => doc.graphs.flatMap((graph, at) => graph.nodes.map((node, index) => ({ at, index, node })));
  const link = ({ at, index, node }) => button(node.name || `id ${node.id}`, () => go(at, index));

  function linkTo(at, text) {
    const { nodes } = doc.graphs[at];
    let index = nodes.findIndex((node) => node.name === text);
    if (index < 0) index = nodes.findIndex((node) => node.name === text.replace(/:\d+$/, ""));
    return index < 0 ? text : button(text, () => go(at, index));
  }

  function histogram(stats) {
    const most = Math.max(...stats.histogram, 1), space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const set = (element, values) => { for (const [key, value] of Object.entries(values)) element.setAttribute(key, value); };
    set(svg, { class: "hist", viewBox: `0 0 ${stats.histogram.length} 10`, preserveAspectRatio: "none", role: "img" });
    stats.histogram.forEach((count, index) => {
      const bar = document.createElementNS(space, "rect"), tall = count ? Math.max(count / most * 10, 0.3) : 0;
      set(bar, { x: index + 0.05, width: 0.9, y: 10 - tall, height: tall });
      svg.append(bar);
    });
    return make("figure", {}, svg, make("figcaption", { class: "ends" }, make("span", {}, number(stats.min)), make("span", {}, number(stats.max))));
  }

  function picture(preview) {
    const image = make("img", { src: preview.src, alt: preview.note, width: preview.width, height: preview.height });
    return make("figure", {}, image, make("figcaption", { class: "soft" }, preview.note));
  }

  function valuesOf(stats, port) {
    const title = `values of output ${port}: ${stats.type} ${stats.shape.join("x") || "scalar"}`;
    const rows = [["min", number(stats.min)], ["mean", number(stats.mean)], ["max", number(stats.max)], ["zeros", percent(stats.sparsity)]];
    for (const [name, count] of [["NaN", stats.nan], ["Inf", stats.inf]]) if (count) rows.push([name, make("b", { class: "bad" }, String(count))]);
    const found = [make("h3", {}, title), ...(stats.preview ? [picture(stats.preview)] : []), table(rows)];
    if (stats.histogram.length > 1) found.push(histogram(stats));
    if (stats.largest) found.push(...part("largest of the first row", stats.largest.map(([index, value]) => [`at ${index}`, number(value)])));
    return found;
  }

  function timeOf(at, run) {
    const rows = [];
    if (run.ms !== undefined) rows.push(["time", `${+run.ms.toPrecision(3)} ms, ${percent(run.share)}${run.calls > 1 ? `, ${run.calls} calls` : ""}`]);
    if (run.kernel) rows.push(["kernel", run.kernel]);
    if (run.fused && run.fused.length) rows.push(["fused into it", make("span", {}, ...run.fused.flatMap((name, place) => [...(place ? [make("br")] : []), linkTo(at, name)]))]);
    if (run.into) rows.push(["fused into", linkTo(at, run.into)]);
    if (run.folded) rows.push(["folded", "computed or removed when the model was compiled"]);
    return part("run", rows);
  }

  function findingBox(found, ...where) {
    const title = make("b", {}, `${found.severity}[${found.code}]`);
    const box = make("div", { class: `finding ${found.severity}` }, ...where, title, ` ${found.message}`);
    if (found.why) box.append(make("div", { class: "soft" }, found.why + (found.line ? ` (line ${found.line})` : "")));
    return box;
  }

  function kindsOf(nodes) {
    const kinds = new Map();
    for (const { type } of nodes) kinds.set(type, (kinds.get(type) || 0) + 1);
    return part("layers", [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 12).map(([type, count]) => [type, String(count)]));
  }

  function showGroup(at, { name, members, group, macs, run, findings }) {
    const nodes = members.map((index) => doc.graphs[at].nodes[index]);
    put([
      make("h2", {}, name), make("div", { class: "soft" }, `${members.length} layers that repeat`),
      make("p", {}, make("button", { onclick: () => fold(group, false) }, "unfold")),
      ...(findings || []).slice(0, MOST).map((found) => findingBox(found)), ...kindsOf(nodes),
      ...(run ? part("run", [["time", `${+run.ms.toPrecision(3)} ms, ${percent(run.share)}`]]) : []),
      ...(macs ? part("cost", [["multiply-accumulates", macs.toLocaleString("en")]]) : []),
    ]);
  }

  function showNode(at, index, readers, group) {
    const node = doc.graphs[at].nodes[index];
    const parts = [make("h2", {}, node.name || "(no name)"), make("div", { class: "soft" }, `${node.type}-${node.version}, id ${node.id}, ${node.family}`)];
    if (group !== undefined) {
      parts.push(make("p", {}, make("button", { onclick: () => fold(group, true) }, `fold ${doc.graphs[at].groups[group].label}`)));
    }
    if (node.link) parts.push(make("div", {}, make("a", { href: node.link, target: "_blank", rel: "noreferrer" }, "specification")));
    for (const body of node.bodies || []) {
      parts.push(make("p", {}, make("button", { onclick: () => go(body) }, `open ${doc.graphs[body].label}`)));
    }
    parts.push(...(node.findings || []).map((found) => findingBox(found)));
    parts.push(...part("attributes", Object.entries(node.attrs)));
    parts.push(...part("inputs", node.in.map(([from, what], port) => [String(port), linkTo(at, from), what])));
    parts.push(...part("outputs", node.out.map(([tensor, what], port) => [String(port), tensor || "–", what])));
    if (node.run) parts.push(...timeOf(at, node.run), ...(node.run.stats || []).flatMap(valuesOf));
    parts.push(...part("read by", [...new Set(readers)].slice(0, MOST).map((reader) => [link({ at, index: reader, node: doc.graphs[at].nodes[reader] })])));
    if (node.macs) parts.push(...part("cost", [["multiply-accumulates", node.macs.toLocaleString("en")]]));
    put(parts);
  }

  function showModel(at) {
    const graph = doc.graphs[at], everything = all();
    const ports = (type) => graph.nodes.flatMap((node, index) => (node.type === type ? [[link({ at, index, node }), (node.out[0] || node.in[0] || [])[1] || ""]] : []));
    const slow = everything.filter(({ node }) => node.run && node.run.ms).sort((a, b) => b.node.run.ms - a.node.run.ms).slice(0, 10);
    const wrong = everything.filter(({ node }) => node.findings).slice(0, MOST);
    put([
      make("h2", {}, at ? graph.title : doc.title),
      make("div", { class: "soft" }, `${!at && graph.title ? `${graph.title}, ` : ""}${graph.nodes.length} layers. Click one, or press an arrow key.`),
      ...doc.loose.map((found) => findingBox(found)),
      ...wrong.flatMap((item) => item.node.findings.map((found) => findingBox(found, link(item), ": "))),
      ...part("inputs", ports("Parameter")), ...part("outputs", ports("Result")),
      ...part("slowest layers", slow.map((item) => [link(item), item.node.type, `${+item.node.run.ms.toPrecision(3)} ms`, percent(item.node.run.share)])),
      ...kindsOf(graph.nodes),
      make("h3", {}, "keys"), keys,
    ]);
  }

  function put(parts) { panel.replaceChildren(...parts); panel.scrollTop = 0; }

  return { showNode, showGroup, showModel };
};
