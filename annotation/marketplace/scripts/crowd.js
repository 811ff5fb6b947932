// Amazon's crowd-html-elements, as custom elements of our own: what all of them share. A crowd-form hands in one field,
// taskAnswers, a JSON array with one object. Runs inside a task that uses them; the original script is not loaded.
(told, crowd) => {
  "use strict";
  const made = (tag, properties, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const value = (element, name) => element.getAttribute(name) || "";
  const is = (element, name) => element.hasAttribute(name) && element.getAttribute(name) !== "false";

  // JSON as people write it into attributes: single quotes, names without quotes, commas at the end. null: not readable.
  function lenient(text) {
    let at = 0;
    const blank = () => { while (/\s/.test(text[at] || "")) at += 1; };
    const fail = () => { throw new SyntaxError("at " + at); };
    const ESCAPES = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
    function string(mark) {
      let written = "";
      for (at += 1; at < text.length; at += 1) {
        if (text[at] === "\\") {
          at += 1;
          const hex = text[at] === "u" ? /^u([0-9a-f]{4})/i.exec(text.slice(at)) : null;
          written += hex ? String.fromCharCode(parseInt(hex[1], 16)) : ESCAPES[text[at]] || text[at];
          at += hex ? 4 : 0;
        } else if (text[at] === mark && (mark === '"' || ends())) {
          at += 1;
          return written;
        } else written += text[at];
      }
      return fail();
    }
    // An apostrophe inside a word does not end it.
    const ends = () => /^\s*([,:\]}]|$)/.test(text.slice(at + 1));
    function word() {
      const match = /^[^\s,:\[\]{}"']+/.exec(text.slice(at));
      if (!match) return fail();
      at += match[0].length;
      const plain = { true: true, false: false, null: null };
      if (match[0] in plain) return plain[match[0]];
      return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(match[0]) ? Number(match[0]) : match[0];
    }
    function list(end, item) {
      for (at += 1, blank(); text[at] !== end; blank()) {
        item();
        blank();
        if (text[at] === ",") at += 1;
        else if (text[at] !== end) fail();
      }
      at += 1;
    }
    function any() {
      blank();
      if (text[at] === '"' || text[at] === "'") return string(text[at]);
      if (text[at] === "[") {
        const items = [];
        list("]", () => items.push(any()));
        return items;
      }
      if (text[at] === "{") {
        const members = {};
        list("}", () => {
          const name = any();
          blank();
          if (text[at] !== ":") fail();
          at += 1;
          members[name] = any();
        });
        return members;
      }
      return word();
    }
    try {
      const content = any();
      blank();
      return at === text.length ? content : null;
    } catch {
      return null;
    }
  }

  // ---- answers ----
  // Fields of one name are merged; what cannot be stands side by side. Nothing replaces anything.
  function merged(one, other) {
    if (one === undefined) return other;
    if (one instanceof Map && other instanceof Map) {
      for (const [key, each] of other) one.set(key, merged(one.get(key), each));
      return one;
    }
    if (typeof one === "boolean" && typeof other === "boolean") return one || other;
    if (typeof one === "string" && typeof other === "string") return one + "|" + other;
    return [].concat(one, other);
  }
  // Maps keep the order of the document and every name; objects would sort numbers.
  function written(answer) {
    if (Array.isArray(answer)) return "[" + answer.map(written).join(",") + "]";
    if (!(answer instanceof Map)) return JSON.stringify(answer);
    return "{" + [...answer].map(([name, each]) => JSON.stringify(name) + ":" + written(each)).join(",") + "}";
  }
  function nativeAnswer(input) {
    if (input.type === "checkbox" || input.type === "radio") return new Map([[input.value, input.checked]]);
    if (input.type === "select-multiple") return [...input.selectedOptions].map((option) => option.value);
    if (input.type === "file") return [...input.files].map((file) => file.name).join("|");
    return typeof input.value === "string" ? input.value : null;
  }
  const answerOf = (field) => (field.crowdAnswer ? field.crowdAnswer() : nativeAnswer(field));
  function answers(form) {
    const all = new Map();
    for (const field of form.elements) {
      const name = field.getAttribute("name") || (field.crowdAnswer ? "" : field.name);
      if (!name || field.matches(":disabled") || ["submit", "button", "reset", "image"].includes(field.type)) continue;
      const answer = answerOf(field);
      if (answer !== null && answer !== undefined) all.set(name, merged(all.get(name), answer));
    }
    return all;
  }
  // answer-format="flatten-objects": a field for each leaf, under its dotted path. null where two paths are the same.
  function leaves(all) {
    const fields = new Map();
    let collides = false;
    const walk = (path, answer) => {
      if (answer instanceof Map && answer.size) {
        for (const [name, each] of answer) walk(path ? path + "." + name : name, each);
      } else {
        collides = collides || fields.has(path);
        fields.set(path, typeof answer === "string" ? answer : written(answer));
      }
    };
    walk("", all);
    return collides ? null : fields;
  }

  // ---- elements that cannot be drawn ----
  const isUndrawn = (element) => element.localName.startsWith("crowd-") && (!customElements.get(element.localName) || element.crowdRefused);
  const marked = new WeakSet();
  function mark(element) {
    if (marked.has(element)) return;
    marked.add(element);
    const advice = told.assignment ? " Please return it: that costs you nothing." : " Please choose another task.";
    const said = "This site cannot show “" + element.localName + "”, a part of this task, so the task cannot be submitted here." + advice;
    const message = made("p", { className: "crowd-undrawn", textContent: said, tabIndex: -1 });
    message.setAttribute("role", "alert");
    (element.crowdRefused ? element.shadowRoot : element).prepend(message);
  }
  function blocked() {
    const undrawn = [...document.querySelectorAll("*")].filter(isUndrawn);
    undrawn.forEach(mark);
    const message = undrawn.length ? (undrawn[0].shadowRoot || undrawn[0]).querySelector(".crowd-undrawn") : null;
    if (message) {
      message.scrollIntoView({ block: "center" });
      message.focus({ preventScroll: true });
    }
    return undrawn.length > 0;
  }
  window.addEventListener("submit", (event) => {
    if (!blocked()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  const handIn = HTMLFormElement.prototype.submit;
  HTMLFormElement.prototype.submit = function submit() {
    if (!blocked()) handIn.call(this);
  };

  // ---- the form ----
  function reveal(field) {
    for (let node = field; node; node = node.parentNode || node.host) {
      if (node.localName === "crowd-tab") node.crowdOpen();
      if (node.localName === "details") node.open = true;
    }
  }
  function isValid(form) {
    const wrong = [...form.elements].filter((field) => field.willValidate && !field.checkValidity());
    for (const field of form.elements) if (field.crowdSay) field.crowdSay(wrong.includes(field));
    if (!wrong.length) return true;
    reveal(wrong[0]);
    wrong[0].scrollIntoView({ block: "center" });
    wrong[0].focus({ preventScroll: true });
    if (!wrong[0].crowdSay) wrong[0].reportValidity();
    return false;
  }
  const SUBMITS = "crowd-button[form-action=submit],button[type=submit],button:not([type]),input[type=submit],input[type=image]";
  class CrowdForm extends HTMLElement {
    connectedCallback() {
      if (this.form) return;
      this.form = made("form", { method: "post", action: told.submit, noValidate: true }, ...this.childNodes);
      this.append(this.form);
      this.crowdButton();
      // What scripts put beside the form later belongs into it.
      new MutationObserver(() => {
        for (const node of [...this.childNodes]) if (node !== this.form) this.form.append(node);
        this.crowdButton();
      }).observe(this, { childList: true });
      this.form.addEventListener("submit", (event) => {
        if (told.assignment && isValid(this.form)) return;
        event.preventDefault();
        event.stopImmediatePropagation();
      }, true);
      // A submit event does not leave a shadow root: there the form is handed in by itself, after all handlers.
      const root = this.getRootNode();
      if (root instanceof ShadowRoot) {
        root.addEventListener("submit", (event) => {
          const objected = event.defaultPrevented;
          event.preventDefault();
          if (!objected) this.form.submit();
        });
      }
      this.form.addEventListener("formdata", (event) => this.crowdData(event.formData));
    }
    crowdButton() {
      const own = this.form.querySelector(":scope > .crowd-submit");
      const other = [...this.form.querySelectorAll(SUBMITS)].some((button) => !own || !own.contains(button));
      if (other && own) own.remove();
      if (!other && !own) this.form.append(made("p", { className: "crowd-submit" }, made("button", { type: "submit", textContent: "Submit" })));
      if (told.assignment) return;
      for (const button of this.form.querySelectorAll("button,input[type=submit]")) {
        if (button.type !== "submit") continue;
        button.disabled = true;
        button.title = "Accept the task first.";
      }
    }
    crowdData(data) {
      const all = answers(this.form);
      const fields = value(this, "answer-format") === "flatten-objects" ? leaves(all) : null;
      for (const name of [...data.keys()]) data.delete(name);
      data.append("assignmentId", told.assignment || "ASSIGNMENT_ID_NOT_AVAILABLE");
      if (fields) for (const [name, text] of fields) data.append(name, text);
      else data.append("taskAnswers", written([all]));
    }
    get elements() { return this.form.elements; }
    submit() { if (told.assignment && isValid(this.form)) this.form.submit(); }
    requestSubmit(button) { this.form.requestSubmit(button); }
    reset() { this.form.reset(); }
  }

  const definitions = { "crowd-form": CrowdForm };
  Object.assign(crowd, { made, value, is, lenient, definitions, answers, isUndrawn, mark });
  // Elements are defined when the page has been read, in the order in which they need each other.
  crowd.start = () => {
    const css = "crowd-form,crowd-input,crowd-text-area,crowd-checkbox,crowd-toggle-button,crowd-radio-button,crowd-radio-group,crowd-card,crowd-classifier,crowd-classifier-multi-select,crowd-image-classifier,crowd-image-classifier-multi-select,crowd-entity-annotation,crowd-slider,crowd-tabs,crowd-tab,crowd-alert,classification-target,short-instructions,full-instructions,worker-comment{display:block}crowd-tab[hidden]{display:none}.crowd-submit button{min-height:44px;padding:8px 24px;font:inherit}.crowd-undrawn{border:2px solid;border-radius:8px;padding:8px 16px;font-weight:600}";
    document.head.append(made("style", { textContent: css }));
    for (const [name, element] of Object.entries(definitions)) if (name !== "crowd-form") customElements.define(name, element);
    customElements.define("crowd-form", CrowdForm);
    const markAll = (root) => [root, ...root.querySelectorAll("*")].filter((e) => e instanceof Element && isUndrawn(e)).forEach(mark);
    markAll(document.documentElement);
    new MutationObserver((records) => {
      for (const record of records) record.addedNodes.forEach((node) => { if (node instanceof Element && node.isConnected) markAll(node); });
    }).observe(document, { childList: true, subtree: true });
    window.setTimeout(() => document.dispatchEvent(new Event("all-crowd-elements-ready", { bubbles: true })));
  };
}
