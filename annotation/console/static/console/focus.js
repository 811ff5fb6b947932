// What had the focus and is gone after a swap gives it to the part of the page that came instead (tabindex="-1").
let left = "";
document.addEventListener("htmx:beforeSwap", function (event) {
  const part = event.detail.target;
  left = part.contains(document.activeElement) ? part.id : "";
});
document.addEventListener("htmx:afterSettle", function () {
  const part = left && document.activeElement === document.body && document.getElementById(left);
  if (part) { part.focus({ preventScroll: true }); }
});
