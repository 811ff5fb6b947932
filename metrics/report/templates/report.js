"use strict";
// Each figure's still picture gives way to the one that can be pointed at; paper keeps the still one.
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const config = { displaylogo: false, responsive: true, displayModeBar: "hover",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };

  function painted(figure) {
    const { data, layout } = structuredClone(figure);
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
    Plotly.react(place, ...painted(figures[place.dataset.figure]), config);
    place.parentElement.classList.add("alive");
  }

  const places = [...document.querySelectorAll("[data-figure]")];
  const all = () => places.forEach(draw);
  all();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
})();
