import { exampleIds } from "#shared/contracts/examples.ts";
import { coins, id, integer, object } from "#shared/contracts/fields.ts";
import type { ExtensionTransfer, Hub, HubTx } from "./hub.ts";
import { adminRoute, type ExtensionRoute } from "./routes.ts";

/**
 * A budget: coins in the extension's account of the ledger, which administrators fund, so that its rewards end when
 * they are spent. These are its tables, for a migration.
 */
export const budgetTables = `
  CREATE TABLE budget (single boolean PRIMARY KEY DEFAULT true CHECK (single), coins bigint NOT NULL CHECK (coins >= 0));
  INSERT INTO budget (coins) VALUES (0);
  CREATE TABLE funds (id uuid PRIMARY KEY, coins bigint NOT NULL CHECK (coins > 0), created_at timestamptz NOT NULL DEFAULT now());`;

const titled = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase());

/** The cause of what funds the budget of an extension, as `fund` of `causes`. `of`: `missions`, in texts. */
export const fundCause = (name: string, of: string) => ({
  title: `Budget of ${of}`,
  entries: `SELECT id, account, amount FROM ext_${name}.funds
    CROSS JOIN LATERAL (VALUES ('issue', -coins), ('ext_${name}', coins)) AS e (account, amount)`,
});

/** The operation that funds the budget: `POST /admin/<name>/funds`. */
export const fundRoute = (hub: Hub, name: string, of: string): ExtensionRoute =>
  adminRoute({
    id: `fund${titled(name)}`,
    method: "post",
    path: `/${name.replaceAll("_", "-")}/funds`,
    summary: `Fund the ${of}`,
    permission: "write",
    audit: { action: `${name}.fund`, target: `${name}_fund` },
    body: object({ coins: integer(1, 1_000_000_000, 10_000) }).meta({ name: `Fund${titled(name)}Body` }),
    response: object({ id: id(exampleIds.gift), budget: coins(10_000) }).meta({ name: `${titled(name)}Fund` }),
    status: 201,
    handler: ({ caller, body }) =>
      hub.transaction(async (tx) => {
        const fundId = hub.newId();
        await tx.query(`INSERT INTO ext_${name}.funds (id, coins) VALUES ($1, $2)`, [fundId, body.coins]);
        await tx.transfer({
          ...{ cause: "fund", id: fundId, by: caller, description: `Budget of ${of}` },
          entries: [
            { account: "own", amount: body.coins },
            { account: "issue", amount: -body.coins },
          ],
        });
        const [budget] = await tx.query<{ coins: number }>(
          `UPDATE ext_${name}.budget SET coins = coins + $1 RETURNING coins`,
          [body.coins],
        );
        const target = { type: `${name}_fund`, id: fundId };
        await tx.audit(caller, { action: `${name}.fund`, target, after: { coins: body.coins } });
        return { id: fundId, budget: budget!.coins };
      }),
  });

/** Step: takes coins from the budget for a transfer that follows. Returns false, and takes none, if it has too few. */
export async function spend(tx: HubTx, name: string, amount: number): Promise<boolean> {
  const sql = `UPDATE ext_${name}.budget SET coins = coins - $1 WHERE coins >= $1 RETURNING 1`;
  return (await tx.query(sql, [amount])).length > 0;
}

/**
 * The entries of a transfer that pays a user from the extension's account, or, if `amount` is negative, the account
 * from the user's wallet. `bought`: how many of the coins that the user gets count as bought.
 */
export const payment = (userId: string, amount: number, bought = 0): ExtensionTransfer["entries"] => [
  { account: { userId }, amount, bought },
  { account: "own", amount: -amount },
];
