import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, extname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

/** Checks the structure of the source tree, which neither the compiler nor the other tools check. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const ignored = new Set(["node_modules", ".git", ".data", "coverage", "dist", "package-lock.json"]);
const textFiles = new Set([".ts", ".tsx", ".js", ".md", ".json", ".css", ".yml", ".html", ""]);

const base = ["kernel", "contracts"];
/** The parts of the tree that each part may import, besides itself. */
const mayImport: Record<string, readonly string[]> = {
  kernel: [],
  contracts: ["kernel"],
  db: base,
  start: [...base, "db"],
  domain: [...base, "db", "extension"],
  // What extensions are given. Its tests start the service.
  extension: [...base, "db", "testing"],
  // The plays that we ship, by what strangers have, too.
  extensions: ["extension"],
  // Its pages use the typed client.
  api: [...base, "db", "domain", "client", "extension"],
  engine: [...base, "db", "domain", "extension"],
  migrations: [],
  // Load tests call with the typed client, start the service on their own database, replay statements and operations,
  // and search for the same leaks as the tests.
  loadtest: [...base, "db", "domain", "client", "extension", "api", "testing"],
  // Runs in browsers: nothing of the server.
  client: [],
};
/** Parts that may import everything. */
const wires = new Set(["main", "testing"]);

interface Source {
  readonly path: string;
  readonly lines: readonly string[];
  readonly isTest: boolean;
  readonly imports: readonly { path: string; typeOnly: boolean }[];
}

/** Returns the part of a path: a folder of `shared`, a top-level folder, or the top level itself. */
function partOf(path: string): string {
  const [top = "", next = "", ...rest] = path.split("/");
  if (top === "shared") return rest.length > 0 ? next : "start";
  return next === "" ? "main" : top;
}

async function readTree(folder = ""): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const kept = entries.filter(({ name }) => !ignored.has(name));
  const found = kept.map((entry) => {
    const path = posix.join(folder, entry.name);
    return entry.isDirectory() ? readTree(path) : Promise.resolve(textFiles.has(extname(entry.name)) ? [path] : []);
  });
  return (await Promise.all(found)).flat();
}

