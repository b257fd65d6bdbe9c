"use strict";
const arrangeBoxes = (WIDTH, heights, links) => {
  const MOST_BOXES = 4000;

  // Where boxes of these heights go, and the bends of their links: by dagre, or in plain rows where there are too many.
  function arrange(heights, links) {
    if (heights.length <= MOST_BOXES) {
      try { return arrangeWell(heights, links); } catch (fault) { console.warn("plain rows, as the layout failed:", fault); }
    }
    return arrangeInRows(heights, links);
  }

  function arrangeWell(heights, links) {
    const boxes = new dagre.graphlib.Graph({ multigraph: true });
    boxes.setGraph({ ranksep: 38, nodesep: 26, edgesep: 12, ranker: heights.length > 300 ? "longest-path" : "network-simplex" });
    boxes.setDefaultEdgeLabel(() => ({}));
    heights.forEach((height, index) => boxes.setNode(String(index), { width: WIDTH, height }));
    links.forEach(([from, to], index) => { if (from !== to) boxes.setEdge(String(from), String(to), {}, String(index)); });
    dagre.layout(boxes);
    const bends = links.map(([from, to], index) => (from === to ? [] : boxes.edge({ v: String(from), w: String(to), name: String(index) }).points.slice(1, -1)));
    return { spots: heights.map((height, index) => { const { x, y } = boxes.node(String(index)); return { x, top: y - height / 2 }; }), bends };
  }

  function arrangeInRows(heights, links) {
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

  return arrange(heights, links);
};
