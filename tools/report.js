"use strict";
// The library computed all distributions; the slider looks them up.
const platforms = JSON.parse(document.getElementById("data").textContent);
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

function show(box, platform) {
  const slider = box.querySelector("input"), entry = platform.sizes[slider.value];
  box.querySelector("output").textContent = entry.size;
  const lines = [], words = [];
  for (const method of ["optimal", "balanced", "equal"]) {
    const split = entry[method], line = document.createElement("div");
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
  const platform = platforms[box.dataset.platform];
  box.hidden = false;
  box.querySelector("input").addEventListener("input", () => show(box, platform));
  show(box, platform);
}

// Paper has no slider: it gets the tables of all sizes.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
