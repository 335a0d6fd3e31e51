import { expect } from "chai";
import fc from "fast-check";
import { service } from "#shared/contracts/principal.ts";
import { hashRequest, type IdempotentCall } from "#shared/db/idempotency.ts";
import { query, queryColumn } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { buyFrame } from "#shared/domain/money/store/buy-frame.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { buildFrame } from "#shared/testing/sales.ts";
import { checkLedger } from "./check-ledger.ts";
import { grantCoins } from "./grant-coins.ts";

const price = 10;
const start = 120;

/** A call. `from` and `to` number the people, `frame` the frames. */
type Asked =
  | {
      readonly kind: "gift";
      readonly from: number;
      readonly to: number;
      readonly quantity: number;
      readonly repeated: boolean;
    }
  | { readonly kind: "frame"; readonly from: number; readonly frame: number; readonly repeated: boolean }
  /** Given or taken in a transaction of its own. */
  | { readonly kind: "grant"; readonly from: number; readonly coins: number };

const person = fc.nat(2);
const gift = fc.record({
  kind: fc.constant("gift" as const),
  from: person,
  to: person,
  quantity: fc.integer({ min: 1, max: 9 }),
  repeated: fc.boolean(),
});
const frame = fc.record({
  kind: fc.constant("frame" as const),
  from: person,
  frame: fc.nat(1),
  repeated: fc.boolean(),
});
const grant = fc.record({ kind: fc.constant("grant" as const), from: person, coins: fc.constantFrom(-40, -5, 5, 60) });

/**
 * Rounds of calls that arrive at one moment. No one buys a frame twice in a round: such purchases wait for each other.
 */
const rounds: fc.Arbitrary<Asked[][]> = fc.array(
  fc.oneof(
    fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: gift }, { weight: 1, arbitrary: frame }), {
      minLength: 2,
      maxLength: 12,
      selector: (asked) => (asked.kind === "frame" ? `${asked.from} ${asked.frame}` : asked),
    }),
    fc.tuple(grant),
  ),
  { minLength: 1, maxLength: 4 },
);

/**
 * A call waits a turn for its key, and another for its frame: in this order, those that are made together also arrive.
 */
const turnsOf = (asked: Asked): number =>
  Number("repeated" in asked && asked.repeated) + Number(asked.kind === "frame");

/** What three people must have if each call is judged alone, in the order of the calls. */
class Model {
  readonly entries: [type: string, amount: number][][] = [[], [], []];
  readonly owned = new Set<string>();

  balanceOf(who: number): number {
    return this.entries[who]!.reduce((sum, [, amount]) => sum + amount, start);
  }

  judge(asked: Asked): string {
    if (asked.kind === "grant") return this.#move(asked.from, "admin_adjustment", asked.coins);
    if (asked.kind === "gift") {
      if (asked.from === asked.to) return "FORBIDDEN";
      const outcome = this.#move(asked.from, "gift_sent", -price * asked.quantity);
      if (outcome === "ok") this.#move(asked.to, "gift_received", (price * asked.quantity) / 2);
      return outcome;
    }
    const owned = `${asked.from} ${asked.frame}`;
    if (this.owned.has(owned)) return "ALREADY_OWNED";
    const outcome = this.#move(asked.from, "frame_purchase", -framePrices[asked.frame]!);
    if (outcome === "ok") this.owned.add(owned);
    return outcome;
  }

  #move(who: number, type: string, amount: number): string {
    if (this.balanceOf(who) + amount < 0) return "INSUFFICIENT_BALANCE";
    this.entries[who]!.push([type, amount]);
    return "ok";
  }
}

const framePrices = [30, 75];

