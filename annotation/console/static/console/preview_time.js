/* The task page of the preview sends the time that its answers took; the button that stores it then appears. */
(function () {
  "use strict";
  window.addEventListener("message", function (event) {
    var frame = document.querySelector("#look iframe"), form = document.getElementById("preview-time");
    // The frame has no origin of its own: only its window says that the message is from it.
    if (!frame || !form || event.source !== frame.contentWindow || !event.data) { return; }
    if (typeof event.data.previewTime !== "string") { return; }
    form.elements.receipt.value = event.data.previewTime;
    form.hidden = false;
  });
}());
