const rows = document.getElementById("rows"), field = document.getElementById("q");
const state = document.getElementById("state"), copy = document.getElementById("copy");
const fits = row => field.value.toLowerCase().split(" ").every(word => row.textContent.toLowerCase().includes(word));
// Requests that differ only in their time and duration are one row, the newest. Its button shows all of them.
const groups = new Map();
const show = group => {
  const row = group.rows.at(-1), count = group.rows.length;
  group.button ??= Object.assign(document.createElement("button"), { type: "button", className: "copy" });
  group.button.onclick = () => { group.isOpen = !group.isOpen; show(group); };
  group.button.textContent = "× " + count;
  group.button.ariaLabel = count + " equal requests";
  group.button.ariaExpanded = group.isOpen;
  for (const one of group.rows) one.classList.toggle("same", one !== row && !group.isOpen);
  if (count > 1) row.cells[0].append(group.button);
  else group.button.remove();
};
const add = row => {
  const cells = [...row.cells].filter((_, index) => index !== 0 && index !== 5);
  const text = cells.map(cell => cell.textContent).join("\n");
  row.group = groups.get(text) ?? { text, rows: [], isOpen: false };
  row.group.rows.push(row);
  groups.set(text, row.group);
  return row.group;
};
if (rows) {
  const filter = () => rows.classList.toggle("found", field.value.trim() !== "");
  filter();
  new Set([...rows.children].reverse().map(add)).forEach(show);
  const events = new EventSource("/events?" + rows.dataset.cursor);
  events.onopen = () => { state.textContent = "● Live"; state.className = "status-2"; };
  events.onerror = () => {
    state.className = "status-5";
    state.textContent = events.readyState === 2 ? "○ Not connected. Reload the page." : "○ Not connected";
  };
  events.onmessage = event => {
    rows.insertAdjacentHTML("afterbegin", event.data);
    rows.firstElementChild.hidden = !fits(rows.firstElementChild);
    show(add(rows.firstElementChild));
    while (rows.children.length > 1000) {
      const { group } = rows.lastElementChild;
      group.rows.shift();
      if (group.rows.length) show(group);
      else groups.delete(group.text);
      rows.lastElementChild.remove();
    }
  };
  field.addEventListener("input", () => {
    document.getElementById("show-all").checked = true;
    filter();
    for (const row of rows.children) row.hidden = !fits(row);
  });
}
if (copy) {
  copy.hidden = false;
  copy.onclick = async () => {
    await navigator.clipboard.writeText(document.getElementById("curl").textContent);
    copy.textContent = "Copied";
  };
}
