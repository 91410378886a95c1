"use strict";
// The library computed all distributions; the sliders look them up.
const entries = JSON.parse(document.getElementById("data").textContent);
const colours = ["#56b4e9", "#e69f00", "#3fc39b", "#e3a6c8", "#f0e442", "#ff9a5c", "#bbbbbb"];

function bar(split, processors) {
  const row = document.createElement("div");
  row.className = "bar";
  row.setAttribute("aria-hidden", "true"); // the line above it has the same numbers
  split.distribution.forEach((part, i) => {
    if (part === 0) return;
    const block = document.createElement("span");
    block.style.flex = part + " 1 0";
    block.style.background = colours[i % colours.length];
    block.textContent = processors[i] + " " + part;
    row.append(block);
  });
  return row;
}

function showSize(box, platform) {
  const slider = box.querySelector("input"), entry = platform.sizes[slider.value];
  box.querySelector("output").textContent = entry.size;
  const lines = [], words = [];
  for (const method of ["chosen", "optimal", "balanced", "equal"]) {
    const split = entry[method], line = document.createElement("div");
    if (split === undefined) continue; // hpart tune chose splits of few sizes
    line.className = "method";
    line.textContent = method + ": " +
      (split ? split.distribution.join(" | ") + ", " + split.text : "no distribution of this size among the points");
    lines.push(line);
    words.push(line.textContent);
    if (split) lines.push(bar(split, platform.processors));
  }
  box.querySelector(".bars").replaceChildren(...lines);
  slider.setAttribute("aria-valuetext", "size " + entry.size + "; " + words.join("; "));
}

for (const box of document.querySelectorAll(".sizes")) {
  const platform = entries[box.dataset.entry];
  box.hidden = false;
  box.querySelector("input").addEventListener("input", () => showSize(box, platform));
  showSize(box, platform);
}

function showPoint(box, points) {
  const slider = box.querySelector("input"), mark = box.querySelector(".mark"), point = points[slider.value];
  mark.style.left = 100 * point.x + "%";
  mark.style.top = 100 * point.y + "%";
  box.querySelector("[aria-live]").textContent = point.name + ": " + point.text;
  slider.setAttribute("aria-valuetext", point.name); // the line, which is live, has the rest
}

// The pointer moves the slider to the point that is nearest on the screen.
function choosePoint(event, box, points) {
  const place = box.querySelector("img").getBoundingClientRect();
  const distance = (point) => Math.hypot(place.left + point.x * place.width - event.clientX,
                                         place.top + point.y * place.height - event.clientY);
  let nearest = 0;
  points.forEach((point, k) => { if (distance(point) < distance(points[nearest])) nearest = k; });
  const slider = box.querySelector("input");
  if (slider.value === String(nearest)) return;
  slider.value = nearest;
  showPoint(box, points);
}

for (const box of document.querySelectorAll(".front")) {
  const points = entries[box.dataset.entry].points;
  box.querySelector(".mark").hidden = box.querySelector(".control").hidden = false;
  box.querySelector("input").addEventListener("input", (event) => {
    showPoint(box, points);
    const frame = box.querySelector(".wide"); // on a narrow screen it has a part of the drawing alone
    frame.scrollLeft = points[event.target.value].x * frame.scrollWidth - frame.clientWidth / 2;
  });
  for (const name of ["pointermove", "pointerdown"])
    box.querySelector("img").addEventListener(name, (event) => choosePoint(event, box, points));
  showPoint(box, points);
}

// A box that scrolls says so, and no other one.
for (const box of document.querySelectorAll(".wide")) {
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "wider than this screen: scroll it sideways \u2194";
  hint.hidden = true;
  box.before(hint);
  const show = () => { hint.hidden = box.scrollWidth <= box.clientWidth; };
  new ResizeObserver(show).observe(box);
  show();
}

// Paper has no slider: it gets the tables of all sizes.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
