// The page works without this: it counts the time left, and goes on by itself when the task has been handed in.
"use strict";
(() => {
  const page = document.getElementById("main");
  const left = document.getElementById("left");
  const began = Date.now();
  const given = Number(left.dataset.seconds);

  function written(seconds) {
    const two = (number) => String(number).padStart(2, "0");
    const hours = Math.floor(seconds / 3600);
    return (hours ? hours + ":" : "") + two(Math.floor(seconds / 60) % 60) + ":" + two(seconds % 60);
  }

  function count() {
    const seconds = Math.max(0, Math.floor(given - (Date.now() - began) / 1000));
    left.textContent = written(seconds);
    left.classList.toggle("soon", seconds < 120);
    if (seconds === 0) window.clearInterval(timer);
  }

  // The frame loads a second document when its form has been sent.
  async function look() {
    try {
      const answer = await fetch(page.dataset.state, { credentials: "same-origin" });
      if (answer.ok && (await answer.json()).state !== "Accepted") window.location.assign(page.dataset.done);
    } catch {
      // Offline: the link "Continue" remains.
    }
  }

  const timer = window.setInterval(count, 1000);
  document.getElementById("task").addEventListener("load", look);
  count();
})();