const importPattern = /^(?:import|export) (type )?(?:[^"';]*? from )?"([^"]+)"|\bimport\("([^"]+)"\)/gm;

function readSource(path: string, text: string): Source {
  const imports = [...text.matchAll(importPattern)]
    .map(([, type, from, dynamic]) => ({ specifier: from ?? dynamic!, typeOnly: type !== undefined }))
    .filter(({ specifier }) => /^(\.|#shared\/).*\.tsx?$/.test(specifier))
    .map(({ specifier, typeOnly }) => ({
      path: specifier.startsWith("#") ? specifier.slice(1) : posix.join(dirname(path), specifier),
      typeOnly,
    }));
  return { path, lines: text.trimEnd().split("\n"), isTest: /\.test\.tsx?$/.test(path), imports };
}

/**
 * Returns functions longer than `limit`, except `describe`. Finds them by indentation, because biome formats every
 * file.
 */
function longFunctions({ path, lines }: Source, limit: number): string[] {
  const opens = /(=> \{|\bfunction\b.*\{|^\s*\).*\{|^\s*(?!if|for|while|switch|catch)[\w#* ]+(<.*>)?\(.*\).*\{)$/;
  return lines.flatMap((line, start) => {
    if (!opens.test(line) || /^\s*describe\(/.test(line)) return [];
    const indent = line.search(/\S/);
    const length = lines
      .slice(start)
      .findIndex((next, i) => i > 0 && next.search(/\S/) === indent && /^\s*\}/.test(next));
    return length + 1 > limit ? [`${path}:${start + 1} has ${length + 1} lines`] : [];
  });
}

/** Returns what uses itself, over others: takes away what uses nothing that is left, until nothing changes. */
function cyclesIn(uses: Map<string, ReadonlySet<string>>): Record<string, string[]> {
  for (let before = -1; before !== uses.size; ) {
    before = uses.size;
    for (const [one, used] of uses) if (![...used].some((other) => uses.has(other))) uses.delete(one);
  }
  return Object.fromEntries([...uses].map(([one, used]) => [one, [...used].filter((other) => uses.has(other))]));
}

describe("the source tree", () => {
  let files: { path: string; text: string }[];
  let sources: Source[];

  before("reads it", async () => {
    const paths = await readTree();
    files = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), "utf8") })));
    sources = files.filter(({ path }) => /\.tsx?$/.test(path)).map(({ path, text }) => readSource(path, text));
  });

  const isGenerated = ({ path }: Source) => path.endsWith(".generated.ts");
  const inSources = (fault: (source: Source) => string[]) => expect(sources.flatMap(fault)).to.deep.equal([]);

  it("was read", () => {
    expect(sources.length).to.be.greaterThan(150);
    expect(sources.flatMap(({ imports }) => imports).length).to.be.greaterThan(500);
    for (const part of Object.keys(mayImport)) expect(sources.map(({ path }) => partOf(path))).to.include(part);
  });

  it("imports only in the allowed directions", () => {
    inSources(({ path, isTest, imports }) => {
      const part = partOf(path);
      const ofTests = isTest && part !== "extensions" ? ["testing", "start"] : [];
      const allowed = [part, ...(mayImport[part] ?? []), ...ofTests];
      return imports
        .filter((target) => !wires.has(part) && !allowed.includes(partOf(target.path)))
        .map((target) => `${path} imports ${target.path}`);
    });
  });

  it("gives extensions nothing but the ports", () => {
    const ports = ["shared/extension/index.ts", "shared/extension/testing.ts"];
    const plays = sources.filter(({ path }) => path.startsWith("shared/extensions/"));
    const folderOf = (path: string) => path.split("/").slice(0, 3).join("/");
    expect(plays.length).to.be.greaterThan(2);
    inSources(({ path, imports }) =>
      path.startsWith("shared/extensions/")
        ? imports
            .filter((target) => !ports.includes(target.path) && folderOf(target.path) !== folderOf(path))
            .map((target) => `${path} imports ${target.path}`)
        : [],
    );
  });

  it("has plays of 300 lines or fewer, without their texts, tables, tests, and workloads", () => {
    const isCode = ({ path, isTest }: Source) => !isTest && !/\/(texts\.ts$|workload\.ts$|migrations\/)/.test(path);
    const plays = sources.filter((source) => source.path.startsWith("shared/extensions/") && isCode(source));
    const ofPlay = Map.groupBy(plays, ({ path }) => path.split("/")[2]);
    const long = [...ofPlay].map(([play, files]) => [play, files.reduce((sum, { lines }) => sum + lines.length, 0)]);
    expect(long.filter(([, lines]) => Number(lines) > 300)).to.deep.equal([]);
  });

  it("imports within the engine and the REST facade in one direction", () => {
    const orders = [
      ["engine/core", "engine/bridge", "engine/rooms"],
      ["api/http", "api/web", "api/docs", "api/public"],
      ["api/public", "api/admin"],
    ];
    inSources(({ path, isTest, imports }) =>
      imports
        .filter(({ typeOnly }) => !isTest && !typeOnly)
        .filter((target) =>
          orders.some((order) => {
            const [own, other] = [path, target.path].map((one) =>
              order.findIndex((part) => one.startsWith(`${part}/`)),
            );
            return own! >= 0 && other! > own!;
          }),
        )
        .map((target) => `${path} imports ${target.path}`),
    );
  });

  it("imports models at the edges only as types", () => {
    inSources(({ path, imports }) =>
      imports
        .filter((target) => /^(api|engine)\//.test(path) && target.path.endsWith(".model.ts") && !target.typeOnly)
        .map((target) => `${path} imports ${target.path}`),
    );
  });

  /** Returns the context and the feature of a file in `shared/domain`. */
  const placeOf = (path: string) => {
    const [, context, feature] = /^shared\/domain\/([^/]+)\/([^/]+)\//.exec(path) ?? [];
    return context && feature ? { context, feature: `${context}/${feature}` } : undefined;
  };

  it("keeps contexts in the order of shared/README.md, and lists their features", () => {
    const order = [...textOf("shared/README.md").matchAll(/^\d+\. \[?`([a-z-]+)`/gm)].map(([, context]) => context!);
    const places = sources.flatMap(({ path }) => placeOf(path) ?? []);
    expect(order).to.have.members([...new Set(places.map(({ context }) => context))]);
    inSources(({ path, isTest, imports }) => {
      const own = placeOf(path);
      if (!own || isTest) return [];
      return imports
        .filter((target) => order.indexOf(placeOf(target.path)?.context ?? "") > order.indexOf(own.context))
        .map((target) => `${path} imports ${target.path}`);
    });
    const unlisted = places.filter(
      ({ context, feature }) => !textOf(`shared/domain/${context}/README.md`).includes(`\`${feature.split("/")[1]}\``),
    );
    expect(
      [...new Set(unlisted.map(({ feature }) => feature))],
      "features without a line in their README",
    ).to.deep.equal([]);
  });

  it("has no cycle among the features of a context", () => {
    const uses = new Map<string, Set<string>>();
    for (const { path, isTest, imports } of sources) {
      const own = placeOf(path)?.feature;
      if (!own || isTest) continue;
      const used = imports
        .flatMap((target) => placeOf(target.path)?.feature ?? [])
        .filter((feature) => feature !== own);
      uses.set(own, new Set([...(uses.get(own) ?? []), ...used]));
    }
    expect(cyclesIn(uses)).to.deep.equal({});
  });

  it("has no cycle at run time", () => {
    const uses = sources.map(
      ({ path, imports }) =>
        [path, new Set(imports.filter(({ typeOnly }) => !typeOnly).map((target) => target.path))] as const,
    );
    expect(cyclesIn(new Map(uses))).to.deep.equal({});
  });

  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? "";

  it("names each npm script in the lists of commands and benchmarks", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    const text = ["README.md", "docs/commands.md", "docs/benchmarks.md"].map(textOf).join("\n");
    const isNamed = (name: string) => new RegExp(`npm (run )?${name}\\b`).test(text);
    expect(Object.keys(scripts).filter((name) => !isNamed(name))).to.deep.equal([]);
  });

  it("names only npm scripts, files, and pages that exist in documents", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    const paths =
      /`((?:api|docs|engine|loadtest|migrations|shared)\/[\w./-]+\.(?!alone`)\w+)`|\]\((?!https?:|\/|#)([^)#]+)/g;
    const documents = files.filter(({ path }) => path.endsWith(".md") && path !== "CHANGELOG.md");
    const missing = documents.flatMap(({ path, text }) => [
      ...[...text.matchAll(/\bnpm run ([\w:-]+)/g)].flatMap(([, name]) => (scripts[name!] ? [] : [`${path}: ${name}`])),
      ...[...text.matchAll(paths)].flatMap(([, file, link]) =>
        [dirname(path), ...(file ? ["."] : [])].some((from) => existsSync(join(root, from, file ?? link!)))
          ? []
          : [`${path}: ${file ?? link}`],
      ),
    ]);
    expect(documents.length).to.be.greaterThan(30);
    expect(missing).to.deep.equal([]);
  });

  it("names each folder in the README's map or the README of its parent", () => {
    const folders = new Set(
      files.flatMap(({ path }) => /^(?:(?:api|engine|shared)\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
    );
    const readmeOf = (folder: string) => posix.join(dirname(folder), "README.md");
    const hidden = [...folders].filter(
      (folder) => !folder.startsWith(".") && !textOf(readmeOf(folder)).includes(`${basename(folder)}/`),
    );
    expect(folders.size).to.be.greaterThan(15);
    expect(hidden).to.deep.equal([]);
  });

  it("changes transactional state only through Tx", () => {
    const direct = /\b(appendEvent|sendSignal|writeAuditEntry|claimKeys|settleKeys|jobs\.enqueue)\(/;
    inSources(({ path, lines }) =>
      path.startsWith("shared/db/")
        ? []
        : lines.flatMap((line, index) => (direct.test(line) ? [`${path}:${index + 1} has ${line.trim()}`] : [])),
    );
  });

  it("writes only through Tx and `alone`", () => {
    // Calls of functions that read, with their literal; \1 is its quote.
    const call = /(?<![\w.])query(?:One|Column|Page)?(?:<[^()]*?>)?\(\s*(["`])(?:(?!\1)[\s\S])*/g;
    const writing = /\b(INSERT INTO|DELETE FROM|UPDATE\s[^;]*?\sSET|FOR (NO KEY )?UPDATE|FOR (KEY )?SHARE)\b/;
    const found = files
      .filter(({ path }) => /^(api|engine|shared\/domain)\/.*(?<!\.test)\.ts$/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(call)].flatMap(([statement]) => (writing.test(statement) ? [`${path}: ${statement}`] : [])),
      );
    expect(found).to.deep.equal([]);
  });

  it("uses private parts of libraries only behind their fences", () => {
    const parts =
      /\b(_reservedSeat\w*|onMessageEvents|_enqueuedMessages|_sender|sendFrame\(\[|_encode|writeToEngine|doPublish|onRawMessage|_query|_invalid|connectionManager|roomcaches|@pm2\/io|\.connection\.stream|Adapter\.prototype)\b/;
    inSources(({ path, isTest, lines }) =>
      isTest || /-internals\.ts$|^(shared\/testing|loadtest)\//.test(path)
        ? []
        : lines.flatMap((line, at) => (parts.test(line) ? [`${path}:${at + 1} has ${line.trim()}`] : [])),
    );
  });

  it("reads the wall clock in one place", () => {
    // Tests date IDs by themselves; browsers have no clock of ours.
    const own =
      /^shared\/(kernel\/(clock|ids)\.ts|testing\/|client\/)|^(api\/web\/(admin|demo|studio)|loadtest|migrations)\//;
    inSources(({ path, isTest, lines }) =>
      isTest || own.test(path)
        ? []
        : lines.flatMap((line, at) =>
            /\bDate\.now\b|\bnew Date\(\)/.test(line) ? [`${path}:${at + 1} has ${line.trim()}`] : [],
          ),
    );
  });

  it("infers route types from schemas only", () => {
    const declared = /(?<!function )\b(route|adminRead|adminWrite)</;
    inSources(({ path, lines }) =>
      lines.flatMap((line, index) => (declared.test(line) ? [`${path}:${index + 1} has ${line.trim()}`] : [])),
    );
  });

  it("has short files and short functions", () => {
    inSources((source) => {
      if (isGenerated(source)) return [];
      const limit = source.isTest ? 500 : 300;
      const tooLong = source.lines.length > limit ? [`${source.path} has ${source.lines.length} lines`] : [];
      // Migrations are lists of statements.
      // A component is mostly markup, a line for each attribute.
      const lines = source.path.endsWith(".tsx") ? 100 : 60;
      return partOf(source.path) === "migrations" ? tooLong : [...tooLong, ...longFunctions(source, lines)];
    });
  });

  it("has comments of at most 120 columns, which the formatter doesn't wrap", () => {
    const isComment = /^\s*(\/\/(?! biome-ignore)|\/\*|\* )/;
    const found = files.flatMap(({ path, text }) =>
      /(?<!generated)\.tsx?$/.test(path)
        ? text
            .split("\n")
            .flatMap((line, at) => (line.length > 120 && isComment.test(line) ? [`${path}:${at + 1}`] : []))
        : [],
    );
    expect(found).to.deep.equal([]);
  });

  it("has meaningful file names", () => {
    const vague = /(^|\/)(utils?|helpers?|common|services|misc)(\/|\.ts$)/;
    const kebab = /^(\d{8}T\d{4}-)?([a-z0-9]+(-[a-z0-9]+)*)(\.[a-z-]+)*\.tsx?$/;
    inSources(({ path }) => (vague.test(path) || !kebab.test(basename(path)) ? [path] : []));
  });

  it("contains no TODOs, skipped tests, or paths of one machine", () => {
    const faults = {
      "something to do later": /\b(TO[D]O|FIX[M]E|XX[X])\b/,
      "a test left out": /\b(describe|it|context|suite|test)\.(only|skip)\b|\bx(it|describe)\(/,
      "a path of a machine": /(\/home|\/Users|\/work|\/root)\/[\w.]|\b[A-Z]:\\\\/,
    };
    const found = files.flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          Object.entries(faults).flatMap(([fault, pattern]) =>
            pattern.test(line) ? [`${path}:${index + 1}: ${fault}`] : [],
          ),
        ),
    );
    expect(found).to.deep.equal([]);
  });
});
