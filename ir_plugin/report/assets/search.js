"use strict";
// Search in all graphs; `take` gets the graph and the node that were chosen, `leave` is called when nothing was.
const makeSearch = (field, list, doc, current, take, leave) => {
  const MOST = 60;
  let hits = [], hit = 0;
  const texts = new Map();  // of the nodes of a graph, made when it is searched first
  const textsOf = (number) => {
    if (!texts.has(number)) {
      texts.set(number, doc.graphs[number].nodes.map((node) =>
        `${node.name} ${node.type} ${node.id} ${node.out.map((port) => port[0]).join(" ")}`.toLowerCase()));
    }
    return texts.get(number);
  };

  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    hits = [];
    const order = words.length ? [current(), ...doc.graphs.keys()].filter((value, at, every) => every.indexOf(value) === at) : [];
    for (const number of order) {
      const nodes = doc.graphs[number].nodes, found = [];
      textsOf(number).forEach((text, index) => {
        if (words.every((word) => text.includes(word))) found.push([number, index]);
      });
      const late = ([, index]) => Number(nodes[index].role !== "op");
      hits.push(...found.sort((one, other) => late(one) - late(other)).slice(0, MOST - hits.length));
    }
    hit = 0; show();
  }

  function show() {
    list.hidden = !field.value;
    const rows = hits.map(([number, index], at) => {
      const node = doc.graphs[number].nodes[index];
      const kind = make("span", { class: "soft" }, `${node.type}-${node.version}`);
      return make("li", { role: "option", "aria-selected": at === hit, onclick: () => choose(at) }, `${node.name}  `, kind);
    });
    list.replaceChildren(...(rows.length ? rows : [make("li", { class: "soft" }, "nothing found")]));
    const chosen = list.children[hit];
    if (chosen) chosen.scrollIntoView({ block: "nearest" });
  }

  function choose(at) {
    if (!hits[at]) return;
    list.hidden = true;
    take(...hits[at]);
  }

  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") hit = Math.min(hit + 1, hits.length - 1);
    else if (event.key === "ArrowUp") hit = Math.max(hit - 1, 0);
    else if (event.key === "Enter") { choose(hit); return; }
    else if (event.key === "Escape") { field.value = ""; list.hidden = true; leave(); return; }
    else return;
    event.preventDefault(); show();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault());  // the field keeps the focus
  field.addEventListener("blur", () => { list.hidden = true; });
  field.addEventListener("focus", () => { if (field.value) search(); });
};
