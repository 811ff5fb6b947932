// Runs inside a task, before anything of the task (docs/worker-page-protocol.md). It hands forms to the worker page
// around it, which keeps them until they are recorded. Where there is no such page, forms go their plain way.
(told) => {
  "use strict";
  if (document.currentScript) document.currentScript.remove();
  const framed = window.parent !== window;
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
  const query = new URLSearchParams(window.location.search);
  let port = null, touched = false, ownDrafts = false;

  // Where forms lead that are answers: to our address, to Amazon's of old, or nowhere (which is this document).
  function isAnswer(form, submitter) {
    const set = (name) => (submitter && attribute(submitter, "form" + name)) || attribute(form, name) || "";
    if (set("method").toLowerCase() === "dialog") return false;
    if (!set("action").trim()) return true;
    let address;
    try {
      address = new URL(set("action"), document.baseURI);
    } catch {
      return false;
    }
    if (address.href.split(/[?#]/)[0] === window.location.href.split(/[?#]/)[0]) return true;
    const known = address.origin === told.site || /(^|\.)mturk\.com$/.test(address.hostname);
    return known && address.pathname.endsWith("/mturk/externalSubmit");
  }

  function fieldsOf(form, submitter) {
    let data;
    try {
      data = new FormData(form, submitter);
    } catch {
      data = new FormData(form);
      if (submitter && submitter.name) data.append(submitter.name, submitter.value);
    }
    return [...data].map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
  }

  // What a task says before the page listens is said then.
  const unsaid = [];
  const say = (message) => {
    if (port) port.postMessage(message);
    else if (framed && unsaid.length < 100) unsaid.push(message);
  };
  const handIn = (fields) => say({ type: "assay:submit", fields });

  // The last to hear of a submission: whoever checks the form has had their say, and later ones can still object.
  window.addEventListener("submit", (event) => {
    if (event.defaultPrevented || !isAnswer(event.target, event.submitter)) return;
    if (!port) return complete(event.target);
    event.preventDefault();
    let objected = false;
    event.preventDefault = () => { objected = true; };
    window.setTimeout(() => { if (!objected) handIn(fieldsOf(event.target, event.submitter)); });
  });
  const plainly = HTMLFormElement.prototype.submit;
  HTMLFormElement.prototype.submit = function submit() {
    if (!isAnswer(this, null)) return plainly.call(this);
    if (port) return handIn(fieldsOf(this, null));
    complete(this);
    return plainly.call(this);
  };
  // On its plain way a form must name the assignment itself, and lead somewhere.
  function complete(form) {
    const named = [...form.elements].find((field) => field.name === "assignmentId") || document.createElement("input");
    if (!named.name) form.append(Object.assign(named, { type: "hidden", name: "assignmentId" }));
    if (!named.value && told.assignment) named.value = told.assignment;
    if (!(attribute(form, "action") || "").trim()) {
      form.setAttribute("action", told.submit);
      form.setAttribute("method", "post");
    }
  }

  // Escape twice leads out of the task, also where it holds on to the keyboard.
  let escaped = -Infinity;
  window.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (event.timeStamp - escaped < 1000) say({ type: "assay:leave" });
    escaped = event.timeStamp;
  }, true);

  // A link that leads out of the task opens by the worker page, which asks the worker: a window that the task opened itself
  // would have no origin, no cookies and no storage, so that no survey works in it.
  const leads = (address) => {
    try {
      const url = new URL(address, document.baseURI);
      return ["http:", "https:"].includes(url.protocol) && url.href.split("#")[0] !== window.location.href.split("#")[0] ? url.href : "";
    } catch {
      return "";
    }
  };
  window.addEventListener("click", (event) => {
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement);
    if (!framed || event.defaultPrevented || !link || !link.hasAttribute("href") || link.hasAttribute("download")) return;
    const url = leads(link.href);
    if (!url) return;
    event.preventDefault();
    if (port) say({ type: "assay:open", url });
    else link.after(" " + url);
  });
  const openPlainly = window.open;
  window.open = (address, ...more) => {
    const url = framed && address ? leads(address) : "";
    if (framed && /^\s*javascript:/i.test(String(address || ""))) return null;
    if (!url) return openPlainly.call(window, address, ...more);
    say({ type: "assay:open", url });
    return null;
  };

  // Drafts: of a task's form, unless the task says no or hands over drafts of its own. Hidden fields, which a page may
  // use for anything, are kept of forms that ask for drafts.
  const wishes = () => document.querySelector('meta[name="assay-draft"], form[data-assay-draft]');
  const declines = () => document.querySelector('meta[name="assay-draft"][content="off"], form[data-assay-draft="off"]');
  const formOf = () => document.querySelector("form[data-assay-draft]") || document.querySelector("form");
  const asks = () => formOf() && !declines() && (wishes() || !ownDrafts);
  const unkept = ["file", "password", "submit", "button", "image", "reset"];
  const keeps = (field) => field.name && !unkept.includes(field.type) && (field.type !== "hidden" || wishes())
    && !["assignmentId", "hitId", "workerId", "turkSubmitTo"].includes(field.name);
  // The page around it stores drafts now and then; it is given them at once, for it may close with the next key.
  let waiting = 0, step = null, restored = false;
  function typed(event) {
    touched = touched || event.isTrusted;
    if (!port || !asks()) return;
    window.clearTimeout(waiting);
    waiting = window.setTimeout(handDraft, 150);
  }
  function handDraft() {
    window.clearTimeout(waiting);
    waiting = 0;
    const form = formOf();
    const names = new Set([...form.elements].filter(keeps).map((field) => field.name));
    const draft = { fields: fieldsOf(form, null).filter(([name]) => names.has(name)) };
    say({ type: "assay:draft", draft: step === null ? draft : { ...draft, step } });
  }
  window.addEventListener("input", typed);
  window.addEventListener("change", typed);
  for (const end of ["visibilitychange", "pagehide"]) {
    (end === "pagehide" ? window : document).addEventListener(end, () => { if (waiting) handDraft(); });
  }
  function restore(draft) {
    // What a worker has begun to type counts more than what was typed before.
    if (!touched && draft && asks() && Array.isArray(draft.fields)) {
      const left = draft.fields.slice();
      for (const field of [...formOf().elements].filter(keeps)) {
        const choice = field.type === "checkbox" || field.type === "radio";
        const at = left.findIndex(([name, value]) => name === field.name && (!choice || value === field.value));
        if (field.type === "select-multiple") {
          const chosen = left.filter(([name]) => name === field.name).map(([, value]) => value);
          for (const option of field.options) option.selected = chosen.includes(option.value);
        } else if (choice) field.checked = at >= 0;
        else if (at >= 0) field.value = left.splice(at, 1)[0][1];
        else continue;
        for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
      }
    }
    document.dispatchEvent(new CustomEvent("assay:draft", { detail: draft }));
  }
  const ready = () => new Promise((go) => {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", go, { once: true });
    else go();
  });

  // What tasks may use themselves.
  window.assay = {
    submit: (fields) => handIn([...fields].map(([name, value]) => [String(name), String(value)])),
    connected: () => Boolean(port),
    saveDraft: (value) => {
      ownDrafts = true;
      say({ type: "assay:draft", draft: value });
    },
    // The step that a task of several steps shows: stored with the draft of its form.
    saveStep: (number) => {
      step = number;
      // Before the stored draft has come, this would take its place.
      if (port && asks() && (touched || restored)) handDraft();
    },
  };

  // The two functions that Amazon's own script gave to tasks.
  window.turkGetParam = (name, otherwise) => query.get(name) || otherwise || "";
  window.turkSetAssignmentID = (given) => {
    const id = given || query.get("assignmentId") || "", field = document.getElementById("assignmentId");
    const form = document.getElementById("mturk_form"), button = document.getElementById("submitButton");
    if (field) field.value = id;
    if (form && told.assignment) form.action = told.submit;
    if (button && !told.assignment) {
      button.disabled = true;
      button.value = "You must ACCEPT the HIT before you can submit the results.";
    }
  };

  // The worker page answers a hello on the port that came with it; until it does, it may not be listening yet: on a slow
  // connection or device for long, so that the pauses grow but no hello is the last.
  const LONGEST_PAUSE = 5000;
  function hello(pause) {
    if (port) return;
    const channel = new MessageChannel();
    channel.port1.onmessage = (event) => {
      const message = event.data;
      if (message.type === "assay:welcome" && !port) {
        port = channel.port1;
        unsaid.splice(0).forEach(say);
      } else if (message.type === "assay:draft") {
        ready().then(() => {
          restore(message.draft);
          restored = true;
        });
      } else if (message.type === "assay:no-draft") {
        restored = true;
      } else if (message.type === "assay:invalid" || message.type === "assay:outcome") {
        document.dispatchEvent(new CustomEvent(message.type, { detail: message.detail }));
      }
    };
    window.parent.postMessage({ type: "assay:hello", load: told.load }, told.site, [channel.port2]);
    window.setTimeout(hello, pause, Math.min(pause * 1.1, LONGEST_PAUSE));
  }
  if (framed && told.site && told.load) hello(250);
}
