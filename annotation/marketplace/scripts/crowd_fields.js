// Crowd elements that hold an answer. Each has a plain control in an open shadow root, so that the page's own children
// stay what and where they are; the browser knows each as a part of its form.
(told, crowd) => {
  "use strict";
  const { made, value, is, lenient, definitions } = crowd;
  const CSS = ":host{display:block;margin:8px 0}:host([hidden]){display:none}label,.row{display:flex;flex-wrap:wrap;gap:8px;align-items:center;min-height:44px}.words{flex:0 0 auto}input:not([type=checkbox],[type=radio],[type=range]),textarea,select{flex:1 1 12rem;min-height:40px;font:inherit;box-sizing:border-box;max-width:100%}input[type=checkbox],input[type=radio]{width:20px;height:20px;flex:none}.wrong{color:#b00020;font-weight:600;margin:4px 0}.count{font-size:.85em}fieldset{border:1px solid #888;border-radius:8px;margin:8px 0}img{max-width:100%}h2,h3{margin:8px 0}mark{background:#fde68a;color:#000}";
  let groups = 0;

  // Children with these names take their place in the shadow root.
  crowd.place = (host, names) => {
    const sort = () => { for (const child of host.children) if (names.includes(child.localName) && child.slot !== child.localName) child.slot = child.localName; };
    sort();
    new MutationObserver(sort).observe(host, { childList: true });
  };

  class Field extends HTMLElement {
    static formAssociated = true;
    constructor() {
      super();
      this.internals = this.attachInternals();
    }
    connectedCallback() {
      if (value(this, "disabled") === "false") this.removeAttribute("disabled");
      if (!this.shadowRoot) {
        this.attachShadow({ mode: "open", delegatesFocus: true });
        this.shadowRoot.append(made("style", { textContent: CSS }));
        this.wrong = made("p", { className: "wrong", id: "wrong", hidden: true });
        this.draw();
        this.shadowRoot.append(this.wrong);
        // What was set before the element was defined.
        for (const name of ["checked", "value", "disabled", "required", "name"]) {
          if (!Object.prototype.hasOwnProperty.call(this, name)) continue;
          const early = this[name];
          delete this[name];
          this[name] = early;
        }
      }
      this.refresh();
    }
    attributeChangedCallback() { if (this.shadowRoot) this.refresh(); }
    formResetCallback() { this.restart(); this.check(); }
    formDisabledCallback() { if (this.shadowRoot) this.refresh(); }
    refresh() { this.check(); }
    restart() {}
    // The browser does not let changes out of a shadow root; the task hears of each, from the element itself.
    changed(event) {
      this.check();
      if (event.type === "change") this.dispatchEvent(new Event("change", { bubbles: true, composed: true }));
    }
    listen(control) {
      control.addEventListener("input", (event) => this.changed(event));
      control.addEventListener("change", (event) => this.changed(event));
    }
    check() {
      const said = this.fault();
      const anchor = this.control;
      if (said && anchor) this.internals.setValidity({ customError: true }, said, anchor);
      else this.internals.setValidity({});
      if (!said) this.crowdSay(false);
    }
    fault() { return ""; }
    crowdSay(wrong) {
      const said = wrong ? this.internals.validationMessage : "";
      if (this.wrong.textContent !== said) this.wrong.textContent = said;
      this.wrong.hidden = !said;
      const control = this.control;
      if (!control) return;
      if (said) control.setAttribute("aria-describedby", "wrong");
      control.setAttribute("aria-invalid", String(Boolean(said)));
    }
    // What a worker calls the field; never its internal name.
    get words() { return value(this, "label") || value(this, "header") || value(this, "placeholder") || this.textContent.trim() || "This field"; }
    get form() { return this.internals.form; }
    get willValidate() { return this.internals.willValidate; }
    get validity() { return this.internals.validity; }
    get validationMessage() { return this.internals.validationMessage; }
    checkValidity() { this.check(); return this.internals.checkValidity(); }
    reportValidity() { const right = this.checkValidity(); this.crowdSay(!right); return right; }
    get name() { return value(this, "name"); }
    set name(name) { this.setAttribute("name", name); }
    get type() { return "text"; }
    get disabled() { return is(this, "disabled"); }
    set disabled(on) { this.toggleAttribute("disabled", Boolean(on)); }
    get required() { return is(this, "required"); }
    set required(on) { this.toggleAttribute("required", Boolean(on)); }
    get off() { return this.matches(":disabled"); }
    get _submittableValue() { return plain(this.crowdAnswer()); }
  }
  const plain = (answer) => (answer instanceof Map ? Object.fromEntries([...answer].map(([name, each]) => [name, plain(each)])) : answer);

  const TEXT = ["text", "email", "number", "date", "time", "url", "tel", "password", "month", "week", "datetime-local", "color", "file", "search"];
  class Input extends Field {
    static observedAttributes = ["label", "placeholder", "type", "disabled", "required", "max-length", "min-length", "rows", "value", "error-message", "allowed-pattern", "char-counter"];
    draw() {
      this.control = this.make();
      this.label = made("span", { className: "words" });
      this.counter = made("span", { className: "count", hidden: true });
      this.shadowRoot.append(made("label", {}, this.label, this.control, this.counter), made("slot", { hidden: true }));
      this.control.value = this.first();
      this.control.addEventListener("beforeinput", (event) => {
        const one = is(this, "auto-validate") && value(this, "allowed-pattern");
        if (one && event.data && [...event.data].some((sign) => !new RegExp("^(?:" + one + ")$", "u").test(sign))) event.preventDefault();
      });
      this.listen(this.control);
      if (is(this, "auto-focus")) window.setTimeout(() => this.control.focus());
    }
    make() { return made("input", {}); }
    first() { return this.type === "file" ? "" : value(this, "value"); }
    refresh() {
      const type = value(this, "type");
      if (this.localName === "crowd-input") this.control.type = TEXT.includes(type) ? type : "text";
      this.label.textContent = value(this, "label");
      this.label.hidden = !this.label.textContent;
      if (value(this, "label")) this.control.removeAttribute("aria-label");
      else this.control.setAttribute("aria-label", value(this, "placeholder") || before(this) || "Answer");
      for (const [ours, theirs] of [["max-length", "maxlength"], ["placeholder", "placeholder"], ["rows", "rows"]]) {
        if (value(this, ours)) this.control.setAttribute(theirs, value(this, ours));
        else this.control.removeAttribute(theirs);
      }
      this.control.disabled = this.off;
      this.control.required = this.required;
      this.check();
    }
    restart() { this.control.value = this.first(); }
    check() {
      super.check();
      this.counter.hidden = !is(this, "char-counter");
      const most = value(this, "max-length");
      this.counter.textContent = this.control.value.length + (most ? " / " + most : "");
    }
    fault() {
      const text = this.control.value, pattern = value(this, "allowed-pattern"), least = Number(value(this, "min-length"));
      const own = value(this, "error-message");
      if (this.required && !text) return own || words(this) + " is required.";
      if (text && least && text.length < least) return own || words(this) + " needs at least " + least + " characters.";
      if (text && pattern && is(this, "auto-validate")) {
        try {
          if (![...text].every((sign) => new RegExp("^(?:" + pattern + ")$", "u").test(sign)) && !new RegExp("^(?:" + pattern + ")$", "u").test(text)) return own || words(this) + " has characters that are not allowed.";
        } catch { /* a pattern that is none forbids nothing */ }
      }
      return this.control.validity.valid ? "" : own || this.control.validationMessage;
    }
    get type() { return this.control && this.control.type === "file" ? "file" : "text"; }
    get value() { return this.control ? this.control.value : value(this, "value"); }
    set value(text) { if (this.control) { this.control.value = text; this.check(); } else this.setAttribute("value", text); }
    crowdAnswer() {
      if (this.control.type === "file") return [...this.control.files].map((file) => file.name).join("|") || null;
      return this.control.value.replace(/\r\n?/g, "\n") || null;
    }
  }
  class TextArea extends Input {
    make() { return made("textarea", { rows: Number(value(this, "rows")) || 3 }); }
    first() { return value(this, "value") || this.textContent.trim(); }
  }
  const words = (field) => "“" + (value(field, "label") || value(field, "placeholder") || before(field) || "This field") + "”";
  function before(field) {
    for (let node = field.previousSibling; node; node = node.previousSibling) {
      const text = (node.textContent || "").trim();
      if (text && node.nodeType !== Node.COMMENT_NODE && !node.crowdAnswer) return text.slice(-120);
    }
    return "";
  }

  class Checkbox extends Field {
    static observedAttributes = ["disabled", "required", "checked", "value"];
    static kind = "checkbox";
    draw() {
      this.control = made("input", { type: this.constructor.kind, checked: is(this, "checked") });
      if (this.localName === "crowd-toggle-button") this.control.setAttribute("role", "switch");
      const slot = made("slot", {});
      slot.addEventListener("slotchange", () => this.named());
      this.shadowRoot.append(made("label", {}, this.control, slot));
      this.listen(this.control);
    }
    named() { this.control.setAttribute("aria-label", this.textContent.trim() || value(this, "label") || before(this) || "Answer"); }
    refresh() {
      this.named();
      this.control.disabled = this.off;
      this.check();
    }
    attributeChangedCallback(name) {
      if (name === "checked" && this.shadowRoot) this.checked = is(this, "checked");
      super.attributeChangedCallback();
    }
    restart() { this.control.checked = is(this, "checked"); }
    fault() { return this.required && !this.control.checked ? "“" + this.words + "” must be ticked." : ""; }
    get type() { return this.constructor.kind; }
    get value() { return value(this, "value") || "on"; }
    set value(text) { this.setAttribute("value", text); }
    get checked() { return this.control ? this.control.checked : is(this, "checked"); }
    set checked(on) {
      if (!this.control) return void this.toggleAttribute("checked", Boolean(on));
      this.control.checked = Boolean(on);
      this.check();
    }
    crowdAnswer() { return new Map([[this.value, this.checked]]); }
  }
  class Toggle extends Checkbox {}
  // Buttons of a group exclude each other whatever their names; those outside keep their own state.
  class Radio extends Checkbox {
    static kind = "radio";
    draw() {
      super.draw();
      this.control.name = "crowd-" + (groups += 1);
      this.control.addEventListener("keydown", (event) => {
        const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
        const others = step ? this.others() : [];
        if (others.length < 2) return;
        event.preventDefault();
        const next = others[(others.indexOf(this) + step + others.length) % others.length];
        next.focus();
        next.control.click();
      });
    }
    others() {
      const group = this.closest("crowd-radio-group");
      return group ? [...group.querySelectorAll("crowd-radio-button")].filter((button) => !button.off) : [this];
    }
    changed(event) {
      if (this.control.checked) this.untick();
      super.changed(event);
    }
    untick() { for (const other of this.others()) if (other !== this && other.control) other.control.checked = false; }
    get checked() { return super.checked; }
    set checked(on) {
      super.checked = on;
      if (on && this.control) this.untick();
    }
    fault() { return ""; }
  }
  class RadioGroup extends HTMLElement {
    connectedCallback() { if (!this.hasAttribute("role")) this.setAttribute("role", "radiogroup"); }
    get value() { const one = [...this.querySelectorAll("crowd-radio-button")].find((button) => button.checked); return one ? one.value : null; }
  }
  class Slider extends Field {
    static observedAttributes = ["min", "max", "step", "disabled", "value", "label"];
    draw() {
      this.control = made("input", { type: "range" });
      this.number = made("input", { type: "number", hidden: !is(this, "editable") });
      this.shown = made("output", {});
      this.label = made("span", { className: "words" });
      this.shadowRoot.append(made("label", {}, this.label, this.control, this.shown), this.number);
      this.control.addEventListener("input", () => { this.number.value = this.control.value; });
      this.number.addEventListener("input", () => { this.control.value = this.number.value; });
      this.number.setAttribute("aria-label", "Value");
      this.listen(this.control);
      this.listen(this.number);
      this.refresh();
      this.restart();
    }
    refresh() {
      for (const [name, otherwise] of [["min", "0"], ["max", "100"], ["step", "1"]]) for (const input of [this.control, this.number]) input.setAttribute(name, value(this, name) || otherwise);
      this.label.textContent = value(this, "label");
      if (!value(this, "label")) this.control.setAttribute("aria-label", before(this) || "Answer");
      this.control.disabled = this.number.disabled = this.off;
      this.check();
    }
    restart() { this.control.value = value(this, "value") || value(this, "min") || "0"; this.number.value = this.control.value; this.check(); }
    check() { super.check(); this.shown.value = this.control.value; }
    get value() { return this.control ? Number(this.control.value) : Number(value(this, "value")); }
    set value(number) { if (this.control) { this.control.value = String(number); this.number.value = this.control.value; this.check(); } else this.setAttribute("value", String(number)); }
    crowdAnswer() { return Number(this.control.value); }
  }

  class Classifier extends Field {
    static many = false;
    static picture = false;
    draw() {
      const set = this.set = made("fieldset", {}, made("legend", { textContent: value(this, "header") || "Choose" }));
      const categories = lenient(value(this, "categories"));
      this.crowdRefused = !Array.isArray(categories) || !categories.length || this.hasAttribute("overlay");
      const names = this.crowdRefused ? [] : categories.map((each) => String(each !== null && typeof each === "object" ? each.label : each));
      const exclusion = value(this, "exclusion-category") ? lenient(value(this, "exclusion-category")) : null;
      this.exclusion = exclusion && typeof exclusion === "object" ? String(exclusion.text) : "";
      this.boxes = [...names, ...(this.exclusion ? [this.exclusion] : [])].map((name) => {
        const box = made("input", { type: this.constructor.many ? "checkbox" : "radio", name: "choice", value: name });
        box.addEventListener("change", () => this.exclude(box));
        this.listen(box);
        set.append(made("label", {}, box, made("span", { textContent: name })));
        return box;
      });
      this.control = this.boxes[0] || null;
      if (this.constructor.picture && value(this, "src")) this.shadowRoot.append(made("img", { src: value(this, "src"), alt: "The picture to classify" }));
      const instructions = made("slot", { name: "short-instructions" }), comment = made("slot", { name: "worker-comment" });
      this.shadowRoot.append(instructions, made("slot", { name: "classification-target" }), made("slot", {}), set, comment, made("slot", { name: "full-instructions" }));
      crowd.place(this, ["short-instructions", "full-instructions", "classification-target", "worker-comment"]);
      if (this.crowdRefused) crowd.mark(this);
    }
    exclude(box) {
      if (!this.exclusion || !box.checked) return;
      for (const other of this.boxes) if (other !== box && (box.value === this.exclusion || other.value === this.exclusion)) other.checked = false;
    }
    refresh() { for (const box of this.boxes) box.disabled = this.off; this.check(); }
    restart() { for (const box of this.boxes) box.checked = false; }
    get chosen() { return this.boxes ? this.boxes.filter((box) => box.checked).map((box) => box.value) : []; }
    fault() { return this.boxes.length && !this.chosen.length ? "“" + (value(this, "header") || "Choose") + "” needs a choice." : ""; }
    get value() { return this._submittableValue; }
    crowdAnswer() {
      const answer = this.constructor.many ? new Map([["labels", this.chosen]]) : this.chosen.length ? new Map([["label", this.chosen[0]]]) : null;
      const comment = this.querySelector("worker-comment");
      if (answer && this.constructor.picture && comment && comment.text) answer.set("workerComment", comment.text);
      return answer;
    }
  }
  class MultiClassifier extends Classifier { static many = true; }
  class ImageClassifier extends Classifier { static picture = true; }
  class MultiImageClassifier extends Classifier { static many = true; static picture = true; }

  Object.assign(definitions, {
    "crowd-input": Input, "crowd-text-area": TextArea, "crowd-checkbox": Checkbox, "crowd-toggle-button": Toggle,
    "crowd-radio-button": Radio, "crowd-radio-group": RadioGroup, "crowd-slider": Slider, "crowd-classifier": Classifier,
    "crowd-classifier-multi-select": MultiClassifier, "crowd-image-classifier": ImageClassifier,
    "crowd-image-classifier-multi-select": MultiImageClassifier,
  });
  Object.assign(crowd, { Field, CSS });
}
