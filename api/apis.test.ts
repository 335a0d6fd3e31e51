import { expect } from "chai";
import { buildAdmin } from "#shared/testing/admins.ts";
import { buildReseller } from "#shared/testing/catalogue.ts";
import { describeRoutes } from "#shared/testing/describe-routes.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { clientOf, noEngine, useService } from "#shared/testing/service.ts";
import { allApis, inMountOrder } from "./apis.ts";

/** By base path: how a caller gets a token, and what the contract calls fields. */
const tested: Readonly<Record<string, Pick<Parameters<typeof describeRoutes>[1], "token" | "fieldNames">>> = {
  "/api/v1": {
    token: async () => (await buildUser()).token,
    // In snake_case, except where the contract itself writes camelCase.
    fieldNames: /^([a-z][a-z0-9]*(_[a-z0-9]+)*|accessToken|refreshToken|wsUrl|roomName|providerPayload)$/,
  },
  "/catalogue": {
    token: async () => (await buildReseller()).token,
    // The contract mixes them.
    fieldNames: /^[A-Za-z]+(_[A-Za-z]+)*$/,
  },
  "/api/v1/admin": { token: async () => (await buildAdmin()).token },
};

describe("the list of APIs", () => {
  const apis = allApis({ actors: noEngine });

  it("is mounted with an API below another's base path first", () => {
    const below = { ...apis[0], basePath: `${apis[0].basePath}/admin` };

    expect(inMountOrder([apis[0], below])).to.deep.equal([below, apis[0]]);
  });

  it("gives each its own base path and document", () => {
    for (const names of [apis.map(({ basePath }) => basePath), apis.map(({ document }) => document.file)])
      expect(names).to.deep.equal([...new Set(names)]);
  });
});

describe("every API", () => {
  const service = useService();

  for (const api of allApis({ actors: noEngine }))
    describe(api.basePath, () => {
      const test = tested[api.basePath];
      if (!test) throw new Error(`Say in \`tested\` how a caller of ${api.basePath} gets a token.`);
      describeRoutes(api, { ...test, call: (...call) => clientOf(service.url, api)(...call) });
    });
});
