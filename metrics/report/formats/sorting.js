"use strict";
// Tables marked data-sortable are sorted by a click on a column's head; without script they are as they are.
(() => {
  const number = (text) => {
    const found = text.replace(/−/g, "-").replace(/,/g, "").match(/^\s*[<]?\s*-?\d+(\.\d+)?/);
    return found ? parseFloat(found[0].replace("<", "")) : NaN;
  };
  const compare = (a, b) => {
    const [x, y] = [number(a), number(b)];
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    return Number.isNaN(x) ? a.localeCompare(b) : x - y;
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const body = table.tBodies[0];
    if (!table.tHead || [...body.rows].some((row) => row.cells.length !== table.tHead.rows[0].cells.length)) continue;
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows];
        rows.sort((a, b) => compare(a.cells[at].textContent, b.cells[at].textContent) * (up ? 1 : -1));
        body.append(...rows);
      });
    });
  }
})();
