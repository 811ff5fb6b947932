// Where places or tabs do not fit side by side, the one that is open is scrolled into sight.
for (const here of document.querySelectorAll(":is(.tabs, .rail, .places) [aria-current]")) {
  const row = here.closest("ul, nav");
  for (let box = row; box && !box.matches("header, .study"); box = box.parentElement) {
    box.scrollLeft = here.offsetLeft - box.offsetLeft - (box.clientWidth - here.offsetWidth) / 2;
  }
}
