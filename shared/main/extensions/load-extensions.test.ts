import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import pg from "pg";
import { createDatabase } from "#shared/testing/database.ts";
import { runProgram } from "#shared/testing/spawned-service.ts";

const loader = new URL("load-extensions.ts", import.meta.url).href;

/** Modules of an extension by their paths; the text of `index.ts` alone may be given. */
type Modules = string | Readonly<Record<string, string>>;

const define = (parts: string, name = "my_app") =>
  `import { adminRoute, defineExtension, Joi, object, userRoute } from "#shared/extension/index.ts";
   export default defineExtension(${JSON.stringify(name)}, (hub) => (${parts}));`;
const withParts = (parts: string) => define(`{ summary: "Mine.", ${parts} }`);
const route = (entry: string, kind = "userRoute") =>
  withParts(
    `routes: [${kind}({ id: "getMine", method: "get", path: "/my-app", summary: "Get mine", response: object({}),
     handler: async () => ({}), ${entry} })]`,
  );

/** A game in which no player moves. */
const game = (entry: string, rules = idleRules) =>
  withParts(
    `games: [((meta) => ({ meta, state: object({ players: Joi.array() }), actions: { my_app_go: {} }, board: object({}), you: object({}), ${rules} ${entry} }))(
     { type: "my_app", name: "Mine", description: "Go.", min_players: 2, max_players: 4, turn_seconds: 20 })]`,
  );
const idleRules = `setup: (players) => ({ players }), turn: () => null, legal: () => [], deadlineMs: () => Date.now() + 20000,
  rules: { my_app_go: (state) => state }, timeout: (state) => state, view: { board: () => ({}), you: () => ({}) },
  end: ({ players }) => players.map((userId) => ({ userId, score: 0, place: null })),`;

