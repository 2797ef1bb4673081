"use strict";
const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
for (const input of document.querySelectorAll("input[type=password]")) {
  const name = document.querySelector(`label[for="${input.id}"]`).textContent.toLowerCase();
  const button = make("button", { type: "button", className: "show" });
  const show = (isShown) => {
    input.type = isShown ? "text" : "password";
    button.textContent = isShown ? "Hide" : "Show";
    button.setAttribute("aria-label", `${button.textContent} ${name}`);
  };
  show(false);
  button.onclick = () => show(input.type == "password");
  input.form.addEventListener("submit", () => show(false));
  input.after(button);
}
