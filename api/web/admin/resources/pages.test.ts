import { expect } from "chai";
import { Api } from "../api.ts";
import { ownPages } from "../own-pages.ts";
import { genericPages, operationsOn, partOperations, shellOperations } from "./pages.ts";
import { pathOfType, typeOfField } from "./references.ts";
import { isDestructive } from "./rules.ts";
import { fieldsOf } from "./schema.ts";

/** The modules of the server are checked with its types, which aren't those of a browser. */
const ofServer = (path: string) => import(new URL(path, import.meta.url).href);

describe("the pages of the console", () => {
  let api: Api;
  let ids: readonly string[];

  before(async () => {
    const { adminRoutes } = await ofServer("../../../admin/routes.ts");
    const { describeAdminApi } = await ofServer("../../admin-description.ts");
    api = new Api(await describeAdminApi(adminRoutes({})));
    ids = api.operations.map(({ id }) => id);
  });

  it("offer every operation of the admin API", () => {
    const own = ownPages.flatMap(({ operations }) => operations);
    const offered = new Set([
      ...genericPages(api).flatMap(operationsOn),
      ...own,
      ...shellOperations,
      ...partOperations,
    ]);
    expect(ids.filter((id) => !offered.has(id))).to.deep.equal([]);
  });

  it("name only operations that exist", () => {
    const named = [...ownPages.flatMap(({ operations }) => operations), ...shellOperations, ...partOperations];
    expect(named.filter((id) => !ids.includes(id))).to.deep.equal([]);
  });

  it("say what follows before anything is taken away", () => {
    const silent = api.operations.filter(
      ({ id, description, method }) => isDestructive(id) && method !== "delete" && !description,
    );
    expect(silent.map(({ id }) => id)).to.deep.equal([]);
  });

  it("ask for no ID: each one in a form or a filter is chosen by name", () => {
    // What no record has a page for is found by its link, and sent by it.
    const linked = /^(target_id|reference_id|transaction_id|provider_\w+_id|payment_id|ids)$/;
    const typed = api.operations.flatMap(({ id, path, query, body }) =>
      [...fieldsOf(api, query), ...fieldsOf(api, body)]
        .filter(({ name }) => /_ids?$|_by$|^ids$/.test(name) && name !== "sort_by" && !linked.test(name))
        .filter(({ name }) => !pathOfType[typeOfField(name, path) ?? ""])
        .map(({ name }) => `${id}: ${name}`),
    );
    expect(typed).to.deep.equal([]);
  });

  it("link to lists that exist", () => {
    expect(Object.values(pathOfType).filter((path) => !api.at("get", path))).to.deep.equal([]);
  });
});