describe("movements", () => {
  useDatabase();

  async function scene() {
    const people = await Promise.all(Array.from({ length: 3 }, () => buildUser({ coins: start })));
    const frames = await Promise.all(framePrices.map((coins) => buildFrame({ price: coins })));
    const [{ id: gift_id }, { id: room_id }] = await Promise.all([buildGift({ price }), buildRoom()]);
    const idOf = (who: number) => people[who]!.id;

    const ask = (asked: Asked, idempotency?: IdempotentCall): Promise<unknown> => {
      const caller = callerOf(people[asked.from]!);
      if (asked.kind === "frame") return buyFrame(caller, { frameId: frames[asked.frame]!.id }, idempotency);
      if (asked.kind === "gift")
        return transferGift(
          caller,
          { room_id, gift_id, recipient_id: idOf(asked.to), quantity: asked.quantity },
          idempotency,
        );
      const given = { kind: "adjustment", userId: caller.userId, coins: asked.coins, reason: "A test" } as const;
      return inTransaction((tx) => grantCoins(tx, { by: service, ...given }));
    };
    return { people, frames, ask };
  }

  /** The entries of a wallet, in order, after its first. */
  const entriesOf = async ({ id }: BuiltUser) =>
    (
      await query<{ type: string; amount: number }>(
        "SELECT type, amount FROM ledger_entries WHERE user_id = $1 ORDER BY entry_no OFFSET 1",
        [id],
      )
    ).map(({ type, amount }) => [type, amount]);

  const balanceOf = async ({ id }: BuiltUser) =>
    (await query<{ balance: number }>("SELECT balance FROM wallets WHERE user_id = $1", [id]))[0]!.balance;

  /** What a recount says about these users and the ledger transactions that touched them. */
  async function differencesOf(userIds: string[]): Promise<string[]> {
    const moved = await queryColumn(
      "SELECT DISTINCT movement_id FROM ledger_entries WHERE user_id = ANY ($1::uuid[])",
      [userIds],
    );
    const ids = [...userIds, ...moved];
    return (await checkLedger()).filter((difference) => ids.some((id) => difference.includes(id)));
  }

  it("of all kinds that arrive together are judged one by one, in order, and once for a key", async function () {
    this.timeout(60_000);
    const seen = new Set<string>();
    const everyone: string[] = [];
    await fc.assert(
      fc.asyncProperty(rounds, async (asked) => {
        const { people, ask } = await scene();
        everyone.push(...people.map(({ id }) => id));
        const model = new Model();
        for (const unordered of asked) {
          const round = unordered.toSorted((a, b) => turnsOf(a) - turnsOf(b));
          const keys = round.map((one) => ({ scope: `${newId()} test`, key: newId(), requestHash: hashRequest(one) }));
          const isRepeated = (one: Asked) => one.kind !== "grant" && one.repeated;
          const first = round.map((one, index) => ask(one, isRepeated(one) ? keys[index] : undefined));
          const again = round.flatMap((one, index) => (isRepeated(one) ? [ask(one, keys[index])] : []));
          const outcomes = await Promise.all([...first, ...again].map(outcomeOf));

          const expected = round.map((one) => model.judge(one));
          // A call that was refused may be made again with its key.
          const expectedAgain = round.flatMap((one, index) => {
            if (!isRepeated(one)) return [];
            return expected[index] === "ok" ? "ok" : model.judge(one);
          });
          expect(outcomes).to.deep.equal([...expected, ...expectedAgain]);
          for (const outcome of outcomes) seen.add(outcome);
        }
        for (const [who, one] of people.entries()) {
          expect(await entriesOf(one)).to.deep.equal(model.entries[who]);
          expect(await balanceOf(one)).to.equal(model.balanceOf(who));
        }
      }),
      { numRuns: 60 },
    );
    expect([...seen].sort()).to.deep.equal(["ALREADY_OWNED", "FORBIDDEN", "INSUFFICIENT_BALANCE", "ok"]);
    expect(await differencesOf(everyone)).to.deep.equal([]);
  });

  it("of several kinds share a transaction", async () => {
    const { people, ask } = await scene();

    await Promise.all([
      ask({ kind: "gift", from: 0, to: 1, quantity: 1, repeated: false }),
      ask({ kind: "frame", from: 1, frame: 0, repeated: false }),
      ask({ kind: "gift", from: 2, to: 0, quantity: 2, repeated: false }),
    ]);

    const transactions = await queryColumn(
      `SELECT xmin::text FROM ledger_movements WHERE reference_type <> 'demo' AND id IN
         (SELECT movement_id FROM ledger_entries WHERE user_id = ANY($1::uuid[]) AND entry_no > 1)`,
      [people.map(({ id }) => id)],
    );
    expect(transactions).to.have.length(3);
    expect(new Set(transactions).size).to.equal(1);
  });

  it("are made without the one that another process has made meanwhile", async () => {
    const { people, frames, ask } = await scene();
    const [ada, bob] = [people[0]!, people[1]!];
    const frameId = frames[0]!.id;
    const sold = Promise.withResolvers<void>();
    const committed = Promise.withResolvers<void>();
    // The other process: it has stored the ownership, and commits when ours waits for it.
    const other = inTransaction(async (tx) => {
      await tx.query("INSERT INTO frame_ownerships (user_id, frame_id) VALUES ($1, $2)", [ada.id, frameId]);
      sold.resolve();
      await committed.promise;
    });
    await sold.promise;
    const calls = [
      outcomeOf(buyFrame(callerOf(ada), { frameId })),
      outcomeOf(buyFrame(callerOf(bob), { frameId })),
      outcomeOf(ask({ kind: "gift", from: 2, to: 0, quantity: 1, repeated: false })),
    ];
    for (let waits = 0; waits === 0; )
      waits = (
        await query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'",
        )
      ).length;
    committed.resolve();
    await other;

    expect(await Promise.all(calls)).to.deep.equal(["ALREADY_OWNED", "ok", "ok"]);
    expect(await balanceOf(ada)).to.equal(start + price / 2);
  });
});
