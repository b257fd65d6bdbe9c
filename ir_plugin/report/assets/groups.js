"use strict";
// Repeated blocks of a graph: a folded one is drawn as a single node behind the layers of the graph.
const makeGroups = (graph) => {
  const count = graph.nodes.length, folded = graph.groups.map(() => true), groupOf = new Map();
  graph.groups.forEach(({ members }, group) => members.forEach((member) => groupOf.set(member, group)));
  const nodes = graph.groups.map(({ label, members }, group) => {
    const inside = members.map((member) => graph.nodes[member]), findings = inside.flatMap((node) => node.findings || []);
    const sum = (of) => inside.reduce((total, node) => total + (of(node) || 0), 0);
    const node = { name: label, type: `${inside.length} layers`, role: "op", family: "group", group, members, macs: sum((of) => of.macs) };
    if (findings.length) node.findings = findings;
    if (inside.some((of) => of.run && of.run.ms !== undefined)) {
      node.run = { ms: sum((of) => of.run && of.run.ms), share: sum((of) => of.run && of.run.share), calls: 1 };
    }
    return node;
  });
  return {
    node: (index) => (index < count ? graph.nodes[index] : nodes[index - count]),
    nodes,
    // The index of what is drawn for a layer: itself, or its folded group.
    shownFor: (index) => { const group = groupOf.get(index); return group !== undefined && folded[group] ? count + group : index; },
    indexOf: (group) => count + group,
    groupOf: (index) => groupOf.get(index),
    fold: (group, value) => { folded[group] = value; },
    isFolded: (group) => folded[group],
    foldAll: (value) => folded.fill(value),
    anyFolded: () => folded.some(Boolean),
  };
};
