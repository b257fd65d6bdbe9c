"use strict";
// Where the layers of a graph stand, and the ways of its edges.
const WIDTH = 172, HEIGHT = 40, GAP = 24;

const arrangeBoxes = (heights, links) => {
  const MOST_BOXES = 4000;

  // Where boxes of these heights go, and the bends of their links: by dagre, or in plain rows where there are too many.
  function arrange() {
    if (heights.length <= MOST_BOXES) {
      try { return arrangeWell(); } catch (fault) { console.warn("plain rows, as the layout failed:", fault); }
    }
    return arrangeInRows();
  }

  function arrangeWell() {
    const boxes = new dagre.graphlib.Graph({ multigraph: true });
    boxes.setGraph({ ranksep: 38, nodesep: 26, edgesep: 12, ranker: heights.length > 300 ? "longest-path" : "network-simplex" });
    boxes.setDefaultEdgeLabel(() => ({}));
    heights.forEach((height, index) => boxes.setNode(String(index), { width: WIDTH, height }));
    links.forEach(([from, to], index) => { if (from !== to) boxes.setEdge(String(from), String(to), {}, String(index)); });
    dagre.layout(boxes);
    const bends = links.map(([from, to], index) =>
      (from === to ? [] : boxes.edge({ v: String(from), w: String(to), name: String(index) }).points.slice(1, -1)));
    const spots = heights.map((height, index) => { const { x, y } = boxes.node(String(index)); return { x, top: y - height / 2 }; });
    return { spots, bends };
  }

  function arrangeInRows() {
    const waiting = heights.map(() => 0), readers = heights.map(() => []), rank = heights.map(() => 0);
    for (const [from, to] of links) if (from !== to) { waiting[to]++; readers[from].push(to); }
    const ready = heights.flatMap((_, index) => (waiting[index] ? [] : [index]));
    for (let next = 0; next < ready.length; next++) {
      for (const to of readers[ready[next]]) {
        rank[to] = Math.max(rank[to], rank[ready[next]] + 1);
        if (!--waiting[to]) ready.push(to);
      }
    }
    const rows = [], spots = [];
    heights.forEach((_, index) => (rows[rank[index]] = rows[rank[index]] || []).push(index));
    let top = 0;
    for (const row of rows.filter(Boolean)) {
      row.forEach((index, at) => { spots[index] = { x: (at - (row.length - 1) / 2) * (WIDTH + 26), top }; });
      top += row.reduce((most, index) => Math.max(most, heights[index]), 0) + 38;
    }
    return { spots, bends: [] };
  }

  return arrange();
};

// Chains of layers with one reader each are laid out as one tall box, which keeps large models quick.
const chainsOf = (shown, outs, ins) => {
  const only = (map, key) => (map.get(key) || []).length === 1;
  const chained = (edge) => only(outs, edge[0]) && only(ins, edge[2]);
  const chains = [], chainOf = new Map();
  shown.forEach((visible, first) => {
    if (!visible || (only(ins, first) && chained(ins.get(first)[0]))) return;
    const chain = [first];
    for (let at = first; only(outs, at) && chained(outs.get(at)[0]);) {
      at = outs.get(at)[0][2];
      if (at === first) break;
      chain.push(at);
    }
    chain.forEach((index) => chainOf.set(index, chains.length));
    chains.push(chain);
  });
  shown.forEach((visible, index) => {  // what is left are cycles
    if (visible && !chainOf.has(index)) { chainOf.set(index, chains.length); chains.push([index]); }
  });
  return { chains, chainOf };
};

// `isShown` says of a node whether it is to be drawn; layers of a folded group are drawn as one node.
const layoutOf = ({ nodes, edges }, groups, isShown) => {
  const shown = [...nodes, ...groups.nodes].map(() => false), known = new Set(), live = [];
  const visible = nodes.map(isShown), at = nodes.map((_, index) => groups.shownFor(index));
  nodes.forEach((_, index) => { if (visible[index]) shown[at[index]] = true; });
  for (const edge of edges) {  // an output that a layer reads at several ports is one line
    const from = at[edge[0]], to = at[edge[2]];
    if (!visible[edge[0]] || !visible[edge[2]] || from === to) continue;
    const key = `${from},${from === edge[0] ? edge[1] : edge.slice(0, 2)},${to}`;
    if (known.has(key)) continue;
    known.add(key);
    live.push(from === edge[0] && to === edge[2] ? edge : [from, edge[1], to, edge[3], edge[4], edge[0]]);
  }
  const outs = new Map(), ins = new Map();
  const add = (map, key, edge) => { if (map.has(key)) map.get(key).push(edge); else map.set(key, [edge]); };
  for (const edge of live) { add(outs, edge[0], edge); add(ins, edge[2], edge); }
  const { chains, chainOf } = chainsOf(shown, outs, ins);
  const links = live.map((edge) => [chainOf.get(edge[0]), chainOf.get(edge[2])]);
  const boxes = arrangeBoxes(chains.map((chain) => chain.length * (HEIGHT + GAP) - GAP), links);
  const place = new Map();
  chains.forEach((chain, index) => {
    const box = boxes.spots[index];
    chain.forEach((node, step) => place.set(node, { x: box.x, y: box.top + HEIGHT / 2 + step * (HEIGHT + GAP) }));
  });
  const lines = live.map((edge, index) => {
    const a = place.get(edge[0]), b = place.get(edge[2]);
    const inner = links[index][0] === links[index][1] ? [] : boxes.bends[index] || [];
    const points = [{ x: a.x, y: a.y + HEIGHT / 2 }, ...inner, { x: b.x, y: b.y - HEIGHT / 2 }];
    const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
    return { points, edge, left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  });
  return { place, lines, outs, ins, bounds: boundsOf([...place.values()]) };
};

const boundsOf = (spots) => {
  if (!spots.length) return { left: 0, right: 1, top: 0, bottom: 1 };
  const reach = (key) => spots.reduce(([low, high], spot) => [Math.min(low, spot[key]), Math.max(high, spot[key])], [Infinity, -Infinity]);
  const [[left, right], [top, bottom]] = [reach("x"), reach("y")];
  return { left: left - WIDTH, right: right + WIDTH, top: top - HEIGHT, bottom: bottom + HEIGHT };
};
