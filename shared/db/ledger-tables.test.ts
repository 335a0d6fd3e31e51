import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { query } from "./query.ts";
import { inTransaction, sqlState, violatedConstraint } from "./transaction.ts";

const entries = `INSERT INTO ledger_entries (id, movement_id, type, asset, user_id, house, amount, balance_after, entry_no)
  SELECT id, $1, 'test', coalesce(asset, 'coins'), user_id, house, amount, balance_after, entry_no
  FROM jsonb_to_recordset($2)
    AS entry (id uuid, asset text, user_id uuid, house text, amount bigint, balance_after bigint, entry_no bigint)`;

interface Entry {
  asset?: string;
  user_id?: string;
  house?: string;
  amount: number;
  balance_after?: number;
  entry_no?: number;
}

async function write(transactionId: string, list: Entry[]): Promise<void> {
  await query(entries, [transactionId, JSON.stringify(list.map((entry) => ({ id: newId(), ...entry })))]);
}

async function newTransaction(): Promise<string> {
  const id = newId();
  await query(
    "INSERT INTO ledger_movements (id, reference_type, reference_id, description) VALUES ($1, 'test', $1, 'a test')",
    [id],
  );
  return id;
}

async function wallet(balance: number): Promise<string> {
  const id = newId();
  await query(
    `INSERT INTO users (id, username, email, full_name, password_hash, settings)
     VALUES ($1::uuid, $1::text, $1 || '@example.com', 'A Tester', '', '{}')`,
    [id],
  );
  await query("INSERT INTO wallets (user_id, balance) VALUES ($1, $2)", [id, balance]);
  return id;
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => "nothing was refused",
    (error: unknown) => sqlState(error) ?? String(error),
  );

describe("the ledger's tables", () => {
  useDatabase();

  it("accept a balanced transaction", async () => {
    const userId = await wallet(0);
    await write(await newTransaction(), [
      { user_id: userId, amount: 5, balance_after: 5, entry_no: 1 },
      { house: "issue", amount: -5 },
    ]);
  });

  it("reject a transaction whose entries do not add up to zero", async () => {
    const id = await newTransaction();
    expect(await failureOf(write(id, [{ house: "issue", amount: 5 }]))).to.equal("23514");
    expect(
      await failureOf(
        write(id, [
          { house: "issue", amount: 5 },
          { house: "debt", amount: -4 },
        ]),
      ),
    ).to.equal("23514");
    expect(await query("SELECT FROM ledger_entries WHERE movement_id = $1", [id])).to.deep.equal([]);
  });

  it("reject a transaction that mixes assets, and an entry of money in a wallet of coins", async () => {
    const userId = await wallet(5);
    const mixed = [
      { asset: "USD", house: "payments", amount: 5 },
      { asset: "EUR", house: "payments", amount: -5 },
    ];
    const inCoins = [
      { asset: "USD", user_id: userId, amount: 5, balance_after: 10, entry_no: 1 },
      { asset: "USD", house: "payments", amount: -5 },
    ];

    expect(await failureOf(write(await newTransaction(), mixed))).to.equal("23514");
    expect(await failureOf(write(await newTransaction(), inCoins))).to.equal("23503");
  });

  it("refuse to change or delete rows", async () => {
    const id = await newTransaction();
    await write(id, [
      { house: "issue", amount: -1 },
      { house: "debt", amount: 1 },
    ]);
    const failures = [
      query("UPDATE ledger_entries SET amount = amount * 2 WHERE movement_id = $1", [id]),
      query("DELETE FROM ledger_entries WHERE movement_id = $1", [id]),
      query("UPDATE ledger_movements SET description = 'other' WHERE id = $1", [id]),
      query("DELETE FROM ledger_movements WHERE id = $1", [id]),
      query("TRUNCATE ledger_entries"),
      inTransaction((tx) => tx.query("TRUNCATE ledger_movements CASCADE")),
    ];
    expect(await Promise.all(failures.map(failureOf))).to.deep.equal(Array(failures.length).fill("23001"));
    expect(await query("SELECT amount FROM ledger_entries WHERE movement_id = $1 ORDER BY amount", [id])).to.deep.equal(
      [{ amount: -1 }, { amount: 1 }],
    );
  });

  it("reject a second transaction for the same reference", async () => {
    const id = await newTransaction();
    const again = query(
      "INSERT INTO ledger_movements (id, reference_type, reference_id, description) VALUES ($1, 'test', $2, 'again')",
      [newId(), id],
    );
    expect(violatedConstraint(await again.catch((error: unknown) => error))).to.equal("ledger_movements_once");
  });

  it("reject a wallet below zero, and entries without exactly one account, coins or the new balance", async () => {
    const userId = await wallet(3);
    const below = query("UPDATE wallets SET balance = balance - 4 WHERE user_id = $1", [userId]);
    expect(violatedConstraint(await below.catch((error: unknown) => error))).to.equal("wallets_balance_not_negative");
    const own = { user_id: userId, balance_after: 4, entry_no: 1 };
    const wrong: [Entry, constraint: string][] = [
      [{ amount: 1 }, "ledger_entries_one_account"],
      [{ ...own, amount: 1, house: "issue" }, "ledger_entries_one_account"],
      [{ amount: 0, house: "issue" }, "ledger_entries_amount_check"],
      [{ user_id: userId, amount: 1, entry_no: 1 }, "ledger_entries_wallet_balance"],
      [{ ...own, amount: 1, balance_after: -1 }, "ledger_entries_balance_after_check"],
      [{ user_id: userId, amount: 1, balance_after: 4 }, "ledger_entries_wallet_order"],
      [{ amount: 1, house: "nowhere" }, "ledger_entries_house_check"],
      [{ amount: 1, house: "payments" }, "ledger_entries_house_check"],
      [{ amount: 1, asset: "USD", house: "issue" }, "ledger_entries_house_check"],
      [{ amount: 1, asset: "usd", house: "payments" }, "asset_check"],
      [{ amount: 9_000_000_000_000_001, house: "issue" }, "coins_check"],
    ];
    for (const [entry, constraint] of wrong) {
      const balanced = [entry, { house: "debt", amount: -entry.amount || 1 }];
      const refused = newTransaction().then((id) => write(id, balanced));
      expect(violatedConstraint(await refused.catch((error: unknown) => error)), constraint).to.equal(constraint);
    }
  });
});
