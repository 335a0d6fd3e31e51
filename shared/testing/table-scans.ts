import { expect } from "chai";
import { query } from "#shared/db/query.ts";

interface Prepared {
  name: string;
  statement: string;
  parameters: number;
  runs: number;
}

/** Returns the prepared statements of this connection, and how often each was run. */
const prepared = () =>
  query<Prepared>(`SELECT name, statement, coalesce(array_length(parameter_types, 1), 0) AS parameters,
    generic_plans + custom_plans AS runs FROM pg_prepared_statements`);

/**
 * Returns which of these tables the statements of `work` scan sequentially, according to the plans that were used. Call
 * it inside a transaction, because it inspects one connection.
 */
export async function tableScansOf(tables: readonly string[], work: () => Promise<unknown>): Promise<string[]> {
  const runsBefore = new Map((await prepared()).map(({ name, runs }) => [name, runs]));
  await work();
  const run = (await prepared()).filter(({ name, runs }) => runs > (runsBefore.get(name) ?? 0));
  const found: string[] = [];
  let explained = 0;
  for (const { name, statement, parameters } of run.filter(({ statement }) =>
    /^\s*(SELECT|WITH|UPDATE|DELETE)/.test(statement),
  )) {
    const values = parameters > 0 ? `(${Array(parameters).fill("NULL").join(", ")})` : "";
    const plan = await query<{ "QUERY PLAN": string }>(`EXPLAIN EXECUTE ${name}${values}`);
    const scans = plan.filter((line) =>
      new RegExp(`Seq Scan on (${tables.join("|")})(_past)?\\b`).test(line["QUERY PLAN"]),
    );
    found.push(...scans.map((line) => `${line["QUERY PLAN"].trim()}, in ${statement}`));
    explained += 1;
  }
  expect(explained).to.be.greaterThan(0);
  return found;
}
