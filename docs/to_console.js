// Shown by the console as help, a page has a way back to it; served alone it has none.
const [consoleRoot, ...inHelp] = location.pathname.split("/help/");
const header = document.querySelector(".md-header__inner");
if (inHelp.length && header) {
  const link = document.createElement("a");
  link.href = consoleRoot + "/";
  link.textContent = "Back to the console";
  link.className = "to-console";
  header.append(link);
}
