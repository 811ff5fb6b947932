// The commonest elements of Amazon's crowd-html-elements, made of plain fields: a crowd-form hands in one field,
// taskAnswers, with a JSON array of one object. Runs inside a task that uses them; the original script is gone.
(told) => {
  "use strict";
  const KNOWN = ["form", "button", "input", "text-area", "checkbox", "radio-group", "radio-button", "slider",
    "classifier", "classifier-multi-select", "instructions", "card", "alert", "icon-button", "tabs", "tab", "modal", "toast", "badge", "divider"];
  const made = (tag, properties, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const value = (element, name) => element.getAttribute(name) || "";
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
      const input = field(e, "input", { type: "checkbox", value: value(e, "value") || "true", checked: is(e, "checked") });
      e.replaceChildren(made("label", { className: "crowd" }, input, ...e.childNodes));
    },
    "crowd-radio-button": (e) => {
      const group = e.closest("crowd-radio-group");
      if (!group) {
        const alone = field(e, "input", { type: "radio", value: value(e, "value") || "true", checked: is(e, "checked") });
        alone.dataset.crowd = "crowd-radio-alone";
        e.replaceChildren(made("label", { className: "crowd" }, alone, ...e.childNodes));
        return;
      }
      // In a group it is the buttons that have names: {"yes": true, "no": false}.
      group.dataset.group = group.dataset.group || value(group, "name") || "crowd-group-" + (number += 1);
      const input = made("input", { type: "radio", name: group.dataset.group, value: value(e, "name") || value(e, "value"), checked: is(e, "checked"), required: is(group, "required") });
      input.dataset.crowd = "crowd-radio-group";
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

  // As the original gave them: text as text, a box as true or false, buttons of a group and labels as objects.
  function answers(form) {
    const object = {};
    for (const input of form.elements) {
      if (!input.name || input.disabled || ["submit", "button", "reset", "image"].includes(input.type)) continue;
      const crowd = input.dataset.crowd || "", chosen = input.checked;
      if (crowd === "crowd-checkbox" || crowd === "crowd-radio-alone") object[input.name] = input.value === "true" ? chosen : { [input.value]: chosen };
      else if (crowd === "crowd-radio-group") object[input.name] = { ...object[input.name], [input.value]: chosen };
      else if (crowd === "crowd-classifier") { if (chosen) object[input.name] = { label: input.value }; }
      else if (crowd === "crowd-classifier-multi-select") {
        object[input.name] = object[input.name] || { labels: [] };
        if (chosen) object[input.name].labels.push(input.value);
      } else if (input.type === "checkbox") object[input.name] = { ...object[input.name], [input.value]: chosen };
      else if (input.type === "radio") { if (chosen) object[input.name] = input.value; }
      else if (input.type === "select-multiple") object[input.name] = [...input.selectedOptions].map((option) => option.value);
      else object[input.name] = input.value;
    }
    return object;
  }

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
      event.formData.append("taskAnswers", JSON.stringify([answers(form)]));
    });
    // Tasks listen to the element's own submit event, which may be called off.
    form.addEventListener("submit", (event) => { if (crowd.onsubmit && crowd.onsubmit(event) === false) event.preventDefault(); });
  }

  function upgrade() {
    const names = [...new Set([...document.querySelectorAll("*")].map((e) => e.localName).filter((n) => n.startsWith("crowd-")))];
    const unknown = names.filter((name) => !KNOWN.includes(name.slice(6)));
    document.querySelectorAll("crowd-form").forEach(upgradeForm);
    for (const [name, act] of Object.entries(UPGRADE)) document.querySelectorAll(name).forEach(act);
    document.head.append(made("style", { textContent: "crowd-form,crowd-input,crowd-text-area,crowd-checkbox,crowd-radio-button,crowd-radio-group,crowd-card,crowd-classifier{display:block}.crowd{display:flex;flex-wrap:wrap;gap:8px;align-items:center;min-height:44px;cursor:pointer}.crowd input:not([type]),.crowd input[type=text],.crowd textarea{min-height:40px;flex:1 1 12rem;font:inherit}" }));
    if (unknown.length) {
      const said = "This task uses elements that this site cannot show: " + unknown.join(", ") + ". Parts of it may not work.";
      document.body.prepend(made("p", { id: "assay-crowd-warning", textContent: said }));
    }
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", upgrade, { once: true });
  else upgrade();
}
