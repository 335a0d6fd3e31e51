import { query } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";
import { seal, sealedPrefix, unseal } from "#shared/kernel/seal.ts";

/** A column of secrets. One that can't be named `…_sealed` is listed all the same. */
interface SealedColumn {
  readonly table: string;
  /** The column that identifies a row. */
  readonly key: string;
  readonly column: string;
  /** SQL of the context that a row's secret is sealed with. */
  readonly context: string;
}

/** All columns of sealed secrets. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "admins", key: "id", column: "totp_secret", context: "id" },
  { table: "users", key: "id", column: "totp_secret_sealed", context: "id" },
  { table: "webhook_endpoints", key: "id", column: "secret_sealed", context: "'webhook ' || id" },
  { table: "event_endpoints", key: "id", column: "secret_sealed", context: "'event endpoint ' || id" },
  { table: "event_endpoints", key: "id", column: "previous_secret_sealed", context: "'event endpoint ' || id" },
  { table: "http_hooks", key: "id", column: "secret_sealed", context: "'http hook ' || id" },
  { table: "http_hooks", key: "id", column: "previous_secret_sealed", context: "'http hook ' || id" },
  { table: "identities", key: "user_id", column: "secret", context: "'identity ' || user_id" },
  { table: "sealed_keys", key: "name", column: "key_sealed", context: "'key ' || name" },
  { table: "voice_evidence", key: "id", column: "key_sealed", context: "'voice evidence ' || id" },
  { table: "payouts", key: "id", column: "details_sealed", context: "'payout ' || id" },
  { table: "catalogue_gateways", key: "id", column: "parameters_sealed", context: "'gateway ' || id" },
  { table: "catalogue_codes", key: "id", column: "code_sealed", context: "'code ' || encode(fingerprint, 'hex')" },
];

export interface Resealed {
  /** `admins.totp_secret` */
  readonly column: string;
  /** How many were sealed with another key. */
  readonly changed: number;
  /** How many no configured key opens. They stay as they are. */
  readonly lost: number;
}

const batchSize = 500;

/** Seals all stored secrets with the current key. Safe while the service runs, and to run twice. */
export async function resealAll(): Promise<Resealed[]> {
  const resealed: Resealed[] = [];
  for (const column of sealedColumns) resealed.push(await resealColumn(column));
  return resealed;
}

async function resealColumn({ table, key, column, context }: SealedColumn): Promise<Resealed> {
  let [changed, lost, last] = [0, 0, ""];
  for (;;) {
    const rows = await query<{ id: string; context: string; sealed: string }>(
      `SELECT ${key}::text AS id, (${context})::text AS context, ${column} AS sealed FROM ${table}
       WHERE ${column} IS NOT NULL AND NOT starts_with(${column}, $1) AND ${key}::text > $2
       ORDER BY ${key}::text LIMIT ${batchSize}`,
      [sealedPrefix(), last],
    );
    if (rows.length === 0) return { column: `${table}.${column}`, changed, lost };

    const opened = rows.map(({ id, context: of, sealed }) => ({ id, of, sealed, text: openedOf(of, sealed) }));
    const known = opened.filter((row) => row.text !== undefined);
    // A secret that was changed meanwhile is left alone: the service has sealed it with the current key.
    await alone(
      `UPDATE ${table} SET ${column} = new.sealed
       FROM unnest($1::text[], $2::text[], $3::text[]) AS new (id, old, sealed)
       WHERE ${table}.${key}::text = new.id AND ${table}.${column} = new.old`,
      [known.map(({ id }) => id), known.map(({ sealed }) => sealed), known.map(({ of, text }) => seal(of, text!))],
    );
    changed += known.length;
    lost += rows.length - known.length;
    last = rows.at(-1)!.id;
  }
}

/** An earlier release stored second factors as they are: Base32, which has no dot. */
const openedOf = (context: string, stored: string): string | undefined =>
  stored.includes(".") ? unseal(context, stored) : stored;
