import type { Model } from "sequelize";
import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction, sqlState, type Tx, violatedConstraint } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { toRecord } from "./managed.queries.ts";
import { canRetire, type ManagedRecord, type ManagedResource, type RecordId } from "./managed-resource.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Creates a record. `within` runs in the same transaction.
 * @throws CONFLICT if another one has the same name, VALIDATION_ERROR for invalid values or references
 */
export const createManaged = (
  principal: Principal,
  managed: ManagedResource,
  given: Values,
  within?: (tx: Tx, id: string) => Promise<void>,
): Promise<ManagedRecord> =>
  withKnownErrors(managed, () =>
    inTransaction(async (tx) => {
      const { input, secret } = withoutSecret(managed, given);
      await assertConsistent(managed, input);
      // The database numbers what has integers.
      const row = await managed.model.create(
        typeof managed.exampleId === "number" ? { ...input } : { ...input, id: newId() },
      );
      const secretStored = await storeSecret(tx, managed, row.get("id") as RecordId, secret);
      await row.reload();
      const record = toRecord(managed, row);
      await within?.(tx, String(record.id));
      await managed.changed?.(tx);
      const stored = Object.entries(input).map(([name, value]) => [name, name in record ? record[name] : value]);
      await tx.audit(principal, {
        action: `${managed.name}.create`,
        target: targetOf(managed, record.id),
        after: { ...Object.fromEntries(stored), ...secretStored, version: record.version },
      });
      return record;
    }),
  );

interface UpdateOptions {
  /** The version that the change is based on. Without it, the last change wins. */
  readonly version?: number | undefined;
  /** Runs in the same transaction, with the record locked. Returns what else the audit entry says of the change. */
  readonly within?: (tx: Tx) => Promise<object>;
}

/**
 * Changes fields of a record; `retired` retires it, or brings it back.
 * @throws NOT_FOUND, CONFLICT with the fields that were changed since, VALIDATION_ERROR
 */
export const updateManaged = (
  principal: Principal,
  managed: ManagedResource,
  id: RecordId,
  given: Values,
  { version, within }: UpdateOptions = {},
): Promise<ManagedRecord> =>
  withKnownErrors(managed, () =>
    inTransaction(async (tx) => {
      const { input, secret } = withoutSecret(managed, given);
      const { retired, ...changes } = input;
      const row = await lockRow(managed, id);
      const before = toRecord(managed, row);
      if (version !== undefined && version !== before.version) throw await changedSince(tx, managed, before, version);

      // What the rules refuse by now can still be retired.
      if (retired !== true) await assertConsistent(managed, { ...before, ...changes });
      const more = { ...(await within?.(tx)), ...(await storeSecret(tx, managed, id, secret)) };
      const retiring =
        retired === undefined ? {} : { retired_at: retired ? (before.retired_at ?? new Date(clock.now())) : null };
      await row.update({ ...changes, ...retiring, version: before.version + 1, updated_at: new Date(clock.now()) });
      await row.reload();
      await managed.changed?.(tx);
      const record = toRecord(managed, row);
      const changed = differences(before, record);
      await tx.audit(principal, {
        action: `${managed.name}.update`,
        target: targetOf(managed, id),
        before: changed.before,
        after: { ...changed.after, ...more },
      });
      return record;
    }),
  );

/**
 * Deletes a record. One that anything refers to, such as a gift that was ever sold, is retired instead.
 * @throws NOT_FOUND
 */
export async function deleteManaged(
  principal: Principal,
  managed: ManagedResource,
  id: RecordId,
): Promise<"deleted" | "retired"> {
  const action = `${managed.name}.delete`;
  const target = targetOf(managed, id);
  try {
    await inTransaction(async (tx) => {
      const row = await lockRow(managed, id);
      await row.destroy();
      await managed.changed?.(tx);
      const { id: _id, created_at, updated_at, ...before } = toRecord(managed, row);
      await tx.audit(principal, { action, target, before });
    });
    return "deleted";
  } catch (error) {
    if (sqlState(error) !== foreignKeyViolation || !canRetire(managed)) throw toKnownError(managed, error);
  }

  await inTransaction(async (tx) => {
    const row = await lockRow(managed, id);
    const before = toRecord(managed, row);
    const retired_at = before.retired_at ?? new Date(clock.now());
    await row.update({ retired_at, version: before.version + 1, updated_at: new Date(clock.now()) });
    await tx.audit(principal, { action, target, ...differences(before, toRecord(managed, row)) });
  });
  return "retired";
}

