// Times stand in the page in UTC, which they name; here they are rewritten in the reader's own zone, which they name.
"use strict";
for (const shown of document.querySelectorAll("time[data-moment]")) {
  const moment = new Date(shown.dateTime);
  if (Number.isNaN(moment.getTime())) continue;
  shown.title = shown.textContent;
  shown.textContent = new Intl.DateTimeFormat(document.documentElement.lang || undefined, {
    year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  }).format(moment);
}
