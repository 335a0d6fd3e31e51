import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { listOf, object, text } from "#shared/contracts/fields.ts";
import { namedRecord } from "#shared/contracts/views.ts";
import { foundOfKindMax } from "#shared/domain/operations/search/kinds.ts";
import { listNames, searchRecords } from "#shared/domain/operations/search/search.queries.ts";
import { adminRead } from "../../../http/admin-route.ts";
import type { Route } from "../../../http/route.ts";

const tag = "Search";
const permission = "dashboard.read";
const readable = "Only records that your role may read are returned.";
const refsMax = 100;

/** `user:<id>,gift:<id>`. A UUID has 36 characters, and a type at most 40. */
const refs = () =>
  Joi.string()
    .max(refsMax * 78)
    .pattern(
      new RegExp(`^[a-z_]{1,40}:[0-9a-f-]{1,36}(,[a-z_]{1,40}:[0-9a-f-]{1,36}){0,${refsMax - 1}}$`),
      "references",
    )
    .description(`Up to ${refsMax} references of the form \`type:id\`, separated by commas.`)
    .example(`user:${exampleIds.grace},catalogue_top_up:1`);

/** Finds records of all kinds. */
export const searchRoutes = (): Route[] => [
  adminRead({
    tag,
    id: "searchRecords",
    method: "get",
    path: "/search",
    summary: "Search records",
    description: `Finds users, rooms, orders, gifts, and all other records by a part of a name of at least 2 characters (at most ${foundOfKindMax} of each kind; rooms, tickets, broadcasts, and adjustments by at least 3), or by an ID. Users are also found by email address and mobile number, orders by the ID of their provider, rooms by the ID of a message, and users by the ID of a session or an API key. ${readable}`,
    extension: true,
    permission,
    query: object({ q: text(1, 100, "grace") }),
    response: listOf(namedRecord),
    handler: ({ caller, query }) => searchRecords(caller, query.q),
  }),
  adminRead({
    tag,
    id: "listNames",
    method: "get",
    path: "/names",
    summary: "List names of records",
    description: `Returns the display names of records, by ID, in no particular order. Unknown ones are left out. ${readable}`,
    extension: true,
    permission,
    query: object({ refs: refs() }),
    response: listOf(namedRecord),
    handler: ({ caller, query }) =>
      listNames(
        caller,
        query.refs.split(",").map((ref: string) => {
          const [type = "", id = ""] = ref.split(":");
          return { type, id };
        }),
      ),
  }),
];
