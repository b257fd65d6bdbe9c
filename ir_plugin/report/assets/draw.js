"use strict";
// The canvas: what is seen of a graph is drawn when something changed.
const makePainter = (canvas, doc, state) => {
  const HUES = { infrastructure: 220, convolution: 210, matrix: 200, activation: 355, arithmetic: 95, comparison: 80, logical: 70,
    bitwise: 75, condition: 285, normalization: 165, pooling: 140, movement: 35, shape: 50, reduction: 180, sequence: 300,
    sort: 320, detection: 15, quantization: 260, type: 60, generation: 240, image: 25, signals: 190, sparse: 330 };
  const LARGE = "600 12px system-ui, sans-serif", SMALL = "10.5px system-ui, sans-serif", LABEL = "9px system-ui, sans-serif";
  const pen = canvas.getContext("2d");
  const colors = {};
  const graph = () => doc.graphs[state.graph];

  function palette() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["fore", "back", "soft", "line", "bad", "accent"]) colors[name] = style.getPropertyValue(`--${name}`).trim();
    colors.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function fill(node) {
    if (state.heat) {
      const share = node.run && node.run.share ? node.run.share : 0;
      const level = Math.sqrt(Math.min(share * 4, 1));
      if (!share) return colors.dark ? "#1c2128" : "#f3f4f6";
      return `hsl(${50 - 50 * level} ${colors.dark ? 65 : 90}% ${colors.dark ? 20 + 15 * level : 88 - 18 * level}%)`;
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
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.setTransform(ratio * state.scale, 0, 0, ratio * state.scale, ratio * state.x, ratio * state.y);
    const seen = { left: -state.x / state.scale, top: -state.y / state.scale };
    seen.right = seen.left + width / state.scale; seen.bottom = seen.top + height / state.scale;
    const { place, lines } = state.layout;
    const detailed = state.scale > 0.45;
    const visible = lines.filter((line) =>
      line.right >= seen.left && line.left <= seen.right && line.bottom >= seen.top && line.top <= seen.bottom);
    for (const line of visible) drawLine(line, detailed);
    if (state.scale > 0.6) for (const line of visible) drawLabel(line);
    for (const [index, spot] of place) {
      if (spot.x + WIDTH / 2 < seen.left || spot.x - WIDTH / 2 > seen.right) continue;
      if (spot.y + HEIGHT < seen.top || spot.y - HEIGHT > seen.bottom) continue;
      drawNode(state.groups.node(index), index, spot, detailed);
    }
  }

  const isNear = (line) => state.selected !== null && (line.edge[0] === state.selected || line.edge[2] === state.selected);

  // A line leaves and arrives upright, and is smooth in its bends.
  function drawLine(line, detailed) {
    const near = isNear(line), points = line.points, end = points[points.length - 1];
    pen.strokeStyle = near ? colors.accent : colors.soft; pen.lineWidth = near ? 2 : 1; pen.globalAlpha = near ? 1 : 0.6;
    pen.beginPath(); pen.moveTo(points[0].x, points[0].y);
    for (let i = 1; i < points.length; i++) {
      const from = points[i - 1], to = points[i], middle = (from.y + to.y) / 2;
      if (from.x === to.x) pen.lineTo(to.x, to.y); else pen.bezierCurveTo(from.x, middle, to.x, middle, to.x, to.y);
    }
    pen.stroke();
    if (detailed) {
      pen.beginPath(); pen.moveTo(end.x - 3.5, end.y - 6); pen.lineTo(end.x + 3.5, end.y - 6); pen.lineTo(end.x, end.y);
      pen.fillStyle = pen.strokeStyle; pen.fill();
    }
    pen.globalAlpha = 1;
  }

  function labelOf(edge) {
    const run = graph().nodes[edge[5] ?? edge[0]].run, stats = run && run.stats && run.stats[edge[1]];
    return stats ? `[${stats.shape.join(",")}]` : edge[4];
  }

  function drawLabel(line) {
    const near = isNear(line), points = line.points, count = points.length;
    const [from, to] = count === 2 ? points : [points[count - 2], points[count - 2]];
    pen.font = LABEL; pen.textAlign = "left"; pen.fillStyle = near ? colors.accent : colors.soft;
    pen.strokeStyle = colors.back; pen.lineWidth = 3; pen.lineJoin = "round";
    const [text, x, y] = [clip(labelOf(line.edge), 150), (from.x + to.x) / 2 + 5, (from.y + to.y) / 2 + 3];
    pen.strokeText(text, x, y); pen.fillText(text, x, y);
  }

  function drawNode(node, index, spot, detailed) {
    const left = spot.x - WIDTH / 2, top = spot.y - HEIGHT / 2, chosen = index === state.selected;
    const box = (x, y) => {
      pen.beginPath();
      if (detailed) pen.roundRect(x, y, WIDTH, HEIGHT, node.role === "op" ? 7 : 18); else pen.rect(x, y, WIDTH, HEIGHT);
      pen.fill(); pen.stroke();
    };
    pen.fillStyle = fill(node);
    const isStack = node.bodies || node.members;
    pen.strokeStyle = isStack ? colors.soft : colors.line; pen.lineWidth = 1;
    if (isStack) { box(left + 6, top + 6); box(left + 3, top + 3); }
    if (chosen || node.findings) { pen.strokeStyle = chosen ? colors.accent : colors.bad; pen.lineWidth = chosen ? 3 : 2.5; }
    box(left, top);
    if (state.scale < 0.22) return;
    pen.textAlign = "center"; pen.fillStyle = colors.fore; pen.font = LARGE;
    pen.fillText(clip(node.type + noteOf(node), WIDTH - (node.findings ? 34 : 14)), spot.x, detailed ? spot.y - 3 : spot.y + 4);
    if (!detailed) return;
    pen.font = SMALL; pen.globalAlpha = 0.8;
    pen.fillText(clip(node.name, WIDTH - 14), spot.x, spot.y + 13);
    pen.globalAlpha = 1;
    if (node.findings) { pen.fillStyle = colors.bad; pen.font = "700 13px system-ui, sans-serif"; pen.fillText("!", left + WIDTH - 9, top + 15); }
  }

  function noteOf(node) {
    const run = node.run || {};
    const time = run.ms >= 0.0005 ? `  ${run.ms.toFixed(run.ms < 1 ? 3 : 1)} ms` : "";
    const note = run.into ? "  (fused)" : run.folded ? "  (folded)" : state.heat ? time : "";
    return node.bodies || node.members ? `${note}  ⏎` : note;
  }

  const clips = new Map();
  function clip(text, room) {
    const key = `${pen.font}|${room}|${text}`;
    let found = clips.get(key);
    if (found === undefined) {
      found = text;
      const letters = [...text];
      const shortened = (keep) => `${letters.slice(0, keep >> 1).join("")}…${letters.slice(letters.length - (keep >> 1)).join("")}`;
      for (let keep = Math.min(letters.length, 60); keep > 3 && pen.measureText(found).width > room; keep -= 2) found = shortened(keep);
      clips.set(key, found);
    }
    return found;
  }

  return { palette, redraw, draw, colors };
};
