"use strict";
(() => {
  const all = (what, within = document) => Array.from(within.querySelectorAll(what));
  const one = (what, within = document) => within.querySelector(what);
  all(".filters,.theme,.copy").forEach(element => (element.hidden = false));

  // Colours: what was chosen, else those of the system.
  const root = document.documentElement;
  const store = what => { try { return what(); } catch { return null; } };
  const themes = all(".theme button");
  const choose = theme => {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    themes.forEach(button => button.setAttribute("aria-pressed", String(button.dataset.theme === theme)));
  };
  choose(store(() => localStorage.getItem("foretrace-theme")) || "");
  themes.forEach(button => button.addEventListener("click", () => {
    const theme = root.dataset.theme === button.dataset.theme ? "" : button.dataset.theme;
    store(() => theme ? localStorage.setItem("foretrace-theme", theme) : localStorage.removeItem("foretrace-theme"));
    choose(theme);
  }));

  // The list of findings.
  const search = one("#search"), kind = one("#kind"), status = one("#status");
  const rows = all("#list tbody tr");
  const texts = new Map();
  const textOf = row => {
    if (!texts.has(row)) {
      texts.set(row, (row.textContent + " " + document.getElementById(row.dataset.finding).textContent).toLowerCase());
    }
    return texts.get(row);
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach(row => {
      const fits = words.every(word => textOf(row).includes(word))
        && (!kind.value || kind.value === row.dataset.kind) && (!status.value || status.value === row.dataset.status);
      row.hidden = !fits;
      document.getElementById(row.dataset.finding).hidden = !fits;
      shown += fits ? 1 : 0;
    });
    one("#count").textContent = `${shown} of ${rows.length}`;
  };
  if (search) {
    [search, kind, status].forEach(input => input.addEventListener("input", filter));
    filter();
  }

  // Stepping through an interleaving: the source of every thread moves along.
  const PANES = 6, CONTEXT = 4;
  const excerpts = new Map();
  const lineOf = (article, file, line) => {
    const key = article.id;
    if (!excerpts.has(key)) {
      const lines = new Map();
      all(".sources pre[data-file]", article).forEach(pre =>
        all(".l", pre).forEach(row => lines.set(pre.dataset.file + "\n" + row.dataset.l, row)));
      excerpts.set(key, lines);
    }
    return excerpts.get(key).get(file + "\n" + line);
  };
  const pane = (article, name, step, current) => {
    const box = document.createElement("div");
    box.className = current ? "pane on" : "pane";
    const head = document.createElement("p");
    head.innerHTML = "<b></b> <small></small>";
    head.firstChild.textContent = name;
    head.lastChild.textContent = step ? step.dataset.p.split("/").pop() + ":" + step.dataset.l : "has not begun";
    box.append(head);
    if (!step) return box;
    const code = document.createElement("pre");
    code.className = "code";
    code.tabIndex = 0;
    const line = Number(step.dataset.l);
    for (let number = line - CONTEXT; number <= line + CONTEXT; number++) {
      const row = lineOf(article, step.dataset.p, number);
      if (!row) continue;
      const copy = row.cloneNode(true);
      copy.classList.toggle("here", number === line);
      code.append(copy);
    }
    if (code.childNodes.length) box.append(code);
    return box;
  };
  const show = (story, number, steps) => {
    const article = story.closest("article"), step = steps[number];
    all(".st.on", article).forEach(other => other.classList.remove("on"));
    step.classList.add("on");
    story.dataset.at = number;
    step.scrollIntoView({ block: "nearest" });
    const names = new Map(), last = new Map();
    steps.forEach((other, index) => {
      const thread = other.dataset.t;
      if (!names.has(thread)) names.set(thread, one(".vh", other).textContent.replace(/: $/, ""));
      if (index <= number && other.dataset.p) last.set(thread, other);
    });
    const threads = Array.from(names.keys()).sort((a, b) => a - b);
    const shown = threads.length <= PANES ? threads
      : [step.dataset.t].concat(threads.filter(thread => thread !== step.dataset.t)).slice(0, PANES);
    const panes = one(".panes", article), now = one(".now", article);
    panes.replaceChildren(...shown.map(thread => pane(article, names.get(thread), last.get(thread), thread === step.dataset.t)));
    panes.hidden = now.hidden = false;
    now.textContent = `Step ${one(".no", step).textContent}: ${one(".ch", step).textContent.trim()}`;
  };
  all(".story").forEach(story => {
    let found = null;
    const stepsOf = () => (found = found || all(".st", story));
    story.addEventListener("keydown", event => {
      const steps = stepsOf(), at = story.dataset.at === undefined ? -1 : Number(story.dataset.at);
      const next = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: steps.length - 1 }[event.key];
      if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      show(story, Math.max(0, Math.min(steps.length - 1, next)), steps);
    });
    story.addEventListener("click", event => {
      const step = event.target.closest(".st");
      if (step) show(story, stepsOf().indexOf(step), stepsOf());
    });
  });

  all(".copy").forEach(button => button.addEventListener("click", () => {
    const text = one("code", button.parentElement);
    const range = document.createRange();
    range.selectNodeContents(text);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    const done = () => { button.textContent = "copied"; setTimeout(() => (button.textContent = "copy"), 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).then(done, () => document.execCommand("copy") && done());
    else if (document.execCommand("copy")) done();
  }));
})();
