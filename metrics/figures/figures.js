"use strict";
// Each figure's still picture gives way to the one that can be pointed at; paper keeps the still one.
(async () => {
  if (!window.DecompressionStream) return; // an older browser keeps the still pictures
  const unpack = (id) => {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  };
  const library = document.createElement("script"); // its text is one that the page's policy lets run
  library.textContent = await unpack("library");
  document.head.append(library);
  const source = await unpack("figures");
  const { palette } = JSON.parse(source); // the colours the figures are drawn in, by their names in the page's style
  const config = { displayModeBar: false };
  const drag = matchMedia("(pointer: fine)").matches ? "zoom" : false; // a finger scrolls the page, not the figure

  function painted() {
    const style = getComputedStyle(document.documentElement);
    const now = new Map(Object.entries(palette).map(([name, drawn]) => [drawn, style.getPropertyValue("--" + name).trim()]));
    return JSON.parse(source, (key, value) => (now.has(value) && key !== "text" ? now.get(value) : value)).figures;
  }

  const places = [...document.querySelectorAll("[data-figure]")];
  function all() {
    const figures = painted();
    for (const place of places) {
      place.parentElement.classList.add("alive"); // first, so that the place has a size to fill
      const { data, layout } = figures[place.dataset.figure];
      layout.dragmode = drag;
      Plotly.react(place, data, layout, config);
    }
  }

  all();
  const fit = new ResizeObserver((entries) => entries.forEach((entry) => {
    if (entry.contentRect.width) Plotly.Plots.resize(entry.target);
  }));
  places.forEach((place) => fit.observe(place));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
})();
