// Starts the reference page. A file of its own: the content policy lets no inline script run.
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

const reference = globalThis.SwaggerUIBundle({
  url: document.getElementById("reference").dataset.url,
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  filter: true,
  defaultModelsExpandDepth: 0,
  showExtensions: false,
  syntaxHighlight: { activated: true },
  // Asks a server on the internet otherwise.
  validatorUrl: null,
  plugins: [keepToken],
  onComplete: () => {
    const given = sessionStorage.getItem(kept);
    if (given) reference.authActions.authorize(JSON.parse(given));
  },
});
