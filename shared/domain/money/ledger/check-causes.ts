import { query } from "#shared/db/query.ts";
import { coins, earnings, isMoney } from "./assets.ts";
import { type Cause, causeColumns } from "./cause.ts";
import { causes } from "./causes.ts";

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
  money: boolean;
  due: number;
  found: number;
  differences: Difference[];
}

const all: Readonly<Record<string, Cause>> = causes;
const dueEntries = Object.entries(all).map(([type, { entries }]) => `SELECT '${type}', * FROM (${entries}) AS of_type`);

/** An entry as text: `-40 as frame_purchase`, `-40 (of which -10 bought) as gift_sent`, `-8.99 USD as deposit`. */
const entryText = (row: string) =>
  `CASE ${row}.asset WHEN '${coins}' THEN ${row}.amount::text WHEN '${earnings}' THEN ${row}.amount || ' ${earnings}'
     ELSE trim_scale(${row}.amount::numeric / 10000) || ' ' || ${row}.asset END
     || CASE WHEN d.bought <> f.bought THEN ' (of which ' || ${row}.bought || ' bought)' ELSE '' END || ' as ' || ${row}.type`;

/**
 * The entries that all causes call for beside those in the ledger, grouped by cause. One hash join over both: a
 * comparison of texts for each cause would sort all of them.
 */
const comparison = `WITH due (cause, ${causeColumns}) AS (${dueEntries.join(" UNION ALL ")}),
  found AS (
    SELECT m.reference_type AS cause, m.reference_id AS id, coalesce(e.user_id::text, e.house) AS account,
      m.id AS movement_id, e.type, e.amount, e.bought, m.principal_kind, m.principal_id, m.created_at, m.description,
      e.created_at AS entered_at, e.asset
    FROM ledger_movements m JOIN ledger_entries e ON e.movement_id = m.id
  ), compared AS (
    SELECT cause, id, account, asset, f.movement_id, ${entryText("d")} AS due, ${entryText("f")} AS found,
      ${isMoney("asset")} AS money,
      (d.type, d.amount) IS DISTINCT FROM (f.type, f.amount) OR coalesce(d.bought <> f.bought, false)
        AS amounts,
      f.principal_kind IS NOT NULL AND d.at IS NOT NULL
        AND (f.principal_kind, f.principal_id) IS DISTINCT FROM (d.principal_kind, d.principal_id) AS principal,
      f.created_at <> d.at OR f.entered_at <> f.created_at AS time, f.description <> d.says AS description
    FROM due d FULL JOIN found f USING (cause, id, account, asset)
  )
  SELECT cause AS type, id, min(movement_id::text) AS movement, bool_or(money) AS money, count(due) AS due, count(found) AS found,
    json_agg(json_build_object('account', account, 'due', due, 'found', found, 'principal', coalesce(principal, false),
      'time', coalesce(time, false), 'description', coalesce(description, false)) ORDER BY account, asset)
      FILTER (WHERE amounts OR principal OR time OR description) AS differences
  FROM compared GROUP BY cause, id HAVING bool_or(amounts OR principal OR time OR description)
  ORDER BY cause, id`;

/**
 * Checks that each cause has one ledger transaction with exactly the entries that it calls for, by the right principal
 * and at the right time, and that each ledger transaction has a cause.
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

function sentencesOf({ type, id, movement, money, due, found, differences }: BrokenCause): string[] {
  if (!all[type]) return [`Ledger transaction ${movement} refers to ${type} ${id}, which is no known cause.`];
  const name = nameOf(type, id);
  const cause = inSentence(name);
  const moves = money ? "money" : "coins";
  if (due === 0) return [`${name} calls for no ${moves}, but ${moves} moved for it in ledger transaction ${movement}.`];
  if (found === 0) return [`No ${moves} moved for ${cause}.`];

  const some = (key: "principal" | "time" | "description") => differences.some((one) => one[key]);
  return [
    ...differences
      .filter((one) => one.due !== one.found)
      .map(
        (one) =>
          `The ${moves} moved for ${cause} ${money ? "differs" : "differ"} from its row: ${differenceText(one)}.`,
      ),
    ...(some("principal") ? [`Ledger transaction ${movement} names another principal than ${cause}.`] : []),
    ...(some("time") ? [`Ledger transaction ${movement} is of another time than ${cause}.`] : []),
    ...(some("description") ? [`Ledger transaction ${movement} is described otherwise than ${cause}.`] : []),
  ];
}

const differenceText = ({ account, due, found }: Difference): string =>
  `account ${account} moved ${found ?? "nothing"} instead of ${due ?? "nothing"}`;
