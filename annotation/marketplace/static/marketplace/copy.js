// Buttons that copy a code or an address, shown only where the browser can do it; the text can be selected anyway.
"use strict";
for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  button.hidden = !navigator.clipboard || !source;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.value || source.textContent);
    } catch {
      return;
    }
    // A button's new name is read out where it has the focus.
    button.textContent = button.dataset.copied;
  });
}
