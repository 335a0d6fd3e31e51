import { expect } from "chai";
import { accessMatrix } from "#shared/testing/access/access-matrix.ts";
import type { AccessMatrix } from "#shared/testing/access/access-row.ts";
import { describeAccess, operationName, operationOf } from "#shared/testing/access/describe-access.ts";
import { buildEconomy, economyMatrix, makeMagnate, roles } from "#shared/testing/access/economy-rows.ts";
import { callers } from "#shared/testing/access/social-rows.ts";
import { Scene } from "#shared/testing/scene.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import type { Route } from "./http/route.ts";
import { apiRoutes } from "./routes.ts";

const isEconomy = (path: string): boolean => /^\/(earnings|payouts|agencies|sellers)(\/|$)/.test(path);
const routes = apiRoutes({ actors: noEngine });
const [economy, others] = [true, false].map((wanted) => routes.filter(({ path }) => isEconomy(path) === wanted)) as [
  Route[],
  Route[],
];

describe("what hosts, agencies, and coin sellers may do of what concerns them", () => {
  const service = useService();
  describeAccess({
    routes: economy,
    callers: roles,
    matrix: economyMatrix,
    call: service.call,
    build: buildEconomy,
    tokenOf: (world, role) => world[role].token,
    check: async ({ body }, { world, caller, place }) => {
      const shown = JSON.stringify(body);
      const named = JSON.stringify(place);
      for (const { id, of } of world.secrets)
        if (!of.includes(caller) && !named.includes(id)) expect(shown, caller).not.to.include(id);
    },
  });
});

/** Of the social API's matrix, what a stranger gets. */
function ofStrangers(): AccessMatrix<Scene, ["stranger"]> {
  const names = new Set(others.map(operationName));
  const rows = Object.entries(accessMatrix).filter(([key]) => names.has(operationOf(key)));
  return Object.fromEntries(
    rows.map(([key, { outcomes, at }]) => [
      key,
      { outcomes: typeof outcomes === "string" ? outcomes : outcomes[callers.indexOf("stranger")]!, ...(at && { at }) },
    ]),
  );
}

describe("what a host, agency's owner, member of a staff, and coin seller in one may do beside", () => {
  const service = useService();
  describeAccess({
    routes: others,
    callers: ["stranger"],
    matrix: ofStrangers(),
    call: service.call,
    build: async () => {
      const scene = await Scene.build(service);
      await makeMagnate(scene.stranger);
      return scene;
    },
    furnish: (scene) => scene.furnish(),
    tokenOf: ({ stranger }) => stranger.token,
  });
});
