// Sends the events of the page from its forms, as one of the demo people or with a token, and shows what comes back.

import { connectButtons, current, withRealIds } from "./login.js";
import { io } from "./socket.io.esm.min.js";

const stream = document.querySelector(".stream");
const panel = stream.querySelector("details");
const count = stream.querySelector("summary b");
const list = stream.querySelector("ol");
const state = stream.querySelector("output");
const token = stream.querySelector("input");
const shownMax = 200;
/** Where there is no room for it beside the forms, it stays folded until the reader unfolds it. */
const tall = matchMedia("(min-width: 64rem) and (min-height: 40rem)");

let socket;

function note(event, payload) {
  const line = document.createElement("li");
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const seq = typeof payload?.seq === "number" ? ` · seq ${payload.seq}` : "";
  summary.textContent = `${new Date().toLocaleTimeString("en-GB")} ${event}${seq}`;
  const pre = Object.assign(document.createElement("pre"), { textContent: JSON.stringify(payload, null, 2) });
  details.append(summary, pre);
  line.append(details);
  list.prepend(line);
  while (list.children.length > shownMax) list.lastChild.remove();
  count.textContent = `(${list.children.length})`;
}

/** Returns the connection of the reader, connecting if needed. @throws Error with the service's message */
async function connection() {
  if (socket?.connected) return socket;
  socket?.disconnect();
  const given = token.value.trim() || current()?.token;
  if (!given) {
    panel.open = true;
    throw new Error(token.labels[0].dataset.missing);
  }
  socket = io({ auth: { token: given }, transports: ["websocket"], forceNew: true });
  const opened = socket;
  opened.onAny(note);
  opened.on("disconnect", (reason) => {
    if (socket === opened) state.textContent = `Disconnected: ${reason}.`;
  });
  await new Promise((resolve, reject) => {
    opened.once("connect", resolve);
    opened.once("connect_error", ({ data, message }) => {
      opened.disconnect();
      reject(new Error(data ? `${data.code}: ${data.message}` : message));
    });
  });
  state.textContent = "Connected.";
  panel.open ||= tall.matches;
  return opened;
}

async function send(form) {
  const output = form.querySelector("output");
  output.className = "";
  try {
    const payload = JSON.parse(form.querySelector("textarea").value);
    const answer = await (await connection()).timeout(10_000).emitWithAck(form.dataset.event, payload);
    output.className = answer.success ? "success" : "failure";
    output.textContent = JSON.stringify(answer, null, 2);
  } catch (error) {
    output.className = "failure";
    output.textContent = error instanceof SyntaxError ? `The payload isn't JSON: ${error.message}` : error.message;
  }
}

const forms = [...document.querySelectorAll("form.send")];
const printed = new Map(forms.map((form) => [form, form.querySelector("textarea").value]));

/** Payloads name what is in this database. A new login has a new connection. */
function show(login) {
  for (const [form, payload] of printed) form.querySelector("textarea").value = withRealIds(payload, login);
  socket?.disconnect();
  if (login) connection().catch((error) => (state.textContent = error.message));
}

for (const form of forms) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
}
token.addEventListener("change", () => socket?.disconnect());
stream.hidden = false;
connectButtons(show);
if (current()) show(current());
