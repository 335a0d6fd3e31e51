import { expect } from "chai";
import { accessMatrix } from "#shared/testing/access/access-matrix.ts";
import { describeAccess } from "#shared/testing/access/describe-access.ts";
import { callers } from "#shared/testing/access/social-rows.ts";
import { Scene } from "#shared/testing/scene.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { apiRoutes } from "./routes.ts";

describe("who may do what", () => {
  const service = useService();

  describeAccess({
    routes: apiRoutes({ actors: noEngine }),
    callers,
    matrix: accessMatrix,
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
