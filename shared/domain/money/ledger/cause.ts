/**
 * What coins and money move for. Each ledger transaction refers to one cause by type and ID, and `checkLedger` compares
 * the two.
 */
export interface Cause {
  /** Its name at the start of a sentence. */
  readonly title: string;
  /** Selects the ledger entries that the stored causes call for, with the columns of `causeColumns`. */
  readonly entries: string;
}

/**
 * `id`: of the cause. `account`: a user's ID or a house account. `type`, `asset`, `amount`: of the entry.
 * `principal_kind` and `principal_id`: who moves them. `at`: when. `says`: the description, and `bought`: how many of
 * the coins were bought; null if the cause doesn't determine it.
 */
export const causeColumns = "id, account, type, asset, amount, bought, principal_kind, principal_id, at, says";

export interface Source {
  /** The table of the causes as `c`, with what it joins. */
  readonly from: string;
  readonly where?: string;
  /** What moves; coins by default. */
  readonly asset?: string;
  /** Two columns: the kind and the ID of the principal. */
  readonly by?: string;
  readonly at: string;
  readonly says?: string;
  /** Account, type, amount, and bought coins of each entry. Entries of zero are left out. */
  readonly entries: readonly (readonly [account: string, type: string, amount: string, bought?: string])[];
}

const service = "'service', NULL::uuid";

function selectEntries({ from, where = "true", asset = "'coins'", by = service, at, says = "NULL", entries }: Source) {
  const values = entries.map(([account, type, amount, bought = "NULL::bigint"]) => [account, type, amount, bought]);
  return `SELECT c.id, e.account::text, e.type, ${asset}::text, e.amount::bigint, e.bought::bigint, ${by}, ${at}, ${says}
    FROM ${from} CROSS JOIN LATERAL (VALUES ${values.map((one) => `(${one})`).join(", ")}) AS e (account, type, amount, bought)
    WHERE e.amount <> 0 AND ${where}`;
}

export const causeOf = (title: string, ...sources: readonly Source[]): Cause => ({
  title,
  entries: sources.map(selectEntries).join(" UNION ALL "),
});
