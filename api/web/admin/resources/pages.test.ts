import { readFileSync } from "node:fs";
import { expect } from "chai";
import { Api } from "../api.ts";
import { ownPages } from "../own-pages.ts";
import { linksOf } from "./links.ts";
import { type GenericPage, genericPages, operationsOn, partOperations, shellOperations } from "./pages.ts";
import { pathOfType, typeOfField } from "./references.ts";
import { isDestructive, sentencesFor } from "./rules.ts";
import { type Field, fieldsOf, itemsOf } from "./schema.ts";

/** The modules of the server are checked with its types, which aren't those of a browser. */
const ofServer = (path: string) => import(new URL(path, import.meta.url).href);

describe("the pages of the console", () => {
  let api: Api;
  let ids: readonly string[];
  const english = JSON.parse(readFileSync(new URL("../texts/en.json", import.meta.url), "utf8"));

  before(async () => {
    const { adminRoutes } = await ofServer("../../../admin/routes.ts");
    const { describeAdminApi } = await ofServer("../../../docs/admin-description.ts");
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

  it("link a run to its lines, and a line to the gifts and the entries that it counts", () => {
    const linked = (path: string, record: object) => linksOf(api, path, { id: "one", ...record });
    expect(linked("/runs/:id", {}).map(({ href }) => href)).to.deep.equal([
      "/run-lines?run_id=one",
      "/run-corrections?run_id=one",
    ]);
    const how = { since: "2026-11-01T00:00:00+05:30", until: "2026-12-01T00:00:00+05:30" };
    const line = linked("/run-lines/:id", { host_id: "grace", how });
    const times = "from=2026-10-31T18%3A30%3A00.000Z&to=2026-11-30T18%3A30%3A00.000Z";
    expect(line.map(({ list, href }) => [list, href])).to.deep.equal([
      ["/gifts", `/transactions?asset=earnings&user_id=grace&reference_type=gift_transaction&${times}`],
      ["/transactions", "/transactions?asset=earnings&reference_id=one"],
      ["/statements", "/users/grace/statements"],
    ]);
    expect(new Set(line.map(({ permission }) => permission))).to.deep.equal(new Set(["transactions.read"]));
  });

  it("name the field of links to a list that can have a record in several", () => {
    const links = linksOf(api, "/users/:id", { id: "grace" }).filter(({ list }) => list === "/seller-transfers");
    expect(links.map(({ field }) => field)).to.deep.equal(["seller_id", "recipient_id"]);
  });

  it("say what follows before anything is taken away", () => {
    const silent = api.operations.filter(
      ({ id, description, method }) => isDestructive(id) && method !== "delete" && !description,
    );
    expect(silent.map(({ id }) => id)).to.deep.equal([]);
  });

  it("ask for no ID: each one in a form or a filter is chosen by name", () => {
    // What no record has a page for is found by its link, and sent by it.
    const linked =
      /^(target_id|reference_id|transaction_id|provider_(\w+_)?id|payment_id|product_id|seller_tax_id|ids)$/;
    const typed = api.operations.flatMap(({ id, path, query, body }) =>
      [...fieldsOf(api, query), ...fieldsOf(api, body)]
        .filter(({ name }) => /_ids?$|_by$|^ids$/.test(name) && name !== "sort_by" && !linked.test(name))
        .filter(({ name }) => !pathOfType[typeOfField(name, path) ?? ""])
        .map(({ name }) => `${id}: ${name}`),
    );
    expect(typed).to.deep.equal([]);
  });

  /** Returns the keys of all labels that the pages show, as `labelOf` and its like look for them. */
  function shownLabels(): Set<string> {
    const keys = new Set<string>();
    const addField = ({ name, values, fields }: Field): void => {
      // What the page itself sets.
      if (name === "format" || name === "ids") return;
      keys.add(`fields.${name.replace(/(?<=.)_ids?$/, "")}`);
      // Names of events are the same in all languages.
      const isWord = (value: unknown) => typeof value === "string" && /^[^.*]+$/.test(value);
      const named = /^(sort|permissions?)$/.test(name) ? [] : values.filter(isWord);
      for (const value of named) keys.add(`values.${value}`);
      for (const field of fields) addField(field);
    };
    const addInput = (field: Field): void => {
      addField(field);
      const { name, schema, fields } = field;
      // Those of the page itself have no input of their own.
      if (schema.description && !/^(format|ids|page|limit|sort|before|q)$/.test(name))
        keys.add(`descriptions.${schema.description}`);
      for (const one of fields) addInput(one);
    };
    const addPage = (page: GenericPage): void => {
      const { read, create, update, actions, rowActions, bulkActions } = page;
      if (!read.path.endsWith("/:id")) keys.add(`resources.${read.path}`);
      for (const field of fieldsOf(api, itemsOf(api, read.data) ?? read.data)) addField(field);
      for (const field of fieldsOf(api, read.query)) addInput(field);
      for (const operation of [create, update, ...actions, ...rowActions, ...bulkActions]) {
        if (!operation) continue;
        keys.add(`operations.${operation.id}`);
        if (sentencesFor(operation.description)) keys.add(`consequences.${operation.id}`);
        for (const field of fieldsOf(api, operation.body)) addInput(field);
      }
    };
    for (const page of genericPages(api)) addPage(page);
    return keys;
  }

  /** A permission has a text of its own, or the name of what it is for. */
  function labelOfPermission(permission: string): string {
    const own = permission.replace(".", "_");
    const path = permission.split(".")[0]!.replace(/^catalogue_/, "catalogue/");
    return own in english.permissions ? `permissions.${own}` : `resources./${path}`;
  }

  it("have a label in each language for all that they show", async () => {
    const { knownSettings } = await ofServer("../../../../shared/domain/base/settings/known-settings.ts");
    const { permissions } = await ofServer("../../../../shared/contracts/permissions.ts");
    const settings = Object.entries<{ description: string }>(knownSettings);
    const shown = [
      ...shownLabels(),
      ...settings.flatMap(([name, { description }]) => [`fields.${name}`, `descriptions.${description}`]),
      ...knownSettings.room_categories.fallback.map((category: string) => `categories.${category}`),
      ...(permissions as readonly string[]).map(labelOfPermission),
    ];
    const missing = ["hi", "ar", "es", "pt", "id"].flatMap((language) => {
      const [texts, labels] = ["texts", "labels"].map((folder) =>
        JSON.parse(readFileSync(new URL(`../${folder}/${language}.json`, import.meta.url), "utf8")),
      );
      const has = (kind: string, name: string) => Boolean(texts[kind]?.[name] ?? labels[kind]?.[name]);
      return shown.flatMap((key) => {
        const [, kind, name] = /^(\w+)\.(.*)$/s.exec(key) as unknown as [string, string, string];
        const steps = name.split(/[/]/).filter((step) => step && !step.startsWith(":"));
        const ofPath = () => [steps.join("_"), steps.at(-1)!].map((one) => one.replaceAll("-", "_"));
        const names = kind === "resources" ? ofPath() : [name];
        return names.some((one) => has(kind, one)) ? [] : [`${language}: ${key}`];
      });
    });
    expect(missing).to.deep.equal([]);
  });

  it("link to lists that exist", () => {
    expect(Object.values(pathOfType).filter((path) => !api.at("get", path))).to.deep.equal([]);
  });
});
