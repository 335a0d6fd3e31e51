import type { Source } from "./cause.ts";

/** What runs have paid, in earnings. A host who owns the agency by now has one entry for both. */
export const runLines: Source = {
  from: "run_lines c JOIN runs r ON r.id = c.run_id",
  where: "c.paid_at IS NOT NULL",
  asset: "'earnings'",
  at: "c.paid_at",
  says: "'Settlement of ' || r.starts_on",
  entries: [
    ["c.host_id::text", "'salary'", "c.salary + CASE WHEN c.owner_id = c.host_id THEN c.commission ELSE 0 END", "0"],
    ["c.owner_id::text", "'commission'", "CASE WHEN c.owner_id = c.host_id THEN 0 ELSE c.commission END", "0"],
    ["'issue'", "'salary'", "-(c.salary + c.commission)", "0"],
  ],
};
