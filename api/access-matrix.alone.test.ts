import { expect } from "chai";
import type { Permission } from "#shared/contracts/permissions.ts";
import { loadPlays } from "#shared/testing/load-plays.ts";
import type { Route } from "./http/route.ts";

// The plays stand in the matrix, and change nothing else in it.
await loadPlays();
const { permissions } = await import("#shared/contracts/permissions.ts");
const { query } = await import("#shared/db/query.ts");
const { accessMatrix } = await import("#shared/testing/access/access-matrix.ts");
const { callRoute, describeAccess, operationName } = await import("#shared/testing/access/describe-access.ts");
const { playMatrix } = await import("#shared/testing/access/play-rows.ts");
const { callers } = await import("#shared/testing/access/social-rows.ts");
const { buildAdmin } = await import("#shared/testing/admins.ts");
const { buildRoom } = await import("#shared/testing/factories.ts");
const { Scene } = await import("#shared/testing/scene.ts");
const { noEngine, useService } = await import("#shared/testing/service.ts");
const { exampleOf } = await import("./docs/example-of.ts");
const { apiRoutes } = await import("./routes.ts");

describe("what an administrator may do at the API of users", () => {
  const service = useService();
  const routes = apiRoutes({ actors: noEngine }).filter(({ auth }) => auth !== "anyone");

  it("is nothing, but for the operations that say so", async () => {
    const { token } = await buildAdmin();
    for (const route of routes.filter(({ auth }) => auth !== "user_or_admin")) {
      const { body } = await callRoute(service.call, route, { params: exampleParams(route) }, token);
      expect(body.error?.code, operationName(route)).to.equal("UNAUTHENTICATED");
    }
  });

  for (const route of routes.filter(({ auth }) => auth === "user_or_admin"))
    it(`${operationName(route)} needs its permission, and leaves its audit entry`, async () => {
      const { permission, id: operation } = route;
      const place = { params: { id: (await buildRoom()).id } };
      const without = await buildAdmin(permissions.filter((other) => other !== permission));
      const refused = await callRoute(service.call, route, place, without.token);
      expect(refused.body.error.code).to.equal("FORBIDDEN");
      expect(
        await query("SELECT principal_id AS by, target_id AS operation, after FROM audit_log WHERE request_id = $1", [
          refused.headers.get("x-request-id"),
        ]),
      ).to.deep.equal([{ by: without.id, operation, after: { missing: permission } }]);

      // The client compares the audit log with the entry of the route.
      const withIt = await buildAdmin([permission as Permission]);
      expect((await callRoute(service.call, route, place, withIt.token)).body.success).to.equal(true);
    });
});

const exampleParams = ({ params }: Route) => (params ? (exampleOf(params) as Record<string, string>) : {});

describe("who may do what", () => {
  const service = useService();

  describeAccess({
    routes: apiRoutes({ actors: noEngine }),
    callers,
    matrix: { ...accessMatrix, ...playMatrix },
    call: service.call,
    build: () => Scene.build(service),
    furnish: (scene) => scene.furnish(),
    tokenOf: (scene, caller) => scene[caller].token,

    /** Neither sees what is between the owner and the member; nor does the blocked person see the owner at all. */
    check: async (answer, { world: scene, caller, place }) => {
      if (caller !== "stranger" && caller !== "blocked") return;
      const hidden = [
        ...(await scene.secrets()),
        ...(caller === "blocked" ? [scene.owner.id, scene.owner.username] : []),
      ];
      const named = JSON.stringify(place);
      const text = JSON.stringify(answer.body);
      expect(hidden.filter((secret) => text.includes(secret) && !named.includes(secret))).to.deep.equal([]);
    },
  });
});
