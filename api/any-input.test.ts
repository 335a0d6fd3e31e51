import { expect } from "chai";
import fc from "fast-check";
import type Joi from "joi";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { type ArbitraryInput, arbitraryInput } from "#shared/testing/arbitrary-input.ts";
import type { BuiltUser } from "#shared/testing/factories.ts";
import { Scene } from "#shared/testing/scene.ts";
import { type Answer, noEngine, useService } from "#shared/testing/service.ts";
import { exampleOf } from "./docs/example-of.ts";
import type { Route, RouteEntry } from "./http/route.ts";
import { apiRoutes } from "./routes.ts";

/** Calls of each operation: half of them with what fits its published schemas, half with that spoiled in a place. */
const callsEach = 25;
/** A busy machine makes fewer calls, not a longer run. */
const timeEachMs = 400;
/** Characters of one value in an address: a head of more than 16 KB is refused before any code of ours sees it. */
const addressMax = 1000;
const spoilable = ["params", "query", "body"] as const;
type Part = (typeof spoilable)[number];
type Input = Record<Part, unknown>;
interface Case {
  readonly caller: "owner" | "member" | "stranger";
  readonly input: Input;
}

const all = apiRoutes({ actors: noEngine });
const routes = all.filter(({ rawBody }) => !rawBody);
const nameOf = ({ method, path }: RouteEntry): string => `${method} ${path}`;

/** Failures with a 5xx that a test environment may give. */
const expectedFaults: Record<string, string> = { "post /rooms/:id/voice-token": "VOICE_NOT_CONFIGURED" };

/** A query's members as text, the way an address has them; a list is one member several times. */
function searchOf(query: unknown): string {
  if (query === null || typeof query !== "object") return "";
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [
      name,
      (typeof one === "object" ? JSON.stringify(one) : String(one)).slice(0, addressMax),
    ]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

/** An empty part of a path would make it another path. */
const textIn = (value: unknown): string => String(value).slice(0, addressMax).toWellFormed() || " ";

function pathOf({ path }: RouteEntry, params: unknown): string {
  const values = (params ?? {}) as Record<string, unknown>;
  return path.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(textIn(values[name])));
}

/** What the server has of an input, before Joi: params and query are text. */
function received(route: Route, input: Input): Input {
  const query = Object.fromEntries(new URLSearchParams(searchOf(input.query)));
  const given = (input.params ?? {}) as Record<string, unknown>;
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const params = Object.fromEntries(names.map((name) => [name, textIn(given[name])]));
  const body: unknown =
    input.body === undefined || route.method === "get" ? {} : JSON.parse(JSON.stringify(input.body));
  return { params, query, body };
}

/** Does each part, as the server receives it, pass Joi, and in Joi's form the schema that is published? */
function isAcceptable(route: Route, arbitraries: Partial<Record<Part, ArbitraryInput>>, input: Input): boolean {
  const given = received(route, input);
  return spoilable.every((part) => {
    const schema: Joi.Schema | undefined = route[part];
    if (!schema) return part === "query" || Object.keys(given[part] as object).length === 0;
    const { error, value } = schema.validate(given[part], part === "query" ? { stripUnknown: true } : {});
    if (!error)
      expect(arbitraries[part]!.fits(value), `${part} ${JSON.stringify(value)} fits the published schema`).to.equal(
        true,
      );
    return !error;
  });
}

/**
 * Says what failed in words enough to find it and to run it again. Time that ran out before the first call is no
 * failure.
 */
function expectNoCounterexample<T>({
  seed,
  counterexample,
  counterexamplePath,
  errorInstance,
}: fc.RunDetails<T>): void {
  if (counterexample === null) return;
  const cut = (text: string) => (text.length > 800 ? `${text.slice(0, 800)} …` : text);
  expect.fail(
    `seed ${seed}, path ${counterexamplePath}: ${cut(JSON.stringify(counterexample))}\n${cut(String(errorInstance))}`,
  );
}

function expectEnvelope({ status, body, headers }: Answer): void {
  expect(headers.get("content-type")).to.match(/^application\/json/);
  expect(headers.get("x-request-id")).to.be.a("string");
  if (status < 400) return void expect(body).to.have.all.keys("success", "data").and.include({ success: true });
  expect(body).to.have.all.keys("success", "error").and.include({ success: false });
  expect(body.error.code).to.be.a("string");
  expect(body.error.message).to.be.a("string").and.not.equal("");
  if (body.error.code === "VALIDATION_ERROR") expect(body.error.details).to.be.an("array").that.is.not.empty;
}

/** What a rule behind the schema says of a value that the example of its operation has. */
const rules = /can no longer be changed/;

