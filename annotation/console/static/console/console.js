// Where tabs do not fit side by side, the one that is open is scrolled into sight.
for (const here of document.querySelectorAll(".tabs [aria-current], .rail [aria-current]")) {
  const row = here.closest("ul, nav");
  for (let box = row; box && !box.matches("header, .study"); box = box.parentElement) {
    box.scrollLeft = here.offsetLeft - box.offsetLeft - (box.clientWidth - here.offsetWidth) / 2;
  }
}
