import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "rolldown";
import { type BundleManifest, bundleFolder, hashOf, manifestName } from "#shared/start/bundle.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, bundleFolder);
const isOurs = (id: string): boolean => id.startsWith(root) && !id.includes("node_modules");

/** A source finds files beside itself, not beside the bundle. */
const placeOfSource: Plugin = {
  name: "place-of-source",
  transform: {
    filter: { id: /\.ts$/, code: /import\.meta\.url/ },
    handler: (code, id) => {
      const place = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`;
      // The map of lines stays true.
      return isOurs(id) ? { code: code.replaceAll("import.meta.url", place), map: null } : undefined;
    },
  },
};

const manifest: Plugin = {
  name: "manifest",
  async writeBundle() {
    const sources = [
      "shared/main/make-bundle.ts",
      ...[...this.getModuleIds()].filter(isOurs).map((id) => relative(root, id)),
    ];
    const contents: BundleManifest = { hash: hashOf(sources), sources };
    await writeFile(join(folder, manifestName), JSON.stringify(contents));
  },
};

/** Makes the bundle of the service, from which `main.ts` runs while it is current. `npm run prepare` does so. */
export const makeBundle = () =>
  build({
    cwd: root,
    input: "shared/main/cli.ts",
    platform: "node",
    // Native code, what is absent on purpose, and what starts a worker from a file of its own.
    external: ["@node-rs/argon2", "msgpackr-extract", "pg-native", "pg-hstore", "pino", "tinypool"],
    logLevel: "warn",
    plugins: [placeOfSource, manifest],
    output: {
      dir: folder,
      cleanDir: true,
      keepNames: true,
      minify: { compress: false, mangle: false },
      sourcemap: true,
      sourcemapExcludeSources: true,
    },
  });

if (import.meta.main) await makeBundle();
