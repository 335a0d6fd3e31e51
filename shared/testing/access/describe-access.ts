import { expect } from "chai";
import { isId, newId } from "#shared/kernel/ids.ts";
import { exampleOf } from "../../../api/docs/example-of.ts";
import type { Route } from "../../../api/http/route.ts";
import type { Answer, ApiClient } from "../service.ts";
import type { AccessMatrix, Outcome, Place, Row } from "./access-row.ts";

/** A matrix and the setup of its calls. */
export interface AccessTest<World, Callers extends readonly string[]> {
  readonly routes: readonly Route[];
  readonly callers: Callers;
  readonly matrix: AccessMatrix<World, Callers>;
  readonly call: ApiClient;
  /** Builds a world for the calls of a row that name resources, and another one after each call that succeeds. */
  readonly build: () => Promise<World>;
  /** Fills the shared world of all calls that name no resources. */
  readonly furnish?: (world: World) => Promise<void>;
  readonly tokenOf: (world: World, caller: Callers[number]) => string;
  /** Reads the outcome in APIs without error codes. */
  readonly outcomeOf?: (answer: Answer) => Outcome;
  /** Further checks of each response. `place` contains the resources that the call named. */
  readonly check?: (answer: Answer, call: { world: World; caller: Callers[number]; place: Place }) => Promise<void>;
}

export const operationName = ({ method, path }: Route): string => `${method} ${path}`;
export const operationOf = (key: string): string => key.split(" (")[0]!;
const codeOf = ({ body }: Answer): Outcome => body.error?.code ?? "ok";

/** Returns the same place with resources that don't exist. */
export const elsewhere = (place: Place): Place =>
  JSON.parse(JSON.stringify(place), (_key, value: unknown) => (isId(value) ? newId() : value)) as Place;

export const callRoute = (call: ApiClient, route: Route, { params = {}, query, body }: Place, token?: string) => {
  const path = route.path.replace(/:(\w+)/g, (_match, name: string) => params[name] ?? "no-such-param");
  const sent = body ?? (route.body ? exampleOf(route.body) : undefined);
  return call(route.method, query ? `${path}?${new URLSearchParams(query)}` : path, {
    ...(token && { token }),
    ...(route.method !== "get" && sent !== undefined && { body: sent }),
  });
};

/**
 * Declares the tests of an API's matrix in the current `describe`: one per row, and one that all operations have a row.
 */
export function describeAccess<World, const Callers extends readonly string[]>(test: AccessTest<World, Callers>): void {
  const { routes, matrix, build, furnish } = test;
  let shared: World;

  before("builds the world of the calls that name nothing", async function () {
    this.timeout(60_000);
    shared = await build();
    await furnish?.(shared);
  });

  it("is said of every operation, and of nothing else", () => {
    const said = new Set(Object.keys(matrix).map(operationOf));
    const operations = new Set(routes.map(operationName));

    expect(
      [...operations].filter((name) => !said.has(name)),
      "without a row in the matrix",
    ).to.deep.equal([]);
    expect(
      [...said].filter((name) => !operations.has(name)),
      "rows of no operation",
    ).to.deep.equal([]);
  });

  for (const [key, row] of Object.entries(matrix))
    it(key, async () => {
      const route = routes.find((candidate) => operationName(candidate) === operationOf(key))!;
      await holdRow(test, route, row, async () => (row.at ? build() : shared));
    }).timeout(60_000);
}

async function holdRow<World, Callers extends readonly string[]>(
  { call, callers, tokenOf, check, outcomeOf = codeOf }: AccessTest<World, Callers>,
  route: Route,
  { outcomes, at }: Row<World, Callers>,
  nextWorld: () => Promise<World>,
): Promise<void> {
  const placeOf = async (world: World, caller: Callers[number]): Promise<Place> => (at ? at(world, caller) : {});

  let world: World | undefined;
  if (route.auth !== "anyone") {
    world = await nextWorld();
    const anonymous = await callRoute(call, route, await placeOf(world, callers[0]!));
    expect(outcomeOf(anonymous), "without a token").to.equal("UNAUTHENTICATED");
  }

  const calls = callers.map((caller: Callers[number], index) => ({
    caller,
    expected: typeof outcomes === "string" ? outcomes : outcomes[index]!,
  }));
  // A refused call changes nothing: all of them share a world with the first that succeeds.
  for (const { caller, expected } of calls.toSorted((one, other) => rankOf(one.expected) - rankOf(other.expected))) {
    world ??= await nextWorld();
    const place = await placeOf(world, caller);
    const token = tokenOf(world, caller);
    const answer = await callRoute(call, route, place, token);
    expect(outcomeOf(answer), caller).to.equal(expected);

    // A hidden resource must be indistinguishable from one that doesn't exist.
    if (expected === "NOT_FOUND") {
      const missing = await callRoute(call, route, elsewhere(place), token);
      expect([answer.status, answer.body], "the answer to what exists").to.deep.equal([missing.status, missing.body]);
    }
    await check?.(answer, { world, caller, place });

    if (route.auth === "anyone" && caller === callers[0]) {
      const anonymous = await callRoute(call, route, await placeOf(world, caller));
      expect(outcomeOf(anonymous), "without a token").to.equal(expected);
    }
    if (expected === "ok") world = undefined;
  }
}

const rankOf = (outcome: Outcome): number => (outcome === "ok" ? 1 : 0);
