import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import parser from "@asyncapi/parser";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectral, { type RulesetDefinition } from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { expect } from "chai";
import { noEngine } from "#shared/testing/service.ts";
import { allApis } from "../apis.ts";
import { asyncApi } from "./asyncapi.ts";
import { type OpenApi, openApi } from "./openapi.ts";
import { clientModules } from "./write-documents.ts";

/** What a tool complains of: which of its rules, and where. */
interface Complaint {
  readonly rule: string;
  readonly text: string;
}

/** Every rule complains of nothing, save those that are listed with a reason; and those do complain. */
function expectOnly(accepted: Readonly<Record<string, string>>, complaints: readonly Complaint[]): void {
  expect(complaints.filter(({ rule }) => !Object.hasOwn(accepted, rule))).to.deep.equal([]);
  expect(Object.keys(accepted)).to.have.members([...new Set(complaints.map(({ rule }) => rule))]);
}

/**
 * The types that openapi-typescript makes of a document. It builds on an interface of the compiler that version 7 does
 * not have: for it alone, `typescript` is version 5.
 */
async function typesOf(document: OpenApi): Promise<string> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript-5" : specifier, context),
  });
  const { astToString, default: openapiTS } = await import("openapi-typescript");
  hooks.deregister();
  return astToString(await openapiTS(JSON.stringify(document)));
}

/** Uses the types; each `@ts-expect-error` is an error of its own where the types let the next line pass. */
const client = `
import type { components, operations } from "./api.d.ts";

type Session = components["schemas"]["Session"];

export function progressOf(session: Session): number[] {
  // @ts-expect-error: only some boards have players.
  session.board.players;
  if (session.type !== "ludo") return [];
  // @ts-expect-error: that is on the board of trivia.
  session.board.question;
  return session.board.players.flatMap(({ pieces }) => pieces);
}

export function answerOf(session: Session): number | null | undefined {
  return session.type === "trivia" ? session.you?.answer : undefined;
}

export const giftOf = (notification: components["schemas"]["Notification"]) =>
  notification.type === "gift" ? notification.data.gift.name : undefined;

type Action = components["schemas"]["TakeActionBody"];
export const move: Action = { kind: "move", piece: 2 };
// @ts-expect-error: a move names a piece.
export const incomplete: Action = { kind: "move" };

type Refused = operations["logIn"]["responses"][401]["content"]["application/json"];
export const code = ({ error }: Refused): "INVALID_CREDENTIALS" | "MFA_REQUIRED" => error.code;
`;

const root = fileURLToPath(new URL("../..", import.meta.url));
const tsc = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));
const run = promisify(execFile);

/** The rules that an API's document breaks, and why. */
interface Accepted {
  readonly redocly: Readonly<Record<string, string>>;
  readonly spectral: Readonly<Record<string, string>>;
}

const noContact = { "info-contact": "The operator of the service is its contact, whom the software doesn't know." };
const accepted: Readonly<Record<string, Accepted>> = {
  "openapi.json": {
    redocly: { "no-ambiguous-paths": "`/friends/requests/:id` and `/friends/:userId/request` are in the contract." },
    spectral: noContact,
  },
  "admin.openapi.json": { redocly: {}, spectral: noContact },
  "catalogue/openapi.json": { redocly: {}, spectral: noContact },
};

describe("the documents, as other tools read them", () => {
  const documents = new Map<string, OpenApi>();
  before(async () => {
    for (const api of allApis({ actors: noEngine })) documents.set(api.document.file, await openApi(api));
  });

  it("is all of them that are read", () => {
    expect([...documents.keys()]).to.have.members(Object.keys(accepted));
  });

  for (const [file, { redocly, spectral: broken }] of Object.entries(accepted)) {
    it(`${file} follows Redocly's recommended rules`, async () => {
      const document = documents.get(file);
      const config = await createConfig({ extends: ["recommended"] });
      const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config });
      expectOnly(
        redocly,
        problems.map(({ ruleId, message, location }) => ({ rule: ruleId, text: `${message} ${location[0]?.pointer}` })),
      );
    });

    it(`${file} follows Spectral's rules of OpenAPI`, async () => {
      const linter = new spectral.Spectral();
      // Its own types do not see that this is one.
      const oas = rulesets.oas as RulesetDefinition;
      // Redocly holds the examples against their schemas, without following all references into each of them first.
      const rules = { "oas3-valid-media-example": "off", "oas3-valid-schema-example": "off" } as const;
      linter.setRuleset({ extends: [oas], rules });
      const problems = await linter.run({ ...documents.get(file) });
      expectOnly(
        broken,
        problems.map(({ code, message, path }) => ({ rule: String(code), text: `${message} ${path.join("/")}` })),
      );
    });
  }

  it("is taken by AsyncAPI's parser", async () => {
    // The rule holds the document with every reference followed, which is enormous, against what
    // `asyncapi-document-unresolved` holds it against as it is.
    const rules = { "asyncapi-document-resolved": "off" } as const;
    const reader = new parser.Parser({ ruleset: { extends: [], rules } });
    const problems = await reader.validate(JSON.stringify(asyncApi("https://hubbub.example")));
    expectOnly(
      { "asyncapi-latest-version": "3.0 is what most generators read." },
      problems.map(({ code, message, path }) => ({ rule: String(code), text: `${message} ${path.join("/")}` })),
    );
  });

  it("are what the types of the typed client say", async () => {
    for (const [path, text] of Object.entries(await clientModules()))
      expect((await readFile(join(root, path), "utf8")) === text, `${path} is current: npm run client:types`).to.equal(
        true,
      );
  });

  it("makes a client that compiles under `strict` and knows the board of a game", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hubbub-client-"));
    try {
      await writeFile(join(folder, "api.d.ts"), await typesOf(documents.get("openapi.json")!));
      await writeFile(join(folder, "client.ts"), client);
      await run(tsc, ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "client.ts"], {
        cwd: folder,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}).timeout(120_000);
