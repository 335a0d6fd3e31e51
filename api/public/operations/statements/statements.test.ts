import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import type { Statement } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { passOnCoins } from "#shared/domain/money/sellers/pass-on-coins.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { checkLedgerChain, signLedgerHead } from "#shared/domain/operations/admins/ledger-chain.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltAgency, buildAgency, buildContract } from "#shared/testing/agencies.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { makeSeller } from "#shared/testing/payouts.ts";
import { callerOf } from "#shared/testing/people.ts";
import { payLine } from "#shared/testing/runs.ts";
import { useService } from "#shared/testing/service.ts";
import { runsOf } from "../../../web/pdf.ts";

const script = new URL("../../../../docs/verify-statement.mjs", import.meta.url).pathname;

/** Returns another value of the same kind. */
function other(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value !== "string") return { ...(value as object), id: "0" };
  const [year] = /^20\d\d(?=-)/.exec(value) ?? [];
  if (year) return value.replace(year, String(Number(year) - 1));
  return `${value.startsWith("a") ? "b" : "a"}${value.slice(1)}`;
}

/** Returns copies of a statement, each with one change, by what is changed. */
function forgeriesOf(statement: Statement): Record<string, Statement> {
  const changed = (change: (copy: Statement) => void): Statement => {
    const copy = structuredClone(statement);
    change(copy);
    return copy;
  };
  const line = (change: (one: Record<string, unknown>) => void) =>
    changed((copy) => change(copy.lines[2] as unknown as Record<string, unknown>));
  const { lines, head, page_url: _page, csv_url: _csv, json_url: _json, pdf_url: _pdf, ...fields } = statement;
  return {
    ...Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        changed((copy) => Object.assign(copy, { [name]: other(value) })),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(lines[2]!)
        .filter(([name]) => name !== "path")
        .map(([name, value]) => [`line's ${name}`, line((one) => Object.assign(one, { [name]: other(value) }))]),
    ),
    ...Object.fromEntries(
      Object.entries(head!).map(([name, value]) => [
        `head's ${name}`,
        changed((copy) => Object.assign(copy.head!, { [name]: other(value) })),
      ]),
    ),
    "a path": line((one) => Object.assign(one, { path: (one.path as string[]).slice(1) })),
    "an omitted line": changed((copy) => copy.lines.splice(2, 1)),
    "an omitted first line": changed((copy) => {
      copy.lines.shift();
      Object.assign(copy, { opening_balance: 6, opening_entry_no: 1, credits: copy.credits - 6 });
    }),
    "an omitted last line": changed((copy) => {
      const { amount } = copy.lines.pop()!;
      Object.assign(copy, { credits: copy.credits - amount, closing_balance: copy.closing_balance! - amount });
    }),
    "a line put twice": changed((copy) => copy.lines.splice(2, 0, copy.lines[2]!)),
    "lines in another order": changed((copy) => copy.lines.reverse()),
    "another entry's proof": changed((copy) => {
      copy.lines[2]!.path = copy.lines[3]!.path;
    }),
    "no head": changed((copy) => Object.assign(copy, { head: null })),
  };
}

