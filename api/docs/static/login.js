// Logs in as one of the demo people, in development. The token is kept in the session of the tab.

/** Each page of documents has its own login: an API's tokens don't work with another. */
const kept = "demo login";
const keyOf = (kind) => `${kind} ${kept}`;
const box = document.querySelector(".demo-login");

/** Users call the social API by REST and events; administrators and programs call their own. */
const kind = box?.dataset.kind;

/** Returns `{ as, token, examples, until }`, or null without a login, or when it has expired. */
export function current() {
  const stored = kind && sessionStorage.getItem(keyOf(kind));
  const login = stored ? JSON.parse(stored) : null;
  return login && login.until > Date.now() ? login : null;
}

/** Returns the login of a demo caller, which the tab keeps. @throws Error with the service's message */
export async function logInAs(as) {
  const response = await fetch("/dev/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ as }),
  });
  const { data, error } = await response.json();
  if (error) throw new Error(error.message);
  const login = { as, ...data, until: Date.now() + 59 * 60_000 };
  sessionStorage.setItem(keyOf(kind), JSON.stringify(login));
  return login;
}

export const logOut = () => sessionStorage.removeItem(keyOf(kind));

/** Returns a text of the documents with the IDs of this database instead of those of the examples. */
export const withRealIds = (text, login) =>
  Object.entries(login?.examples ?? {}).reduce((changed, [example, id]) => changed.replaceAll(example, id), text);

/** Lets the buttons of the page log in and out. `onChange`: what the page does then. */
export function connectButtons(onChange) {
  if (!box) return;
  const status = box.querySelector("output");
  const buttons = [...box.querySelectorAll("button")];
  const say = () => {
    const as = current()?.as;
    const chosen = as && buttons.find(({ value }) => value === as);
    status.textContent = chosen ? `${chosen.textContent.replace("Log in", "Logged in")}.` : "";
    for (const button of buttons) {
      if (button.value) button.ariaPressed = String(button === chosen);
      else button.hidden = !chosen;
    }
  };
  box.addEventListener("click", async ({ target }) => {
    if (target.tagName !== "BUTTON") return;
    try {
      if (target.value) await logInAs(target.value);
      else logOut();
      say();
      onChange(current());
    } catch (error) {
      status.textContent = error.message;
    }
  });
  box.hidden = false;
  say();
}
