// Times stand in the page in UTC, which they name; here they are rewritten in the reader's own zone, which they name.
"use strict";
(() => {
  // data-moment="short": digits in the order of ISO 8601, for tables; otherwise as the page's language writes a time.
  const DIGITS = new Intl.DateTimeFormat("en", {
    year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
    timeZoneName: "short",
  });
  const WORDS = new Intl.DateTimeFormat(document.documentElement.lang || undefined, {
    year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short",
  });
  function digits(moment) {
    const part = Object.fromEntries(DIGITS.formatToParts(moment).map(({ type, value }) => [type, value]));
    return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute} ${part.timeZoneName}`;
  }
  function rewrite() {
    for (const shown of document.querySelectorAll("time[data-moment]:not([title])")) {
      const moment = new Date(shown.dateTime);
      if (Number.isNaN(moment.getTime())) continue;
      shown.title = shown.textContent;
      shown.textContent = shown.dataset.moment === "short" ? digits(moment) : WORDS.format(moment);
    }
  }
  rewrite();
  // Parts of a page that are renewed come in UTC again.
  document.addEventListener("htmx:afterSettle", rewrite);
})();
