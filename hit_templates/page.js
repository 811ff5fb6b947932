(function () {
  "use strict";
  var query = new URLSearchParams(location.search), form = document.getElementById("answers");
  var setup = JSON.parse(document.getElementById("setup").textContent), words = setup.words;
  var target = query.get("turkSubmitTo") || "", assignment = query.get("assignmentId") || "";
  var accepted = assignment && assignment !== "ASSIGNMENT_ID_NOT_AVAILABLE" && target;
  var box = document.getElementById("lines"), problem = document.getElementById("problem");
  function $(id) { return document.getElementById(id); }
  function all(selector, root) { return Array.prototype.slice.call((root || form).querySelectorAll(selector)); }
  function put(text, values) { return text.replace(/\{(\w+)\}/g, function (_, name) { return values[name]; }); }

  form.noValidate = true;
  form.elements.assignmentId.value = assignment;
  if (accepted) { form.action = target.replace(/\/$/, "") + "/mturk/externalSubmit"; }
  else { $("preview").hidden = false; $("send").disabled = true; }

  /* Each worker's own order and sides; annotation/design/item_order.py makes the same from the stored seed. */
  function dice(what) {
    var state = 0x811c9dc5, bytes = new TextEncoder().encode(setup.seed + ":" + assignment + ":" + what);
    bytes.forEach(function (byte) { state = Math.imul(state ^ byte, 0x01000193) >>> 0; });
    return function () {
      state = (state + 0x6d2b79f5) >>> 0;
      var t = Math.imul(state ^ state >>> 15, state | 1);
      t ^= t + Math.imul(t ^ t >>> 7, t | 61);
      return ((t ^ t >>> 14) >>> 0) / 4294967296;
    };
  }
  var lines = all(".line");
  if (setup.seed !== null && accepted) {
    var order = lines.map(function (_, i) { return i; }), roll = dice("order");
    for (var i = order.length - 1; i > 0; i--) {
      var j = Math.floor(roll() * (i + 1)), kept = order[i];
      order[i] = order[j]; order[j] = kept;
    }
    /* Lines of a group stay together, in a document in their order. */
    var drawn = order.slice(), groups = [];
    var groupOf = lines.map(function (line) { return line.closest(".group"); });
    order.forEach(function (i) { if (groupOf[i] && groups.indexOf(groupOf[i]) < 0) { groups.push(groupOf[i]); } });
    if (groups.length) {
      order = order.slice().sort(function (a, b) {
        var apart = groups.indexOf(groupOf[a]) - groups.indexOf(groupOf[b]);
        return apart || ("ordered" in groupOf[a].dataset ? a - b : drawn.indexOf(a) - drawn.indexOf(b));
      });
      groups.forEach(function (group) { box.appendChild(group); });
    }
    lines = order.map(function (i) { return lines[i]; });
    lines.forEach(function (line) { (line.closest(".group") || box).appendChild(line); });
    form.elements.order.value = order.join(",");
    form.elements.sides.value = all("[data-pair]").filter(function (pair) {
      if (dice("side-" + pair.dataset.pair)() >= 0.5) { return false; }
      pair.insertBefore(pair.lastElementChild, pair.firstElementChild);
      var heads = all("h3", pair), text = heads[0].textContent;
      heads[0].textContent = heads[1].textContent; heads[1].textContent = text;
      all("[data-side]", pair.parentNode).forEach(function (side) {
        side.textContent = heads[side.dataset.side === "human" ? 1 : 0].textContent;
      });
      pair.dataset.changed = "1";
      return true;
    }).map(function (pair) { return pair.dataset.pair; }).join(",");
  }
  lines.forEach(function (line, i) {
    line.querySelector("legend").textContent = put(words.place, { n: i + 1, of: lines.length });
  });

  if (setup.measure) {
    lines.forEach(function (line) {
      ["away", "pastes", "keys"].forEach(function (what) {
        var field = document.createElement("input");
        field.type = "hidden"; field.name = what + "-" + line.dataset.position; field.dataset.measure = what;
        line.appendChild(field);
      });
    });
  }

  /* Where the time goes: active time, absences, pastes and key presses of the line being worked on. */
  var since = performance.now(), spent = 0, current = lines[0] || null;
  function lap() {
    var total = spent + (document.hidden ? 0 : performance.now() - since);
    spent = 0; since = performance.now();
    return total;
  }
  function count(part, what, by) {
    var field = part && part.querySelector("[data-measure=" + what + "]");
    if (field) { field.value = Math.round(Number(field.value || 0) + by); }
  }
  function turnTo(part) {
    if (part === current) { return; }
    count(current, "active", lap());
    current = part;
  }
  function partOf(node) { return node.closest && node.closest(".line, .practice"); }
  document.addEventListener("visibilitychange", function () {
    if (document.hidden) { spent += performance.now() - since; count(current, "away", 1); } else { since = performance.now(); }
  });
  form.addEventListener("paste", function (event) { count(partOf(event.target), "pastes", 1); });
  form.addEventListener("keydown", function (event) {
    if (event.target.tagName === "TEXTAREA") { count(partOf(event.target), "keys", 1); }
  });

  /* A slider says nothing until it is moved, or the number beside it is typed: the number is the answer. */
  function follows(slider) {
    var number = slider.querySelector("[type=number]"), range = slider.querySelector("[type=range]");
    slider.toggleAttribute("data-unset", number.value === "");
    if (number.value !== "") { range.value = number.value; }
    /* While it is answered, not when it is left: a page that moves then takes the button from under the pointer. */
    if (number.value !== "" && number.checkValidity()) { all(".hint", slider).forEach(function (hint) { hint.remove(); }); }
  }
  all("[data-slider]").forEach(function (slider) {
    var number = slider.querySelector("[type=number]"), range = slider.querySelector("[type=range]");
    range.hidden = false;
    function take() { number.value = range.value; follows(slider); number.dispatchEvent(new Event("change", { bubbles: true })); }
    range.addEventListener("input", take);
    range.addEventListener("click", take);
    range.addEventListener("keydown", function (event) { if (event.key === " ") { event.preventDefault(); take(); } });
    number.addEventListener("input", function () { follows(slider); });
    follows(slider);
  });

  /* Follow-ups appear for the answers that call for them. */
  function chosen(part) {
    var numbers = all("input[type=number]", part).filter(function (input) { return input.value !== ""; });
    return all("input:checked", part).concat(numbers).map(function (input) { return input.value; });
  }
  function follow(part) {
    var now = chosen(part);
    all(".follow", part).forEach(function (one) {
      var when = JSON.parse(one.dataset.when);
      one.hidden = !(when.length ? when.some(function (label) { return now.indexOf(label) >= 0; }) : now.length);
      one.querySelector("textarea").disabled = one.hidden;
    });
  }
  lines.forEach(follow);

  /* What is still missing in a part: names of radio groups without an answer, and follow-ups too short. */
  function lacking(part) {
    var names = {}, found = [];
    all("input[type=radio], input[type=checkbox]", part).forEach(function (input) { (names[input.name] = names[input.name] || []).push(input); });
    Object.keys(names).forEach(function (name) {
      if (!names[name].some(function (input) { return input.checked; })) { found.push({ at: names[name][0] }); }
    });
    all("input[type=number]", part).forEach(function (input) {
      if (input.value === "" || !input.checkValidity()) { found.push({ at: input, hint: input.dataset.hint }); }
    });
    all(".follow", part).forEach(function (one) {
      var area = one.querySelector("textarea"), least = Math.max(Number(one.dataset.least), 1);
      if (!one.hidden && "required" in one.dataset && area.value.trim().length < least) { found.push({ at: area, hint: put(words.short, { n: least }) }); }
    });
    if (part.classList.contains("practice") && !part.dataset.revealed && !found.length) { found.push({ at: part.querySelector(".reveal") }); }
    return found;
  }
  function point(parts) {
    all(".hint").forEach(function (hint) { hint.remove(); });
    all("[data-missing]").forEach(function (part) { part.removeAttribute("data-missing"); });
    var first = null;
    parts.forEach(function (part) {
      if (part.classList.contains("line")) { follow(part); }
      var found = lacking(part);
      if (!found.length) { return; }
      part.setAttribute("data-missing", "");
      found.forEach(function (one) {
        if (!one.hint) { return; }
        var hint = document.createElement("p");
        hint.className = "hint"; hint.id = (one.at.id || one.at.name) + "-hint"; hint.textContent = one.hint;
        one.at.setAttribute("aria-describedby", hint.id);
        (one.at.closest(".slider") || one.at.parentNode).appendChild(hint);
      });
      first = first || found[0].at;
    });
    problem.hidden = !first;
    problem.textContent = first ? words.missing : "";
    return first;
  }

  /* Practice rounds: guess, then see the answer and why. */
  var verdicts = { human: words.truth_human, machine: words.truth_machine };
  function right(part) {
    var input = part.querySelector("input:checked"), inputs = all("input[type=radio]", part);
    if (part.dataset.source !== "pair") { return (inputs.indexOf(input) >= inputs.length / 2) === (part.dataset.source === "machine"); }
    return inputs.indexOf(input) === ("changed" in part.querySelector(".pair").dataset ? 0 : 1);
  }
  all(".practice").forEach(function (part) {
    part.querySelector(".reveal").addEventListener("click", function () {
      if (!part.querySelector("input:checked")) { point([part]).focus(); return; }
      point([]);
      part.dataset.revealed = "1";
      var truth = part.dataset.source === "pair" ? ("changed" in part.querySelector(".pair").dataset ? words.truth_first : words.truth_second) : verdicts[part.dataset.source];
      part.querySelector(".verdict").textContent = (right(part) ? words.right : words.wrong) + " " + truth;
      part.querySelector(".answer").hidden = false;
      all("input[type=radio]", part).forEach(function (input) { if (!input.checked) { input.disabled = true; } });
      this.hidden = true;
      $("next").focus();
    });
  });

  /* One step at a time where the task is done so. Otherwise what is read first is a step, training comes in steps, and then
     every line at once: the first text stands at the top of a telephone, and nobody gets to it past the instructions. */
  var intro = form.querySelector(".intro"), read = intro.querySelector("p, details") ? [intro] : [];
  var steps = all(".step").filter(function (step) { return setup.stepwise || step === read[0] || step.matches(".practice, .training"); }), at = 0;
  if (!setup.stepwise) {
    if (steps.length) { steps.push(box); }
  } else if (steps.length > 1 && setup.seed !== null) {
    var fixed = steps.filter(function (step) { return !step.classList.contains("line"); }), last = fixed.pop();
    steps = fixed.concat(lines, last && fixed.length ? [last] : []);
  }
  /* What was read first can be read again beside every text, in the same words; the box about sharing stays the only one. */
  var again = $("again");
  if (read.length) { Array.prototype.forEach.call(intro.children, function (part) { if (!part.matches(".share")) { again.appendChild(part.cloneNode(true)); } }); }
  function answered() { return lines.filter(function (line) { return !lacking(line).length; }).length; }
  function tell() {
    var here = steps[at], items = lines.length;
    $("progress").textContent = steps.length && here !== box
      ? put(words.step, { n: at + 1, of: steps.length }) : put(words.progress, { n: answered(), of: items });
  }
  function show(to) {
    at = to;
    steps.forEach(function (step, i) { step.hidden = i !== at; });
    $("back").hidden = at === 0;
    $("next").hidden = at === steps.length - 1;
    $("send").hidden = at < steps.length - 1;
    var here = steps[at];
    again.hidden = !read.length || here === intro;
    again.open = false;
    if (here.classList.contains("line") || here.classList.contains("practice")) { turnTo(here); }
    if (here === box) { turnTo(lines[0]); }
    tell();
    if (window.assay && window.assay.saveStep) { window.assay.saveStep(at); }
  }
  function go(by) {
    if (by > 0 && accepted) {
      var bad = point(steps[at].matches(".line, .practice") ? [steps[at]] : []);
      if (bad) { bad.focus(); return; }
    } else { point([]); }
    show(at + by);
    window.scrollTo(0, 0);
    var into = steps[at].querySelector("legend, h2, p");
    if (into) { into.tabIndex = -1; into.focus({ preventScroll: true }); }
  }
  if (steps.length) {
    $("next").addEventListener("click", function () { go(1); });
    $("back").addEventListener("click", function () { go(-1); });
    show(0);
  } else { tell(); }

  form.addEventListener("change", function (event) {
    var part = partOf(event.target);
    if (!part || event.target.type === "hidden") { return; }
    turnTo(part);
    count(part, "active", lap());
    if (part.classList.contains("line")) { follow(part); }
    if (!lacking(part).length) { part.removeAttribute("data-missing"); }
    tell();
  });
  form.addEventListener("input", tell);
  form.addEventListener("submit", function (event) {
    count(current, "active", lap());
    var first = point(all(".practice").concat(lines));
    if (accepted && !first) { return; }
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!accepted || !first) { return; }
    var step = steps.findIndex(function (one) { return one.contains(first); });
    if (step >= 0) { show(step); }
    first.scrollIntoView({ block: "center" });
    first.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", function (event) {
    if (event.target.tagName === "TEXTAREA" || event.altKey || event.ctrlKey || event.metaKey) { return; }
    var part = partOf(event.target) || (steps[at] && steps[at].matches(".line, .practice") ? steps[at] : null);
    /* On the box about sharing Enter would submit. */
    if (!part && event.key === "Enter" && event.target.closest(".share")) { event.preventDefault(); ($("next").hidden ? $("send") : $("next")).focus(); }
    if (!part) { return; }
    var number = event.target.closest(".slider") ? event.target.closest(".slider").querySelector("[type=number]") : null;
    var name = event.target.name, groups = all("input[type=radio], input[type=checkbox]", part);
    var group = groups.filter(function (input) { return !name || input.name === name; });
    group = group.length ? group : groups;
    var wanted = !number && /^[1-9]$/.test(event.key) ? group[Number(event.key) - 1] : null;
    if (wanted && !wanted.disabled) {
      wanted.checked = wanted.type === "radio" || !wanted.checked;
      wanted.focus();
      wanted.dispatchEvent(new Event("change", { bubbles: true }));
    }
    if (event.key === "Enter" && event.target.tagName !== "BUTTON" && event.target.tagName !== "SUMMARY") {
      event.preventDefault();
      onward(part, number || event.target);
    }
  });
  /* Enter goes on: to the next question of the part, to the next part, to the button at the end. */
  function onward(part, from) {
    var groups = all("input[type=radio], input[type=checkbox], input[type=number], textarea:not([disabled])", part), names = [];
    groups.forEach(function (input) { if (names.indexOf(input.name) < 0) { names.push(input.name); } });
    var next = names[names.indexOf(from.name) + 1];
    var slider = next ? all(".slider", part).filter(function (one) { return one.querySelector("[name='" + next + "']"); })[0] : null;
    if (from.name && slider) { slider.querySelector("input").focus(); return; }
    if (from.name && next) { all("[name='" + next + "']", part).filter(function (one) { return one.checked; }).concat(all("[name='" + next + "']", part))[0].focus(); return; }
    if (part.classList.contains("practice") && !part.dataset.revealed) { part.querySelector(".reveal").click(); return; }
    if (steps.indexOf(part) >= 0) { ($("next").hidden ? $("send") : $("next")).focus(); return; }
    var line = lines[lines.indexOf(part) + 1];
    (line ? line.querySelector("input:checked") || line.querySelector("input:not([type=hidden])") : $("send")).focus();
  }
  /* Answers were put back: by the page around this one, or by the browser, which says nothing of the single ones. */
  function catchUp() { all("[data-slider]").forEach(follows); lines.forEach(follow); tell(); }
  /* The step that was shown last: practice rounds before it had been answered, and their answers were shown. */
  function resume(event) {
    var step = event.detail ? event.detail.step : null;
    catchUp();
    if (!(step > 0 && step < steps.length)) { return; }
    steps.slice(0, step).forEach(function (part) {
      if (part.matches(".practice") && !part.dataset.revealed && part.querySelector("input:checked")) { part.querySelector(".reveal").click(); }
    });
    show(step);
  }
  document.addEventListener("assay:draft", resume);
  window.addEventListener("pageshow", catchUp);
}());
