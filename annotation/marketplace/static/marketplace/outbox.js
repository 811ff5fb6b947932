// Answers on their way: kept in this browser until the site says that they are recorded, over broken connections,
// reloads and restarts. Runs on every page of the worker site; the page of a task hands answers to it.
"use strict";
const assayOutbox = (() => {
  const words = document.getElementById("outbox-words").dataset;
  const me = words.worker || "";
  const PAUSES = [1, 2, 4, 8, 15, 30];
  const memory = new Map();
  const states = new Map();
  const listeners = new Set();
  const panel = document.getElementById("outbox");

  // ---- what is kept ----
  const opened = new Promise((resolve) => {
    try {
      const request = indexedDB.open("assay", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("answers", { keyPath: "key" });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  async function stored(mode, act) {
    const base = await opened;
    if (!base) return null;
    return new Promise((resolve) => {
      try {
        const step = base.transaction("answers", mode), request = act(step.objectStore("answers"));
        step.oncomplete = () => resolve(request.result === undefined ? true : request.result);
        step.onerror = step.onabort = () => resolve(null);
      } catch {
        resolve(null);
      }
    });
  }
  async function keep(entry) {
    memory.set(entry.key, entry);
    // Where the browser stores nothing, the page says that it must stay open.
    entry.loose = !(await stored("readwrite", (store) => store.put(entry)));
  }
  function drop(key) {
    memory.delete(key);
    states.delete(key);
    return stored("readwrite", (store) => store.delete(key));
  }

  // ---- sending ----
  async function asked(entry) {
    const body = new URLSearchParams([["assignmentId", entry.key], ...entry.fields.filter(([name]) => name !== "assignmentId")]);
    const patience = new AbortController(), end = window.setTimeout(() => patience.abort(), 30000);
    try {
      const answer = await fetch(entry.url, {
        method: "POST", body, credentials: "omit", redirect: "error", signal: patience.signal,
        headers: { Accept: "application/json" },
      });
      // Whoever else answers (a proxy, a sign-in page of a network) has not recorded anything.
      const said = await answer.json();
      return typeof said.reason === "string" ? said : null;
    } catch {
      return null;
    } finally {
      window.clearTimeout(end);
    }
  }
  async function send(key) {
    const entry = memory.get(key), state = states.get(key) || { tries: 0, busy: false };
    states.set(key, state);
    if (!entry || state.busy || entry.refused) return;
    state.busy = true;
    window.clearTimeout(state.timer);
    show();
    const sent = entry.fields, said = await asked(entry);
    state.busy = false;
    if (memory.get(key) && memory.get(key).fields !== sent && !(said && said.reason === "recorded")) return send(key);
    state.unstored = Boolean(said) && said.reason === "unstored";
    if (!said || state.unstored) {
      const pause = PAUSES[Math.min(state.tries, PAUSES.length - 1)] * (0.8 + 0.4 * Math.random());
      state.tries += 1;
      state.at = Date.now() + 1000 * pause;
      state.timer = window.setTimeout(send, 1000 * pause, key);
    } else if (said.reason === "recorded" || (said.reason === "twice" && said.same)) {
      await drop(key);
      tell(entry, "recorded", said);
    } else if (said.reason === "invalid") {
      await drop(key);
      tell(entry, "invalid", said);
    } else if (me && entry.worker !== me) {
      await drop(key);
    } else {
      await keep({ ...entry, refused: { title: said.title, text: said.text } });
      tell(entry, "refused", said);
    }
    show();
  }
  function tell(entry, outcome, said) {
    for (const listener of listeners) listener(entry, outcome, said);
    if (outcome === "recorded" && !listeners.size && entry.worker === me) {
      panel.hidden = false;
      panel.append(line("p", "said", words.recorded.replace("%s", entry.title)));
    }
  }

  // ---- what the worker sees ----
  // What was typed or chosen, without the names of the fields: they are the requester's, and may say what a task is about.
  function entered(value) {
    let content;
    try {
      content = JSON.parse(value);
    } catch {
      return [value];
    }
    if (content === null || typeof content !== "object") return [value];
    const leaves = (part) => (part === null || typeof part !== "object" ? [String(part)] : Object.entries(part).flatMap(
      ([name, each]) => (typeof each === "boolean" ? (each ? [name] : []) : leaves(each))));
    return leaves(content);
  }
  function line(tag, name, text) {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    return element;
  }
  function button(text, act, name = "button quiet") {
    const element = line("button", name, text);
    element.type = "button";
    element.addEventListener("click", act);
    return element;
  }
  function waitingBox(entry, state) {
    const box = line("section", "outbox-entry", "");
    const seconds = Math.max(1, Math.ceil(((state.at || 0) - Date.now()) / 1000));
    const sending = state.busy && state.tries < 1;
    const kept = state.unstored ? words.unstored : words.kept, open = state.unstored ? words.unstoredopen : words.open;
    box.append(line("p", "said", sending ? words.sending : entry.loose ? open : kept));
    if (!sending && !state.busy) {
      const next = line("p", "quiet", words.next.replace("%s", seconds));
      // A screen reader is told once that the answers are kept, not every second how long it still takes.
      next.setAttribute("aria-live", "off");
      next.dataset.at = state.at;
      box.append(next, button(words.now, () => { state.tries = 0; send(entry.key); }));
    }
    if (entry.deadline && Date.now() > entry.deadline) box.append(line("p", "said", words.over));
    return box;
  }
  function refusedBox(entry) {
    const box = line("section", "outbox-entry", "");
    box.append(line("h2", "", entry.refused.title), line("p", "said", entry.refused.text), line("p", "", words.copyable.replace("%s", entry.title)));
    const copy = document.createElement("textarea");
    copy.readOnly = true;
    copy.rows = 6;
    copy.setAttribute("aria-label", words.answers);
    copy.value = entry.fields.filter(([name]) => name !== "assignmentId").flatMap(([, value]) => entered(value)).filter(Boolean).join("\n");
    const act = line("p", "steps", "");
    act.append(
      button(words.copy, () => { copy.select(); navigator.clipboard ? navigator.clipboard.writeText(copy.value).catch(() => {}) : document.execCommand("copy"); }),
      button(words.discard, async () => { await drop(entry.key); show(); }, "plain"),
    );
    box.append(copy, act);
    return box;
  }
  function show() {
    const mine = [...memory.values()].filter((entry) => entry.worker === me && me);
    panel.querySelectorAll(".outbox-entry").forEach((box) => box.remove());
    for (const entry of mine) panel.append(entry.refused ? refusedBox(entry) : waitingBox(entry, states.get(entry.key) || {}));
    panel.hidden = !panel.childElementCount;
  }
  window.setInterval(() => {
    for (const next of panel.querySelectorAll("[data-at]")) {
      next.textContent = words.next.replace("%s", Math.max(1, Math.ceil((Number(next.dataset.at) - Date.now()) / 1000)));
    }
  }, 1000);

  // ---- beginning ----
  function again() {
    for (const [key, entry] of memory) {
      if (entry.refused) continue;
      const state = states.get(key);
      if (state) state.tries = 0;
      send(key);
    }
  }
  window.addEventListener("online", again);
  const begun = stored("readonly", (store) => store.getAll()).then(async (found) => {
    for (const entry of Array.isArray(found) ? found : []) {
      // On a shared computer nobody sees what another has left; it is handed in, or forgotten once refused.
      if (entry.worker !== me && me && entry.refused) await drop(entry.key);
      else if (!memory.has(entry.key)) memory.set(entry.key, entry);
    }
    show();
    again();
  });

  return {
    begun,
    listen: (listener) => listeners.add(listener),
    // Keep an entry {key, url, title, deadline, fields} and send it; the last one given for a key counts.
    async give(entry) {
      const kept = { ...entry, worker: me };
      await keep(kept);
      const state = states.get(entry.key);
      if (state) state.tries = 0;
      await send(entry.key);
    },
    has: (key) => memory.has(key) && !memory.get(key).refused,
  };
})();
