import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { builtPath } from "./built-pages.ts";

const entry = (folder: string) => fileURLToPath(new URL(`${folder}/main.tsx`, import.meta.url));

/** Builds the pages that run in the browser into `dist`. `npm ci` does so; `built-pages.ts` serves the result. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: `${builtPath}/`,
  plugins: [react()],
  // Everything that is served comes out of the build: there is no folder of files to copy.
  publicDir: false,
  build: {
    manifest: "manifest.json",
    // Nothing inline: the content policy allows no `data:` styles or fonts.
    assetsInlineLimit: 0,
    // The client of LiveKit, which is loaded when a user connects to voice.
    chunkSizeWarningLimit: 600,
    rolldownOptions: { input: { demo: entry("demo"), admin: entry("admin"), studio: entry("studio") } },
  },
});
