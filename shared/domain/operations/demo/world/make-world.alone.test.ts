import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { checkAuditLog } from "#shared/domain/operations/admins/audit-chain.ts";
import { chainLedger, checkLedgerChain } from "#shared/domain/operations/admins/ledger-chain.ts";
import { configureAuditSigning } from "#shared/domain/operations/admins/signed-heads.ts";
import { tablesWith } from "#shared/testing/canaries.ts";
import "#shared/testing/fakes/sandbox-payments.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { seedDemo } from "../seed-demo.ts";
import { appealOfSpammer, cast, comments, directMessages, heldPosts, tickets } from "./cast.ts";
import { makeWorld } from "./make-world.ts";
import { removeWorld } from "./remove-world.ts";

/** The tables of what the world's people do. */
const tables = [
  "users",
  "rooms",
  "posts",
  "post_comments",
  "post_likes",
  "user_follows",
  "direct_messages",
  "gift_transactions",
  "payment_orders",
  "payments",
  "ledger_movements",
  "reports",
  "support_tickets",
  "held_content",
  "sanctions",
  "appeals",
  "catalogue_orders",
  "api_keys",
];

/** Each test continues with the world of the one before. */
describe("the demo world", function () {
  this.timeout(60_000);
  let cleanUp: (() => Promise<void>) | undefined;
  useService();
  before("signs heads", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hubbub-world-"));
    configureAuditSigning({ secrets: ["the tests of the world sign heads with this"], folder });
    cleanUp = () => rm(folder, { recursive: true, force: true });
  });
  after(() => cleanUp?.());
  const count = (): Promise<Record<string, number>> =>
    queryOne(`SELECT ${tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(", ")}`).then(
      (counts) => counts as Record<string, number>,
    );
  const mark = (name: string) => queryOne(`SELECT id FROM users WHERE username = $1`, [name]);

  it("is told to its end after it was cut off anywhere, and nothing in it twice", async () => {
    await seedDemo();
    const cutOff = new AbortController();
    const told = makeWorld(cutOff.signal).catch((error: unknown) => error);
    await until("some have joined", async () => (await query("SELECT FROM posts")).length > 5, 40_000);
    cutOff.abort();
    expect(await told).to.have.property("name", "AbortError");
    const half = await count();
    expect(await makeWorld()).to.equal(true);
    const whole = await count();
    for (const table of ["post_comments", "reports", "held_content", "appeals", "support_tickets", "catalogue_orders"])
      expect(whole[table], table).to.be.greaterThan(half[table]!);
    expect(whole).to.include({ users: cast.length + 2, posts: cast.filter(({ post }) => post).length + 3 });

    expect(await makeWorld()).to.equal(true);
    expect(await count()).to.deep.equal(whole);
  });

  it("is a month of history that the ledger and the audit log agree with", async () => {
    expect(await checkLedger()).to.deep.equal([]);
    await chainLedger();
    expect(await checkLedgerChain()).to.not.have.property("difference");
    expect(await checkAuditLog()).to.not.have.property("difference");
    const days = await query("SELECT DISTINCT date_trunc('day', time_of_id(id)) FROM gift_transactions");
    expect(days.length).to.be.greaterThan(20);
    const old = await query("SELECT FROM users WHERE created_at < now() - interval '20 days'");
    expect(old.length).to.be.greaterThan(10);
  });

  it("adds what is missing, but nothing once there is someone else", async () => {
    const before = await count();
    await query("DELETE FROM support_tickets WHERE subject = $1", [tickets[0].subject]);
    expect(await makeWorld()).to.equal(true);
    expect(await count()).to.deep.equal(before);
    await query("UPDATE users SET email = 'real@example.com' WHERE username = $1", [cast[0]!.username]);
    await query("DELETE FROM support_tickets WHERE subject = $1", [tickets[0].subject]);
    expect(await makeWorld()).to.equal(false);
    expect(await count()).to.deep.equal({ ...before, support_tickets: before.support_tickets! - 1 });
    await query("UPDATE users SET email = username || '@demo.example' WHERE username = $1", [cast[0]!.username]);
  });

  it("leaves nothing that its people have typed when it is removed, and doesn't come back", async () => {
    expect(await mark("ada")).to.not.equal(undefined);
    expect(await removeWorld()).to.equal(cast.length + 2);
    await until(
      "all are erased",
      async () => (await query("SELECT FROM users WHERE erased_at IS NULL")).length === 0,
      40_000,
    );
    await query("DELETE FROM idempotency_keys");
    const typed = [
      ...cast.flatMap(({ username, full_name, bio, post, room }) => [username, full_name, bio, post, room?.name]),
      ...comments,
      ...directMessages,
      ...heldPosts,
      appealOfSpammer,
      ...tickets.map(({ message }) => message),
    ].filter((text) => text !== undefined);
    expect(await tablesWith(typed)).to.deep.equal([]);
    expect(await checkLedger()).to.deep.equal([]);
    expect(await makeWorld()).to.equal(false);
  });
});
