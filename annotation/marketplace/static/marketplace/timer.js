// Screen readers hear of the time left twice, five minutes and one minute before the end, not every second.
"use strict";
(() => {
  const left = document.getElementById("left");
  if (!left) return;
  const began = Date.now();
  const given = Number(left.dataset.seconds);
  const said = document.createElement("p");
  said.className = "said";
  said.setAttribute("role", "status");
  left.closest(".bar").append(said);

  let before = given;
  function look() {
    const seconds = Math.max(0, Math.floor(given - (Date.now() - began) / 1000));
    if (before > 60 && seconds <= 60) said.textContent = left.dataset.one;
    else if (before > 300 && seconds <= 300) said.textContent = left.dataset.five;
    if (before > 0 && seconds === 0) {
      said.textContent = left.dataset.over;
      window.clearInterval(timer);
    }
    before = seconds;
  }
  const timer = window.setInterval(look, 1000);
})();
