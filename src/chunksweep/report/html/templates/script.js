"use strict";
// The page is complete without this: it adds sorting, filtering, and the passages of a chosen configuration.
for (const tools of document.querySelectorAll(".tools")) tools.hidden = false;

for (const table of document.querySelectorAll("table.board")) {
  const body = table.tBodies[0];
  const key = (row, column, numeric) => {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent.trim();
    return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const numeric = head.dataset.key === "number";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      // The first click shows what is usually looked for first: the most of a number, the beginning of the alphabet.
      const first = numeric ? "descending" : "ascending";
      const other = numeric ? "ascending" : "descending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const rows = [...body.rows].sort((one, two) => {
        const a = key(one, column, numeric), b = key(two, column, numeric);
        if (!numeric) return sign * a.localeCompare(b, "en", { numeric: true });
        if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
        return sign * (a - b);
      });
      body.append(...rows);
    });
  });
}

for (const input of document.querySelectorAll("[data-filter]")) {
  const rows = [...document.getElementById(input.dataset.filter).tBodies[0].rows];
  const count = document.querySelector(`[data-count="${input.dataset.filter}"]`);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) shown += 1;
    }
    count.textContent = words.length ? `${shown} of ${rows.length}` : "";
  });
}

for (const tools of document.querySelectorAll("[data-drill]")) {
  const list = document.getElementById(tools.dataset.drill);
  const data = JSON.parse(document.getElementById(`${tools.dataset.drill}-data`).textContent);
  const names = ["answered", "not first", "cut", "thin", "not found"];
  const [cell, outcome] = tools.querySelectorAll("select");
  const count = tools.querySelector("[role=status]");
  cell.append(...data.cells.map((name, number) => new Option(name, number)));

  // [document, start, end, section] of each passage, from the differences that travel.
  const passages = data.passages.flatMap((flat, document) => {
    const found = [];
    for (let at = 0, start = 0; at < flat.length; at += 3) {
      start += flat[at];
      found.push([document, start, start + flat[at + 1], flat[at + 2]]);
    }
    return found;
  });
  // Text of a passage; null where the document is gone or has changed.
  const text = (document, start, end) => {
    const piece = data.texts[document].find(([at, words]) => at <= start && start < at + [...words].length);
    return piece ? [...piece[1]].slice(start - piece[0], end - piece[0]).join("") : null;
  };
  const element = (name, words, kind) => {
    const made = document.createElement(name);
    if (words !== undefined) made.textContent = words;
    if (kind) made.className = kind;
    return made;
  };
  const passage = (number, place) => {
    const [document, start, end, section] = passages[number];
    const box = element("div", undefined, "passage");
    const path = data.sections[section];
    box.append(element("h4", `${place}. ${data.documents[document]} ${start}–${end}${path ? ` · ${path}` : ""}`));
    const shown = text(document, start, Math.min(end, start + data.length));
    if (shown !== null) box.append(element("pre", end - start > data.length ? `${shown} […]` : shown));
    return box;
  };
  const fill = (details) => {
    if (!details.open) return;
    const question = Number(details.dataset.question);
    const sent = data.sent[cell.value]?.[question];
    if (!sent) {
      const missing = "There was no room for the passages of this configuration; its run in MLflow has them.";
      details.querySelector(".passages").replaceChildren(element("p", missing, "note"));
      return;
    }
    const rank = data.ranks[cell.value][question];
    const words = rank === null ? "No number of the passages that were ranked holds all facts." : `The best ${rank} hold all facts.`;
    details.querySelector(".passages").replaceChildren(
      element("p", `${data.cells[cell.value]} sent ${sent.length}: ${names[data.outcomes[cell.value][question]]}. ${words}`),
      ...sent.map((number, place) => passage(number, place + 1)),
    );
  };
  const update = () => {
    let shown = 0;
    for (const details of list.children) {
      const found = data.outcomes[cell.value][details.dataset.question];
      const badge = details.querySelector(".badge");
      badge.hidden = false;
      badge.textContent = names[found];
      badge.dataset.outcome = found;
      details.hidden = outcome.value !== "" && outcome.value !== found;
      if (!details.hidden) shown += 1;
      fill(details);
    }
    count.textContent = `${shown} of ${list.children.length} questions`;
  };
  cell.addEventListener("change", update);
  outcome.addEventListener("change", update);
  for (const details of list.children) details.addEventListener("toggle", () => fill(details));
  update();
}