/** What is wrong with an extension, its modules, and the sentence that the operator reads. */
const wrong: readonly (readonly [what: string, modules: Modules, sentence: RegExp])[] = [
  ["has no index.ts", { "other.ts": "" }, /has no index\.ts\.$/],
  ["has no default export", "export const parts = {};", /its default export isn't that of `defineExtension`\.$/],
  ["doesn't parse", "export default {{", /can't be loaded: .+\.$/],
  ["throws at load", 'throw new Error("out of tea");', /can't be loaded: out of tea\.$/],
  ["throws while it names its parts", define('(() => { throw new Error("no parts"); })()'), /my_app .*no parts\.$/],
  ["uses the hub at load", define('hub.setting("app_name")'), /offers nothing until it runs\.$/],
  ["returns nothing", define("undefined"), /`The result` is required\.$/],
  ["has a malformed name", define("{}", "My App"), /name My App isn't 2 to 30 of a-z and _\.$/],
  ["has no summary", define("{}"), /`summary` is required\.$/],
  ["has an unknown part", withParts("rotues: []"), /`rotues` is not allowed\.$/],
  ["has a route without summary", route("summary: undefined"), /`routes\[0\]\.summary` is required\.$/],
  ["has a route without response", route("response: undefined"), /`routes\[0\]\.response` is required\.$/],
  ["has a route that is no schema", route("response: {}"), /`routes\[0\]\.response` contains an invalid value\.$/],
  ["has a route elsewhere", route('path: "/wallet"'), /`routes\[0\]\.path` with value .\/wallet. fails/],
  ["has a route of administrators without permission", route("", "adminRoute"), /getMine .*has no permission\.$/],
  [
    "has a write of administrators that isn't audited",
    route('method: "post", permission: "write"', "adminRoute"),
    /getMine .*lacks an audit rule\.$/,
  ],
  [
    "names a setting of another",
    withParts("settings: { app_name: {} }"),
    /`settings\.app_name` is not allowed: names here begin with `my_app_`\.$/,
  ],
  [
    "publishes what another could",
    withParts('publishes: { "tea.drunk": {} }'),
    /`publishes\.tea\.drunk` is not allowed: names here begin with `my_app\.`\.$/,
  ],
  [
    "has a job with a long name",
    withParts('jobs: { "my-job": {} }'),
    /`jobs\.my-job` .*: names here are of a-z and _\.$/,
  ],
  [
    "is translated to a language that we don't have",
    withParts("texts: { xx: {} }"),
    /`texts\.xx` is not allowed: texts are translated to hi, ar, es, pt, id\.$/,
  ],
  [
    "wants events while it is off that it doesn't handle",
    withParts('after: { whileOff: ["room.closed"] }'),
    /`after\.whileOff` names room\.closed, which it doesn't handle\.$/,
  ],
  [
    "has a setting with a wrong default",
    withParts('settings: { my_app_max: { schema: Joi.number(), fallback: "many", description: "Most." } }'),
    /`settings\.my_app_max` has a default that its schema refuses\.$/,
  ],
  [
    "has a hook without a kind of failure",
    withParts("before: { operations: { sendGift: { run: () => {} } } }"),
    /sendGift\.failure` is required\.$/,
  ],
  [
    "publishes an event without its key",
    withParts('publishes: { "my_app.done": { version: 1, summary: "Done", key: "x", fields: { y: Joi.string() } } }'),
    /`publishes\.my_app\.done` has a key without a field\.$/,
  ],
  [
    "imports what is private",
    `import { setting } from "#shared/domain/base/settings/settings.ts"; ${define("{}")}`,
    /imports #shared\/domain\/base\/settings\/settings\.ts, which is private: import from #shared\/extension\/index\.ts\.$/,
  ],
  [
    "imports what is private by its path",
    `import "${fileURLToPath(new URL("../../db/query.ts", import.meta.url))}"; ${define("{}")}`,
    /which is private/,
  ],
  [
    "imports what is private later",
    `await import("${new URL("../../db/query.ts", import.meta.url).href}"); ${define("{}")}`,
    /which is private/,
  ],
  [
    "has a migration that does nothing",
    { "index.ts": define('{ summary: "Mine." }'), "migrations/1.ts": "export const down = 1;" },
    /its migration 1\.ts exports no `up`\.$/,
  ],
  ["has a game of another name", game('meta: { ...meta, type: "ludo" }'), /`games\[0\]`: "meta\.type" .* fails/],
  ["has a game without rules", game("rules: undefined"), /`games\[0\]`: "rules" is required\.$/],
  ["has a game with an action that has no rule", game("rules: {}"), /my_app has no rule for the action my_app_go\.$/],
  [
    "has a game whose board native clients can't see",
    game("board: object({ any: Joi.any() })"),
    /its game my_app has a field board\.any of a type that native clients can't be shown\.$/,
  ],
  [
    "has a game that makes another state than it says",
    game("setup: (players) => ({ players, deadline: 7 })"),
    /its game my_app can't begin with 2 players: `state\.deadline` is not allowed\.$/,
  ],
  [
    "has a game that goes on without an end",
    game("deadlineMs: () => null"),
    /can't begin with 2 players: the game isn't over and has no deadline\.$/,
  ],
  [
    "has a game with rules of their own that import what they may not",
    { "index.ts": game('isolated: new URL("./rules.ts", import.meta.url)', ""), "rules.ts": 'import "node:fs";' },
    /its game my_app can't begin with 2 players: rules can't import node:fs\.$/,
  ],
  ["loads for ever", `await new Promise(() => setInterval(() => {}, 1000)); ${define("{}")}`, /longer than 0\.2 s\.$/],
];

describe("an extension", function () {
  this.timeout(60_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-extensions-"));
  });
  after(() => rm(folder, { recursive: true }));

  async function write(name: string, modules: Modules): Promise<string> {
    const place = join(folder, name);
    for (const [path, text] of Object.entries(typeof modules === "string" ? { "index.ts": modules } : modules)) {
      await mkdir(dirname(join(place, path)), { recursive: true });
      await writeFile(join(place, path), text);
    }
    return place;
  }

  /** Loads extensions one after another, each alone, in one process. Returns the errors' messages, or `loaded`. */
  async function load(places: readonly (readonly string[])[]): Promise<string[]> {
    const code = `
      const { loadExtensions } = await import(${JSON.stringify(loader)});
      const { OperatorError } = await import(${JSON.stringify(new URL("../../kernel/operator-error.ts", import.meta.url).href)});
      const found = [];
      for (const places of ${JSON.stringify(places)})
        found.push(await loadExtensions(places, { withinMs: 200 }).then(() => "loaded", (error) =>
          error instanceof OperatorError ? error.message : "no operator's: " + error.stack));
      console.log(JSON.stringify(found));
      process.exit();`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code]);
    return JSON.parse(stdout.trim().split("\n").at(-1)!) as string[];
  }

  it("that is wrong in one of many ways doesn't load, and one sentence says why", async () => {
    const places = await Promise.all(wrong.map(([what, modules]) => write(what.replaceAll(/\W/g, "-"), modules)));
    const sentences = await load(places.map((place) => [place]));
    expect(wrong.length).to.be.greaterThan(20);
    for (const [index, [what, , sentence]] of wrong.entries()) {
      expect(sentences[index], what).to.match(sentence);
      expect(sentences[index]!.split("\n"), what).to.have.length(1);
    }
  });

  it("loads from a folder outside of the repository, with packages of the service", async () => {
    const place = await write("right", `import pLimit from "p-limit"; pLimit(1); ${withParts("settings: {}")}`);
    expect(await load([[place]])).to.deep.equal(["loaded"]);
  });

  it("whose migration fails, or whose names are ours, keeps the service from starting, and one sentence says why", async function () {
    this.timeout(120_000);
    const url = await createDatabase({ migrated: true });
    const starts = async (name: string, modules: Modules) => {
      const HUBBUB_EXTENSIONS = await write(name, modules);
      const { exitCode, output } = await runProgram(["main.ts", "migrate"], { DATABASE_URL: url, HUBBUB_EXTENSIONS });
      expect(exitCode).to.equal(1);
      return output.trim().split("\n");
    };
    const migration = 'export const up = (run) => run("CREATE TABLE one (id uuid); CREATE TABLE one (id uuid)");';
    expect(
      await starts("torn", { "index.ts": define('{ summary: "Mine." }'), "migrations/1.ts": migration }),
    ).to.satisfy(
      ([sentence, ...more]: string[]) => more.length === 0 && /ext_my_app\.1.*already exists/.test(sentence!),
    );
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query("SELECT to_regclass('ext_my_app.one') AS made");
    await client.end();
    expect(rows).to.deep.equal([{ made: null }]);
    const [clash, ...more] = await starts(
      "clash",
      define(
        '{ summary: "Mine.", settings: { app_name: { schema: Joi.string(), fallback: "x", description: "Mine." } } }',
        "app",
      ),
    );
    expect([more, clash]).to.deep.equal([[], "An extension names a setting app_name, which exists."]);
  });

  it("can't have the name of another, nor what is called as that of another", async () => {
    const [one, two] = await Promise.all([write("one", withParts("")), write("two", withParts(""))]);
    expect(await load([[one!, two!]])).to.deep.equal([
      `The extension ${two} can't be loaded: the name my_app is taken.`,
    ]);
  });
});
