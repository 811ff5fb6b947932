// crowd-entity-annotation: spans of a text with labels. Offsets count characters (code points); the end is not included.
(told, crowd) => {
  "use strict";
  const { made, value, lenient, definitions, CSS } = crowd;
  const points = (text) => [...text].length;

  class Annotation extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      this.attachShadow({ mode: "open" });
      const labels = lenient(value(this, "labels")), first = value(this, "initial-value") ? lenient(value(this, "initial-value")) : [];
      this.crowdRefused = !Array.isArray(labels) || !labels.length || !Array.isArray(first);
      if (this.crowdRefused) return void crowd.mark(this);
      this.labels = labels.map((each) => (each !== null && typeof each === "object" ? each : { label: String(each) }));
      this.spans = first.map(({ label, startOffset, endOffset }) => ({ label, startOffset, endOffset }));
      this.text = this.getAttribute("text") || "";
      this.draw();
    }
    draw() {
      // A field that takes no input: a keyboard selects in it as a mouse does (in a read-only one it cannot), and it shows
      // every space and line end.
      this.shown = made("textarea", { spellcheck: false, inputMode: "none", value: this.text, rows: Math.min(20, Math.max(4, Math.ceil(this.text.length / 60))) });
      this.shown.setAttribute("aria-label", "The text. Select a part of it, then choose a label.");
      this.shown.setAttribute("aria-readonly", "true");
      this.shown.addEventListener("beforeinput", (event) => event.preventDefault());
      this.buttons = made("div", { className: "row" });
      for (const label of this.labels) {
        const button = made("button", { type: "button", textContent: label.fullDisplayName || label.label });
        button.addEventListener("click", () => this.add(label.label));
        this.buttons.append(button);
      }
      this.said = made("p", {});
      this.said.setAttribute("role", "status");
      this.list = made("ul", {});
      this.field = document.createElement("crowd-spans");
      this.field.setAttribute("name", value(this, "name"));
      this.field.owner = this;
      const form = document.createElement("crowd-form");
      const slots = ["short-instructions", "full-instructions"].map((name) => made("slot", { name }));
      form.append(made("h2", { textContent: value(this, "header") }), slots[0], this.shown, this.buttons, this.said, this.list, this.field, made("slot", {}), slots[1]);
      if (this.hasAttribute("answer-format")) form.setAttribute("answer-format", value(this, "answer-format"));
      crowd.place(this, ["short-instructions", "full-instructions"]);
      this.shadowRoot.append(made("style", { textContent: CSS + "button,select{min-height:44px;font:inherit}textarea{width:100%;font:inherit;line-height:1.6}" }), form);
      this.renew();
    }
    add(label) {
      const { selectionStart: from, selectionEnd: to } = this.shown;
      if (from === to) {
        this.said.textContent = "Select a part of the text first.";
        return;
      }
      const startOffset = points(this.text.slice(0, from));
      this.spans.push({ label, startOffset, endOffset: startOffset + points(this.text.slice(from, to)) });
      this.shown.setSelectionRange(to, to);
      this.said.textContent = "Added.";
      this.changed();
    }
    // In the order of the text, as they are handed in.
    renew() {
      const signs = [...this.text];
      this.spans.sort((one, other) => one.startOffset - other.startOffset || one.endOffset - other.endOffset);
      this.list.replaceChildren(...this.spans.map((span) => {
        const quote = signs.slice(span.startOffset, span.endOffset).join("");
        const select = made("select", {}, ...this.labels.map((label) => made("option", { value: label.label, textContent: label.shortDisplayName || label.label, selected: label.label === span.label })));
        select.setAttribute("aria-label", "Label of “" + quote + "”");
        select.addEventListener("change", (event) => { event.stopPropagation(); span.label = select.value; this.changed(false); });
        const remove = made("button", { type: "button", textContent: "Remove", ariaLabel: "Remove “" + quote + "”" });
        remove.addEventListener("click", () => {
          this.spans.splice(this.spans.indexOf(span), 1);
          this.changed();
          this.shown.focus();
        });
        return made("li", { className: "row" }, made("mark", { textContent: quote }), select, remove);
      }));
    }
    changed(draws = true) {
      if (draws) this.renew();
      for (const name of ["input", "change"]) this.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
    }
    entities() {
      return this.spans.map((span) => new Map([["endOffset", span.endOffset], ["label", span.label], ["startOffset", span.startOffset]]));
    }
    get name() { return value(this, "name"); }
    get value() { return { entities: this.entities().map((span) => Object.fromEntries(span)) }; }
    get _submittableValue() { return this.value; }
  }
  // Stands for the spans among the fields of the form.
  class Spans extends HTMLElement {
    static formAssociated = true;
    constructor() {
      super();
      this.internals = this.attachInternals();
    }
    get willValidate() { return false; }
    get type() { return "text"; }
    crowdAnswer() { return new Map([["entities", this.owner.entities()]]); }
  }
  Object.assign(definitions, { "crowd-spans": Spans, "crowd-entity-annotation": Annotation });
}
