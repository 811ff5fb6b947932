// The page of a task works without this: with it the time left is counted, answers are kept until they are recorded
// (outbox.js), drafts are stored, and the page goes on by itself. docs/worker-page-protocol.md says how it is talked to.
"use strict";
(() => {
  const page = document.getElementById("main");
  let frame = document.getElementById("task");
  const told = page.dataset, words = document.getElementById("outbox-words").dataset;
  const MOST_FIELDS = 10000, MOST_CHARACTERS = 3000000, MOST_DRAFT = 60000, BETWEEN_DRAFTS = 2000;
  const began = Date.now();
  let port = null;

  // ---- the time left ----
  const left = document.getElementById("left");
  function written(seconds) {
    const two = (number) => String(number).padStart(2, "0");
    const hours = Math.floor(seconds / 3600);
    return (hours ? hours + ":" : "") + two(Math.floor(seconds / 60) % 60) + ":" + two(seconds % 60);
  }
  function count() {
    const seconds = Math.max(0, Math.floor(Number(left.dataset.seconds) - (Date.now() - began) / 1000));
    left.textContent = written(seconds);
    left.classList.toggle("soon", seconds < 120);
    if (seconds === 0) window.clearInterval(timer);
  }
  const timer = left && window.setInterval(count, 1000);
  if (left) count();

  // ---- the way out: two may hear of the submission at once, and a second departure would break off the first ----
  let leaving = false;
  function finish() {
    if (!leaving) window.location.assign(told.done);
    leaving = true;
  }

  // ---- without our script in the frame: it loads a second document when its form has been sent ----
  async function look() {
    if (!told.state || assayOutbox.has(told.key)) return;
    try {
      const answer = await fetch(told.state, { credentials: "same-origin" });
      if (answer.ok && (await answer.json()).state !== "Accepted") finish();
    } catch {
      // Offline: the link "Continue" remains.
    }
  }
  frame.addEventListener("load", look);
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    leaving = false;
    look();
  });
  // The task may have been submitted in another tab meanwhile.
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });

  // ---- going back or forward, browsers put into the frame what was in it then: a preview, or an earlier showing, which
  // this page does not know. A new frame takes the place of that one and shows the task, and the draft is put back into
  // it. It has a name of its own, so that the browser has nothing to put there; and the old one is not led elsewhere,
  // for a slow Chromium that is still loading it then shows an empty page. Whatever else says hello with a word that is
  // not this page's is replaced, too, a few times. ----
  const randomWord = () => crypto.getRandomValues(new Uint32Array(3)).join("-").slice(0, 32);
  const MOST_RENEWALS = 5;
  let renewals = 0;
  function renew() {
    if (renewals >= MOST_RENEWALS) return;
    renewals += 1;
    const next = frame.cloneNode();
    next.name = `task-${randomWord()}`;
    next.addEventListener("load", look);
    frame.replaceWith(next);
    frame = next;
    port = null;
  }
  const [arrival] = performance.getEntriesByType("navigation");
  if (arrival && arrival.type === "back_forward") renew();

  // ---- answers ----
  const note = document.getElementById("note");
  function say(text) {
    note.textContent = text;
    note.hidden = !text;
  }
  function sound(fields) {
    if (!Array.isArray(fields) || fields.length > MOST_FIELDS) return false;
    let characters = 0;
    for (const pair of fields) {
      if (!Array.isArray(pair) || pair.length !== 2 || pair.some((text) => typeof text !== "string")) return false;
      characters += pair[0].length + pair[1].length;
    }
    return characters <= MOST_CHARACTERS;
  }
  let last = 0, pending = null;
  function take(fields) {
    if (told.preview !== undefined) return say(words.preview);
    if (!sound(fields)) return say(words.toolarge);
    // A task that submits without end is heard twice a second; the last thing it said counts.
    if (!pending) window.setTimeout(give, Math.max(0, last + 500 - Date.now()));
    pending = fields;
    return undefined;
  }
  function give() {
    const fields = pending;
    last = Date.now();
    pending = null;
    say("");
    assayOutbox.give({
      key: told.key, url: told.submit, title: document.title,
      deadline: left ? began + 1000 * Number(left.dataset.seconds) : 0,
      fields: fields.map(([name, value]) => [name.toWellFormed ? name.toWellFormed() : name, value.toWellFormed ? value.toWellFormed() : value]),
    });
  }
  assayOutbox.listen((entry, outcome, said) => {
    if (entry.key !== told.key) return;
    if (outcome === "recorded") finish();
    if (outcome === "invalid") {
      say(said.text);
      if (port) port.postMessage({ type: "assay:invalid", detail: said.faults });
    }
    if (outcome === "refused" && port) port.postMessage({ type: "assay:outcome", detail: { reason: said.reason } });
  });

  // ---- drafts ----
  // Of two tabs or devices none takes the other's place unasked: the server refuses what has not seen the latest.
  const showing = randomWord();
  const elsewhere = document.getElementById("elsewhere");
  let unsaved = null, saving = 0, version = 0, withheld = null;
  function draft(value) {
    const text = JSON.stringify(value);
    if (withheld !== null) {
      withheld = text;
      return;
    }
    if (told.draft === undefined || text === undefined || assayOutbox.has(told.key)) return;
    // Bytes, as the server and the browser's own limit for pages that close count them.
    const tooLong = new Blob([text]).size > MOST_DRAFT;
    say(tooLong ? words.longdraft : "");
    if (tooLong) return;
    unsaved = text;
    if (document.hidden) save();
    else saving = saving || window.setTimeout(save, BETWEEN_DRAFTS);
  }
  async function save() {
    window.clearTimeout(saving);
    saving = 0;
    const text = unsaved;
    unsaved = null;
    try {
      const seen = new URLSearchParams({ page: showing, version: String(version) });
      const answer = await fetch(`${told.draft}?${seen}`, { method: "POST", body: text, credentials: "omit", keepalive: true });
      if (answer.status >= 500) throw new Error();
      if (answer.status === 413) say(words.longdraft);
      else await heed(await answer.json(), text);
    } catch {
      unsaved = unsaved || text;
      saving = saving || window.setTimeout(save, 5 * BETWEEN_DRAFTS);
    }
  }
  async function heed(reply, text) {
    if (reply.reason === "kept") version = reply.version;
    if (reply.reason === "over") await look();
    if (reply.reason !== "elsewhere") return;
    withheld = unsaved || text;
    elsewhere.hidden = false;
  }
  // Go on here: what is written here is stored in place of the other. Or go on with the other, as after a reload.
  if (elsewhere) {
    elsewhere.querySelector("[data-here]").addEventListener("click", async () => {
      const { draft: other, version: latest } = await stored();
      version = latest;
      unsaved = withheld;
      withheld = null;
      elsewhere.hidden = true;
      if (other !== undefined) save();
    });
    elsewhere.querySelector("[data-there]").addEventListener("click", () => window.location.reload());
  }
  window.addEventListener("pagehide", () => { if (unsaved) save(); });
  document.addEventListener("visibilitychange", () => { if (document.hidden && unsaved) save(); });
  async function stored() {
    if (told.draft === undefined) return {};
    try {
      const answer = await fetch(told.draft, { credentials: "omit" });
      return answer.ok ? await answer.json() : {};
    } catch {
      return {};
    }
  }
  const kept = stored().then((reply) => {
    version = reply.version || 0;
    return reply.draft === undefined ? null : reply.draft;
  });

  // ---- the way out of the frame, which the frame cannot close ----
  const back = document.getElementById("back");
  // A frame that is merely inert can still take the focus by script; one that is not shown cannot.
  function leave() {
    frame.hidden = true;
    back.hidden = false;
    back.focus();
    window.setTimeout(() => back.focus(), 50);
  }
  back.addEventListener("click", () => {
    frame.hidden = false;
    back.hidden = true;
    frame.focus();
  });

  // ---- links out of the task: a wish of code that nobody has checked. Only the worker's own click opens anything. ----
  const way = document.getElementById("way-out"), MOST_ADDRESS = 2048;
  let wished = -Infinity;
  function allowed(text) {
    if (typeof text !== "string" || text.length > MOST_ADDRESS) return null;
    let url;
    try {
      url = new URL(text);
    } catch {
      return null;
    }
    const host = url.hostname.replace(/\.+$/, "");
    const ours = way.dataset.ours.split(" ");
    if (!["http:", "https:"].includes(url.protocol) || url.username || url.password || !host) return null;
    return ours.includes(host) ? null : url;
  }
  function wish(text) {
    const url = allowed(text);
    if (!way || !url || !navigator.userActivation.isActive || Date.now() - wished < 1000) return;
    wished = Date.now();
    const link = way.querySelector("a");
    way.querySelector("[data-host]").textContent = link.textContent = url.host;
    way.querySelector("[data-address]").textContent = url.href;
    const worker = document.getElementById("outbox-words").dataset.worker;
    way.querySelector("[data-names-you]").hidden = !worker || !url.href.includes(worker);
    link.href = url.href;
    way.hidden = false;
  }

  // ---- the frame speaks: only the window in our frame is heard, and it must know this page's word, or be of the
  // origin that we framed ----
  window.addEventListener("message", async (event) => {
    const message = event.data, given = event.ports[0];
    if (event.source !== frame.contentWindow || !given || !message || message.type !== "assay:hello") return;
    const outside = told.load === "" && event.origin === new URL(frame.src).origin;
    const sandboxed = event.origin === "null" && told.load;
    if (sandboxed && message.load !== told.load) renew();
    if (!outside && !(sandboxed && message.load === told.load)) return;
    // A task that is not welcomed in time says hello again: what it says by either port is heard.
    port = given;
    given.onmessage = heard;
    given.postMessage({ type: "assay:welcome" });
    const draft = await kept;
    given.postMessage(draft === null ? { type: "assay:no-draft" } : { type: "assay:draft", draft });
  });
  function heard(event) {
    const message = event.data;
    if (!message) return;
    if (message.type === "assay:submit") take(message.fields);
    if (message.type === "assay:draft") draft(message.draft);
    if (message.type === "assay:leave") leave();
    if (message.type === "assay:open") wish(message.url);
  }
})();
