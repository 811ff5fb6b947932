// Put before the theme's search worker by docs/make_site.py. The theme looks for every word of a query as the beginning of
// words, "do" finds "documents", and then neither drops stop words nor knows that "paying" is "pay". A question is made of
// whole words: those get a weight, with which the theme takes them as they are; the last may still be being typed.
addEventListener("message", function (event) {
  if (event.data.type !== 2 || /["*~^+:]/.test(event.data.data)) return;
  const words = event.data.data.match(/[\p{L}\p{N}_]+/gu) || [];
  const typing = /[\p{L}\p{N}_]$/u.test(event.data.data) ? words.slice(-1) : [];
  event.data.data = words.map((word) => word + "^1").concat(typing).join(" ");
});
