import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, line, listOf, nullable, oneOf, plainTime, time } from "#shared/contracts/fields.ts";
import { serverPermissions } from "#shared/contracts/permissions.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { ServerKeyModel } from "./server-key.model.ts";

/** The maximum number of keys. */
const keysMax = 50;

/** By which servers of the operator call. */
export const managedServerKeys: ManagedResource = {
  resource: "server_keys",
  name: "server_key",
  one: "a server key",
  many: "server keys",
  model: ServerKeyModel,
  fields: {
    name: line(1, 60, "Recommendations"),
    permissions: listOf(oneOf(...serverPermissions))
      .unique()
      .example(["users.read"])
      .description(
        "What it may do, as far as your own role may at the time of the call. None is for managing roles, administrators, and server keys, or for listening to evidence.",
      ),
    calls_per_minute: integer(1, 6000, 600).description("Of its own and of its bots together."),
    expires_at: nullable(plainTime("2027-01-31T00:00:00.000Z"))
      .example(null)
      .description("From then on, it doesn't work. Null: it has no end."),
  },
  defaults: { calls_per_minute: 600, expires_at: null },
  shown: {
    bots: listOf(id(exampleIds.grace)).description("The users that it may act as, by the header `Act-As`."),
    created_by: nullable(id(exampleIds.admin)),
    previous_until: nullable(time("2026-01-31T12:00:00.000Z"))
      .example(null)
      .description("Until then, the key before the last rotation works, too."),
    last_used_at: nullable(time("2026-01-31T12:00:00.000Z")).example(null).description("To the minute."),
  },
  changed: assertFewEnough,
  search: ["name"],
  sorts: ["-created_at", "name"],
  exampleId: exampleIds.webhook,
};

/** @throws CONFLICT */
async function assertFewEnough(tx: Tx): Promise<void> {
  const [{ n } = { n: 0 }] = await tx.query<{ n: number }>("SELECT count(*) AS n FROM server_keys");
  if (n > keysMax)
    throw new DomainError("CONFLICT", "There can be at most {{count}} server keys. Delete one first.", {
      values: { count: keysMax },
    });
}
