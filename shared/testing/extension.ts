import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, glob, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";

/** `npm run extension -- new DIR` makes an extension, and `-- test DIR` runs its tests against the running service. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const template = join(root, "shared/extension/template");
const here = process.env.INIT_CWD ?? process.cwd();
const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Copies the template under the name of the folder: `my-app` is `my_app` in SQL, and `MyApp` in operations. */
async function make(folder: string): Promise<void> {
  const place = resolve(here, folder);
  const dashed = basename(place);
  if (!/^[a-z]+(-[a-z]+)*$/.test(dashed) || dashed.length < 2 || dashed.length > 30)
    throw new OperatorError(`The folder ${dashed} must be named with 2 to 30 of a-z and -, such as my-app.`);
  if (existsSync(place)) throw new OperatorError(`${place} exists.`);
  const name = dashed.replaceAll("-", "_");
  await cp(template, place, { recursive: true });
  await rename(join(place, "test.ts"), join(place, `${dashed}.test.ts`));
  for await (const file of glob(join(place, "**/*.ts"))) {
    const text = await readFile(file, "utf8");
    const named = text
      .replaceAll("my_app", name)
      .replaceAll("my-app", dashed)
      .replaceAll("MY_APP", name.toUpperCase())
      .replaceAll("MyApp", pascalCase(name));
    await writeFile(file, named);
  }
  // Outside of a package of modules, the compiler takes files for CommonJS.
  await writeFile(join(place, "package.json"), `${JSON.stringify({ private: true, type: "module" }, undefined, 2)}\n`);
  await writeFile(join(place, "tsconfig.json"), `${JSON.stringify(compilerSettings(), undefined, 2)}\n`);
  const shown = relative(here, place);
  print(`Made ${place}. To test it:  npm run extension -- test ${shown}`);
  print(`To run it:  HUBBUB_EXTENSIONS=${place} npm start`);
}

/** An editor finds the ports by this from any folder. */
const compilerSettings = () => ({
  extends: join(root, "tsconfig.json"),
  compilerOptions: { paths: { "#shared/*": [join(root, "shared/*")] }, typeRoots: [join(root, "node_modules/@types")] },
  include: ["**/*.ts"],
});

/** Runs the tests as `npm test` does, with mocha's own lines at the end. */
function test(folder: string): void {
  const place = resolve(here, folder);
  if (!existsSync(place)) throw new OperatorError(`There is no folder ${place}.`);
  const environment = { ...process.env, [extensionVariable]: place };
  const runner = join(root, "shared/testing/run.ts");
  process.exitCode =
    spawnSync(process.execPath, [runner, place], { stdio: "inherit", env: environment, cwd: root }).status ?? 1;
}

/** Names the folder of the extension whose tests `run.ts` runs. */
const extensionVariable = "HUBBUB_TESTED_EXTENSION";

const program = new Command("extension").description("Makes and tests extensions of Hubbub.");
program
  .command("new")
  .description("make an extension with a test that passes")
  .argument("<folder>", "folder to make, such as my-app")
  .action(make);
program
  .command("test")
  .description("run the tests of an extension against the running service")
  .argument("<folder>", "folder of the extension")
  .action(test);
await program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
});
