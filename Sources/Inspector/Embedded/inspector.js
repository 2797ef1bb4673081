const rows = document.getElementById("rows"), field = document.getElementById("q");
const state = document.getElementById("state"), copy = document.getElementById("copy");
const fits = row => field.value.toLowerCase().split(" ").every(word => row.textContent.toLowerCase().includes(word));
if (rows) {
  const events = new EventSource("/events?" + rows.dataset.cursor);
  events.onopen = () => { state.textContent = "● Live"; state.className = "status-2"; };
  events.onerror = () => {
    state.className = "status-5";
    state.textContent = events.readyState === 2 ? "○ Not connected. Reload the page." : "○ Not connected";
  };
  events.onmessage = event => {
    rows.insertAdjacentHTML("afterbegin", event.data);
    rows.firstElementChild.hidden = !fits(rows.firstElementChild);
    while (rows.children.length > 1000) rows.lastElementChild.remove();
  };
  field.addEventListener("input", () => {
    document.getElementById("show-all").checked = true;
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
