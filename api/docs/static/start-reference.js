// Starts the reference page. A file of its own: the content policy lets no inline script run.
import { connectButtons, current, withRealIds } from "./login.js";
import { samplesOf } from "./samples.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

// The token that the reader has entered survives a reload, until the tab is closed.
const kept = `authorized ${location.pathname}`;
const keepToken = {
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (given) => {
          sessionStorage.setItem(kept, JSON.stringify(given));
          return authorize(given);
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(kept);
          return logout(names);
        },
      },
    },
  },
};

/** Shows the samples of an operation above its parameters. */
const showSamples = {
  wrapComponents: {
    parameters:
      (Parameters, { React }) =>
      (props) => {
        const [path, method] = props.pathMethod;
        const operation = props.operation.toJS();
        const samples = samplesOf({ origin: location.origin, basePath, path, method, operation });
        const tabs = React.createElement(Samples, { React, samples });
        return React.createElement(React.Fragment, null, tabs, React.createElement(Parameters, props));
      },
  },
};

function Samples({ React, samples }) {
  const [chosen, choose] = React.useState(0);
  const { source } = samples[chosen] ?? samples[0];
  const button = ({ label }, index) =>
    React.createElement(
      "button",
      { key: label, type: "button", "aria-pressed": index === chosen, onClick: () => choose(index) },
      label,
    );
  return React.createElement(
    "div",
    { className: "samples" },
    React.createElement("div", { role: "group", "aria-label": "Request sample" }, samples.map(button)),
    React.createElement("pre", { tabIndex: 0 }, source),
  );
}

const element = document.getElementById("reference");
const text = await (await fetch(element.dataset.url)).text();
const login = current();
const spec = JSON.parse(withRealIds(text, login));
const basePath = spec.servers[0].url;

/** The forms begin with what a call needs: the example of an optional parameter would narrow its first result. */
for (const operation of Object.values(spec.paths).flatMap(Object.values))
  for (const parameter of operation.parameters ?? []) {
    const { required, example, schema, description = "" } = parameter;
    if (required || example === undefined || schema.default !== undefined || parameter.in !== "query") continue;
    delete parameter.example;
    parameter.description = `${description} Example: \`${example}\`.`.trim();
  }

/** The operations that were opened, by their IDs: first that of the address, `#/{tag}/{operation}`. */
const opened = new Set(location.hash.split("/").slice(2));

/** Adds what a part of the document refers to, and what that refers to. */
function addReferred(part, components) {
  for (const [, kind, name] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)) {
    components[kind] ??= {};
    if (components[kind][name]) continue;
    components[kind][name] = spec.components[kind][name];
    addReferred(components[kind][name], components);
  }
}

/**
 * Returns the document with the opened operations whole, and only the headings of the others: to show one operation,
 * Swagger UI reads all that it is given, for seconds if that is everything.
 */
function shownDocument() {
  const components = { securitySchemes: spec.components.securitySchemes };
  const paths = {};
  for (const [path, operations] of Object.entries(spec.paths)) {
    paths[path] = {};
    for (const [method, operation] of Object.entries(operations)) {
      const { tags, summary, operationId, security } = operation;
      const isOpened = opened.has(operationId);
      paths[path][method] = isOpened ? operation : { tags, summary, operationId, security, responses: {} };
      if (isOpened) addReferred(operation, components);
    }
  }
  return { ...spec, paths, components };
}

/** Gives an operation to Swagger UI before that opens it. */
const completeOpened = {
  statePlugins: {
    layout: {
      wrapActions: {
        show:
          (show, { specActions }) =>
          (thing, isShown) => {
            const [kind, , operationId] = thing;
            if (kind === "operations" && isShown && !opened.has(operationId)) {
              opened.add(operationId);
              specActions.updateJsonSpec(shownDocument());
            }
            return show(thing, isShown);
          },
      },
    },
  },
};

const reference = globalThis.SwaggerUIBundle({
  spec: shownDocument(),
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  // The menu beside it lists the operations: showing all of them here takes seconds.
  docExpansion: "none",
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  showExtensions: false,
  syntaxHighlight: { activated: true },
  // Asks a server on the internet otherwise.
  validatorUrl: null,
  plugins: [keepToken, showSamples, completeOpened],
  onComplete: () => {
    const [scheme] = Object.keys(spec.components.securitySchemes);
    const given = sessionStorage.getItem(kept);
    if (login) reference.preauthorizeApiKey(scheme, login.token);
    else if (given) reference.authActions.authorize(JSON.parse(given));
  },
});

// Swagger UI follows the address only when the page is loaded, and scrolls only to what it has just made.
addEventListener("hashchange", () => {
  reference.layoutActions.parseDeepLinkHash(location.hash);
  const [, , operationId] = location.hash.split("/");
  document.querySelector(`.opblock[id$="-${CSS.escape(operationId)}"]`)?.scrollIntoView();
});
// The examples of the whole document change with the login.
connectButtons(() => {
  sessionStorage.removeItem(kept);
  location.reload();
});
