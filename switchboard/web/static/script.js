/* What the pages can do beyond plain HTML: keep the log and the times fresh, show a delivery's
   inside in its row, copy on click. Everything works without it. */
"use strict";

const POLL_MS = 5000;
const TIMES_MS = 15000;
const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

/* times */

function relative(at) {
  const seconds = (Date.now() - at.getTime()) / 1000;
  const size = Math.abs(seconds);
  if (size < 10) return seconds >= 0 ? "just now" : "in a moment";
  const [unit, name] = UNITS.find(([each]) => size >= each);
  const count = `${Math.floor(size / unit)} ${name}`;
  return seconds >= 0 ? `${count} ago` : `in ${count}`;
}

function freshenTimes() {
  for (const time of document.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    if (Math.abs(Date.now() - at) < 30 * 86400 * 1000) time.textContent = relative(at);
  }
}

/* the log */

const held = (log) =>
  log.querySelector("details[open]") || log.contains(document.activeElement) ||
  !document.getSelection().isCollapsed;

async function tail(log) {
  if (document.hidden || held(log)) return;
  const stale = log.querySelector(".stale");
  try {
    const answer = await fetch(log.dataset.poll, { headers: { Accept: "text/html" } });
    if (answer.redirected) return location.reload(); // signed out meanwhile
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".log");
    if (fresh && !held(log)) log.replaceChildren(...fresh.childNodes), dress(log);
  } catch {
    stale.hidden = false;
  }
}

async function fetchInside(row) {
  const address = row.dataset.inside;
  if (!row.open || !address) return;
  delete row.dataset.inside;
  const answer = await fetch(address).catch(() => null);
  if (!answer || !answer.ok || answer.redirected) return; // the link to its page is still there
  const inside = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".evidence");
  if (inside) row.querySelector(".more").before(inside), dress(inside);
}

/* copying */

function tell(element, text) {
  element.classList.add("copied");
  document.querySelector(".said").textContent = text;
  setTimeout(() => element.classList.remove("copied"), 1500);
}

async function copy(text, source, marked = source) {
  try {
    await navigator.clipboard.writeText(text);
    tell(marked, "Copied");
  } catch { // no clipboard on plain HTTP: select it, so that one key copies it
    document.getSelection().selectAllChildren(source);
  }
}

function asButton(element, label, act) {
  element.tabIndex = 0;
  element.setAttribute("role", "button");
  element.setAttribute("aria-label", label);
  element.title = "Copy";
  element.addEventListener("click", act);
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") event.preventDefault(), act();
  });
}

function dress(root) {
  for (const id of root.querySelectorAll("[data-copy]"))
    asButton(id, `Copy ${id.dataset.copy}`, () => copy(id.dataset.copy, id));
  for (const pre of root.querySelectorAll("[data-copyable]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = "Copy";
    button.addEventListener("click", () => copy(pre.textContent, pre, pre.parentElement));
    pre.previousElementSibling.append(button);
  }
  for (const link of root.querySelectorAll("[data-copy-from]"))
    link.addEventListener("click", async (event) => {
      if (!navigator.clipboard) return; // then the link shows the text
      event.preventDefault();
      const answer = await fetch(link.href).catch(() => null);
      if (answer && answer.ok) copy(await answer.text(), link);
      else location.assign(link.href);
    });
}

document.addEventListener("toggle", (event) => {
  if (event.target.matches("details[data-inside]")) fetchInside(event.target);
}, true);

/* a choice that changes what else is asked */
for (const select of document.querySelectorAll("select[data-goes]"))
  select.addEventListener("change", () =>
    location.assign(`${select.dataset.goes}?${select.name}=${encodeURIComponent(select.value)}#add`));

dress(document);
const named = location.hash && document.getElementById(location.hash.slice(1));
if (named && named.matches("details")) named.open = true;
for (const log of document.querySelectorAll("[data-poll]")) setInterval(() => tail(log), POLL_MS);
setInterval(freshenTimes, TIMES_MS);
