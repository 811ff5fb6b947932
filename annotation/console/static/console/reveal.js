/* Shows the password of the field that a button names, and hides it again. Without script the button stays hidden. */
"use strict";
for (const button of document.querySelectorAll("[data-reveal]")) {
  const field = document.getElementById(button.dataset.reveal);
  const labels = { password: button.textContent, text: button.dataset.hide };
  button.hidden = false;
  button.addEventListener("click", () => {
    field.type = field.type === "password" ? "text" : "password";
    button.textContent = labels[field.type];
  });
}
