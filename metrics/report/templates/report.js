"use strict";
// Each figure's still picture gives way to the one that can be pointed at; paper keeps the still one.
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const config = { displayModeBar: false };
  const drag = matchMedia("(pointer: fine)").matches ? "zoom" : false; // a finger scrolls the page, not the figure

  function painted(figure) {
    const { data, layout } = structuredClone(figure);
    layout.dragmode = drag;
    layout.font.color = colour("ink");
    for (const axis of [layout.xaxis, layout.yaxis]) {
      axis.gridcolor = colour("grid");
      axis.linecolor = colour("line");
      axis.tickfont = { ...axis.tickfont, color: colour("quiet") };
    }
    layout.hoverlabel = { ...layout.hoverlabel, bgcolor: colour("paper"), bordercolor: colour("line"),
      font: { ...layout.hoverlabel.font, color: colour("ink") } };
    for (const trace of data.filter((trace) => trace.meta === "ink")) {
      trace.error_x.color = colour("ink");
      trace.marker = { ...trace.marker, color: colour("paper"), line: { width: 2, color: colour("ink") } };
    }
    return [data, layout];
  }

  function draw(place) {
    place.parentElement.classList.add("alive"); // first, so that the place has a size to fill
    Plotly.react(place, ...painted(figures[place.dataset.figure]), config);
  }

  const places = [...document.querySelectorAll("[data-figure]")];
  const all = () => places.forEach(draw);
  all();
  const fit = new ResizeObserver((entries) => entries.forEach((entry) => {
    if (entry.contentRect.width) Plotly.Plots.resize(entry.target);
  }));
  places.forEach((place) => fit.observe(place));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
})();