describe("statements of earnings", function () {
  this.timeout(60_000);
  const service = useService();
  let folder: string;
  let host: BuiltUser;
  let fan: BuiltUser;
  let giftId: string;
  let roomId: string;
  const month = new Date().toISOString().slice(0, 7);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-statement-"));
    [host, fan] = await Promise.all([buildUser(), buildUser()]);
    giftId = (await buildGift({ price: 10 })).id;
    roomId = (await buildRoom({ host })).id;
    const shares = [
      { to: "receiver", basis_points: 6000, asset: "earnings" },
      { to: "house", basis_points: 4000 },
    ] as const;
    await buildSplitPlan(shares, { gift_ids: [giftId] });
    await buyCoins(fan.id, 2000);
    for (let quantity = 1; quantity <= 5; quantity += 1) await give(quantity);
    await signLedgerHead();
  });
  after(async () => {
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
    rememberSettings({ earnings_maturing_days: settingDefault("earnings_maturing_days") });
    await rm(folder, { recursive: true });
  });

  const give = (quantity: number) =>
    transferGift(callerOf(fan), { room_id: roomId, gift_id: giftId, recipient_id: host.id, quantity });
  const get = (period: string, user = host) =>
    service.call("get", `/earnings/statements/${period}`, { token: user.token });
  const statementOf = async (period = month): Promise<Statement> => (await get(period)).body.data;
  const heads = async () => (await service.call("get", "/earnings/statements/heads")).body.data.heads as object[];

  let files = 0;
  let key: string | undefined;
  /** What the script says about a statement. */
  async function verify(statement: object, kept?: readonly object[]): Promise<string> {
    files += 1;
    const [file, headsFile] = [join(folder, `${files}.json`), join(folder, `${files}.ndjson`)];
    await writeFile(file, JSON.stringify({ data: statement }));
    key ??= (await statementOf()).public_key;
    const options = ["--key", key];
    if (kept) {
      await writeFile(headsFile, kept.map((head) => `${JSON.stringify(head)}\n`).join(""));
      options.push("--heads", headsFile);
    }
    try {
      return (await promisify(execFile)(process.execPath, [script, file, ...options])).stdout.trim();
    } catch (error) {
      return (error as { stderr: string }).stderr.trim();
    }
  }

  it("are verified by the script, with each line's gift, and say what no root covers yet", async () => {
    const statement = await statementOf();
    expect(statement).to.include({ opening_balance: 0, closing_balance: 90, credits: 90, debits: 0, pending: 0 });
    expect(statement.lines.map(({ amount, reference }) => [amount, reference.type])).to.deep.equal(
      [6, 12, 18, 24, 30].map((amount) => [amount, "gift_transaction"]),
    );
    const verified = `Verified: 5 lines of ${month}, from 0 to 90 earnings.`;
    expect(await verify(statement, await heads())).to.equal(verified);

    await give(6);
    const later = await statementOf();
    expect(later).to.include({ pending: 1, closing_balance: 90 });
    expect(await verify(later)).to.equal(`1 entries are newer than the root, and not in the statement.\n${verified}`);
    await signLedgerHead();
    // The roots of before hold beside those of later.
    expect(await verify(statement, await heads())).to.equal(verified);
    expect(await verify(await statementOf(), await heads())).to.match(/^Verified: 6 lines/);
    expect((await checkLedgerChain()).difference).to.equal(undefined);
  });

  it("fail if anything in them is changed", async () => {
    const statement = await statementOf();
    const forgeries = forgeriesOf(statement);
    expect(Object.keys(forgeries).length).to.be.greaterThan(30);
    const outcomes = await Promise.all(
      Object.entries(forgeries).map(async ([name, forged]) => [name, await verify(forged)] as const),
    );
    expect(
      outcomes.filter(([, outcome]) => outcome === "" || /Verified/.test(outcome)).map(([name]) => name),
    ).to.deep.equal([]);
    // A head that isn't among the published ones is forged, even if it is signed.
    expect(await verify(statement, [{ ...statement.head, hash: "00" }])).to.equal(
      "The root isn't among those that were published.",
    );
  });

  it("reveal nothing of others: neither their IDs and balances, nor hashes that can be guessed", async () => {
    const text = JSON.stringify(await statementOf());
    const theirs = await query<{ id: string; user_id: string | null }>(
      "SELECT id, user_id FROM ledger_entries WHERE user_id IS DISTINCT FROM $1",
      [host.id],
    );
    expect(theirs.length).to.be.greaterThan(10);
    expect(theirs.filter(({ id, user_id }) => text.includes(id) || (user_id && text.includes(user_id)))).to.deep.equal(
      [],
    );
    const salts = (await statementOf()).lines.map(({ salt }) => salt);
    expect(new Set(salts).size).to.equal(salts.length);
  });

  it("are those of the caller, of a period that has begun", async () => {
    expect((await get(month, fan)).body.data.lines).to.deep.equal([]);
    const day = new Date().toISOString();
    expect((await get(day.slice(0, 10))).body.data.lines.length).to.be.within(0, 6);
    expect((await get("2026-01")).body.data).to.deep.include({
      lines: [],
      closing_balance: 0,
      to: "2026-02-01T00:00:00.000Z",
    });
    expect(await verify((await get("2026-01-31T23")).body.data)).to.match(/^Verified: 0 lines of 2026-01-31T23/);
    for (const period of ["2099-01", "2026-13", "2026-02-30", "2026-02-01T24", "2026"])
      expect((await get(period)).body.error?.code, period).to.equal("VALIDATION_ERROR");
  });

  it("can be printed and downloaded for an hour, by their link", async () => {
    const { page_url, csv_url } = await statementOf();
    const page = await fetch(page_url, { headers: { "Accept-Language": "es" } });
    expect(page.status).to.equal(200);
    expect(await page.text()).to.include("Extracto de Diamonds");
    const csv = await (await fetch(csv_url)).text();
    expect(csv.split("\n")[1]).to.match(/^1,[^,]+,gift_received,credit,6,6,gift_transaction,/);
    expect((await fetch(page_url.replace(month, "2026-01"))).status).to.equal(404);
  });

  it("are PDFs in the language of their reader, whose letters are in their fonts", async () => {
    const { pdf_url } = await statementOf();
    for (const language of ["en", "ar", "hi"]) {
      const response = await fetch(pdf_url, { headers: { "Accept-Language": language } });
      const pdf = Buffer.from(await response.arrayBuffer()).toString("latin1");
      expect([response.status, response.headers.get("content-type")]).to.deep.equal([200, "application/pdf"]);
      expect(pdf.slice(0, 5) + pdf.trimEnd().slice(-5)).to.equal("%PDF-%%EOF");
      expect(pdf.match(/\/Type \/Page\b/g)).to.have.length(1);
      expect(/\+NotoSans(?:-Regular)?\b/.test(pdf), language).to.equal(true);
      expect(pdf.includes("NotoSansArabic"), language).to.equal(language === "ar");
      expect(pdf.includes("NotoSansDevanagari"), language).to.equal(language === "hi");
    }
    const runs = runsOf("Zoë Łuk, हिन्दी 12, المبلغ 3");
    expect(runs.map(({ font, text }) => `${font}:${text}`)).to.deep.equal([
      "latin:Zoë ",
      "extended:Ł",
      "latin:uk, ",
      "devanagari:हिन्दी ",
      "latin:12, ",
      "arabic:المبلغ ",
      "latin:3",
    ]);
  });

  describe("of an agency", () => {
    let [boss, clerk, star]: BuiltUser[] = [];
    let agency: BuiltAgency;
    before(async () => {
      [boss, clerk, star] = await Promise.all([buildUser(), buildUser(), buildUser()]);
      agency = await buildAgency({}, boss);
      const call = { token: boss!.token, body: { user_id: clerk!.id } };
      await service.call("post", `/agencies/${agency.id}/staff`, call);
      const shared = (await buildGift({ price: 10 })).id;
      const shares = [
        { to: "receiver", basis_points: 5000, asset: "earnings" },
        { to: "agency", basis_points: 1000, asset: "earnings" },
        { to: "house", basis_points: 4000 },
      ] as const;
      await buildSplitPlan(shares, { gift_ids: [shared] });
      await payLine(star!.id, agency);
      const giveTo = (to: BuiltUser, quantity: number) =>
        transferGift(callerOf(fan), { room_id: roomId, gift_id: shared, recipient_id: to.id, quantity });
      // The owner's own gift, and one to a host of another agency of theirs, are none of this one's.
      const other = await buildUser();
      await buildContract(await buildAgency({}, boss), other);
      for (const [to, quantity] of [
        [star!, 2],
        [boss!, 3],
        [other, 4],
      ] as const)
        await giveTo(to, quantity);
      rememberSettings({ refund_clawback: "shares" });
      fan = await buildUser();
      const payment = await buyCoins(fan.id, 50);
      await giveTo(star!, 5);
      await inTransaction((tx) => refundPayment(tx, "sandbox", payment, { id: newId(), amount: 50 }));
      rememberSettings({ refund_clawback: settingDefault("refund_clawback") });
      await signLedgerHead();
    });
    const ofAgency = ({ token }: { token?: string }) =>
      service.call("get", `/agencies/${agency.id}/statements/${month}`, { ...(token && { token }) });

    it("has what it brought its owner, with proofs for them, and without their balance for the staff", async () => {
      const full: Statement = (await ofAgency(boss!)).body.data;
      const linesOf = ({ lines }: Statement) => lines.map(({ type, direction, amount }) => [type, direction, amount]);
      expect(linesOf(full)).to.deep.equal([
        ["commission", "credit", 30],
        ["gift_share", "credit", 2],
        ["gift_share", "credit", 5],
        ["gift_refund", "debit", 5],
      ]);
      expect(full).to.include({
        opening_balance: null,
        closing_balance: null,
        agency_id: agency.id,
        user_id: boss!.id,
      });
      expect(await verify(full, await heads())).to.equal(
        `Verified: 4 lines of ${month}, 37 earnings earned, 5 earnings taken.`,
      );
      const outcomes = await Promise.all(
        Object.entries(forgeriesOf(full))
          .filter(([name]) => !name.startsWith("opening"))
          .map(async ([name, forged]) => [name, await verify(forged)] as const),
      );
      expect(outcomes.filter(([, outcome]) => outcome === "" || /Verified/.test(outcome))).to.deep.equal([]);

      const { body } = await ofAgency(clerk!);
      expect(linesOf(body.data)).to.deep.equal(linesOf(full));
      const hidden = (body.data as Statement).lines.map(({ balance_after, entry, salt, path }) => [
        ...[balance_after, entry, salt, path.length],
      ]);
      expect(new Set(hidden.map(String))).to.deep.equal(new Set([String([null, null, null, 0])]));
      expect(await verify(body.data)).to.equal("The lines come without proofs. The agency's owner gets them.");
      const forged = { ...body.data, json_url: body.data.json_url.replace("agency_lines", "agency") };
      expect((await fetch(forged.json_url)).status).to.equal(404);
      expect(((await (await fetch(body.data.json_url)).json()) as Statement).lines[0]!.entry).to.equal(null);
      expect(await (await fetch(body.data.page_url)).text()).to.not.include("balance");
    });

    it("doesn't exist for its hosts, other agencies, and strangers", async () => {
      const stranger = await buildUser();
      await buildAgency({}, stranger);
      for (const user of [star!, stranger, fan]) expect((await ofAgency(user)).body.error.code).to.equal("NOT_FOUND");
      expect((await ofAgency({})).status).to.equal(401);
    });
  });

  it("of a seller's stock lead to its orders and transfers, in coins, and are verified by the script", async () => {
    const seller = await buildUser();
    const mine = () => service.call("get", `/sellers/me/statements/${month}`, { token: seller.token });
    expect((await mine()).body.error.code).to.equal("NOT_FOUND");
    await makeSeller(seller, 50);
    const { id } = await passOnCoins(callerOf(seller), { user_id: host.id, coins: 20 });
    await signLedgerHead();
    const statement: Statement = (await mine()).body.data;
    expect(statement.lines.map(({ type, amount }) => [type, amount])).to.deep.equal([
      ["admin_adjustment", 500_000],
      ["seller_transfer", 200_000],
    ]);
    expect(statement.lines[1]!.reference).to.deep.equal({ type: "seller_transfer", id });
    expect(await verify(statement, await heads())).to.equal(`Verified: 2 lines of ${month}, from 0 to 30 coins.`);
    const csv = await (await fetch(statement.csv_url)).text();
    expect(csv.split("\n")[2]).to.match(/^2,[^,]+,seller_transfer,debit,20(\.0+)?,30(\.0+)?,seller_transfer,/);
    expect(await (await fetch(statement.page_url)).text()).to.include("Statement of Stock of coins");
  });

  it("are listed by month to administrators with the permission, who get them with proofs", async () => {
    const [owner, star, seller] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    const agency = await buildAgency({}, owner);
    await payLine(star.id, agency);
    await makeSeller(seller, 5);
    const [made] = await query<{ id: string }>("SELECT id FROM sellers WHERE user_id = $1", [seller.id]);
    await signLedgerHead();
    for (const [path, permission, lines] of [
      [`/users/${star.id}`, "transactions.read", 1],
      [`/agencies/${agency.id}`, "agencies.read", 1],
      [`/sellers/${made!.id}`, "sellers.read", 1],
    ] as const) {
      const { token } = await buildAdmin([permission]);
      const { items, total } = (await service.admin("get", `${path}/statements`, { token })).body.data;
      expect([total, items[0].period], path).to.deep.equal([1, month]);
      const statement = (await (await fetch(items[0].json_url)).json()) as Statement;
      expect(statement.lines, path).to.have.length(lines);
      expect(await verify(statement, await heads())).to.match(/^Verified: 1 lines/);
      const none = path.replace(/[^/]+$/, newId());
      expect((await service.admin("get", `${none}/statements`, { token })).status).to.equal(404);
    }
  });

  it("are no longer right if the ledger's tree isn't that of its entries", async () => {
    await query("ALTER TABLE ledger_leaves DISABLE TRIGGER ledger_leaves_append_only");
    const [before] = await query<{ leaf: Buffer }>("SELECT leaf FROM ledger_leaves WHERE seq = 2");
    await query("UPDATE ledger_leaves SET leaf = sha256(leaf) WHERE seq = 2");
    const { difference } = await checkLedgerChain();
    await query("UPDATE ledger_leaves SET leaf = $1 WHERE seq = 2", [before!.leaf]);
    await query("ALTER TABLE ledger_leaves ENABLE TRIGGER ledger_leaves_append_only");
    expect(difference).to.equal("Leaf 2 of the ledger's tree isn't that of its ledger transaction.");
  });
});
