// Crowd elements that lay a task out: buttons, cards, tabs, dialogs, instructions. Their children stay where they are.
(told, crowd) => {
  "use strict";
  const { made, value, is, definitions, CSS } = crowd;
  const MORE = "button,summary,a{min-height:44px;font:inherit}button{padding:8px 16px;border-radius:8px;border:1px solid;cursor:pointer}button.primary{font-weight:600}button.link{border:0;background:none;text-decoration:underline}dialog{max-width:min(60rem,92vw);max-height:85vh;overflow:auto;border-radius:8px;border:1px solid}[role=tablist]{display:flex;flex-wrap:wrap;gap:4px}[aria-selected=true]{font-weight:700;text-decoration:underline}.box{border:1px solid #888;border-radius:8px;padding:8px 16px}.error{border-color:#b00020}";
  const ICONS = { close: "×", done: "✓", check: "✓", add: "+", remove: "−", help: "?", info: "i", star: "★", search: "⌕", menu: "☰", "arrow-back": "←", "arrow-forward": "→", warning: "!", error: "!" };
  const icon = (name) => ICONS[(name || "").split(":").pop()] || "";

  class Part extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      this.attachShadow({ mode: "open", delegatesFocus: true });
      this.shadowRoot.append(made("style", { textContent: CSS + MORE }));
      this.draw();
    }
    attributeChangedCallback() { if (this.shadowRoot) this.refresh(); }
    refresh() {}
  }

  class Button extends Part {
    static formAssociated = true;
    static observedAttributes = ["disabled", "loading"];
    constructor() {
      super();
      this.internals = this.attachInternals();
    }
    draw() {
      const href = value(this, "href"), mark = icon(value(this, "icon"));
      const picture = value(this, "icon-url") ? [made("img", { src: value(this, "icon-url"), alt: "", height: 20 })] : mark ? [made("span", { textContent: mark, ariaHidden: "true" })] : [];
      const inside = value(this, "icon-align") === "right" ? [made("slot", {}), ...picture] : [...picture, made("slot", {})];
      this.control = href ? made("a", { href, target: value(this, "target") || "_blank" }, ...inside) : made("button", { type: "button" }, ...inside);
      this.control.className = value(this, "variant") || "primary";
      this.shadowRoot.append(this.control);
      if (!href) this.control.addEventListener("click", () => this.press());
      this.refresh();
    }
    press() {
      const form = this.internals.form || (this.closest("crowd-form") || {}).form;
      if (!form || this.control.disabled) return;
      if (value(this, "form-action") === "submit") form.requestSubmit();
      if (value(this, "form-action") === "reset") form.reset();
    }
    refresh() {
      const submits = value(this, "form-action") === "submit", busy = is(this, "loading");
      if (this.control.localName !== "button") return;
      this.control.disabled = busy || is(this, "disabled") || (submits && !told.assignment);
      if (submits && !told.assignment) this.control.title = "Accept the task first.";
      this.control.setAttribute("aria-busy", String(busy));
      const words = this.textContent.trim();
      if (!words) this.control.setAttribute("aria-label", value(this, "icon") || (submits ? "Submit" : "Button"));
    }
    get type() { return "button"; }
    get disabled() { return is(this, "disabled"); }
    set disabled(on) { this.toggleAttribute("disabled", Boolean(on)); }
    get loading() { return is(this, "loading"); }
    set loading(on) { this.toggleAttribute("loading", Boolean(on)); }
  }
  class IconButton extends Part {
    static observedAttributes = ["disabled", "label", "title"];
    draw() {
      this.control = made("button", { type: "button", textContent: icon(value(this, "icon")) });
      this.shadowRoot.append(this.control, made("slot", {}));
      this.refresh();
    }
    refresh() {
      this.control.disabled = is(this, "disabled");
      this.control.setAttribute("aria-label", value(this, "label") || value(this, "title") || value(this, "icon") || "Button");
      const label = value(this, "label");
      if (label) this.control.textContent = (icon(value(this, "icon")) + " " + label).trim();
    }
  }
  class Icon extends Part {
    draw() { this.shadowRoot.append(made("span", { textContent: icon(value(this, "icon")), ariaHidden: "true" }), made("slot", {})); }
  }
  class Badge extends Part {
    draw() {
      const mark = made("span", { textContent: value(this, "label") || icon(value(this, "icon")), className: "box" });
      this.shadowRoot.append(mark, made("slot", {}));
      const target = document.getElementById(value(this, "for"));
      if (!target) return;
      const place = () => {
        const box = target.getBoundingClientRect();
        const left = Math.min(box.right - 12, document.documentElement.clientWidth - mark.offsetWidth);
        Object.assign(mark.style, { position: "absolute", left: left + window.scrollX + "px", top: box.top + window.scrollY - 12 + "px", padding: "0 6px", background: "#fff", color: "#000" });
      };
      place();
      window.addEventListener("resize", place);
      new ResizeObserver(place).observe(document.body);  // what stands above is drawn after it
    }
  }
  class Card extends Part {
    draw() {
      const parts = [];
      if (value(this, "image")) parts.push(made("img", { src: value(this, "image"), alt: "" }));
      if (value(this, "heading")) parts.push(made("h3", { textContent: value(this, "heading") }));
      this.shadowRoot.append(made("div", { className: "box" }, ...parts, made("slot", {})));
    }
  }
  class Alert extends Part {
    static observedAttributes = ["type"];
    draw() {
      this.box = made("div", {}, made("slot", {}));
      this.shadowRoot.append(this.box);
      if (is(this, "dismissible")) {
        const close = made("button", { type: "button", textContent: "×", ariaLabel: "Dismiss" });
        close.addEventListener("click", () => this.remove());
        this.box.append(close);
      }
      this.refresh();
    }
    refresh() {
      const kind = value(this, "type") || "info";
      this.box.className = "box " + kind;
      this.box.setAttribute("role", kind === "error" ? "alert" : "status");
    }
  }
  let toast = null;
  class Toast extends Part {
    static observedAttributes = ["opened", "text"];
    draw() {
      this.box = made("div", { className: "box" });
      this.box.setAttribute("role", "status");
      this.shadowRoot.append(this.box);
      this.refresh();
    }
    refresh() {
      const open = is(this, "opened");
      this.box.replaceChildren(...(open ? [document.createTextNode(value(this, "text")), made("slot", {})] : []));
      this.box.hidden = !open;
      window.clearTimeout(this.timer);
      if (!open) return;
      if (toast && toast !== this) toast.opened = false;
      toast = this;
      const duration = Number(value(this, "duration"));
      if (duration > 0) this.timer = window.setTimeout(() => { this.opened = false; }, duration);
    }
    get opened() { return is(this, "opened"); }
    set opened(on) { this.toggleAttribute("opened", Boolean(on)); }
    open() { this.opened = true; }
    close() { this.opened = false; }
  }

  // ---- tabs ----
  class Tab extends HTMLElement {
    connectedCallback() { this.setAttribute("role", "tabpanel"); }
    crowdOpen() { const tabs = this.closest("crowd-tabs"); if (tabs && tabs.show) tabs.show(this); }
  }
  function tabbed(list, panels, label) {
    const buttons = panels.map((panel, at) => {
      const button = made("button", { type: "button", textContent: label(panel, at) });
      button.setAttribute("role", "tab");
      button.addEventListener("click", () => show(panel));
      button.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const next = (at + step + panels.length) % panels.length;
        show(panels[next]);
        buttons[next].focus();
      });
      return button;
    });
    function show(chosen) {
      panels.forEach((panel, at) => {
        panel.hidden = panel !== chosen;
        buttons[at].setAttribute("aria-selected", String(panel === chosen));
        buttons[at].tabIndex = panel === chosen ? 0 : -1;
      });
    }
    list.setAttribute("role", "tablist");
    list.replaceChildren(...buttons);
    return show;
  }
  class Tabs extends Part {
    draw() {
      this.list = made("div", {});
      this.shadowRoot.append(this.list, made("slot", {}));
      this.renew();
      new MutationObserver(() => this.renew()).observe(this, { childList: true });
    }
    renew() {
      const panels = [...this.children].filter((child) => child.localName === "crowd-tab");
      if (!panels.length) return;
      const open = panels.find((panel) => panel.crowdShown) || panels[0];
      const show = tabbed(this.list, panels, (panel, at) => value(panel, "header") || "Tab " + (at + 1));
      this.show = (panel) => {
        for (const each of panels) each.crowdShown = each === panel;
        show(panel);
      };
      this.show(open);
    }
  }

  // ---- dialogs ----
  function opener(part, words, dialog) {
    const button = made("button", { type: "button", textContent: value(part, "link-text") || words, className: value(part, "link-type") === "button" ? "normal" : "link" });
    button.addEventListener("click", () => dialog.showModal());
    const close = made("button", { type: "button", textContent: "Close" });
    close.addEventListener("click", () => dialog.close());
    dialog.append(close);
    part.shadowRoot.append(button, dialog);
  }
  class Modal extends Part {
    draw() {
      this.dialog = made("dialog", {}, made("slot", {}));
      opener(this, "Click to open modal", this.dialog);
    }
    open() { if (!this.dialog.open) this.dialog.showModal(); }
    close() { this.dialog.close(); }
  }
  class Instructions extends Part {
    draw() {
      const slot = (name, ...before) => [...before, made("slot", { name })];
      const list = made("div", {});
      const panels = [
        made("div", {}, ...slot("short-summary")),
        made("div", {}, ...slot("detailed-instructions")),
        made("div", {}, ...slot("positive-example", made("h3", { textContent: "Good examples" })), ...slot("negative-example", made("h3", { textContent: "Bad examples" }))),
      ];
      for (const panel of panels) panel.setAttribute("role", "tabpanel");
      const titles = ["Summary", "Detailed Instructions", "Examples"];
      tabbed(list, panels, (_panel, at) => titles[at])(panels[0]);
      crowd.place(this, ["short-summary", "detailed-instructions", "positive-example", "negative-example"]);
      opener(this, "Click for instructions", made("dialog", {}, list, ...panels, made("slot", {})));
    }
  }

  // ---- regions ----
  class FullInstructions extends Part {
    draw() { this.shadowRoot.append(made("details", {}, made("summary", { textContent: value(this, "header") || "Instructions" }), made("slot", {}))); }
  }
  class WorkerComment extends Part {
    draw() {
      const field = this.field = made("textarea", { rows: 3, placeholder: value(this, "placeholder") });
      const name = value(this, "header") || "Add a comment";
      field.setAttribute("aria-label", name);
      this.shadowRoot.append(made("details", {}, made("summary", { textContent: value(this, "link-text") || "Add a comment" }), made("p", { textContent: value(this, "header") }), made("slot", {}), field));
    }
    get text() { return this.field ? this.field.value.trim() : ""; }
  }

  Object.assign(definitions, {
    "crowd-button": Button, "crowd-icon-button": IconButton, "crowd-fab": class extends IconButton {}, "iron-icon": Icon,
    "crowd-badge": Badge, "crowd-card": Card, "crowd-alert": Alert, "crowd-toast": Toast, "crowd-tab": Tab, "crowd-tabs": Tabs,
    "crowd-modal": Modal, "crowd-instructions": Instructions, "full-instructions": FullInstructions,
    "worker-comment": WorkerComment, "crowd-divider": class extends HTMLElement {},
  });
}
