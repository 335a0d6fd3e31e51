import { expect } from "chai";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { findDifferences } from "#shared/domain/money/ledger/check-ledger.ts";

/** What a database administrator can do to the ledger with SQL, past triggers and foreign keys. */
export type Alterations<Ledger> = Readonly<
  Record<
    string,
    {
      readonly change: (ledger: Ledger) => readonly (readonly [statement: string, ...values: unknown[]])[];
      /** A sentence of the check. */
      readonly found: (ledger: Ledger) => RegExp;
    }
  >
>;

/** Conditions of the entries and of the ledger transaction of a cause: `$1` is its ID, `$2` its type. */
export const entriesOf =
  "movement_id = (SELECT id FROM ledger_movements WHERE reference_id = $1 AND reference_type = $2)";
export const movement = "reference_id = $1 AND reference_type = $2";

/** Tests that the ledger's check finds each alteration, which is rolled back. */
export function itFinds<Ledger>(alterations: Alterations<Ledger>, ledgerOf: () => Ledger): void {
  let before: string[];

  for (const [name, { change, found: expectedOf }] of Object.entries(alterations))
    it(`finds that ${name}`, async () => {
      const ledger = ledgerOf();
      before ??= await inTransaction(() => findDifferences());
      const undone = new Error("undone");
      let found: string[] = [];
      await inTransaction(async (tx: Tx) => {
        await tx.query("SET LOCAL session_replication_role = replica");
        for (const [statement, ...values] of change(ledger)) await tx.query(statement, values);
        found = await findDifferences();
        throw undone;
      }).catch((error: unknown) => {
        if (error !== undone) throw error;
      });

      const sentences = found.filter((sentence) => !before.includes(sentence));
      const expected = expectedOf(ledger);
      expect(
        sentences.some((sentence) => expected.test(sentence)),
        `${expected} in ${sentences.join(" ")}`,
      ).to.equal(true);
    });
}
