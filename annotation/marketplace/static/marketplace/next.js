// On the last page of a task whose worker wishes to go on by itself: accept the next one, once for each task done.
"use strict";
(() => {
  const form = document.getElementById("next");
  if (!form) return;
  const key = "went-on-" + form.dataset.after;
  try {
    if (sessionStorage.getItem(key)) return;
    sessionStorage.setItem(key, "1");
  } catch {
    return;
  }
  form.requestSubmit();
})();
