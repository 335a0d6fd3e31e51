import { buildUser } from "#shared/testing/factories.ts";
import { type Alterations, itFinds } from "#shared/testing/ledger-alterations.ts";
import { payLine } from "#shared/testing/runs.ts";
import { useService } from "#shared/testing/service.ts";

interface Ledger {
  readonly line: string;
}

const alterations: Alterations<Ledger> = {
  "a host got another salary than their line says": {
    change: ({ line }) => [["UPDATE run_lines SET salary = 71 WHERE id = $1", line]],
    found: ({ line }) => new RegExp(`line of a run ${line}`, "i"),
  },
  "a paid line is gone": {
    change: ({ line }) => [["DELETE FROM run_lines WHERE id = $1", line]],
    found: ({ line }) => new RegExp(line),
  },
  "a line says that it was paid, without a ledger transaction": {
    change: ({ line }) => [
      [
        "DELETE FROM ledger_entries WHERE movement_id = (SELECT id FROM ledger_movements WHERE reference_id = $1)",
        line,
      ],
      ["DELETE FROM ledger_movements WHERE reference_id = $1", line],
    ],
    found: ({ line }) => new RegExp(line),
  },
};

describe("checkLedger of runs", () => {
  useService();
  let ledger: Ledger;
  before(async () => {
    ledger = { line: await payLine((await buildUser()).id) };
  });

  itFinds(alterations, () => ledger);
});
