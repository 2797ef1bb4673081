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
for (const image of document.querySelectorAll("img[data-live]")) {
  const source = image.src;
  const succeed = () => {
    image.alt = image.dataset.live;
    if (!image.dataset.folds) return;
    document.getElementById(image.dataset.folds).open = false;
    document.getElementById("open").classList.remove("quiet");
  };
  if (image.naturalWidth) succeed();
  image.addEventListener("load", succeed);
  setInterval(() => {
    if (image.complete && !image.naturalWidth) image.src = `${source}?${Date.now()}`;
  }, 2000);
}
// The text is enough. Browsers also show an icon of a broken image.
for (const image of document.querySelectorAll(".hosts img")) {
  const fail = () => image.replaceWith(image.alt);
  if (image.complete && !image.naturalWidth) fail();
  image.addEventListener("error", fail);
}

for (const code of document.querySelectorAll("[data-copy]")) {
  const copied = code.dataset.copy || code.textContent;
  const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
  if (code.dataset.copy) button.setAttribute("aria-label", `Copy ${copied}`);
  button.onclick = async () => {
    if (navigator.clipboard) await navigator.clipboard.writeText(copied);
    else {
      // Over http, browsers only copy the selection.
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
  };
  if (!code.matches("output, pre:not(.tabs > pre)")) {
    code.after(button);
    continue;
  }
  const box = make("div", { className: "box" });
  code.before(box);
  box.append(code, button);
}

// On a phone, the groups of hosts are folded until a tab or a link chooses some.
const groups = document.querySelectorAll("details.group");
const phone = matchMedia("(max-width: 47.99rem)");
const fold = () => {
  const isFolded = phone.matches && document.getElementById("show-all").checked;
  for (const group of groups) group.open = !isFolded || group.matches(":has(:target)");
};
if (groups.length) {
  fold();
  phone.addEventListener("change", fold);
  document.querySelector(".tabs").addEventListener("change", fold);
}

// The section near the top of the screen is marked in the list beside it.
const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries)
      for (const link of document.querySelectorAll(`.side [href="#${target.id}"]`)) {
        if (!isIntersecting) link.removeAttribute("aria-current");
        else link.setAttribute("aria-current", "location");
      }
  },
  { rootMargin: "-10% 0px -89%" },
);
for (const section of document.querySelectorAll(".sided section[id]")) seen.observe(section);

const text = document.querySelector("textarea#file");
if (text) {
  const read = async (file) => {
    if (!file) return;
    try {
      text.value = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      // A signed file is binary. The server decodes the data URL.
      const reader = new FileReader();
      reader.onload = () => (text.value = reader.result);
      reader.readAsDataURL(file);
    }
  };
  const chooser = make("input", { type: "file", hidden: true, onchange: () => read(chooser.files[0]) });
  const button = make("button", { type: "button", className: "quiet", textContent: "Choose a file" });
  button.onclick = () => chooser.click();
  document.getElementById("file-hint").after(button, chooser);
  text.ondragover = (event) => event.preventDefault();
  text.ondrop = (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    read(event.dataTransfer.files[0]);
  };
}
