/* The explanation of a pair: buttons that write its place-holders, and how it reads on either side. */
(function () {
  "use strict";
  var shown = document.getElementById("shown-explanation"), field = document.getElementById("id_explanation");
  if (!shown || !field) { return; }
  field.closest(".field").after(shown);
  shown.hidden = false;
  function write() {
    var sides = ["\u201c" + shown.dataset.first + "\u201d", "\u201c" + shown.dataset.second + "\u201d"];
    shown.querySelectorAll("[data-human-first]").forEach(function (place) {
      var first = place.dataset.humanFirst === "1";
      place.textContent = field.value.split("{human}").join(sides[first ? 0 : 1])
        .split("{machine}").join(sides[first ? 1 : 0]) || "\u2013";
    });
  }
  shown.querySelectorAll("[data-insert]").forEach(function (button) {
    button.addEventListener("click", function () {
      field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, "end");
      field.focus();
      write();
    });
  });
  field.addEventListener("input", write);
  write();
}());
