import { expect } from "chai";
import { query } from "#shared/db/query.ts";

interface Prepared {
  name: string;
  statement: string;
  parameters: number;
  runs: number;
}

/** The statements that this connection has prepared, and how often each was run. */
const prepared = () =>
  query<Prepared>(`SELECT name, statement, coalesce(array_length(parameter_types, 1), 0) AS parameters,
    generic_plans + custom_plans AS runs FROM pg_prepared_statements`);

/**
 * Which of these tables the statements run by `work` read from end to end, by the very plans that they were run with.
 * Called inside a transaction: it looks at one connection.
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
    const scans = plan.filter((line) => new RegExp(`Seq Scan on (${tables.join("|")})\\b`).test(line["QUERY PLAN"]));
    found.push(...scans.map((line) => `${line["QUERY PLAN"].trim()}, in ${statement}`));
    explained += 1;
  }
  expect(explained).to.be.greaterThan(0);
  return found;
}
