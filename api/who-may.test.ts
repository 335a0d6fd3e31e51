import { expect } from "chai";
import { isId, newId } from "#shared/kernel/ids.ts";
import { accessMatrix } from "#shared/testing/access/access-matrix.ts";
import { type CallerName, callers, type Outcome, type Place, type Row } from "#shared/testing/access/access-row.ts";
import { Scene } from "#shared/testing/scene.ts";
import { type Answer, noEngine, useService } from "#shared/testing/service.ts";
import { exampleOf } from "./docs/example-of.ts";
import type { Route } from "./http/route.ts";
import { apiRoutes } from "./routes.ts";

const routes = apiRoutes({ actors: noEngine });
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const routeOf = (key: string): Route | undefined => routes.find((route) => nameOf(route) === key.split(" (")[0]);

/** The same call for things that are not there. */
const elsewhere = (place: Place): Place =>
  JSON.parse(JSON.stringify(place), (_key, value: unknown) => (isId(value) ? newId() : value)) as Place;

describe("who may do what", () => {
  const service = useService();
  /** For what reads only one's own: everybody looks at the same. */
  let shared: Scene;
  before("furnishes a scene", async function () {
    this.timeout(60_000);
    shared = await Scene.build(service);
    await shared.furnish();
  });

  function call(route: Route, { params = {}, query, body }: Place, token?: string): Promise<Answer> {
    const path = route.path.replace(/:(\w+)/g, (_match, name: string) => params[name] ?? "no-such-param");
    const sent = body ?? (route.body ? exampleOf(route.body) : undefined);
    return service.call(route.method, query ? `${path}?${new URLSearchParams(query)}` : path, {
      ...(token && { token }),
      ...(route.method !== "get" && sent !== undefined && { body: sent }),
    });
  }

  const outcomeOf = ({ body }: Answer): Outcome => body.error?.code ?? "ok";

  /** Whoever is told that something is not there cannot tell whether it is. */
  async function expectLikeMissing(route: Route, place: Place, answer: Answer, token: string): Promise<void> {
    const missing = await call(route, elsewhere(place), token);
    expect([answer.status, answer.body], "the answer to what is there").to.deep.equal([missing.status, missing.body]);
  }

  /** Of what is between the owner and the member, and of the owner for the one whom he blocked, nothing is shown. */
  async function expectNoSecrets(scene: Scene, caller: CallerName, place: Place, answer: Answer): Promise<void> {
    if (caller !== "stranger" && caller !== "blocked") return;
    const hidden = [
      ...(await scene.secrets()),
      ...(caller === "blocked" ? [scene.owner.id, scene.owner.username] : []),
    ];
    const known = JSON.stringify(place);
    const text = JSON.stringify(answer.body);
    expect(hidden.filter((secret) => text.includes(secret) && !known.includes(secret))).to.deep.equal([]);
  }

  it("is said of every operation, and of nothing else", () => {
    const said = new Set(Object.keys(accessMatrix).map((key) => key.split(" (")[0]!));
    const operations = new Set(routes.map(nameOf));
    const unsaid = [...operations].filter((name) => !said.has(name));
    expect(unsaid, "without a row in shared/testing/access-matrix.ts").to.deep.equal([]);
    expect([...said].filter((name) => !operations.has(name))).to.deep.equal([]);
  });

  for (const [key, { outcomes, at }] of Object.entries<Row>(accessMatrix)) {
    it(key, async () => {
      const route = routeOf(key)!;
      if (route.auth === "user")
        expect(outcomeOf(await call(route, await place(at, shared, "owner")))).to.equal("UNAUTHENTICATED");
      for (const [index, caller] of callers.entries()) {
        const scene = at ? await Scene.build(service) : shared;
        const where = await place(at, scene, caller);
        const { token } = scene[caller];
        const answer = await call(route, where, token);
        expect(outcomeOf(answer), caller).to.equal(outcomes[index]);
        if (outcomes[index] === "NOT_FOUND") await expectLikeMissing(route, where, answer, token);
        await expectNoSecrets(scene, caller, where, answer);
        if (route.auth === "anyone" && caller === "stranger") {
          const unknown = await place(at, scene, caller);
          expect(outcomeOf(await call(route, unknown)), "without a token").to.equal(outcomes[index]);
        }
      }
    }).timeout(60_000);
  }
});

const place = async (at: Row["at"], scene: Scene, caller: CallerName): Promise<Place> => (at ? at(scene, caller) : {});
