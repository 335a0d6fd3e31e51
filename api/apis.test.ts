import { expect } from "chai";
import { noEngine } from "#shared/testing/service.ts";
import { allApis, inMountOrder } from "./apis.ts";

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
