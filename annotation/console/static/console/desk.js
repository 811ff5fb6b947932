/* Keys of the review desk: a letter presses (or goes to) what carries it in data-key. They can be turned off. */
(function () {
  "use strict";
  var written = "textarea, select, input:not([type=checkbox], [type=radio])";
  var off = document.querySelector("[data-keys-off]"), kept = "assay-desk-keys-off";
  function stored() { try { return localStorage.getItem(kept) === "1"; } catch (error) { return false; } }
  if (off) {
    off.checked = stored();
    off.addEventListener("change", function () {
      try { localStorage.setItem(kept, off.checked ? "1" : "0"); } catch (error) { /* no storage: for this page only */ }
    });
  }
  document.addEventListener("keydown", function (event) {
    // A key that is held down goes on repeating on the next page, whose work nobody has looked at.
    if ((off && off.checked) || event.repeat || event.altKey || event.ctrlKey || event.metaKey) { return; }
    if (event.key === "Enter" && event.target.closest("a, button, summary")) { return; }
    if (event.target.closest(written)) { return; }
    var wanted = document.querySelector("[data-key=" + CSS.escape(event.key) + "]");
    if (!wanted) { return; }
    event.preventDefault();
    if (wanted.matches(written)) { wanted.focus(); } else { wanted.click(); }
  });
  var all = document.querySelector("[data-all]");
  if (all) {
    all.addEventListener("change", function () {
      document.querySelectorAll("input[name=chosen]").forEach(function (one) { one.checked = all.checked; });
    });
  }
}());
