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

const reference = globalThis.SwaggerUIBundle({
  spec,
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
  plugins: [keepToken, showSamples],
  onComplete: () => {
    const [scheme] = Object.keys(spec.components.securitySchemes);
    const given = sessionStorage.getItem(kept);
    if (login) reference.preauthorizeApiKey(scheme, login.token);
    else if (given) reference.authActions.authorize(JSON.parse(given));
  },
});

// Swagger UI follows the address only when the page is loaded.
addEventListener("hashchange", () => reference.layoutActions.parseDeepLinkHash(location.hash));
// The examples of the whole document change with the login.
connectButtons(() => {
  sessionStorage.removeItem(kept);
  location.reload();
});