/** Returns the columns that are written, and the value of the secret field apart; undefined if it isn't written. */
function withoutSecret({ secret }: ManagedResource, given: Values): { input: Values; secret: unknown } {
  if (!secret) return { input: given, secret: undefined };
  const { [secret.name]: value, ...input } = given;
  return { input, secret: value };
}

/** Step: stores a new value of the secret field. Returns what the audit log says of it. */
async function storeSecret(tx: Tx, { secret }: ManagedResource, id: RecordId, value: unknown): Promise<object> {
  if (!secret || value === undefined) return {};
  await secret.store(tx, id, value);
  return { [secret.name]: "(not recorded)" };
}

const targetOf = ({ name }: ManagedResource, id: RecordId) => ({ type: name, id: String(id) });

/** @throws VALIDATION_ERROR when the values contradict each other */
async function assertConsistent({ check }: ManagedResource, values: Values): Promise<void> {
  const wrong = await check?.(values);
  if (wrong) throw invalidFields([wrong]);
}

async function lockRow({ model }: ManagedResource, id: RecordId): Promise<Model> {
  const row = await model.findByPk(id, { lock: true });
  if (!row) throw new DomainError("NOT_FOUND");
  return row;
}

/** Returns the fields that differ, before and after, always with the version. */
function differences(before: ManagedRecord, after: ManagedRecord): { before: object; after: object } {
  const changed = Object.keys(after).filter(
    (name) => name !== "updated_at" && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (record: ManagedRecord) => Object.fromEntries(changed.map((name) => [name, record[name]]));
  return { before: pick(before), after: pick(after) };
}

/** Returns the error for a change that is based on an old version: it names the fields that were changed since. */
async function changedSince(
  tx: Tx,
  { name, one }: ManagedResource,
  current: ManagedRecord,
  version: number,
): Promise<DomainError> {
  const changes = await tx.query<{ field: string }>(
    `SELECT DISTINCT jsonb_object_keys(after) AS field FROM audit_log
     WHERE target_type = $1 AND target_id = $2 AND (after->>'version')::integer > $3 ORDER BY 1`,
    [name, String(current.id), version],
  );
  const details = changes
    .filter(({ field }) => field !== "version" && field in current)
    .map(({ field }) => ({ field, message: `${field} is now ${JSON.stringify(current[field])}` }));
  return new DomainError(
    "CONFLICT",
    "You are editing version {{version}} of {{one}}, but it is at version {{current}}.",
    { details, values: { version, one, current: Number(current.version) } },
  );
}

const uniqueViolation = "23505";
const exclusionViolation = "23P01";
const foreignKeyViolation = "23503";

function toKnownError({ one, model }: ManagedResource, error: unknown): unknown {
  if (sqlState(error) === uniqueViolation)
    return new DomainError("CONFLICT", "These values are already used by {{one}}.", { values: { one } });
  if (sqlState(error) === exclusionViolation)
    return new DomainError("CONFLICT", "This period overlaps that of {{one}}.", { values: { one } });
  if (sqlState(error) !== foreignKeyViolation) return error;

  const column = (violatedConstraint(error) ?? "").replace(`${model.getTableName()}_`, "").replace("_fkey", "");
  if (!(column in model.getAttributes())) return new DomainError("CONFLICT", "It is in use.");
  return invalidFields([{ field: column, text: "{{field}} doesn't exist" }]);
}

async function withKnownErrors<T>(managed: ManagedResource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toKnownError(managed, error);
  }
}
