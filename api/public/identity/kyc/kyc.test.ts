import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { eraseKyc } from "#shared/domain/identity/kyc/decide-kyc.ts";
import { makeSandboxKyc } from "#shared/domain/identity/kyc/kyc-provider.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { sandboxSecrets } from "#shared/testing/fakes/sandbox-payments.ts";
import { useService } from "#shared/testing/service.ts";

describe("an identity check", () => {
  const service = useService();
  const sandbox = makeSandboxKyc(sandboxSecrets.webhookSecrets);
  let ada: BuiltUser;
  beforeEach(async () => {
    ada = await buildUser();
  });

  const kyc = async () => (await service.call("get", "/kyc", { token: ada.token })).body.data;
  const open = async () => (await service.call("post", "/kyc", { token: ada.token })).body.data.reference as string;
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  async function deliver(result: object, signature?: string) {
    const body = JSON.stringify(result);
    const headers = {
      "content-type": "application/json",
      "x-sandbox-signature": signature ?? sandbox.signWebhook(body),
    };
    return (await service.call("post", "/kyc/webhook/sandbox", { body, headers })).status;
  }
  const result = (reference: string, more: object = {}) => ({
    ...{ reference, status: "approved", level: 1, expires_at: day(300), decided_at: day(-1), ...more },
  });

  it("is opened once, and decided by what the provider has signed", async () => {
    expect(await kyc()).to.deep.equal({ level: 0, status: "none", expires_at: null, provider: null, decided_at: null });
    const reference = await open();
    expect(await open()).to.equal(reference);
    expect(await kyc()).to.include({ level: 0, status: "pending" });

    expect(await deliver(result(reference), "forged")).to.equal(400);
    expect(await kyc()).to.include({ level: 0, status: "pending" });
    expect(await deliver(result(reference))).to.equal(200);
    expect(await kyc()).to.include({ level: 1, status: "approved", provider: "sandbox" });
  });

  it("costs the provider's price five times in 30 days, also of a user who asks many times at once", async () => {
    for (const _ of [1, 2, 3, 4]) await deliver(result(await open(), { status: "rejected", level: 0 }));
    const references = await Promise.all(Array.from({ length: 10 }, open));
    expect(new Set(references)).to.have.lengthOf(1);
    await deliver(result(references[0]!, { status: "rejected", level: 0 }));
    const refused = await service.call("post", "/kyc", { token: ada.token });
    expect(refused.body.error.code).to.equal("RATE_LIMITED");
    expect(Number(refused.headers.get("retry-after"))).to.be.within(29 * 86_400, 30 * 86_400);
    await query("UPDATE kyc_cases SET created_at = created_at - interval '31 days' WHERE user_id = $1", [ada.id]);
    expect(await open()).to.be.a("string");
  });

  it("takes the latest result, whatever comes twice, late, from the future, malformed, or about no case", async () => {
    const reference = await open();
    const first = result(reference, { level: 2 });
    await deliver(first);
    const before = await kyc();
    for (const other of [
      { ...first, level: 3 },
      first,
      result(reference, { status: "rejected", level: 0, decided_at: day(-2) }),
      result(reference, { level: 9, decided_at: day(1) }),
      result(reference, { status: "rejected", level: 5 }),
      result("kyc_sbxnone"),
      { reference },
    ])
      expect(await deliver(other)).to.equal(200);
    expect(await kyc()).to.deep.equal(before);
    await deliver(result(reference, { status: "rejected", level: 0, decided_at: day(-0.5) }));
    expect(await kyc()).to.include({ level: 0, status: "rejected" });
  });

  it("is none once it has expired", async () => {
    await deliver(result(await open(), { expires_at: day(-0.1) }));
    expect(await kyc()).to.include({ level: 0, status: "expired" });
  });

  it("is set by an administrator, until the provider decides again", async () => {
    const admin = await buildAdmin(["kyc_cases.write"]);
    const set = (body: object) => service.admin("post", `/users/${ada.id}/kyc`, { token: admin.token, body });
    expect((await set({ level: 1, expires_at: day(-1), reason: "Passport" })).body.error.code).to.equal(
      "VALIDATION_ERROR",
    );
    const { status, body } = await set({ level: 1, expires_at: day(30), reason: "Passport" });
    expect([status, body.data.level, body.data.provider]).to.deep.equal([200, 1, "manual"]);
    expect(await kyc()).to.include({ level: 1, status: "approved" });
    await set({ level: 0, expires_at: day(30), reason: "Forged" });
    expect(await kyc()).to.include({ level: 0, status: "rejected" });
  });

  it("is erased but for its result", async () => {
    await deliver(result(await open()));
    await open();
    const erase = () => inTransaction((tx) => eraseKyc(tx, ada.id));
    expect([await erase(), await erase()]).to.deep.equal([2, 0]);
    const rows = await query("SELECT reference, status, level FROM kyc_cases WHERE user_id = $1 ORDER BY id", [ada.id]);
    expect(rows).to.deep.equal([
      { reference: null, status: "approved", level: 1 },
      { reference: null, status: "rejected", level: 0 },
    ]);
  });
});
