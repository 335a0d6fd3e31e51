import { exampleIds } from "#shared/contracts/examples.ts";
import { integer, oneOf, text } from "#shared/contracts/fields.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord, ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { createManaged } from "#shared/domain/base/managed/write-managed.ts";
import { problemOfUrl } from "#shared/domain/base/webhooks/post-webhook.ts";
import { hookDeadlineMs, isHookTarget } from "#shared/extension/hooks.ts";
import { DomainError, type FieldText } from "#shared/kernel/domain-error.ts";
import { seal } from "#shared/kernel/seal.ts";
import { newSecret } from "#shared/kernel/standard-webhooks.ts";
import { HttpHookModel } from "./http-hook.model.ts";
import { loadHttpHooks, sealedFor } from "./http-hooks.ts";

/** The maximum number of hooks that are servers. */
const hooksMax = 20;

/** Hooks that are servers of the operator. */
export const managedHttpHooks: ManagedResource = {
  resource: "http_hooks",
  name: "http_hook",
  one: "an HTTP hook",
  many: "HTTP hooks",
  model: HttpHookModel,
  fields: {
    moment: oneOf("before", "after").description(
      "`before`: your server may change the input, or refuse. `after`: it is notified of what has succeeded.",
    ),
    target: text(3, 100, "operation:sendGift").description(
      "`operation:` and the ID of an operation of users, or `action:` and the name of a realtime action.",
    ),
    url: text(1, 500, "https://rules.example.com/gifts").description(
      "http or https, also in your own network, without a user name.",
    ),
    deadline_ms: integer(10, 5000, hookDeadlineMs).description(
      "How long the caller waits for the answer, milliseconds.",
    ),
    failure: oneOf("open", "closed").description(
      "What happens without a valid answer in time: the call goes on, or is refused.",
    ),
  },
  defaults: { deadline_ms: hookDeadlineMs },
  check: (values) => wrongHook(values as { url: string; target: string }),
  changed: async (tx) => {
    const [{ n } = { n: 0 }] = await tx.query<{ n: number }>("SELECT count(*) AS n FROM http_hooks");
    if (n > hooksMax)
      throw new DomainError("CONFLICT", "There can be at most {{count}} HTTP hooks. Delete one first.", {
        values: { count: hooksMax },
      });
    await tx.signal("hooks.changed", {});
  },
  search: ["url", "target"],
  sorts: ["-created_at", "target"],
  exampleId: exampleIds.webhook,
};

function wrongHook({ url, target }: { readonly url: string; readonly target: string }): FieldText | undefined {
  const problem = problemOfUrl(url, "own network");
  if (problem) return { field: "url", text: problem };
  return isHookTarget(target) ? undefined : { field: "target", text: "{{field}} names nothing that can have a hook" };
}

/** How long the previous secret signs after a rotation, hours. */
export const overlapHours = 24;

/** Gives a hook another secret. For a day, the previous one signs, too. @throws NOT_FOUND */
export async function rotateHookSecret(
  caller: AdminPrincipal,
  id: string,
): Promise<ManagedRecord & { readonly secret: string }> {
  const secret = newSecret();
  await inTransaction(async (tx) => {
    const rotated = await tx.query(
      `UPDATE http_hooks SET previous_secret_sealed = secret_sealed, secret_sealed = $2,
         previous_until = now() + interval '${overlapHours} hours', updated_at = now(), version = version + 1
       WHERE id = $1 RETURNING 1`,
      [id, seal(sealedFor(id), secret)],
    );
    if (rotated.length === 0) throw new DomainError("NOT_FOUND");
    await tx.signal("hooks.changed", {});
    await tx.audit(caller, { action: "http_hook.rotate_secret", target: { type: managedHttpHooks.name, id } });
  });
  await loadHttpHooks();
  return { ...(await getManaged(managedHttpHooks, id)), secret };
}

/**
 * Creates a hook. Its secret is in this result and nowhere else.
 * @throws VALIDATION_ERROR for an address that is never called, or an unknown target; CONFLICT when there are 20
 */
export async function createHttpHook(
  caller: AdminPrincipal,
  input: Readonly<Record<string, unknown>>,
): Promise<ManagedRecord & { readonly secret: string }> {
  const secret = newSecret();
  const record = await createManaged(caller, managedHttpHooks, input, async (tx, id) => {
    await HttpHookModel.change(tx, { id }, { secret_sealed: seal(sealedFor(id), secret) });
  });
  await loadHttpHooks();
  return { ...record, secret };
}
