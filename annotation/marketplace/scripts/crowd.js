// The commonest elements of Amazon's crowd-html-elements, made of plain fields: a crowd-form hands in one field,
// taskAnswers, with a JSON array of one object. Runs inside a task that uses them; the original script is gone.
(told) => {
  "use strict";
  const KNOWN = ["form", "button", "input", "text-area", "checkbox", "radio-group", "radio-button", "slider",
    "classifier", "classifier-multi-select", "instructions", "card", "alert", "icon-button", "tabs", "tab", "modal", "toast", "badge", "divider",
    "toggle-button", "fab"];
  const made = (tag, properties, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const value = (element, name) => element.getAttribute(name) || "";
  // The documented default of values.
  const ticked = (element) => value(element, "value") || "on";
  const is = (element, name) => element.hasAttribute(name) && element.getAttribute(name) !== "false";
  let number = 0;

  function field(element, tag, properties) {
    const made_ = made(tag, { name: value(element, "name"), required: is(element, "required"), disabled: is(element, "disabled"), ...properties });
    for (const name of ["min", "max", "step", "placeholder", "rows", "maxlength", "pattern", "minlength"]) {
      if (element.hasAttribute(name)) made_.setAttribute(name, value(element, name));
    }
    if (value(element, "max-length")) made_.setAttribute("maxlength", value(element, "max-length"));
    made_.dataset.crowd = element.localName;
    return made_;
  }
  const labelled = (words, input) => made("label", { className: "crowd" }, made("span", { textContent: words }), input);

  const UPGRADE = {
    "crowd-input": (e) => {
      const type = ["email", "number", "date", "time", "url", "tel", "password"].includes(value(e, "type")) ? value(e, "type") : "text";
      const input = field(e, "input", { type, value: value(e, "value") });
      e.replaceChildren(value(e, "label") || !value(e, "placeholder") ? labelled(value(e, "label") || value(e, "name"), input) : labelled(value(e, "placeholder"), input));
    },
    "crowd-text-area": (e) => e.replaceChildren(labelled(value(e, "label") || value(e, "placeholder") || value(e, "name"), field(e, "textarea", { value: value(e, "value") || e.textContent.trim(), rows: Number(value(e, "rows")) || 3 }))),
    "crowd-slider": (e) => {
      const input = field(e, "input", { type: "range" }), shown = made("output", {});
      if (!e.hasAttribute("max")) input.max = "100";
      input.value = value(e, "value") || input.min || "0";
      shown.value = input.value;
      input.addEventListener("input", () => { shown.value = input.value; });
      e.replaceChildren(labelled(value(e, "label") || value(e, "name"), input), shown);
    },
    "crowd-checkbox": (e) => {
      const input = field(e, "input", { type: "checkbox", value: ticked(e), checked: is(e, "checked") });
      e.replaceChildren(made("label", { className: "crowd" }, input, ...e.childNodes));
    },
    "crowd-toggle-button": (e) => UPGRADE["crowd-checkbox"](e),
    // Buttons of a group exclude each other whatever their names, and others never do: which belong together is for the
    // browser alone; what is handed in goes by the button's own name.
    "crowd-radio-button": (e) => {
      const group = e.closest("crowd-radio-group"), owner = group || e;
      owner.dataset.group = owner.dataset.group || "assay-group-" + (number += 1);
      const properties = { type: "radio", value: ticked(e), checked: is(e, "checked"), required: Boolean(group) && is(group, "required") };
      const input = field(e, "input", { ...properties, name: owner.dataset.group });
      input.dataset.name = value(e, "name");
      e.replaceChildren(made("label", { className: "crowd" }, input, ...e.childNodes));
    },
    "crowd-radio-group": (e) => e.setAttribute("role", "radiogroup"),
    "crowd-classifier": (e) => classify(e, "radio"),
    "crowd-classifier-multi-select": (e) => classify(e, "checkbox"),
    "crowd-button": (e) => {
      const submit = value(e, "form-action") === "submit";
      e.replaceChildren(made("button", { type: submit ? "submit" : value(e, "form-action") === "reset" ? "reset" : "button", disabled: is(e, "disabled") || (submit && !told.assignment) }, ...e.childNodes));
    },
    "crowd-instructions": (e) => {
      if (value(e, "link-text")) e.prepend(made("h2", { textContent: value(e, "link-text") }));
    },
  };

  function classify(element, type) {
    let categories;
    try {
      categories = JSON.parse(value(element, "categories").replace(/'/g, '"'));
    } catch {
      categories = value(element, "categories").split(",");
    }
    const set = made("fieldset", {}, made("legend", { textContent: value(element, "header") }));
    for (const category of categories.map((each) => String((each && each.label) || each).trim())) {
      const input = made("input", { type, name: value(element, "name"), value: category, required: type === "radio" });
      input.dataset.crowd = element.localName;
      set.append(made("label", { className: "crowd" }, input, made("span", { textContent: category })));
    }
    element.append(set);
  }

  // As the original gave them: text as text; a box or button as {name: {value: true or false}}; labels as objects.
  function answerOf(input) {
    const crowd = input.dataset.crowd || "", chosen = input.checked;
    if (crowd === "crowd-classifier") return chosen ? new Map([["label", input.value]]) : null;
    if (crowd === "crowd-classifier-multi-select") return new Map([["labels", chosen ? [input.value] : []]]);
    if (input.type === "checkbox" || input.type === "radio") return new Map([[input.value, chosen]]);
    if (input.type === "select-multiple") return [...input.selectedOptions].map((option) => option.value);
    return typeof input.value === "string" ? input.value : null;
  }
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
  function answers(form) {
    const all = new Map();
    for (const input of form.elements) {
      const name = "name" in input.dataset ? input.dataset.name : input.name;
      if (!name || input.matches(":disabled") || ["submit", "button", "reset", "image"].includes(input.type)) continue;
      const given = answerOf(input);
      if (given !== null) all.set(name, merged(all.get(name), given));
    }
    return written([all]);
  }

  // What cannot be drawn says so in its place, and nothing is handed in: an answer would lack what it asks for.
  const isUndrawn = (element) => element.localName.startsWith("crowd-") && !KNOWN.includes(element.localName.slice(6));
  const marked = new WeakSet();
  function mark(element) {
    if (marked.has(element)) return;
    marked.add(element);
    const advice = told.assignment ? " Please return it: that costs you nothing." : " Please choose another task.";
    const said = "This site cannot show “" + element.localName + "”, a part of this task, so the task cannot be submitted here." + advice;
    const message = made("p", { className: "crowd-undrawn", textContent: said, tabIndex: -1 });
    message.setAttribute("role", "alert");
    element.prepend(message);
  }
  function blocked() {
    const undrawn = [...document.querySelectorAll("*")].filter(isUndrawn);
    undrawn.forEach(mark);
    const message = undrawn.length ? undrawn[0].querySelector(".crowd-undrawn") : null;
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

  function upgradeForm(crowd) {
    const form = made("form", { method: "post", action: told.submit }, ...crowd.childNodes);
    for (const name of ["id", "class"]) if (crowd.hasAttribute(name) && name === "class") form.className = value(crowd, name);
    crowd.append(form);
    if (!form.querySelector("crowd-button[form-action=submit], button[type=submit], input[type=submit]")) {
      form.append(made("p", {}, made("button", { type: "submit", textContent: "Submit", disabled: !told.assignment })));
    }
    crowd.submit = () => form.requestSubmit();
    form.addEventListener("formdata", (event) => {
      for (const name of [...event.formData.keys()]) event.formData.delete(name);
      event.formData.append("assignmentId", told.assignment || "ASSIGNMENT_ID_NOT_AVAILABLE");
      event.formData.append("taskAnswers", answers(form));
    });
    // Tasks listen to the element's own submit event, which may be called off.
    form.addEventListener("submit", (event) => { if (crowd.onsubmit && crowd.onsubmit(event) === false) event.preventDefault(); });
  }

  // Also what scripts add later.
  const drawn = new WeakSet();
  function draw(root) {
    const all = [...(root instanceof Element ? [root] : []), ...root.querySelectorAll("*")].filter((e) => e.localName.startsWith("crowd-"));
    const steps = [["crowd-form", upgradeForm], ...Object.entries(UPGRADE)];
    for (const [name, act] of steps) {
      for (const element of all.filter((e) => e.localName === name && !drawn.has(e))) {
        drawn.add(element);
        act(element);
      }
    }
    all.filter(isUndrawn).forEach(mark);
  }
  function upgrade() {
    document.head.append(made("style", { textContent: "crowd-form,crowd-input,crowd-text-area,crowd-checkbox,crowd-toggle-button,crowd-radio-button,crowd-radio-group,crowd-card,crowd-classifier{display:block}.crowd{display:flex;flex-wrap:wrap;gap:8px;align-items:center;min-height:44px;cursor:pointer}.crowd input:not([type]),.crowd input[type=text],.crowd textarea{min-height:40px;flex:1 1 12rem;font:inherit}.crowd-undrawn{border:2px solid;border-radius:8px;padding:8px 16px;font-weight:600}" }));
    draw(document);
    new MutationObserver((records) => {
      for (const record of records) record.addedNodes.forEach((node) => { if (node instanceof Element && node.isConnected) draw(node); });
    }).observe(document, { childList: true, subtree: true });
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", upgrade, { once: true });
  else upgrade();
}
