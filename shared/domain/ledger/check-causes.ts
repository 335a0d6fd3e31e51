import { query } from "#shared/db/query.ts";
import { type Cause, causeColumns, causes } from "./causes.ts";

/** An entry that the cause calls for or that is in the ledger, where the two differ. */
interface Difference {
  readonly account: string;
  /** What the cause calls for; null if it calls for no entry of this account. */
  readonly due: string | null;
  /** What is in the ledger; null without an entry. */
  readonly found: string | null;
  readonly principal: boolean;
  readonly time: boolean;
  readonly description: boolean;
}

interface BrokenCause {
  type: string;
  id: string;
  movement: string | null;
  due: number;
  found: number;
  differences: Difference[];
}

const all: Readonly<Record<string, Cause>> = causes;
const dueEntries = Object.entries(all).map(([type, { entries }]) => `SELECT '${type}', * FROM (${entries}) AS of_type`);

/**
 * The entries that all causes call for beside those in the ledger, grouped by cause. One hash join over both: a
 * comparison of texts for each cause would sort all of them.
 */
const comparison = `WITH due (cause, ${causeColumns}) AS (${dueEntries.join(" UNION ALL ")}),
  found AS (
    SELECT m.reference_type AS cause, m.reference_id AS id, coalesce(e.user_id::text, e.house) AS account,
      m.id AS movement_id, e.type, e.amount, m.principal_kind, m.principal_id, m.created_at, m.description,
      e.created_at AS entered_at
    FROM ledger_movements m JOIN ledger_entries e ON e.movement_id = m.id
  ), compared AS (
    SELECT cause, id, account, f.movement_id, d.type AS due_type, d.amount AS due_amount, f.type AS found_type,
      f.amount AS found_amount, (d.type, d.amount) IS DISTINCT FROM (f.type, f.amount) AS coins,
      f.principal_kind IS NOT NULL AND d.at IS NOT NULL
        AND (f.principal_kind, f.principal_id) IS DISTINCT FROM (d.principal_kind, d.principal_id) AS principal,
      f.created_at <> d.at OR f.entered_at <> f.created_at AS time, f.description <> d.says AS description
    FROM due d FULL JOIN found f USING (cause, id, account)
  )
  SELECT cause AS type, id, min(movement_id::text) AS movement, count(due_type) AS due, count(found_type) AS found,
    json_agg(json_build_object('account', account, 'due', due_amount || ' as ' || due_type,
      'found', found_amount || ' as ' || found_type, 'principal', coalesce(principal, false),
      'time', coalesce(time, false), 'description', coalesce(description, false)) ORDER BY account)
      FILTER (WHERE coins OR principal OR time OR description) AS differences
  FROM compared GROUP BY cause, id HAVING bool_or(coins OR principal OR time OR description)
  ORDER BY cause, id`;

/**
 * Checks that each cause has one ledger transaction with exactly the entries that it calls for, by the right principal and at
 * the right time, and that each ledger transaction has a cause.
 */
export async function checkCauses(): Promise<string[]> {
  const broken = await query<BrokenCause>(comparison);
  const twice = await query<{ type: string; id: string; count: number }>(
    `SELECT reference_type AS type, reference_id AS id, count(*) FROM ledger_movements
     GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 1, 2`,
  );
  return [
    ...broken.flatMap(sentencesOf),
    ...twice.map(({ type, id, count }) => `${nameOf(type, id)} has ${count} ledger transactions instead of one.`),
  ];
}

const nameOf = (type: string, id: string): string => `${all[type]?.title ?? type} ${id}`;
const inSentence = (name: string): string => name[0]!.toLowerCase() + name.slice(1);

function sentencesOf({ type, id, movement, due, found, differences }: BrokenCause): string[] {
  if (!all[type]) return [`Ledger transaction ${movement} refers to ${type} ${id}, which is no known cause.`];
  const name = nameOf(type, id);
  const cause = inSentence(name);
  if (due === 0) return [`${name} calls for no coins, but coins moved for it in ledger transaction ${movement}.`];
  if (found === 0) return [`No coins moved for ${cause}.`];

  const some = (key: "principal" | "time" | "description") => differences.some((one) => one[key]);
  return [
    ...differences
      .filter((one) => one.due !== one.found)
      .map((one) => `The coins moved for ${cause} differ from its row: ${entryText(one)}.`),
    ...(some("principal") ? [`Ledger transaction ${movement} names another principal than ${cause}.`] : []),
    ...(some("time") ? [`Ledger transaction ${movement} is of another time than ${cause}.`] : []),
    ...(some("description") ? [`Ledger transaction ${movement} is described otherwise than ${cause}.`] : []),
  ];
}

const entryText = ({ account, due, found }: Difference): string =>
  `account ${account} moved ${found ?? "nothing"} instead of ${due ?? "nothing"}`;
