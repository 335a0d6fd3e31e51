// On every page of documents: the side menu, and the search.
const menu = document.querySelector("details.menu");
const wide = matchMedia("(min-width: 64rem)");
const unfold = () => {
  menu.open = wide.matches;
};
wide.addEventListener("change", unfold);
unfold();
menu.addEventListener("click", ({ target }) => {
  if (target.closest("a") && !wide.matches) menu.open = false;
});

const input = document.getElementById("find");
const list = document.getElementById("found");
const shownMax = 12;

let index;
/** Each entry: what it is called, what kind of thing it is, where it is, and what it says, in lower case. */
const entries = () => {
  index ??= fetch("/docs/search.json")
    .then((response) => response.json())
    .then((found) => found.map((entry) => ({ ...entry, words: `${entry.label} ${entry.text}`.toLowerCase() })));
  return index;
};

/** All words must be in it; those whose name begins with the text come first, then those whose name contains it. */
function matching(all, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ label }) => [label.toLowerCase().startsWith(words[0]), label.toLowerCase().includes(words[0])];
  return all
    .filter((entry) => words.every((word) => entry.words.includes(word)))
    .toSorted((one, other) => rank(other)[0] - rank(one)[0] || rank(other)[1] - rank(one)[1])
    .slice(0, shownMax);
}

function optionOf({ label, kind, href, text }, number) {
  const option = document.createElement("li");
  option.id = `found-${number}`;
  option.role = "option";
  option.ariaSelected = "false";
  const link = Object.assign(document.createElement("a"), { href, tabIndex: -1 });
  const named = (tag, content) => Object.assign(document.createElement(tag), { textContent: content });
  link.append(named("strong", label), named("small", kind), named("span", text));
  option.append(link);
  return option;
}

async function show() {
  const text = input.value.trim();
  const found = text ? matching(await entries(), text) : [];
  if (text !== input.value.trim()) return;
  const nothing = Object.assign(document.createElement("li"), { textContent: "Nothing found.", role: "option" });
  list.replaceChildren(...(text && found.length === 0 ? [nothing] : found.map(optionOf)));
  list.hidden = !text;
  input.ariaExpanded = String(!list.hidden);
  input.removeAttribute("aria-activedescendant");
}

function hide() {
  list.hidden = true;
  input.ariaExpanded = "false";
}

function select(step) {
  const options = [...list.querySelectorAll("[role=option]:has(a)")];
  if (options.length === 0) return;
  const now = options.findIndex((option) => option.ariaSelected === "true");
  for (const option of options) option.ariaSelected = "false";
  const next = options[(now + step + options.length + (now < 0 && step < 0 ? 1 : 0)) % options.length];
  next.ariaSelected = "true";
  next.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", next.id);
}

input.addEventListener("focus", entries, { once: true });
input.addEventListener("input", show);
input.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    select(event.key === "ArrowDown" ? 1 : -1);
  }
  if (event.key === "Enter") {
    const chosen = list.querySelector("[aria-selected=true] a") ?? list.querySelector("a");
    chosen?.click();
    hide();
  }
});
document.addEventListener("click", ({ target }) => {
  if (!target.closest("search") || target.closest("#found a")) hide();
});
document.addEventListener("keydown", (event) => {
  const typing = /^(input|textarea|select)$/i.test(document.activeElement?.tagName ?? "");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  input.focus();
});

// Each piece of code can be copied; what it prints can't.
for (const code of document.querySelectorAll("main pre > code:not(.language-text)")) {
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "copy",
    textContent: "Copy",
  });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  });
  code.parentElement.before(button);
}
