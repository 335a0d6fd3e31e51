// Starts the reference page. A file of its own: the content policy lets no inline script run.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

globalThis.SwaggerUIBundle({
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
});
