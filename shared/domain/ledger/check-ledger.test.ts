import { expect } from "chai";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { checkLedger } from "./check-ledger.ts";

/** Writes without triggers and foreign keys, as only a database administrator can. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  await inTransaction(async (tx) => {
    await tx.query("SET LOCAL session_replication_role = replica");
    await tx.query(statement, values);
  });
}

interface Entry {
  id: string;
  movement_id: string;
  user_id: string;
}

describe("checkLedger", () => {
  useDatabase();

  /** A user with 100 coins, and the entry that brought them. */
  async function holder(): Promise<Entry> {
    const { id } = await buildUser({ coins: 100 });
    const entry = await queryOne<Entry>("SELECT id, movement_id, user_id FROM ledger_entries WHERE user_id = $1", [id]);
    return entry!;
  }

  /** What a recount says that names one of these, after tampering; what was tampered with is put back. */
  async function findings(
    { id, movement_id, user_id }: Entry,
    statement: string,
    values: unknown[],
    mend: [string, unknown[]],
  ): Promise<string[]> {
    await tamper(statement, values);
    const differences = await checkLedger();
    await tamper(...mend);
    return differences.filter((sentence) => [id, movement_id, user_id].some((named) => sentence.includes(named)));
  }

  it("finds no difference in a correct ledger", async () => {
    const entry = await holder();
    const nothing: [string, unknown[]] = ["SELECT 1", []];
    expect(await findings(entry, ...nothing, nothing)).to.deep.equal([]);
  });

  it("names a changed balance", async () => {
    const entry = await holder();
    const set = "UPDATE wallets SET balance = $2 WHERE user_id = $1";
    const wallet = `The wallet of user ${entry.user_id}`;
    expect(await findings(entry, set, [entry.user_id, 101], [set, [entry.user_id, 100]])).to.deep.equal([
      `${wallet} holds 101, but its entries add up to 100.`,
      `${wallet} holds 101, but its entry 1 left 100.`,
    ]);
  });

  it("names a changed amount by its wallet, entry and ledger transaction, and the total", async () => {
    const entry = await holder();
    const set = "UPDATE ledger_entries SET amount = $2 WHERE id = $1";
    await tamper(set, [entry.id, 90]);
    const differences = await checkLedger();
    await tamper(set, [entry.id, 100]);
    expect(differences).to.include.members([
      `The wallet of user ${entry.user_id} holds 100, but its entries add up to 90.`,
      `Entry ${entry.id} of user ${entry.user_id} moved 90 from a balance of 0, but says it left 100.`,
      `The entries of ledger transaction ${entry.movement_id} add up to -10 instead of zero.`,
    ]);
    expect(differences.at(-1)).to.match(/^The whole ledger adds up to -?\d+ instead of zero\.$/);
  });

  it("names a changed balance after an entry", async () => {
    const entry = await holder();
    const set = "UPDATE ledger_entries SET balance_after = $2 WHERE id = $1";
    expect(await findings(entry, set, [entry.id, 99], [set, [entry.id, 100]])).to.deep.equal([
      `The wallet of user ${entry.user_id} holds 100, but its entry 1 left 99.`,
      `Entry ${entry.id} of user ${entry.user_id} moved 100 from a balance of 0, but says it left 99.`,
    ]);
  });

  it("names a removed entry", async () => {
    const entry = await holder();
    const remove = "DELETE FROM ledger_entries WHERE id = $1";
    const restore = `INSERT INTO ledger_entries (id, movement_id, type, user_id, amount, balance_after, entry_no)
      VALUES ($1, $2, 'admin_adjustment', $3, 100, 100, 1)`;
    const wallet = `The wallet of user ${entry.user_id}`;
    const mend: [string, unknown[]] = [restore, [entry.id, entry.movement_id, entry.user_id]];
    expect(await findings(entry, remove, [entry.id], mend)).to.deep.equal([
      `${wallet} holds 100, but its entries add up to 0.`,
      `${wallet} has counted 1 entries, but has 0.`,
      `${wallet} holds 100, but its entry 1 left nothing.`,
      `The entries of ledger transaction ${entry.movement_id} add up to -100 instead of zero.`,
      `Ledger transaction ${entry.movement_id} has 1 entries instead of two or more.`,
    ]);
  });

  it("names entries of a missing transaction or wallet, and a user without a wallet", async () => {
    const entry = await holder();
    const nowhere = newId();
    const set = "UPDATE ledger_entries SET movement_id = $2 WHERE movement_id = $1";
    const moved = await findings(
      { ...entry, movement_id: nowhere },
      set,
      [entry.movement_id, nowhere],
      [set, [nowhere, entry.movement_id]],
    );
    expect(moved).to.deep.equal([`Ledger transaction ${nowhere} does not exist, but has 2 entries.`]);
    const remove = "DELETE FROM wallets WHERE user_id = $1";
    const restore = "INSERT INTO wallets (user_id, balance, entry_count) VALUES ($1, 100, 1)";
    expect(await findings(entry, remove, [entry.user_id], [restore, [entry.user_id]])).to.deep.equal([
      `User ${entry.user_id} has no wallet.`,
      `The wallet of user ${entry.user_id} does not exist, but has 1 entries.`,
    ]);
  });

  it("names a gift whose coins differ from its row, or never moved", async () => {
    const { user_id: sender } = await holder();
    const { id: recipient } = await buildUser();
    const [gift, room] = [newId(), newId()];
    const send = `INSERT INTO gift_transactions
      (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins, recipient_coins)
      VALUES ($1, $2, $3, $4, $5, 1, 10, 10, 5)`;
    await tamper(send, [gift, newId(), room, sender, recipient]);
    const unmoved = await checkLedger();
    await tamper(
      "UPDATE ledger_movements SET reference_type = 'gift_transaction', reference_id = $2 WHERE reference_id = $1",
      [sender, gift],
    );
    const otherwise = await checkLedger();
    await tamper("DELETE FROM gift_transactions WHERE id = $1", [gift]);
    const unsent = await checkLedger();
    await tamper(
      "UPDATE ledger_movements SET reference_type = 'test_grant', reference_id = $1 WHERE reference_id = $2",
      [sender, gift],
    );
    expect(unmoved).to.include(`No coins moved for gift transaction ${gift}.`);
    expect(otherwise).to.include(`The coins moved for gift transaction ${gift} differ from its row.`);
    expect(unsent).to.include(`Gift transaction ${gift} does not exist, but coins moved for it.`);
  });
});