describe("whatever an operation is sent", () => {
  const service = useService();
  let scene: Scene;
  let tag = "";
  /** Other test files of this database plant some. */
  let planted: string[] = [];
  before("looks at the ledger", async () => {
    planted = await checkLedger();
  });

  /** A scene for each feature, and another one when a call has ended its owner's session. */
  async function prepareFor(route: Route): Promise<void> {
    const stands =
      tag === route.tag && (await service.call("get", "/users/me", { token: scene.owner.token })).status === 200;
    if (stands) return;
    tag = route.tag;
    scene = await Scene.build(service);
    await scene.furnish();
  }

  for (const route of routes)
    it(`${nameOf(route)} takes what fits and nothing else, and has no fault`, async () => {
      await prepareFor(route);
      const ids = await scene.ids();
      const arbitraries = Object.fromEntries(
        spoilable.flatMap((part) => (route[part] ? [[part, arbitraryInput(route[part], ids)]] : [])),
      ) as Partial<Record<Part, ArbitraryInput>>;
      const inputs = fc.record<Case>({
        caller: fc.constantFrom("owner", "member", "stranger"),
        input: fc.oneof(inputOf(arbitraries), spoiledInputOf(route, arbitraries)),
      });
      let taken = 0;
      const outcome = await fc.check(
        fc.asyncProperty(inputs, async ({ caller, input }) => {
          const answer = await send(route, scene[caller], input);
          expectEnvelope(answer);
          const { status, body } = answer;
          const code: string | undefined = body.error?.code;
          if (status >= 500) expect(code).to.equal(expectedFaults[nameOf(route)]);
          if (code !== "VALIDATION_ERROR" || rules.test(body.error?.message ?? "")) taken += 1;
          // A failure for another reason may come first, such as a body that is no object at all.
          if (status < 400) expect(isAcceptable(route, arbitraries, input), "an accepted input").to.equal(true);
        }),
        { numRuns: callsEach, examples: [[exampleCase(route)]], interruptAfterTimeLimit: timeEachMs },
      );
      expectNoCounterexample(outcome);
      if (outcome.numRuns > 10) expect(taken, "calls that got past the schemas").to.be.greaterThan(0);
    });

  for (const route of all.filter(({ rawBody }) => rawBody))
    it(`${nameOf(route)} accepts no unsigned bytes, and never fails with 5xx`, async () => {
      const path = pathOf(route, route.params && exampleOf(route.params));
      const names = (route.headers ?? []).map(({ name }) => name);
      const name = names.length > 0 ? fc.constantFrom(...names) : fc.constant("x-signature");
      const headers = fc.dictionary(name, fc.string({ maxLength: 64 }).map(encodeURIComponent));
      const bodies = fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.json().map((text) => Buffer.from(text)),
      );
      const outcome = await fc.check(
        fc.asyncProperty(headers, bodies, async (head, body) => {
          const response = await fetch(`${service.url}/api/v1${path}`, {
            method: route.method,
            headers: head,
            body: Buffer.from(body),
          });
          expectEnvelope({ status: response.status, body: await response.json(), headers: response.headers });
          expect(response.status).to.be.within(400, 499);
        }),
        { numRuns: callsEach, interruptAfterTimeLimit: timeEachMs },
      );
      expectNoCounterexample(outcome);
    });

  it("leaves the ledger right", async () => {
    expect((await checkLedger()).filter((difference) => !planted.includes(difference))).to.deep.equal([]);
  });

  function send(route: Route, caller: BuiltUser, { params, query, body }: Input): Promise<Answer> {
    const sendsBody = route.method !== "get" && body !== undefined;
    return service.call(route.method, pathOf(route, params) + searchOf(query), {
      token: caller.token,
      ...(sendsBody && { body: JSON.stringify(body) }),
    });
  }
});

const partsOf = (arbitraries: Partial<Record<Part, ArbitraryInput>>, kind: "valid" | "spoiled") =>
  Object.fromEntries(Object.entries(arbitraries).map(([part, arbitrary]) => [part, arbitrary[kind]]));

const whole = { params: undefined, query: undefined, body: undefined };

const inputOf = (arbitraries: Partial<Record<Part, ArbitraryInput>>): fc.Arbitrary<Input> =>
  fc.record(partsOf(arbitraries, "valid")).map((input) => ({ ...whole, ...input }));

/** One part is spoiled; where an operation takes no body at all, it may get one. */
function spoiledInputOf(route: Route, arbitraries: Partial<Record<Part, ArbitraryInput>>): fc.Arbitrary<Input> {
  const spoiled = Object.entries(partsOf(arbitraries, "spoiled")).map(([part, arbitrary]) =>
    fc.tuple(inputOf(arbitraries), arbitrary).map(([input, other]): Input => ({ ...input, [part]: other })),
  );
  const uninvited = fc.tuple(inputOf(arbitraries), fc.jsonValue()).map(([input, body]): Input => ({ ...input, body }));
  return fc.oneof(...spoiled, ...(route.body ? [] : [uninvited]));
}

const exampleCase = (route: Route): Case => ({
  caller: "owner",
  input: {
    ...whole,
    ...Object.fromEntries(spoilable.flatMap((part) => (route[part] ? [[part, exampleOf(route[part])]] : []))),
  },
});
