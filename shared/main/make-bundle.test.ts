import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { bundleFolder, currentBundle, hashOf, manifestName } from "#shared/start/bundle.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { type SpawnedService, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { makeBundle } from "./make-bundle.ts";

const here = fileURLToPath(new URL("../../", import.meta.url));

describe("the bundle", function () {
  this.timeout(60_000);

  describe("of another repository, which main.ts runs", () => {
    let root: string;
    const says = (text: string) => `export const runCommand = () => console.log("${text}");`;
    async function write(path: string, text: string): Promise<void> {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const run = async () => (await promisify(execFile)(process.execPath, [join(root, "main.ts")])).stdout.trim();

    beforeEach(async () => {
      root = await mkdtemp(join(tmpdir(), "bundle-"));
      for (const path of ["main.ts", "shared/start/bundle.ts"]) await cp(join(here, path), join(root, path));
      await write("package.json", '{ "type": "module" }');
      await write("package-lock.json", "{}");
      await write("other.ts", "");
      await write("shared/main/cli.ts", says("sources"));
      await write(join(bundleFolder, "cli.js"), says("bundle"));
      const sources = ["shared/main/cli.ts", "other.ts"];
      await write(join(bundleFolder, manifestName), JSON.stringify({ hash: hashOf(sources, root), sources }));
    });

    it("is run while all is as it was made from", async () => {
      expect(await run()).to.equal("bundle");
    });

    const changes: Record<string, () => Promise<void>> = {
      "a source has changed": () => write("other.ts", "//"),
      "a source is gone": () => rm(join(root, "other.ts")),
      "a package has changed": () => write("package-lock.json", '{ "name": "other" }'),
      "it is unfinished": () => rm(join(root, bundleFolder, manifestName)),
    };
    for (const [what, change] of Object.entries(changes))
      it(`is not run when ${what}`, async () => {
        await change();
        expect(await run()).to.equal("sources");
      });
  });

  describe("of this repository", () => {
    let service: SpawnedService;
    before(async () => {
      if (!currentBundle()) await makeBundle();
      expect(currentBundle()).to.be.a("string");
      service = await spawnService({ DATABASE_URL: await createDatabase({ migrated: true }), NODE_ENV: "development" });
    });
    after(() => stopServices());

    it("finds the files that lie beside the sources and in packages", async () => {
      const paths = [
        "/docs/guides",
        "/docs/assets/docs.css",
        "/docs/assets/swagger-ui.css",
        "/docs/assets/socket.io.esm.min.js",
        "/sandbox/assets/checkout.css",
        "/api/v1/settings/privacy",
        "/demo",
      ];
      for (const path of paths) {
        const { status } = await fetch(service.url + path);
        expect(status, path).to.equal(200);
      }
    });
  });
});
